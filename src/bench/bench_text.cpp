#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/table.hpp"
#include "base/text.hpp"
#include "bench/bench_formats.hpp"
#include "bench/compare.hpp"
#include "lesson/words.hpp"

namespace gpulab::bench {
namespace {

std::string median_text(const std::optional<BenchFigure>& figure) {
  return figure ? figure_text(figure->unit, figure->value) : "";
}

std::string measured_rate_text(const CaseFigures& measured) {
  const auto seconds = measured.kernel_s();
  const auto rate = seconds ? bench_rate(measured.traffic, seconds->value) : std::nullopt;
  return rate ? three_digits(*rate * 1e-9) : "";
}

// Returns the words that a row has in place of figures; empty if it has figures.
std::string text_without_figures(const CaseFigures& measured, bool simulated) {
  if (measured.has_figures() && (measured.kernel_s() || measured.has_counts())) return "";
  if (!measured.valid)
    return fmt::format("INVALID: {}{}", name_of(measured.observed),
                       measured.explanation.empty() ? "" : ": " + measured.explanation);
  if (measured.expected != Outcome::right) return fmt::format("{}, as expected", name_of(measured.expected));
  return simulated ? "not counted" : "not timed";
}

// Columns of a table, with the functions that make their cells.
struct ShownColumns {
  std::vector<Column> columns;
  std::vector<std::function<std::string(const CaseFigures&)>> cell_texts;  // one per column

  void add(Column column, std::function<std::string(const CaseFigures&)> cell_text) {
    columns.push_back(std::move(column));
    cell_texts.push_back(std::move(cell_text));
  }

