#include "bench/page/page.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <regex>
#include <utility>

#include "base/test_report.hpp"
#include "base/text.hpp"
#include "bench/bench_formats.hpp"
#include "bench/compare.hpp"
#include "lesson/words.hpp"
#include "run/documents.hpp"
#include "run/picture/picture.hpp"

namespace gpulab::bench::page {

std::string document(const std::string& title, const std::string& policy, const std::string& head,
                     const std::string& body, const std::string& foot) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{} · gpulab</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#main\">Skip to the figures</a>\n<header>\n{}</header>\n"
      "<main id=\"main\" tabindex=\"-1\">\n{}</main>\n{}</body>\n</html>\n",
      policy, xml_text(title), page_assets().style, head, body, foot);
}

std::string table_markup(const ChartTable& table, const std::string& caption) {
  constexpr std::size_t longest_unwrapped = 48;  // bytes of a cell; sentences are longer
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table: {0}\">\n<table>\n<caption>{0}</caption>\n"
      "<thead><tr>",
      xml_text(caption));
  std::vector<const char*> classes;  // of each column
  for (std::size_t i = 0; i < table.titles.size(); ++i) {
    const auto is_long = [&](const auto& row) { return i < row.size() && row[i].size() > longest_unwrapped; };
    classes.push_back(i > 0 && std::ranges::any_of(table.rows, is_long) ? " class=\"long\"" : "");
    text += fmt::format("<th scope=\"col\"{}>{}</th>", classes[i], xml_text(table.titles[i]));
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      text += i == 0 ? fmt::format("<th scope=\"row\">{}</th>", xml_text(row[i]))
                     : fmt::format("<td{}>{}</td>", classes[i], xml_text(row[i]));
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n</div>\n";
}

