#include <fmt/format.h>
#include <algorithm>

#include "report/bench_html.hpp"
#include "report/bench_json.hpp"
#include "report/html/assets.hpp"
#include "report/html/header.hpp"
#include "report/html/markup.hpp"

namespace gpulab::report::html {
namespace {

// The documents whose figures are drawn: those of one device are more processes of the same.
struct DrawnDevice {
  FigureLimits limits;
  std::vector<BenchResult> results;
};

bool is_same_device(const DeviceProperties& one, const DeviceProperties& other) {
  return one.kind == other.kind && one.name == other.name;
}

std::vector<DrawnDevice> drawn_devices(const BenchReport& report) {
  std::vector<DrawnDevice> devices;
  // Of a comparison, what is before is in its own figure.
  const std::size_t first = report.comparison ? std::min(report.before, report.results.size() - 1) : 0;
  for (std::size_t i = first; i < report.results.size(); ++i) {
    const BenchResult& result = report.results[i];
    auto found = std::ranges::find_if(devices, [&](const DrawnDevice& drawn) {
      return is_same_device(drawn.limits.device, result.device);
    });
    if (found == devices.end())
      found = devices.insert(devices.end(), DrawnDevice{{result.device, result.ceilings}, {}});
    found->results.push_back(result);
  }
  return devices;
}

// A part of the page with a heading, and its entry in the contents.
struct Part {
  std::string id, title, note;
  std::vector<Figure> figures;
};

void append(std::vector<Figure>& figures, std::vector<Figure> more) {
  std::ranges::move(more, std::back_inserter(figures));
}

Part part_of(const BenchSection& section, const FigureLimits& limits, const std::string& id,
             const std::string& device) {
  Part part{id, section.title() + device, section.same_options, {}};
  append(part.figures, ladder_figures(section, limits, id));
  append(part.figures, end_to_end_figures(section, limits, id));
  append(part.figures, size_figures(section, limits, id));
  append(part.figures, energy_figures(section, limits, id));
  append(part.figures, counted_figures(section, id));
  return part;
}

std::string files_before(const BenchReport& report) {
  std::string names;
  for (std::size_t i = 0; i < std::min(report.before, report.files.size()); ++i)
    names += (i > 0 ? ", " : "") + report.files[i];
  return names;
}

std::vector<Part> parts_of(const BenchReport& report) {
  std::vector<Part> parts;
  if (report.comparison)
    parts.push_back({"comparison", "What changed", files_before(report) + " before, the rest now",
                     comparison_figures(*report.comparison, "comparison-ratios")});
  const std::vector<DrawnDevice> devices = drawn_devices(report);
  std::size_t number = 0;
  for (const DrawnDevice& drawn : devices) {
    const std::string device = devices.size() > 1 ? " · " + drawn.limits.device.name : "";
    const std::vector<BenchSection> sections = bench_sections(reported_cases(drawn.results));
    const std::string id = fmt::format("device-{}", ++number);
    for (std::size_t i = 0; i < sections.size(); ++i)
      parts.push_back(part_of(sections[i], drawn.limits, fmt::format("{}-lesson-{}", id, i + 1), device));
    parts.push_back({id + "-roofline", "What the GPU allows" + device, "",
                     roofline_figures(sections, drawn.limits, id + "-roofline-figure")});
  }
  std::erase_if(parts, [](const Part& part) { return part.figures.empty(); });
  return parts;
}

std::string contents_markup(const std::vector<Part>& parts) {
  if (parts.size() < 2) return "";
  std::string list;
  for (const Part& part : parts)
    list += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", part.id, escaped(part.title));
  return "<nav aria-label=\"Contents\"><ul>\n" + list + "</ul></nav>\n";
}

std::string part_markup(const Part& part) {
  std::string text = fmt::format("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n", part.id,
                                 escaped(part.title));
  if (!part.note.empty()) text += fmt::format("<p class=\"note\">{}</p>\n", escaped(part.note));
  text += "<div class=\"figures\">\n";
  for (const Figure& figure : part.figures) text += figure_markup(figure);
  return text + "</div>\n</section>\n";
}

// Nothing is loaded, and no script runs but those whose hashes stand here.
std::string policy(const PageAssets& assets) {
  return fmt::format(
      "default-src 'none'; style-src '{}'; script-src '{}' '{}'; base-uri 'none'; form-action 'none'",
      assets.style_hash, assets.charts_hash, assets.script_hash);
}

// The documents as they were read, so that the page is all that has to be kept.
std::string documents_markup(const BenchReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.results.size(); ++i)
    text +=
        fmt::format("<script type=\"application/json\" class=\"document\" data-file=\"{}\">\n{}</script>\n",
                    escaped(report.files[i]), for_script(bench_json(report.results[i])));
  return text;
}

std::string page(const BenchReport& report) {
  const PageAssets& assets = page_assets();
  const std::string title = page_title(report);
  const std::vector<Part> parts = parts_of(report);
  std::vector<Figure> figures;
  std::string body;
  for (const Part& part : parts) {
    append(figures, part.figures);
    body += part_markup(part);
  }
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
         fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", policy(assets)) +
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n" +
         element("title", title + " · gpulab") + "<style>" + assets.style + "</style>\n</head>\n<body>\n" +
         "<a class=\"skip\" href=\"#main\">Skip to the figures</a>\n<header>\n" + element("h1", title) +
         findings_markup(report) + facts_markup(report) + contents_markup(parts) +
         "</header>\n<main id=\"main\" tabindex=\"-1\">\n" +
         "<noscript><p>Figures need JavaScript. The tables below have the same numbers.</p></noscript>\n" +
         body +
         "</main>\n<footer><p>Written by gpulab. The measured documents are in this file: look for "
         "<code>application/json</code>. Figures are drawn by Chart.js, MIT license.</p></footer>\n" +
         "<script type=\"application/json\" id=\"figures\">" + figures_json(figures) + "</script>\n" +
         documents_markup(report) + "<script>" + assets.charts + "</script>\n<script>" + assets.script +
         "</script>\n</body>\n</html>\n";
}

}  // namespace
}  // namespace gpulab::report::html

namespace gpulab::report {

bool has_chart_library() {
  return *html::page_assets().charts != '\0';
}

std::string bench_html(const BenchReport& report) {
  if (!has_chart_library())
    throw Error(ExitCode::device,
                "HTML needs Chart.js, and this gpulab was built without it: install libjs-chart.js and build "
                "again, or "
                "choose another --format");
  return html::page(report);
}

}  // namespace gpulab::report