  // Adds a column for each figure of that unit whose priority is not 0.
  void add_figures(const BenchSection& section, FigureUnit unit) {
    for (const CaseFigures& measured : section.cases)
      for (const BenchFigure& figure : measured.figures)
        if (measured.has_figures() && figure.unit == unit && figure.priority > 0 &&
            !contains(columns, figure.name, &Column::title))
          add({figure.name, Align::right, figure.priority, figure.name + ": " + figure.legend},
              [name = figure.name](const CaseFigures& shown) { return median_text(shown.figure(name)); });
  }
};

constexpr const char* cold_legend =
    "cold: caches evicted before each launch; median over processes, ± half the range of their medians (with one process: ± half its 95 % interval); references: CPU time";

// Returns the columns for which at least one case has a value.
ShownColumns timed_columns(const BenchSection& section) {
  ShownColumns shown;
  shown.add({"cold", Align::right, 0, cold_legend},
            [](const CaseFigures& measured) { return median_text(measured.kernel_s()); });
  shown.add({"", Align::right, 5}, [](const CaseFigures& measured) {
    const auto seconds = measured.kernel_s();
    return seconds ? trimmed(half_range_text(*seconds)) : "";
  });
  shown.add_figures(section, FigureUnit::seconds);
  const auto has_rate = [](const CaseFigures& measured) { return !measured_rate_text(measured).empty(); };
  if (std::ranges::any_of(section.cases, has_rate))
    shown.add({section.is_by_operations() ? "GFLOP/s" : "GB/s", Align::right, 1}, measured_rate_text);
  shown.add_figures(section, FigureUnit::joules);
  return shown;
}

std::vector<CountFigure> all_count_figures(const BenchSection& section) {
  std::vector<CountFigure> all;
  for (const CaseFigures& measured : section.cases)
    for (const CountFigure& figure : count_figures(measured))
      if (figure.value > 0 && !contains(all, figure.name, &CountFigure::name)) all.push_back(figure);
  return all;
}

std::string count_of(const CaseFigures& measured, const std::string& name) {
  for (const CountFigure& figure : count_figures(measured))
    if (figure.name == name) return count_text(figure.value);
  return "";
}

// Leaves out references that an earlier table has.
Table section_table(const BenchSection& section, bool simulated, std::set<std::string>& references) {
  std::vector<Column> columns{{"variant"}, {"size", Align::right}};
  const ShownColumns timed = simulated ? ShownColumns{} : timed_columns(section);
  const std::vector<CountFigure> counted = all_count_figures(section);
  columns.insert(columns.end(), timed.columns.begin(), timed.columns.end());
  int priority = 10;  // dropped before the columns of times, if the table is too wide
  for (const CountFigure& figure : counted)
    columns.push_back({figure.name, Align::right, ++priority, figure.name + ": " + figure.explanation});
  Table table(std::move(columns));
  std::set<std::string> compile_errors;
  for (CaseFigures measured : section.cases) {
    if (measured.kind == BenchKind::cpu && (simulated || !references.insert(id_of(measured.what)).second))
      continue;  // a CPU's reference has no counts
    if (measured.observed == Outcome::fails_to_compile && !compile_errors.insert(measured.explanation).second)
      measured.explanation = "as above";
    std::vector<Cell> cells{{measured.what.variant, measured.valid ? Ink::plain : Ink::red},
                            {grouped(measured.what.size)}};
    if (const std::string prose = text_without_figures(measured, simulated); !prose.empty()) {
      table.add(std::move(cells), prose);
      continue;
    }
    for (const auto& cell_text : timed.cell_texts) cells.push_back({cell_text(measured)});
    for (const CountFigure& figure : counted) cells.push_back({count_of(measured, figure.name)});
    table.add(std::move(cells));
  }
  return table;
}

// Claim with one of its verdicts, and all sizes that have this verdict.
struct TestedClaim {
  std::string lesson, text;
  ClaimVerdict verdict;
  std::vector<std::size_t> sizes;
  std::vector<double> ratios;
};

// Returns the claims that were tested. Leaves out claims that need another device: they would fill pages.
std::vector<TestedClaim> tested_claims(const BenchResult& result) {
  std::vector<TestedClaim> all;
  for (const auto& [lesson, size, tested] : result.claims) {
    const bool was_tested = tested.verdict == ClaimVerdict::holds ||
                            tested.verdict == ClaimVerdict::does_not_hold ||
                            tested.verdict == ClaimVerdict::inconclusive;
    if (!was_tested) continue;
    const std::string text = claim_text(tested.claim);
    auto found = std::ranges::find_if(all, [&](const TestedClaim& known) {
      return known.lesson == lesson && known.text == text && known.verdict == tested.verdict;
    });
    if (found == all.end()) found = all.insert(found, {lesson, text, tested.verdict, {}, {}});
    found->sizes.push_back(size);
    if (tested.ratio) found->ratios.push_back(*tested.ratio);
  }
  return all;
}

// Returns "4 096", or "4 096 to 65 536".
template <class T, class ToText>
std::string extent(const std::vector<T>& values, const ToText& text_of) {
  const auto [smallest, largest] = std::ranges::minmax(values);
  const std::string from = text_of(smallest), to = text_of(largest);
  return from == to ? from : from + " to " + to;
}

std::string claims_text(const BenchResult& result, const TextStyle& style) {
  std::string text;
  for (const TestedClaim& claim : tested_claims(result)) {
    const Cell verdict = verdict_cell(claim.verdict);
    const std::string at_sizes =
        claim.sizes.size() > 1 ? fmt::format(" at {} sizes", claim.sizes.size()) : "";
    const std::string sizes = extent(claim.sizes, [](std::size_t size) { return grouped(size); });
    const std::string ratios = claim.ratios.empty() ? "" : " (" + extent(claim.ratios, factor_text) + ")";
    text += labelled(verdict.text + at_sizes, verdict.ink,
                     fmt::format("{}, {}: {}{}", claim.lesson, sizes, claim.text, ratios), style);
  }
  return text;
}

std::string heading(const BenchResult& result) {
  std::string text = fmt::format("bench · {}", result.device.name);
  if (!result.device.driver_version.empty()) text += ", driver " + result.device.driver_version;
  text += fmt::format(" · {} process{}", result.plan.processes, result.plan.processes == 1 ? "" : "es");
  return text + " · " + result.facts.started_utc;
}

// Lists each warning once, with the rows that have it.
std::string warnings_text(const std::vector<CaseFigures>& cases, const TextStyle& style) {
  std::map<std::string, std::vector<std::string>> rows_with;
  for (const CaseFigures& measured : cases)
    for (const std::string& warning : measured.warnings)
      rows_with[warning].push_back(
          fmt::format("{} {} {}", measured.what.lesson, measured.what.variant, grouped(measured.what.size)));
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
  const auto measured = static_cast<std::size_t>(std::ranges::count_if(result.rows, was_run));
  const std::size_t asked = std::max(result.plan.rows, result.rows.size());
  const std::string rows = measured < asked
                               ? fmt::format("{} of {} rows were measured", grouped(measured), grouped(asked))
                               : fmt::format("{} {} measured, and others could not be", grouped(measured),
                                             measured == 1 ? "row was" : "rows were");
  return fmt::format("{} ({})", rows, result.stopped_by);
}

std::string uncounted_text(const std::vector<CaseFigures>& cases, const DeviceProperties& device) {
  std::map<std::string, std::set<std::string>> uncounted;  // variants, by lesson
  std::set<std::string> counted;                           // lessons
  for (const CaseFigures& measured : cases) {
    if (!measured.has_figures() || measured.kind == BenchKind::cpu) continue;
    const auto is_judged = [&](const BenchFigure& figure) { return is_cost(measured.kind, figure.name); };
    if (std::ranges::any_of(measured.figures, is_judged))
      counted.insert(measured.what.lesson);
    else
      uncounted[measured.what.lesson].insert(measured.what.variant);
  }
  std::vector<std::string> names;
  for (const auto& [lesson, variants] : uncounted)
    for (const std::string& variant : counted.contains(lesson) ? variants : std::set<std::string>{""})
      names.push_back(lesson + (variant.empty() ? "" : "/" + variant));
  if (names.empty()) return "";
  return fmt::format("{} nothing in {}", device.simulated() ? "the simulator counts" : "the GPU timed",
                     fmt::join(names, ", "));
}

std::string bench_text(const BenchResult& result, const TextStyle& style) {
  const std::vector<CaseFigures> cases = cases_in_order({result});
  std::string text = paragraph(heading(result), Ink::bold, style), legend;
  std::set<std::string> references;
  for (const BenchSection& section : bench_sections(cases)) {
    const std::string same = section.same_options.empty() ? "" : " · " + section.same_options;
    text += "\n" + paragraph(section.title() + same, Ink::bold, style);
    const Table table = section_table(section, result.device.simulated(), references);
    text += table.text(style);
    if (!table.legend(style).empty()) legend = table.legend(style);
  }
  text += "\n" + (legend.empty() ? "" : paragraph(legend, Ink::faint, style));
  text += claims_text(result, style) + warnings_text(cases, style);
  if (!result.complete()) text += labelled("not complete", Ink::yellow, rows_measured(result), style);
  if (const std::string uncounted = uncounted_text(cases, result.device); !uncounted.empty())
    text += paragraph(uncounted, Ink::plain, style);
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

namespace {

using Options = std::map<std::string, std::string>;

// Returns the options with the seed and the block size, which distinguish cases like any option.
Options all_options(const BenchCase& what) {
  Options options;
  for (const auto& [name, value] : what.options) options[name] = text_of(value);
  options["seed"] = std::to_string(what.seed);
  if (what.block_size > 0) options["block"] = std::to_string(what.block_size);
  return options;
}

// Returns whether an option determines the size of a problem, such as --width: each size has its own value.
bool determines_size(const std::string& option, const std::vector<const CaseFigures*>& cases) {
  std::map<std::size_t, std::string> value_at_size;
  std::set<std::string> values;
  for (const CaseFigures* measured : cases) {
    const auto found = measured->what.options.find(option);
    if (found == measured->what.options.end() || !std::holds_alternative<std::uint64_t>(found->second))
      return false;
    const std::string value = text_of(found->second);
    if (value_at_size.try_emplace(measured->what.size, value).first->second != value) return false;
    values.insert(value);
  }
  return values.size() > 1;
}

std::string words_of(const Options& options) {
  std::string text;
  for (const auto& [name, value] : options) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

// Options of one lesson, in two parts: those that differ between its sections, and those that all share.
class SectionOptions {
 public:
  explicit SectionOptions(const std::vector<const CaseFigures*>& cases) {
    std::map<std::string, std::set<std::string>> values;
    for (const CaseFigures* measured : cases) {
      // A reference has no blocks: it belongs to the sections of all block sizes.
      if (measured->kind == BenchKind::cpu) continue;
      Options options = all_options(measured->what);
      options.try_emplace("block", "own");  // as the variant has it
      for (const auto& [name, value] : options) values[name].insert(value);
    }
    for (const auto& [name, distinct_values] : values) {
      if (determines_size(name, cases)) continue;
      (distinct_values.size() > 1 ? varying_ : same_).insert(name);
    }
  }

  Options distinguishing(const CaseFigures& measured) const { return options_in(varying_, measured); }
  Options same(const CaseFigures& measured) const { return options_in(same_, measured); }

 private:
  static Options options_in(const std::set<std::string>& names, const CaseFigures& measured) {
    Options options = all_options(measured.what);
    std::erase_if(options, [&](const auto& option) { return !names.contains(option.first); });
    return options;
  }

  std::set<std::string> varying_, same_;
};

// Returns whether a reference belongs to a section: all of its options have the section's values.
bool belongs_to(const Options& reference, const Options& section) {
  return std::ranges::all_of(reference, [&](const auto& option) {
    const auto found = section.find(option.first);
    return found != section.end() && found->second == option.second;
  });
}

void add_sections(std::vector<BenchSection>& sections, const std::string& lesson,
                  const std::vector<const CaseFigures*>& cases) {
  const SectionOptions options(cases);
  std::vector<Options> keys;
  for (const CaseFigures* measured : cases) {
    const Options key = options.distinguishing(*measured);
    if (measured->kind != BenchKind::cpu) add_once(keys, key);
  }
  if (keys.empty()) keys.push_back({});
  for (const Options& key : keys) {
    BenchSection section{.lesson = lesson, .options = words_of(key)};
    for (const CaseFigures* measured : cases) {
      const Options of_case = options.distinguishing(*measured);
      const bool is_reference = measured->kind == BenchKind::cpu;
      const bool is_in_section = is_reference ? belongs_to(of_case, key) : of_case == key;
      if (is_in_section) section.cases.push_back(*measured);
    }
    section.same_options = words_of(options.same(section.cases.front()));
    sections.push_back(std::move(section));
  }
}

}  // namespace

std::vector<std::size_t> BenchSection::sizes() const {
  std::set<std::size_t> sizes;
  for (const CaseFigures& measured : cases) sizes.insert(measured.what.size);
  return {sizes.begin(), sizes.end()};
}

bool BenchSection::is_by_operations() const {
  return !cases.empty() && cases.front().traffic.limited_by_operations;
}

std::vector<BenchSection> bench_sections(const std::vector<CaseFigures>& cases) {
  std::vector<std::string> lessons;
  std::map<std::string, std::vector<const CaseFigures*>> cases_of;
  for (const CaseFigures& measured : cases) {
    if (!cases_of.contains(measured.what.lesson)) lessons.push_back(measured.what.lesson);
    cases_of[measured.what.lesson].push_back(&measured);
  }
  std::vector<BenchSection> sections;
  for (const std::string& lesson : lessons) add_sections(sections, lesson, cases_of[lesson]);
  return sections;
}

}  // namespace gpulab::bench
