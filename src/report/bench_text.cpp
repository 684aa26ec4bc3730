#include "report/bench_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "core/text.hpp"
#include "report/bench_cases.hpp"
#include "report/quantity_text.hpp"
#include "report/table.hpp"
#include "report/words.hpp"

namespace gpulab::report {
namespace {

std::string median_text(const std::optional<BenchFigure>& measured) {
  return measured ? duration_text(measured->value) : "";
}

std::string half_range_text(const std::optional<BenchFigure>& measured) {
  if (!measured || !measured->range || measured->value <= 0) return "";
  return "± " + percent_text((measured->range->high - measured->range->low) / 2 / measured->value);
}

std::string rate_words(const ReportedCase& one) {
  const auto seconds = one.kernel_s();
  const auto rate = seconds ? bench_rate(one.traffic, seconds->value) : std::nullopt;
  return rate ? three_digits(*rate * 1e-9) : "";
}

std::string energy_text(const std::optional<BenchFigure>& joules) {
  if (!joules) return "";
  return joules->value < 1 ? three_digits(joules->value * 1e3) + " mJ" : three_digits(joules->value) + " J";
}

// What a row says in place of figures.
std::string story_of(const ReportedCase& one) {
  if (one.has_figures() && (one.kernel_s() || one.has_counts())) return "";
  if (!one.valid)
    return fmt::format("INVALID: {}{}", name_of(one.observed),
                       one.explanation.empty() ? "" : ": " + one.explanation);
  return one.expected == Outcome::right ? "not timed" : fmt::format("{}, as expected", name_of(one.expected));
}

bool any_case(const BenchSection& section, bool (*has)(const ReportedCase&)) {
  return std::ranges::any_of(section.cases, has);
}

struct ShownColumns {
  std::vector<Column> columns;
  std::vector<std::string (*)(const ReportedCase&)> text;