namespace {

// Returns the chart's heading, canvas and note, and its table, which is folded at first.
std::string chart_markup(const Chart& chart) {
  return fmt::format(
      "<figure id=\"{}\"{}>\n<figcaption><h3>{}</h3></figcaption>\n"
      "<div class=\"legend\"></div>\n"
      "<div class=\"chart\"><canvas role=\"img\" aria-label=\"{}\"></canvas></div>\n"
      "{}<details><summary>Table</summary>\n{}</details>\n</figure>\n",
      chart.id, chart.shape == Shape::pairs ? " class=\"wide\"" : "", xml_text(chart.title),
      xml_text(chart.sentence),
      chart.note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", xml_text(chart.note)),
      table_markup(chart.table, chart.title));
}

std::string listed(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

template <class WordsOf>
std::vector<std::string> distinct(const BenchReport& report, const WordsOf& words_of) {
  std::vector<std::string> words;
  for (const BenchResult& result : report.results)
    for (const std::string& word : words_of(result)) add_once(words, word);
  return words;
}

std::string device_words(const DeviceProperties& device) {
  std::string text = device.name;
  if (device.simulated())
    return text + (device.compiler_version.empty() ? "" : ", kernels compiled by " + device.compiler_version);
  text += ", compute capability " + device.compute_capability();
  if (device.multiprocessors > 0) text += fmt::format(", {} multiprocessors", device.multiprocessors);
  if (device.l2_bytes > 0) text += ", L2 cache " + capacity_text(static_cast<double>(device.l2_bytes));
  if (!device.driver_version.empty()) text += ", driver " + device.driver_version;
  return text;
}

std::string host_words(const RunFacts& facts) {
  std::string text = facts.hostname;
  if (!facts.cpu.empty()) text += ", " + facts.cpu;
  return text + fmt::format(", {} threads", facts.cores);
}

std::string ceilings_words(const BenchResult& result) {
  std::vector<std::string> words;
  for (const Ceiling& ceiling : result.ceilings)
    words.push_back(ceiling.what + " " + rate_with_unit(ceiling.per_s, ceiling.is_of_arithmetic()));
  return listed(words);
}

std::string case_words(const CaseFigures& measured) {
  return fmt::format("{} {} {}", measured.what.lesson, measured.what.variant, size_words(measured.what.size));
}

// Formats a finding. `kind` is its CSS class, which only colours it; `label` says the same in words.
std::string finding(const std::string& kind, const std::string& label, const std::string& text) {
  static const std::regex option("--[a-z]+");
  const std::string item =
      fmt::format("<li class=\"{}\"><strong>{}</strong> {}</li>\n", kind, xml_text(label), xml_text(text));
  return std::regex_replace(item, option, "<span class=\"word\">$&</span>");
}

// Lists wrong cases, those with one compile error in one item.
std::string invalid_rows(const std::vector<CaseFigures>& cases) {
  const auto error_of = [](const CaseFigures& measured) {
    return measured.observed == Outcome::fails_to_compile ? measured.explanation : "";
  };
  std::map<std::string, std::size_t> counts;
  for (const CaseFigures& measured : cases) ++counts[error_of(measured)];
  std::string text;
  for (const CaseFigures& measured : cases) {
    const std::string error = error_of(measured);
    const std::size_t count = error.empty() ? 1 : std::exchange(counts[error], 0);
    if (measured.valid || count == 0) continue;
    const std::string& why = measured.explanation;
    text += finding(
        "wrong", "Not valid:",
        fmt::format("{}{}: {}{}{} {} figures are left out.", case_words(measured),
                    count > 1 ? fmt::format(" and {} more", count - 1) : "", name_of(measured.observed),
                    why.empty() ? "" : ", " + why, why.ends_with('?') || why.ends_with('.') ? "" : ".",
                    count > 1 ? "Their" : "Its"));
  }
  return text;
}

std::string warnings_of(const std::vector<CaseFigures>& cases) {
  std::map<std::string, std::vector<std::string>> rows_with;
  for (const CaseFigures& measured : cases)
    for (const std::string& warning : measured.warnings) rows_with[warning].push_back(case_words(measured));
  std::string text;
  constexpr std::size_t max_named = 4;
  for (auto& [warning, rows] : rows_with) {
    const std::size_t more = rows.size() - std::min(rows.size(), max_named);
    rows.resize(rows.size() - more);
    text += finding(
        "warning", "Warning:",
        fmt::format("{} ({}{})", warning, listed(rows), more > 0 ? fmt::format(" and {} more", more) : ""));
  }
  return text;
}

std::string comparison_finding(const BenchReport& report) {
  if (!report.comparison)
    return report.not_compared.empty() ? "" : finding("warning", "Not compared:", report.not_compared);
  const bool has_failed = exit_code_of(*report.comparison) != ExitCode::ok;
  std::string text =
      finding(has_failed ? "wrong" : "good", "Compared:", comparison_summary(*report.comparison));
  if (const std::string reason = strict_failure_text(*report.comparison); !reason.empty())
    text += finding("wrong", "Fails by --strict:", reason);
  for (const OneSidedCases& cases : one_sided_cases(*report.comparison)) {
    const bool fails = is_failure({.kind = cases.kind}, report.comparison->rules);
    text += finding(fails ? "wrong" : "remark",
                    cases.kind == ChangeKind::missing ? "Missing:" : "New:", cases.text());
  }
  for (const std::string& remark : report.comparison->remarks) text += finding("remark", "Remark:", remark);
  return text;
}

std::string findings_of(const BenchResult& result, const std::string& file) {
  std::string text;
  const std::string of_file = file.empty() ? "" : file + ": ";
  if (!result.complete()) text += finding("warning", "Not complete:", of_file + rows_measured(result));
  const std::vector<CaseFigures> cases = cases_in_order({result});
  if (const std::string uncounted = uncounted_text(cases, result.device); !uncounted.empty())
    text += finding("remark", result.device.simulated() ? "Not counted:" : "Not timed:", of_file + uncounted);
  text += invalid_rows(cases);
  for (const BenchClaim& claim : result.claims)
    if (claim.result.verdict == ClaimVerdict::does_not_hold)
      text += finding("warning", "Does not hold:",
                      fmt::format("{}, {} work items: {}", claim.lesson, size_words(claim.size),
                                  claim_text(claim.result.claim)));
  return text + warnings_of(cases);
}

// Returns the documents' remarks, folded at first: a bench of all lessons has many.
std::string remarks_markup(const BenchReport& report) {
  std::string list;
  std::size_t count = 0;
  for (std::size_t i = 0; i < report.results.size(); ++i)
    for (const std::string& remark : report.results[i].remarks) {
      list +=
          finding("remark", "Remark:", (report.results.size() > 1 ? report.files[i] + ": " : "") + remark);
      ++count;
    }
  if (list.empty()) return "";
  return fmt::format("<details><summary>{}</summary>\n<ul class=\"findings\">\n{}</ul>\n</details>\n",
                     count == 1 ? "1 remark" : fmt::format("{} remarks", count), list);
}

// Returns "matmul, reduction on NVIDIA H200", with ", before and now" for a comparison.
std::string page_title(const BenchReport& report) {
  const auto lessons = distinct(report, [](const BenchResult& result) {
    std::vector<std::string> names;
    for (const BenchRow& row : result.rows)
      if (names.empty() || names.back() != row.what.lesson) names.push_back(row.what.lesson);
    return names;
  });
  const auto devices = distinct(report, [](const BenchResult& result) {
    return std::vector{result.device.simulated() ? std::string("the simulator") : result.device.name};
  });
  constexpr std::size_t max_named = 4;
  const std::string what = lessons.empty()              ? "Nothing"
                           : lessons.size() > max_named ? fmt::format("{} lessons", lessons.size())
                                                        : listed(lessons);
  return what + " on " + listed(devices) + (report.comparison ? ", before and now" : "");
}

// Returns a table of where, when and by which build it was measured, with a column for each document.
std::string facts_markup(const BenchReport& report) {
  ChartTable table{.titles = {"document"}};
  std::vector<std::vector<std::string>> rows{{"device"},  {"host"},     {"started"},
                                             {"gpulab"},  {"command"},  {"processes"},
                                             {"results"}, {"complete"}, {"ceilings"}};
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const BenchResult& result = report.results[i];
    table.titles.push_back(report.files[i] + (!report.comparison        ? ""
                                              : i < report.before_count ? " (before)"
                                                                        : " (now)"));
    const std::string values[] = {device_words(result.device),
                                  host_words(result.facts),
                                  result.facts.started_utc,
                                  result.facts.build.version + ", revision " + result.facts.build.revision,
                                  fmt::format("{}", fmt::join(result.facts.argv, " ")),
                                  std::to_string(result.plan.processes),
                                  grouped(result.rows.size()),
                                  result.complete() ? "yes" : "no, " + result.stopped_by,
                                  ceilings_words(result)};
    for (std::size_t row = 0; row < rows.size(); ++row) rows[row].push_back(values[row]);
  }
  for (std::vector<std::string>& row : rows)
    if (std::ranges::any_of(row.begin() + 1, row.end(),
                            [](const std::string& text) { return !text.empty(); }))
      table.rows.push_back(std::move(row));
  return fmt::format("<section class=\"facts\" aria-label=\"Where it was measured\">\n{}</section>\n",
                     table_markup(table, "Where it was measured"));
}

// Lists what a reader must know before any number: missing and wrong results, warnings and regressions.
std::string findings_markup(const BenchReport& report) {
  std::string list = comparison_finding(report);
  for (std::size_t i = 0; i < report.results.size(); ++i)
    list += findings_of(report.results[i], report.results.size() > 1 ? report.files[i] : "");
  if (list.empty())
    list = finding("good", "Complete.", "Every result was right before and after it was measured.");
  return fmt::format(
      "<section aria-label=\"What to know first\">\n<ul class=\"findings\">\n{}</ul>\n{}</section>\n", list,
      remarks_markup(report));
}

// Device with its documents; several documents count as more processes.
struct DrawnDevice {
  ChartLimits limits;
  std::vector<BenchResult> results;
};

std::vector<DrawnDevice> drawn_devices(const BenchReport& report) {
  std::vector<DrawnDevice> devices;
  // If there is a comparison, the results before are only in its own chart.
  const std::size_t first = report.comparison ? std::min(report.before_count, report.results.size() - 1) : 0;
  for (std::size_t i = first; i < report.results.size(); ++i) {
    const BenchResult& result = report.results[i];
    auto found = std::ranges::find_if(devices, [&](const DrawnDevice& drawn) {
      return drawn.limits.device.kind == result.device.kind && drawn.limits.device.name == result.device.name;
    });
    if (found == devices.end())
      found = devices.insert(devices.end(), DrawnDevice{{result.device, result.ceilings}, {}});
    found->results.push_back(result);
  }
  return devices;
}

// Part of the page with a heading, and its entry in the contents.
struct Part {
  std::string id, title, note;
  std::vector<Chart> charts;
  ChartTable table = {};  // shown above the charts
};

// Note of a lesson without charts, which is named all the same.
constexpr const char* no_figures = "Nothing here was timed or counted.";

Part part_of(const BenchSection& section, const ChartLimits& limits, const std::string& id,
             const std::string& title_suffix) {
  Part part{id, section.title() + title_suffix, section.same_options, {}};
  append(part.charts, variant_charts(section, limits, id));
  append(part.charts, end_to_end_charts(section, limits, id));
  append(part.charts, size_charts(section, limits, id));
  append(part.charts, energy_charts(section, limits, id));
  append(part.charts, counted_charts(section, id));
  if (part.charts.empty()) part.note = no_figures;
  return part;
}

// Adds the earlier curves, dashed and in the same colours, to the charts of the same titles. The other charts
// show what was measured now alone, and say so.
void add_curves_before(const std::vector<Chart>& before, std::vector<Chart>& charts) {
  for (Chart& chart : charts) {
    const auto earlier = std::ranges::find(before, chart.title, &Chart::title);
    const bool has_both = chart.shape == Shape::curves && earlier != before.end();
    chart.note = (has_both ? "Dashed: before. " : "As it is now. ") + chart.note;
    if (!has_both) continue;
    std::size_t unused_style = 0;
    for (const Curve& curve : chart.curves) unused_style = std::max(unused_style, curve.style + 1);
    for (Curve curve : earlier->curves) {
      if (curve.role != Role::kernel) continue;
      const auto now = std::ranges::find(chart.curves, curve.name, &Curve::name);
      curve.style = now != chart.curves.end() ? now->style : unused_style++;
      curve.role = Role::kernel_before;
      curve.name += ", before";
      chart.curves.push_back(std::move(curve));
    }
    chart.sentence += " Before: " + earlier->sentence;
    if (chart.table.titles != earlier->table.titles) continue;
    for (std::vector<std::string> row : earlier->table.rows) {
      row.front() += ", before";
      chart.table.rows.push_back(std::move(row));
    }
  }
}

std::string files_before(const BenchReport& report) {
  const auto end =
      report.files.begin() + static_cast<std::ptrdiff_t>(std::min(report.before_count, report.files.size()));
  return listed({report.files.begin(), end});
}

std::vector<Part> parts_of(const BenchReport& report) {
  std::vector<Part> parts;
  if (report.comparison)
    parts.push_back({"comparison", "What changed", files_before(report) + " before, the rest now",
                     comparison_charts(*report.comparison, "comparison-ratios"),
                     undrawn_changes(*report.comparison)});
  const std::vector<DrawnDevice> devices = drawn_devices(report);
  const std::vector<BenchSection> before = bench_sections(
      cases_in_order(report.comparison ? report.comparison->before : std::vector<BenchResult>()));
  std::size_t number = 0;
  for (const DrawnDevice& drawn : devices) {
    const std::string title_suffix = devices.size() > 1 ? " · " + drawn.limits.device.name : "";
    const std::vector<BenchSection> sections = bench_sections(cases_in_order(drawn.results));
    const std::string id = fmt::format("device-{}", ++number);
    for (std::size_t i = 0; i < sections.size(); ++i) {
      const std::string part_id = fmt::format("{}-lesson-{}", id, i + 1);
      Part& part = parts.emplace_back(part_of(sections[i], drawn.limits, part_id, title_suffix));
      const auto earlier = std::ranges::find(before, sections[i].title(), &BenchSection::title);
      if (earlier != before.end())
        add_curves_before(part_of(*earlier, drawn.limits, part_id, title_suffix).charts, part.charts);
    }
    parts.push_back({id + "-roofline", "What the GPU allows" + title_suffix, "",
                     roofline_charts(sections, drawn.limits, id + "-roofline-figure")});
  }
  std::erase_if(parts, [](const Part& part) {
    return part.charts.empty() && part.table.rows.empty() && part.note != no_figures;
  });
  return parts;
}

std::string contents_markup(const std::vector<Part>& parts) {
  if (parts.size() < 2) return "";
  std::string list;
  for (const Part& part : parts)
    list += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", part.id, xml_text(part.title));
  return fmt::format("<nav aria-label=\"Contents\"><ul>\n{}</ul></nav>\n", list);
}

std::string part_markup(const Part& part) {
  std::string text = fmt::format("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n", part.id,
                                 xml_text(part.title));
  if (!part.note.empty()) text += fmt::format("<p class=\"note\">{}</p>\n", xml_text(part.note));
  if (!part.table.rows.empty()) text += table_markup(part.table, "Changes that are not drawn");
  text += "<div class=\"figures\">\n";
  for (const Chart& chart : part.charts) text += chart_markup(chart);
  return text + "</div>\n</section>\n";
}

// Returns the content security policy: nothing is loaded, and only scripts with these hashes run.
std::string policy(const PageAssets& assets) {
  return fmt::format(
      "default-src 'none'; style-src '{}'; script-src '{}' '{}'; base-uri 'none'; form-action 'none'",
      assets.style_hash, assets.charts_hash, assets.script_hash);
}

// Embeds the documents as they were read, so that nothing besides the page has to be kept.
std::string documents_markup(const BenchReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.results.size(); ++i)
    text +=
        fmt::format("<script type=\"application/json\" class=\"document\" data-file=\"{}\">\n{}</script>\n",
                    xml_text(report.files[i]), for_script(bench_json(report.results[i])));
  return text;
}

