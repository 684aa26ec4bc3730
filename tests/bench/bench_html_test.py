#!/usr/bin/env python3
"""bench_html_test.py PROGRAM [--keep FOLDER]: checks the pages of `gpulab report` in a browser without a window, at three
widths, light and dark. --keep leaves the pages and a picture of each in FOLDER.

Ends with code 77, which ctest shows as skipped, where Chromium or its Python interface is missing, or the program was
built without Chart.js.
"""
import argparse
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile

try:
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("skipped: needs python3-selenium")
    sys.exit(77)

import bench_documents

WIDTHS = (400, 1024, 1920)
THEMES = ("light", "dark")

# Lists the faults of the figures as sentences. Half a pixel is tolerated.
FAULTS = r"""
const faults = [];
const overlap = (a, b) => a.left < b.right - .5 && b.left < a.right - .5 && a.top < b.bottom - .5 && b.top < a.bottom - .5;
const reportOverlaps = (boxes, what) => boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
  if (overlap(a, b)) faults.push(`${what}: "${a.text}" overlaps "${b.text}"`);
}));
const ruler = document.createElement('canvas').getContext('2d');
function tickBoxes(chart, scale) {
  const size = scale.options.ticks.font.size;
  ruler.font = `${size}px ${Chart.defaults.font.family}`;
  return scale.ticks.map((tick, i) => {
    const lines = [].concat(tick.label ?? '');
    const width = Math.max(...lines.map(line => ruler.measureText(line).width)), height = lines.length * size;
    const at = scale.getPixelForTick(i);
    const box = scale.isHorizontal()
      ? {left: at - width / 2, right: at + width / 2, top: scale.top, bottom: scale.top + height}
      : {left: scale.right - width, right: scale.right, top: at - height / 2, bottom: at + height / 2};
    return {...box, text: lines.join(' ')};
  });
}
function checkChart(name, chart) {
  const area = chart.chartArea;
  if (area.right - area.left < 90) faults.push(`${name}: only ${area.right - area.left} pixels to draw in`);
  chart.data.datasets.forEach((dataset, index) => {
    const marks = chart.getDatasetMeta(index).data.filter((mark, i) => dataset.data[i] !== null);
    if (marks.length === 0) faults.push(`${name}: ${dataset.label} has no marks`);
    for (const mark of marks)
      if (!(mark.x >= area.left - 1 && mark.x <= area.right + 1 && mark.y >= area.top - 1 && mark.y <= area.bottom + 1))
        faults.push(`${name}: a mark of ${dataset.label} at ${mark.x}, ${mark.y} is outside`);
  });
  for (const scale of Object.values(chart.scales)) {
    const boxes = tickBoxes(chart, scale);
    if (boxes.length < 2 && scale.type !== 'category') faults.push(`${name}: axis ${scale.id} has ${boxes.length} ticks`);
    reportOverlaps(boxes, `${name}, axis ${scale.id}`);
    for (const box of boxes)
      if (box.left < -1 || box.right > chart.width + 1) faults.push(`${name}: tick "${box.text}" is cut`);
  }
  ruler.font = `12px ${Chart.defaults.font.family}`;
  for (const label of chart.config.options.endLabels ?? []) {
    const right = chart.scales.x.getPixelForValue(label.end) + 6 + ruler.measureText(label.text).width;
    if (!label.text || right > chart.width + 1) faults.push(`${name}: the bar's label "${label.text}" is cut`);
  }
}
function checkFigure(figure) {
  const name = figure.id, canvas = figure.querySelector('canvas'), chart = Chart.getChart(canvas);
  if (!chart) return faults.push(`${name} is not drawn`);
  checkChart(name, chart);
  if (canvas.getAttribute('role') !== 'img' || canvas.getAttribute('aria-label').length < 30) faults.push(`${name}: has no description`);
  const table = figure.querySelector('details table');
  if (!table || !table.caption || table.querySelectorAll('tbody tr').length === 0) faults.push(`${name}: has no table`);
  for (const cell of table.querySelectorAll('th'))
    if (!cell.scope) faults.push(`${name}: a heading of the table has no scope`);
  for (const row of table.querySelectorAll('tbody tr'))
    if (row.cells.length !== table.tHead.rows[0].cells.length) faults.push(`${name}: a row has other columns than the head`);
  const buttons = [...figure.querySelectorAll('.legend button')].map(button => ({...button.getBoundingClientRect().toJSON(), text: button.textContent}));
  reportOverlaps(buttons, `${name}, legend`);
  for (const button of buttons)
    if (button.right > innerWidth) faults.push(`${name}: the legend's "${button.text}" is cut`);
}
const figures = [...document.querySelectorAll('figure')];
figures.forEach(checkFigure);
if (figures.length !== JSON.parse(document.getElementById('figures').textContent).length) faults.push('figures are missing');
if (document.documentElement.scrollWidth > innerWidth) faults.push(`the page is ${document.documentElement.scrollWidth} pixels wide`);
if (document.title === 'owned' || document.images.length > 0) faults.push('a text became markup');
return faults;
"""

problems = []


def complain(where, what):
    problems.append(f"{where}: {what}")


class Browser:
    """Chromium without a window, with a profile that is deleted afterwards."""

    def __init__(self, binary, driver):
        options = Options()
        options.binary_location = binary
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(driver), options=options)

    def open(self, path, width, theme):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": theme}]})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.get("file://" + path)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def messages(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Returns the addresses that were requested since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def picture(self, path):
        height = self.run("return document.documentElement.scrollHeight")
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {
            "format": "png", "captureBeyondViewport": True,
            "clip": {"x": 0, "y": 0, "width": self.run("return innerWidth"), "height": height, "scale": 1}})
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))


