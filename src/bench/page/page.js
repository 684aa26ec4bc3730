'use strict';
// Draws the figures of a report, whose values are in the element #figures, into their places in the page.
(() => {
  const root = document.documentElement;
  const figures = JSON.parse(document.getElementById('figures').textContent);
  const narrow = 520;  // pixels: figures that are narrower have shorter labels
  const fontSize = 12;
  const shapes = ['circle', 'rect', 'triangle', 'rectRot', 'crossRot', 'star', 'cross', 'rectRounded'];

  // ---- Numbers in words, as the tables have them ----

  const grouped = digits => digits.replace(/\B(?=(\d{3})+$)/g, '\u202f');
  function threeDigits(value) {
    const size = Math.abs(value);
    if (size >= 999.5) return grouped(value.toFixed(0));
    return String(Number(value.toPrecision(3)));
  }
  function inUnits(value, units) {
    const [factor, name] = units.find(([factor]) => Math.abs(value) >= factor * 0.9995) ?? units[units.length - 1];
    return threeDigits(value / factor) + '\u00a0' + name;
  }
  const superscript = number => String(number).replace(/\d/g, digit => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]);
  function workItems(size) {
    const power = Math.log2(size);
    if (size >= 1024 && Number.isInteger(power)) return '2' + superscript(power);
    if (size >= 1e5 && Number.isInteger(Math.log10(size))) return '10' + superscript(Math.log10(size));
    return size >= 1e5 && size % 1e5 === 0 ? threeDigits(size / 1e6) + '\u202fM' : grouped(size.toFixed(0));
  }
  const words = {
    's': value => value === 0 ? '0' : inUnits(value, [[1, 's'], [1e-3, 'ms'], [1e-6, 'us'], [1e-9, 'ns']]),
    'J': value => value === 0 ? '0' : inUnits(value, [[1, 'J'], [1e-3, 'mJ'], [1e-6, 'uJ']]),
    'GB/s': value => threeDigits(value * 1e-9),
    'GFLOP/s': value => threeDigits(value * 1e-9),
    'TFLOP/s': value => threeDigits(value * 1e-12),
    'FLOP/B': threeDigits,
    'count': value => value === 0 ? '0' : value < 1e6 ? threeDigits(value) : inUnits(value, [[1e9, 'G'], [1e6, 'M']]),
    'ratio': value => threeDigits(value) + 'x',
    'items': workItems,
  };

  // ---- Ticks at round numbers ----

  function linearTicks(low, high, wanted) {
    const rough = (high - low) / wanted;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map(digits => digits * power).find(step => step >= rough);
    const ticks = [];
    for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high * (1 + 1e-9); tick += step) ticks.push(Number(tick.toPrecision(12)));
    return ticks;
  }
  function logarithmicTicks(low, high) {
    const decades = Math.log10(high / low);
    if (decades < 0.7) return linearTicks(low, high, 5);
    const steps = decades < 2.5 ? [1, 2, 5] : [1];
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power)
      for (const step of steps) ticks.push(Number((step * 10 ** power).toPrecision(12)));
    return ticks.filter(tick => tick >= low * 0.999 && tick <= high * 1.001);
  }

  // ---- Colours and markers ----

  const colour = name => getComputedStyle(root).getPropertyValue('--' + name).trim();
  function colourOf(curve) {
    switch (curve.role) {
      case 'kernel': case 'kernel-before': return colour('series-' + curve.style % 8);
      case 'reference': return colour('reference-' + curve.style % 2);
      case 'part': return colour(['series-5', 'series-0', 'series-4'][curve.style]);
      case 'regressed': return colour('wrong');
      case 'improved': return colour('good');
      case 'inconclusive': return colour('warning');
      case 'same': return colour('reference-1');
      case 'before': return colour('reference-0');
      default: return colour('ink');
    }
  }
  function dashOf(curve) {
    switch (curve.role) {
      case 'kernel-before': return [5, 4];
      case 'reference': return curve.style === 0 ? [3, 3] : [9, 3];
      case 'measured-limit': return curve.style === 0 ? [10, 4] : [1, 4];
      case 'theoretical-limit': return [4, 4, 1, 4];
      default: return [];
    }
  }
  const isLimit = curve => curve.role === 'measured-limit' || curve.role === 'theoretical-limit';
  const shapeOf = curve => {
    switch (curve.role) {
      case 'kernel': case 'kernel-before': return shapes[(curve.style + Math.floor(curve.style / 8)) % 8];
      case 'reference': return curve.style === 0 ? 'cross' : 'crossRot';
      default: return 'circle';
    }
  };
  // The outline of a marker around x, y, for a canvas and for a legend.
  function outline(shape, x, y, r) {
    const s = r * 0.8;
    switch (shape) {
      case 'rect': case 'rectRounded': return `M${x - s} ${y - s}h${2 * s}v${2 * s}h${-2 * s}z`;
      case 'rectRot': return `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}z`;
      case 'triangle': return `M${x} ${y - r}L${x + r} ${y + s}L${x - r} ${y + s}z`;
      case 'cross': return `M${x - r} ${y}h${2 * r}M${x} ${y - r}v${2 * r}`;
      case 'crossRot': return `M${x - s} ${y - s}L${x + s} ${y + s}M${x + s} ${y - s}L${x - s} ${y + s}`;
      case 'star': return outline('cross', x, y, r) + outline('crossRot', x, y, r);
      default: return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
    }
  }
  // Returns the hatching of a bar, so that parts of a sum differ not only in their colours.
  function hatchingOf(curve) {
    if (curve.role === 'part') return ['rising', 'none', 'falling'][curve.style];
    if (curve.role === 'kernel') return ['none', 'rising', 'falling', 'level'][Math.floor(curve.style / 8) % 4];
    return curve.role === 'reference' ? 'level' : 'none';
  }
  // Returns the fill of a bar: its colour, with lines over it if it is hatched.
  function filling(curve) {
    const ink = colourOf(curve);
    const hatching = hatchingOf(curve);
    if (hatching === 'none') return ink;
    const size = 8;
    const tile = document.createElement('canvas');
    tile.width = tile.height = size;
    const context = tile.getContext('2d');
    context.fillStyle = ink;
    context.fillRect(0, 0, size, size);
    context.strokeStyle = colour('page');
    context.lineWidth = 1.5;
    context.beginPath();
    for (const shift of [-size, 0, size]) {
      if (hatching === 'level') {
        context.moveTo(0, size / 2);
        context.lineTo(size, size / 2);
      } else {
        context.moveTo(shift, hatching === 'rising' ? size : 0);
        context.lineTo(shift + size, hatching === 'rising' ? 0 : size);
      }
    }
    context.stroke();
    return context.createPattern(tile, 'repeat');
  }

  // ---- What Chart.js does not draw by itself ----

  // The range of each measured point, as a whisker along the measured axis.
  const whiskers = {
    id: 'whiskers',
    afterDatasetsDraw(chart) {
      const context = chart.ctx;
      chart.data.datasets.forEach((dataset, index) => {
        const meta = chart.getDatasetMeta(index);
        if (!dataset.ranges || !chart.isDatasetVisible(index)) return;
        const sideways = chart.options.indexAxis === 'y';
        const scale = chart.scales[sideways ? 'x' : 'y'];
        context.save();
        context.strokeStyle = dataset.whiskerColour;
        context.lineWidth = 1.5;
        context.beginPath();
        meta.data.forEach((element, i) => {
          if (!dataset.ranges[i]) return;
          const [low, high] = dataset.ranges[i].map(value => scale.getPixelForValue(value));
          const cap = 4;
          if (sideways) {
            context.moveTo(low, element.y);
            context.lineTo(high, element.y);
            for (const x of [low, high]) context.moveTo(x, element.y - cap), context.lineTo(x, element.y + cap);
          } else {
            context.moveTo(element.x, low);
            context.lineTo(element.x, high);
            for (const y of [low, high]) context.moveTo(element.x - cap, y), context.lineTo(element.x + cap, y);
          }
        });
        context.stroke();
        context.restore();
      });
    },
  };
  // Labels of bars and stacks, beyond their ends and whiskers.
  const endLabels = {
    id: 'endLabels',
    afterDatasetsDraw(chart) {
      const labels = chart.config.options.endLabels;
      if (!labels) return;
      const context = chart.ctx;
      context.save();
      context.font = `${fontSize}px ${Chart.defaults.font.family}`;
      context.textBaseline = 'middle';
      labels.forEach(label => {
        const x = chart.scales.x.getPixelForValue(label.end) + 6, y = chart.scales.y.getPixelForValue(label.row) + label.below;
        context.fillStyle = colour('page');  // over lines behind it
        context.fillRect(x - 1, y - fontSize * 0.6, widthOf(label.text) + 2, fontSize * 1.2);
        context.fillStyle = colour('ink');
        context.fillText(label.text, x, y);
      });
      context.restore();
    },
  };
  // Vertical lines and a band, behind bars.
  const marksBehind = {
    id: 'marksBehind',
    beforeDatasetsDraw(chart) {
      const {lines, band} = chart.config.options.behind ?? {};
      const {top, bottom} = chart.chartArea;
      const x = value => chart.scales.x.getPixelForValue(value);
      const context = chart.ctx;
      context.save();
      if (band) {
        context.fillStyle = colour('grid');
        context.globalAlpha = 0.6;
        context.fillRect(x(band[0]), top, x(band[1]) - x(band[0]), bottom - top);
        context.globalAlpha = 1;
      }
      for (const line of lines ?? []) {
        context.strokeStyle = line.colour;
        context.setLineDash(line.dash);
        context.lineWidth = 1.5;
        context.beginPath();
        context.moveTo(x(line.at), top);
        context.lineTo(x(line.at), bottom);
        context.stroke();
      }
      context.restore();
    },
  };

  // ---- Charts ----

  const ruler = document.createElement('canvas').getContext('2d');
  function widthOf(text) {
    ruler.font = `${fontSize}px ${Chart.defaults.font.family}`;
    return ruler.measureText(text).width;
  }
  // Returns the text in lines of at most `width` pixels, broken after hyphens, commas, spaces and the like.
  function wrapped(text, width, maxLines) {
    const lines = [''];
    for (const piece of text.split(/(?<=[-_,/· ])/)) {
      const last = lines[lines.length - 1];
      if (last && widthOf((last + piece).trimEnd()) > width) lines.push(piece);
      else lines[lines.length - 1] = last + piece;
    }
    const shown = lines.slice(0, maxLines).map(line => line.trim());
    if (lines.length > maxLines) shown[maxLines - 1] += '…';
    return shown.map(line => {
      if (widthOf(line) <= width) return line;
      while (line.length > 1 && widthOf(line + '…') > width) line = line.slice(0, -1);
      return line + '…';
    });
  }

  const axis = (spec, more) => ({
    grid: {color: colour('grid'), drawBorder: false, tickLength: 4},
    title: {display: true, text: spec.title + (spec.logarithmic ? ', logarithmic' : ''), color: colour('muted'), font: {size: fontSize}},
    ...more,
    ticks: {color: colour('muted'), font: {size: spec.unit === 'items' ? 13 : fontSize}, maxRotation: 0, autoSkipPadding: 14,
            callback: value => words[spec.unit](value), ...more.ticks},
  });

  const rangesOf = points => points.some(point => point.range) ? points.map(point => point.range) : null;

  function pointText(figure, curve, point) {
    const y = words[figure.y.unit](point.y) + (/^[GT]/.test(figure.y.unit) ? '\u00a0' + figure.y.unit : '');
    const range = point.range ? ` (${point.range.map(words[figure.y.unit]).join(' to ')})` : '';
    const what = point.label ? `${curve.name}, ${point.label}` : curve.name;
    return `${what}: ${y}${range} at ${words[figure.x.unit](point.x)} ${figure.x.title}`;
  }

  function curvesConfig(figure) {
    const isScatter = figure.shape === 'scatter';
    const measured = figure.curves.filter(curve => !isLimit(curve));
    const xs = [...new Set(measured.flatMap(curve => curve.points.map(point => point.x)))].sort((a, b) => a - b);
    const limits = key => {
      const values = figure.curves.flatMap(curve => curve.points.map(point => point[key])).filter(value => value > 0);
      return [Math.min(...values), Math.max(...values)];
    };
    const [lowX, highX] = limits('x'), [lowY, highY] = limits('y');
    const padX = (highX / lowX) ** 0.03, padY = (highY / lowY) ** 0.05 * 1.05;
    const ticksOf = (low, high) => isScatter ? logarithmicTicks(low, high) : xs;
    return {
      type: 'scatter',
      data: {
        datasets: figure.curves.map(curve => ({
          label: curve.name,
          data: curve.points.map(point => ({x: point.x, y: point.y})),
          showLine: isLimit(curve) || !isScatter,
          borderColor: colourOf(curve), backgroundColor: colourOf(curve), whiskerColour: colourOf(curve),
          borderWidth: isLimit(curve) ? 1.5 : 2, borderDash: dashOf(curve),
          pointStyle: shapeOf(curve), pointRadius: isLimit(curve) ? 0 : isScatter ? 5 : 4,
          pointHoverRadius: isLimit(curve) ? 0 : 6, pointHitRadius: isLimit(curve) ? 0 : 8, pointBorderWidth: 2,
          ranges: rangesOf(curve.points), order: isLimit(curve) ? 1 : 0, clip: false,
        })),
      },
      options: {
        interaction: {mode: 'nearest', intersect: false},
        scales: {
          x: axis(figure.x, {type: 'logarithmic', min: lowX / padX, max: highX * padX,
                             afterBuildTicks: scale => { scale.ticks = ticksOf(scale.min, scale.max).map(value => ({value})); }}),
          y: axis(figure.y, {type: 'logarithmic', min: lowY / padY, max: highY * padY,
                             afterBuildTicks: scale => { scale.ticks = logarithmicTicks(scale.min, scale.max).map(value => ({value})); }}),
        },
        plugins: {tooltip: {callbacks: {title: () => '', label: item => {
          const curve = figure.curves[item.datasetIndex];
          return isLimit(curve) ? curve.name : pointText(figure, curve, curve.points[item.dataIndex]);
        }}}},
      },
      height: width => Math.max(300, Math.min(420, width * 0.62)),
    };
  }

  // Returns the names on the left, in as many lines as they need, and the height of a row.
  function categories(figure, width) {
    const maxWidth = Math.min(width * (width < narrow ? 0.33 : 0.34), 320);
    const maxLines = figure.shape !== 'pairs' ? 3 : width < narrow ? 6 : 4;
    const lines = figure.categories.map(name => wrapped(name, maxWidth, maxLines));
    const rows = Math.max(...lines.map(linesOfName => linesOfName.length));
    return {lines, rowHeight: Math.max(figure.shape === 'pairs' ? 48 : 30, rows * 15 + 12)};
  }

  function barsConfig(figure, width) {
    const isStack = figure.shape === 'stack', isPairs = figure.shape === 'pairs';
    const {lines, rowHeight} = categories(figure, width);
    const thickness = isPairs ? 15 : Math.min(22, rowHeight - 8);
    const count = figure.categories.length;
    const bars = figure.curves.filter(curve => !isLimit(curve)), limits = figure.curves.filter(isLimit);
    // Labels at the ends of the bars: one for each category, or two for each pair.
    const ends = figure.categories.flatMap((name, row) => Array.from(Array(isPairs ? 2 : 1), (_, i) =>
      ({row, end: 0, text: '', below: isPairs ? (i - 0.5) * thickness : 0})));
    for (const curve of bars)
      for (const point of curve.points) {
        const end = ends[isPairs ? 2 * point.y + (curve.role === 'before' ? 0 : 1) : point.y];
        end.end = isStack ? end.end + point.x : Math.max(end.end, point.x, point.range ? point.range[1] : 0);
        const parts = point.label.split(', ');  // a narrow page has room for two of them, or for the last
        end.text = width >= narrow ? point.label : isPairs ? parts.slice(0, 2).join(', ') : parts.pop();
      }
    const datasets = isStack || isPairs ? bars.map(curve => {
      const values = Array(count).fill(null), ranges = Array(count).fill(null);
      for (const point of curve.points) [values[point.y], ranges[point.y]] = [point.x, point.range];
      return {label: curve.name, data: values, ranges: isPairs ? ranges : null, backgroundColor: filling(curve), whiskerColour: colour('ink'),
              stack: curve.role === 'before' ? 'before' : 'all', barThickness: thickness};
    }) : [{
      label: figure.x.title,
      data: bars.map(curve => curve.points[0].x), ranges: rangesOf(bars.map(curve => curve.points[0])),
      backgroundColor: bars.map(filling), whiskerColour: colour('ink'), barThickness: thickness,
    }];
    const room = 12 + Math.max(...ends.map(end => widthOf(end.text)));
    const high = Math.max(isPairs ? 1.1 : 0, ...ends.map(end => end.end), ...limits.map(curve => curve.points[0].x));
    return {
      type: 'bar',
      data: {labels: lines, datasets},
      options: {
        indexAxis: 'y',
        interaction: {mode: 'nearest', axis: 'y', intersect: false},
        layout: {padding: {right: room}},
        endLabels: ends,
        behind: {band: figure.band, lines: [...limits.map(curve => ({at: curve.points[0].x, dash: dashOf(curve), colour: colourOf(curve)})),
                                            ...(isPairs ? [{at: 1, dash: [], colour: colour('muted')}] : [])]},
        scales: {
          x: axis(figure.x, {type: 'linear', position: isPairs ? 'top' : 'bottom', min: 0, max: high, stacked: isStack || isPairs,
                             afterBuildTicks: scale => { scale.ticks = linearTicks(0, scale.max, width < narrow ? 3 : 6).map(value => ({value})); }}),
          y: {grid: {display: false, drawBorder: false}, stacked: isStack || isPairs,
              ticks: {color: colour('ink'), font: {size: fontSize}, autoSkip: false, crossAlign: 'far'}},
        },
        plugins: {tooltip: {callbacks: {
          title: items => items.length ? figure.categories[items[0].dataIndex] : '',
          label: item => {
            if (!isStack && !isPairs) return bars[item.dataIndex].points[0].label;
            const point = bars[item.datasetIndex].points.find(point => point.y === item.dataIndex);
            return bars[item.datasetIndex].name + ': ' + (isPairs ? point.label : words[figure.x.unit](point.x));
          },
        }}},
      },
      height: () => count * rowHeight + 56,
    };
  }

  // ---- Legends: buttons, so that a keyboard reaches them ----

  const svg = (name, attributes) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  function swatch(curve, figure) {
    const isBar = figure.shape === 'stack' || figure.shape === 'pairs';
    const picture = svg('svg', {width: 30, height: 14, viewBox: '0 0 30 14', 'aria-hidden': 'true'});
    const ink = colourOf(curve);
    if (isBar) {
      picture.append(svg('rect', {x: 4, y: 1, width: 22, height: 12, fill: ink}));
      const lines = {rising: 'M4 13L16 1M14 13L26 1', falling: 'M4 1L16 13M14 1L26 13', level: 'M4 7H26', none: ''}[hatchingOf(curve)];
      picture.append(svg('path', {d: lines, stroke: colour('page'), 'stroke-width': 1.5, fill: 'none'}));
      return picture;
    }
    const hasLine = figure.shape === 'curves' || isLimit(curve);
    if (hasLine) picture.append(svg('path', {d: 'M1 7H29', stroke: ink, 'stroke-width': 2, 'stroke-dasharray': dashOf(curve).join(' ') || 'none'}));
    if (!isLimit(curve))
      picture.append(svg('path', {d: outline(shapeOf(curve), 15, 7, 4.5), stroke: ink, 'stroke-width': 2,
                                  fill: ink}));
    return picture;
  }
  function addLegend(box, figure, chart) {
    box.replaceChildren();
    const isPlainBars = figure.shape === 'bars';
    figure.curves.forEach((curve, index) => {
      if (isPlainBars && !isLimit(curve)) return;  // bars have their names beside them
      const button = document.createElement('button');
      button.type = 'button';
      button.append(swatch(curve, figure), curve.name);
      button.disabled = isPlainBars;
      if (!isPlainBars) button.setAttribute('aria-pressed', 'true');
      button.title = isPlainBars ? '' : 'show or hide';
      button.addEventListener('click', () => {
        const shown = !chart.isDatasetVisible(index);
        chart.setDatasetVisibility(index, shown);
        chart.update('none');
        button.setAttribute('aria-pressed', String(shown));
      });
      box.append(button);
    });
  }

  // ---- The page ----

  const charts = new Map();
  function draw(figure) {
    const element = document.getElementById(figure.id);
    const box = element.querySelector('.chart');
    charts.get(figure.id)?.destroy();
    const width = box.clientWidth;
    const isCurves = figure.shape === 'curves' || figure.shape === 'scatter';
    const {height, options, ...config} = isCurves ? curvesConfig(figure) : barsConfig(figure, width);
    box.style.height = Math.round(height(width)) + 'px';
    const chart = new Chart(element.querySelector('canvas'), {
      ...config,
      options: {...options, responsive: true, maintainAspectRatio: false, animation: false,
                plugins: {legend: {display: false}, ...options.plugins}},
      plugins: [marksBehind, whiskers, endLabels],
    });
    charts.set(figure.id, chart);
    addLegend(element.querySelector('.legend'), figure, chart);
  }
  function drawAll() {
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    Chart.defaults.devicePixelRatio = Math.max(2, window.devicePixelRatio);
    figures.forEach(draw);
  }

  // Labels are wrapped for one width: another width needs another layout.
  let width = 0, redrawTimer = 0;
  window.addEventListener('resize', () => {
    if (document.body.clientWidth === width || root.classList.contains('printing')) return;
    width = document.body.clientWidth;
    clearTimeout(redrawTimer);
    redrawTimer = setTimeout(drawAll, 100);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);

  // On paper: light colours, the paper's width, and all tables open, except long ones that would fill sheets.
  const maxRows = 60;
  const folded = [];
  window.addEventListener('beforeprint', () => {
    root.classList.add('printing');
    for (const details of document.querySelectorAll('details:not([open])')) {
      if (details.querySelectorAll('tr').length > maxRows) continue;
      folded.push(details);
      details.open = true;
    }
    drawAll();
  });
  window.addEventListener('afterprint', () => {
    root.classList.remove('printing');
    for (const details of folded.splice(0)) details.open = false;
    drawAll();
  });

  width = document.body.clientWidth;
  drawAll();
})();