std::string page(const BenchReport& report) {
  const PageAssets& assets = page_assets();
  const std::vector<Part> parts = parts_of(report);
  std::vector<Chart> charts;
  std::string body;
  for (const Part& part : parts) {
    append(charts, part.charts);
    body += part_markup(part);
  }
  const std::string head = fmt::format("<h1>{}</h1>\n{}{}{}", xml_text(page_title(report)),
                                       findings_markup(report), facts_markup(report), contents_markup(parts));
  const std::string foot = fmt::format(
      "<footer><p>Written by gpulab. The measured documents are in this file: look for <code>application/json</code>. Figures are drawn by Chart.js, MIT license.</p></footer>\n"
      "<script type=\"application/json\" id=\"figures\">{}</script>\n"
      "{}<script>{}</script>\n<script>{}</script>\n",
      charts_json(charts), documents_markup(report), assets.charts, assets.script);
  return document(
      page_title(report), policy(assets), head,
      "<noscript><p>Figures need JavaScript. The tables below have the same numbers.</p></noscript>\n" + body,
      foot);
}

}  // namespace

bool has_chart_library() {
  return *page_assets().charts != '\0';
}

std::string bench_html(const BenchReport& report) {
  if (!has_chart_library())
    throw Error(
        ExitCode::device,
        "HTML needs Chart.js, and this gpulab was built without it: install libjs-chart.js and build again, or choose another --format");
  return page(report);
}