  void add(Column column, std::string (*of)(const ReportedCase&)) {
    columns.push_back(std::move(column));
    text.push_back(of);
  }
};

constexpr const char* cold_legend =
    "cold: caches evicted before each launch; median over processes, ± half the range of their medians, or "
    "of one "
    "process half its 95 % interval; references: CPU time";

// A column stands where any of the cases has something for it.
ShownColumns timed_columns(const BenchSection& section) {
  ShownColumns shown;
  shown.add({"cold", Align::right, 0, cold_legend},
            [](const ReportedCase& one) { return median_text(one.kernel_s()); });
  shown.add({"", Align::right, 5}, [](const ReportedCase& one) { return half_range_text(one.kernel_s()); });
  if (any_case(section, [](const ReportedCase& one) { return one.time_s(BenchTime::steady).has_value(); }))
    shown.add({"steady", Align::right, 3, "steady: launches one after another, as a graph"},
              [](const ReportedCase& one) { return median_text(one.time_s(BenchTime::steady)); });
  if (any_case(section, [](const ReportedCase& one) { return !rate_words(one).empty(); }))
    shown.add({section.is_by_operations() ? "GFLOP/s" : "GB/s", Align::right, 1}, rate_words);
  if (any_case(section, [](const ReportedCase& one) { return one.figure("energy").has_value(); }))
    shown.add({"energy", Align::right, 4, "energy: of one launch of many in a row"},
              [](const ReportedCase& one) { return energy_text(one.figure("energy")); });
  return shown;
}

std::vector<CountFigure> all_count_figures(const BenchSection& section) {
  std::vector<CountFigure> all;
  for (const ReportedCase& one : section.cases)
    for (const CountFigure& figure : count_figures(one))
      if (figure.value > 0 && std::ranges::find(all, figure.name, &CountFigure::name) == all.end())
        all.push_back(figure);
  return all;
}

std::string count_of(const ReportedCase& one, const std::string& name) {
  for (const CountFigure& figure : count_figures(one))
    if (figure.name == name) return count_text(figure.value);
  return "";
}

Table section_table(const BenchSection& section, bool simulated) {
  std::vector<Column> columns{{"variant"}, {"size", Align::right}};
  const ShownColumns timed = simulated ? ShownColumns{} : timed_columns(section);
  const std::vector<CountFigure> counted = all_count_figures(section);
  columns.insert(columns.end(), timed.columns.begin(), timed.columns.end());
  int priority = 10;
  for (const CountFigure& figure : counted)
    columns.push_back({figure.name, Align::right, ++priority, figure.name + ": " + figure.explanation});
  Table table(std::move(columns));
  for (const ReportedCase& one : section.cases) {
    if (simulated && one.kind == BenchKind::cpu) continue;  // its time says nothing about counts
    std::vector<Cell> cells{{one.what.variant, one.valid ? Ink::plain : Ink::red}, {grouped(one.what.size)}};
    if (const std::string story = story_of(one); !story.empty()) {
      table.add(std::move(cells), story);
      continue;
    }
    for (const auto text : timed.text) cells.push_back({text(one)});
    for (const CountFigure& figure : counted) cells.push_back({count_of(one, figure.name)});
    table.add(std::move(cells));
  }
  return table;
}

// One claim with one verdict, at all sizes that have it.
struct TestedClaim {
  std::string lesson, text;
  ClaimVerdict verdict;
  std::vector<std::size_t> sizes;
  std::vector<double> ratios;
};

// Those that were tested: what needs another device would only be a wall of lines.
std::vector<TestedClaim> tested_claims(const BenchResult& result) {
  std::vector<TestedClaim> all;
  for (const auto& [lesson, size, tested] : result.claims) {
    if (tested.verdict != ClaimVerdict::holds && tested.verdict != ClaimVerdict::does_not_hold &&
        tested.verdict != ClaimVerdict::inconclusive)
      continue;
    const std::string text = claim_text(tested.claim);
    auto found = std::ranges::find_if(all, [&](const TestedClaim& one) {
      return one.lesson == lesson && one.text == text && one.verdict == tested.verdict;
    });
    if (found == all.end()) found = all.insert(found, {lesson, text, tested.verdict, {}, {}});
    found->sizes.push_back(size);
    if (tested.ratio) found->ratios.push_back(*tested.ratio);
  }
  return all;
}

// "4 096", or "4 096 to 65 536".
template <class T, class Word>
std::string extent(const std::vector<T>& values, const Word& word) {
  const auto [least, most] = std::ranges::minmax(values);
  return word(least) == word(most) ? word(least) : word(least) + " to " + word(most);
}

std::string claims_text(const BenchResult& result, const TextStyle& style) {
  std::string text;
  for (const TestedClaim& one : tested_claims(result)) {
    const Cell verdict = verdict_words(one.verdict);
    const std::string at = one.sizes.size() > 1 ? fmt::format(" at {} sizes", one.sizes.size()) : "";
    const std::string sizes = extent(one.sizes, [](std::size_t size) { return grouped(size); });
    const std::string ratios = one.ratios.empty() ? "" : " (" + extent(one.ratios, factor_text) + ")";
    text += labelled(verdict.text + at, verdict.ink,
                     fmt::format("{}, {}: {}{}", one.lesson, sizes, one.text, ratios), style);
  }
  return text;
}

std::string heading(const BenchResult& result) {
  std::string text = fmt::format("bench · {}", result.device.name);
  if (!result.device.driver_version.empty()) text += ", driver " + result.device.driver_version;
  text += fmt::format(" · {} process{}", result.plan.processes, result.plan.processes == 1 ? "" : "es");
  return text + " · " + result.facts.started_utc;
}

// Many rows may have the same to say.
std::string warnings_text(const std::vector<ReportedCase>& cases, const TextStyle& style) {
  std::map<std::string, std::vector<std::string>> rows_with;
  for (const ReportedCase& one : cases)
    for (const std::string& warning : one.warnings)
      rows_with[warning].push_back(
          fmt::format("{} {} {}", one.what.lesson, one.what.variant, grouped(one.what.size)));
  std::string text;
  for (const auto& [warning, rows] : rows_with)
    text += labelled("warning", Ink::yellow,
                     fmt::format("{} ({}{})", warning, rows.front(),
                                 rows.size() > 1 ? fmt::format(" and {} more", rows.size() - 1) : ""),
                     style);
  return text;
}

}  // namespace

std::string rows_measured(const BenchResult& result) {
  return fmt::format("{} of {} rows were measured ({})", grouped(result.rows.size()),
                     grouped(std::max(result.plan.rows, result.rows.size())), result.stopped_by);
}

std::string bench_text(const BenchResult& result, const TextStyle& style) {
  const std::vector<ReportedCase> cases = reported_cases({result});
  std::string text = paragraph(heading(result), Ink::bold, style), legend;
  for (const BenchSection& section : bench_sections(cases)) {
    const std::string same = section.same_options.empty() ? "" : " · " + section.same_options;
    text += "\n" + paragraph(section.title() + same, Ink::bold, style);
    const Table table = section_table(section, result.device.simulated());
    text += table.text(style);
    if (!table.legend(style).empty()) legend = table.legend(style);
  }
  text += "\n" + (legend.empty() ? "" : paragraph(legend, Ink::faint, style));
  text += claims_text(result, style) + warnings_text(cases, style);
  if (!result.complete()) text += labelled("not complete", Ink::yellow, rows_measured(result), style);
  for (const std::string& remark : result.remarks) text += paragraph(remark, Ink::plain, style);
  return text.substr(0, text.find_last_not_of('\n') + 1) + "\n";
}

std::string bench_text(const std::vector<BenchResult>& results, const std::vector<std::string>& files,
                       const TextStyle& style) {
  if (results.size() == 1) return bench_text(results.front(), style);
  std::string text;
  for (std::size_t i = 0; i < results.size(); ++i)
    text +=
        (i > 0 ? "\n" : "") + paragraph("── " + files[i], Ink::bold, style) + bench_text(results[i], style);
  return text;
}

}  // namespace gpulab::report