def check_page(browser, path, min_figures, keep):
    for width in WIDTHS:
        for theme in THEMES:
            where = f"{os.path.basename(path)}, {width} pixels, {theme}"
            browser.open(path, width, theme)
            for fault in browser.run(FAULTS):
                complain(where, fault)
            if browser.run("return document.querySelectorAll('figure').length") < min_figures:
                complain(where, f"has less than {min_figures} figures")
            for message in browser.messages():
                complain(where, "the console says " + message)
            for address in browser.requests():
                if address != "file://" + path:
                    complain(where, "asked for " + address[:200])
            if keep:
                browser.picture(f"{path[:-5]}-{width}-{theme}.png")


def check_colours(browser, path):
    """Checks that the page and the axes have other colours in dark than in light."""
    seen = {}
    for theme in THEMES:
        browser.open(path, 1024, theme)
        seen[theme] = browser.run("return [getComputedStyle(document.body).backgroundColor,"
                                  "Chart.getChart(document.querySelector('canvas')).options.scales.x.ticks.color]")
    for what, light, dark in zip(("the page", "the axes"), seen["light"], seen["dark"]):
        if light == dark:
            complain(path, f"{what} has the same colour in light and dark, {light}")


def check_keyboard(browser, path):
    browser.open(path, 1024, "light")
    page = browser.driver.switch_to.active_element
    page.send_keys(Keys.TAB)
    if "Skip" not in browser.driver.switch_to.active_element.text:
        complain(path, "the first Tab does not reach the link that skips to the figures")
    button = browser.driver.find_element("css selector", ".legend button[aria-pressed]")
    button.send_keys(Keys.ENTER)
    hidden = browser.run("const button = arguments[0], figure = button.closest('figure');"
                         "return [button.getAttribute('aria-pressed'),"
                         "Chart.getChart(figure.querySelector('canvas')).isDatasetVisible(0)]", button)
    if hidden != ["false", False]:
        complain(path, f"Enter on a legend's button did not hide its curve: {hidden}")


def check_paper(browser, path):
    browser.open(path, 1920, "dark")
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    background, open_tables, chart_width = paper = browser.run(
        "return [getComputedStyle(document.body).backgroundColor, document.querySelectorAll('details[open]').length,"
        "document.querySelector('.chart').clientWidth]")
    if background != "rgb(255, 255, 255)" or open_tables == 0 or chart_width > 720:
        complain(path, f"is not ready for paper: {paper}")
    browser.run("window.dispatchEvent(new Event('afterprint'))")
    if browser.run("return document.querySelectorAll('details[open]').length") > 0:
        complain(path, "tables stay unfolded after printing")
    printed = base64.b64decode(browser.driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
    if not printed.startswith(b"%PDF") or len(printed) < 20000:
        complain(path, "cannot be printed")


def check_policy(browser, path):
    """Checks that only the page's own scripts run, and that it has the whole document."""
    browser.open(path, 1024, "light")
    ran = browser.run("const script = document.createElement('script'); script.textContent = 'window.intruder = true';"
                      "document.body.append(script); return window.intruder === true")
    browser.messages()
    if ran:
        complain(path, "a script that is not the page's own ran")
    rows = browser.run("return JSON.parse(document.querySelector('script.document').textContent).results.length")
    if rows != len(bench_documents.hostile()["results"]):
        complain(path, f"has {rows} results in its document")


def pages(program, folder):
    """Yields the path of each page, and the fewest figures that it must have."""
    for name in ("sweep", "slower_sweep", "simulated", "hostile", "many_variants"):
        bench_documents.write(os.path.join(folder, name + ".json"), getattr(bench_documents, name)())
    for name, files, min_figures in (("sweep", ["sweep"], 15), ("two", ["sweep", "slower_sweep"], 16),
                               ("simulated", ["simulated"], 4), ("hostile", ["hostile"], 15),
                               ("many_variants", ["many_variants"], 6)):
        page = os.path.join(folder, name + ".html")
        done = subprocess.run([program, "report", *(os.path.join(folder, file + ".json") for file in files), "-o", page])
        if done.returncode not in (0, 1, 5):  # 1: a result is wrong, 5: something got slower
            sys.exit(f"gpulab report ended with {done.returncode}")
        yield page, min_figures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--keep", metavar="FOLDER")
    arguments = parser.parse_args()
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not binary or not driver:
        print("skipped: needs chromium and chromium-driver")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.abspath(arguments.keep or scratch)
        os.makedirs(folder, exist_ok=True)
        bench_documents.write(os.path.join(folder, "simulated.json"), bench_documents.simulated())
        probe = subprocess.run([arguments.program, "report", os.path.join(folder, "simulated.json"), "--format", "html"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if probe.returncode == 4:  # built without Chart.js
            print("skipped:", probe.stderr.strip())
            sys.exit(77)
        try:
            browser = Browser(binary, driver)
        except WebDriverException as error:
            print("skipped: Chromium does not start here:", error.msg)
            sys.exit(77)
        try:
            paths = {}
            for page, min_figures in pages(arguments.program, folder):
                paths[os.path.basename(page)] = page
                check_page(browser, page, min_figures, arguments.keep)
            check_colours(browser, paths["sweep.html"])
            check_keyboard(browser, paths["two.html"])
            check_paper(browser, paths["two.html"])
            check_policy(browser, paths["hostile.html"])
        finally:
            browser.driver.quit()
    print("\n".join(problems) or f"{len(paths)} pages are as they should be")
    sys.exit(1 if problems else 0)


main()