namespace {

std::string pictures_markup(const std::vector<run::picture::Picture>& pictures) {
  std::string text;
  for (const run::picture::Picture& picture : pictures)
    text += "<figure class=\"picture\">\n" + run::picture::picture_svg(picture) + "</figure>\n";
  return text;
}

// Returns a line of the kernel: its source, its counts and a picture of each kind of access.
std::string line_markup(const run::InspectedLine& line) {
  const run::AccessColumns columns(AccessCounts{.lines = line.accesses});
  ChartTable table;
  for (const Column& column : columns.columns()) table.titles.push_back(column.title);
  std::string pictures;
  for (const LineAccesses& accesses : line.accesses) {
    std::vector<std::string>& row = table.rows.emplace_back();
    for (const Cell& cell : columns.cells(accesses)) row.push_back(cell.text);
    pictures += pictures_markup(run::picture::pictures_of(accesses));
  }
  return fmt::format("<h3>{}</h3>\n<pre><code>{}</code></pre>\n{}<div class=\"figures\">\n{}</div>\n",
                     xml_text(line_text(line.number, line.file)), xml_text(trimmed(line.source)),
                     table_markup(table, ""), pictures);
}

std::string part_markup(const PicturePart& part) {
  const VariantInspection& variant = part.variant;
  std::string text = fmt::format("<section>\n<h2>{}</h2>\n<ul class=\"findings\">\n", xml_text(part.heading));
  const char* const css_class = !part.is_right ? "wrong" : part.is_costly ? "warning" : "good";
  for (const std::string& sentence : part.sentences)
    text += fmt::format("<li class=\"{}\">{}</li>\n", css_class, xml_text(sentence));
  text += "</ul>\n";
  if (variant.defect) text += pictures_markup(run::picture::pictures_of(*variant.defect, variant.source));
  for (const run::InspectedLine& line : run::inspected_lines(variant)) text += line_markup(line);
  const auto arrays = run::picture::pictures_of_arrays(variant);
  if (!arrays.empty())
    text += "<h3>shared memory</h3>\n<div class=\"figures\">\n" + pictures_markup(arrays) + "</div>\n";
  return text + "</section>\n";
}

}  // namespace

std::string pictures_html(const std::string& title, const std::vector<PicturePart>& parts) {
  std::string body;
  for (const PicturePart& part : parts) body += part_markup(part);
  return document(title, policy_without_scripts, "<h1>" + xml_text(title) + "</h1>\n", body,
                  "<footer><p>Drawn by gpulab from the accesses of a run on its simulator.</p></footer>\n");
}

}  // namespace gpulab::bench::page
