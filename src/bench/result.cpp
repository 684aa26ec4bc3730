#include "bench/result.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "run/sampling.hpp"

namespace gpulab::bench {
namespace {

using Rows = std::vector<const BenchRow*>;

Interval range_over(std::vector<double> values) {
  std::ranges::sort(values);
  const MedianRanks ranks =
      median_ranks(values.size()).value_or(MedianRanks{.low = 1, .high = values.size()});
  return {.low = values[ranks.low - 1], .high = values[ranks.high - 1]};
}

struct FigureColumn {
  std::string_view figure;
  int priority;
  const char* legend;
};

// Columns of figures, except cold times, rates and counts, whose columns have code of their own.
constexpr FigureColumn figure_columns[] = {{"steady", 3, "launches one after another, as a graph"},
                                           {"energy", 4, "of one launch of many in a row"}};

// Returns a figure over processes; `values` has one value of each process.
BenchFigure combined_figure(const std::string& name, FigureUnit unit, const std::vector<double>& values) {
  BenchFigure combined{.name = name,
                       .unit = unit,
                       .value = median(values),
                       .processes = values.size(),
                       .samples = values.size()};
  const bool values_differ = std::ranges::adjacent_find(values, std::not_equal_to<>()) != values.end();
  const bool has_range = unit == FigureUnit::count ? values_differ : values.size() > 1;
  if (has_range) combined.range = range_over(values);
  for (const FigureColumn& column : figure_columns) {
    if (column.figure != name) continue;
    combined.priority = column.priority;
    combined.legend = column.legend;
  }
  return combined;
}

// Adds the median clocks of the first and the last third of the samples: they show a clock that drifts.
void add_clocks(const Timing& timing, std::vector<double>& clocks_hz) {
  const std::vector<double>& all = timing.clocks_hz;
  if (all.empty()) return;
  const auto third = static_cast<std::ptrdiff_t>((all.size() + 2) / 3);
  clocks_hz.push_back(median({all.begin(), all.begin() + third}));
  clocks_hz.push_back(median({all.end() - third, all.end()}));
}

std::vector<const Timing*> timings(const Rows& rows, BenchTime time) {
  std::vector<const Timing*> taken;
  for (const BenchRow* row : rows)
    if (const auto found = row->times.find(time); found != row->times.end()) taken.push_back(&found->second);
  return taken;
}

std::vector<double> clocks_of(const Rows& rows, BenchTime time) {
  std::vector<double> clocks_hz;
  for (const Timing* timing : timings(rows, time)) add_clocks(*timing, clocks_hz);
  return clocks_hz;
}

void add_times(const Rows& rows, CaseFigures& measured) {
  for (const BenchTime time : all_bench_times) {
    const std::vector<const Timing*> taken = timings(rows, time);
    if (taken.empty()) continue;
    BenchFigure& combined = measured.figures.emplace_back(combined_figure(
        std::string(name_of(time)), FigureUnit::seconds, transformed(taken, &Timing::median_s)));
    if (taken.size() == 1) combined.range = taken.front()->confidence_s;
    combined.samples = 0;
    for (const Timing* timing : taken) combined.samples += timing->samples_s.size();
    combined.clocks_hz = clocks_of(rows, time);
  }
}

void add_energy(const Rows& rows, CaseFigures& measured) {
  std::vector<double> joules;
  for (const BenchRow* row : rows)
    if (row->energy) joules.push_back(row->energy->joules_per_run);
  if (joules.empty()) return;
  measured.figures.push_back(combined_figure("energy", FigureUnit::joules, joules));
  measured.figures.back().clocks_hz = clocks_of(rows, BenchTime::steady);
}

void add_counts(const Rows& rows, CaseFigures& measured) {
  std::map<std::string, std::vector<double>> counts;
  for (const BenchRow* row : rows)
    for (const auto& [name, count] : row->counts) counts[name].push_back(static_cast<double>(count));
  for (const auto& [name, values] : counts)
    measured.figures.push_back(combined_figure(name, FigureUnit::count, values));
}

CaseFigures figures_of_case(const Rows& rows) {
  const BenchRow& first = *rows.front();
  CaseFigures measured{.what = first.what,
                       .kind = first.kind,
                       .expected = first.expected,
                       .observed = first.observed,
                       .traffic = first.traffic};
  for (const BenchRow* row : rows) {
    measured.was_run = measured.was_run || row->observed != Outcome::not_run;
    for (const std::string& warning : row->warnings) add_once(measured.warnings, warning);
    if (row->valid) continue;
    measured.expected = row->expected;
    measured.observed = row->observed;
    if (!measured.valid) continue;  // an earlier row says why
    measured.valid = false;
    measured.explanation = row->explanation.empty() ? "its result is wrong" : row->explanation;
  }
  add_times(rows, measured);
  add_energy(rows, measured);
  add_counts(rows, measured);
  return measured;
}

// Returns whether the variant makes all outputs of its problem, whose traffic the row has.
bool computes_all(const BenchCase& what) {
  for (const Lesson& lesson : all_lessons())
    for (const auto* variants : {&lesson.variants, &lesson.yardsticks})
      for (const Variant& variant : *variants)
        if (lesson.is_called(what.lesson) && variant.name == what.variant) return variant.computes.empty();
  return true;
}

// Adds the warning of bench about the fastest process, which an edited document may lack.
void add_peak_warning(const Rows& rows, const DeviceProperties& device, CaseFigures& measured) {
  const Timing* fastest = nullptr;
  for (const Timing* timing : timings(rows, BenchTime::cold))
    if (!fastest || timing->median_s < fastest->median_s) fastest = timing;
  if (!fastest || !measured.has_figures()) return;
  const auto warning = run::peak_warning(*fastest, measured.traffic, device.peak_bytes_per_s);
  if (warning && computes_all(measured.what)) add_once(measured.warnings, *warning);
}

}  // namespace

std::string_view name_of(FigureUnit unit) {
  if (unit == FigureUnit::seconds) return "s";
  return unit == FigureUnit::joules ? "J" : "count";
}

bool is_cost(BenchKind kind, const std::string& figure) {
  const bool is_of_host = figure == name_of(BenchTime::cpu) || figure == name_of(BenchTime::to_device) ||
                          figure == name_of(BenchTime::to_host) || figure == name_of(BenchTime::launch);
  const bool is_for_information =
      figure.ends_with("_requests") || figure.ends_with("_active_lanes") || figure == "fiber_switches";
  return kind != BenchKind::cpu && !is_of_host && !is_for_information;
}

std::optional<BenchFigure> CaseFigures::figure(std::string_view name) const {
  const auto found = std::ranges::find(figures, name, &BenchFigure::name);
  if (!has_figures() || found == figures.end()) return std::nullopt;
  return *found;
}

std::optional<BenchFigure> CaseFigures::kernel_s() const {
  if (kind == BenchKind::cpu) return time_s(BenchTime::cpu);
  const auto cold = time_s(BenchTime::cold);
  return cold ? cold : time_s(BenchTime::steady);
}

std::vector<CaseFigures> cases_in_order(const std::vector<BenchResult>& results) {
  std::map<std::string, std::size_t> indices;  // in rows_of_cases, by id
  std::vector<Rows> rows_of_cases;
  for (const BenchResult& result : results)
    for (const BenchRow& row : result.rows) {
      const std::size_t index = indices.try_emplace(id_of(row.what), indices.size()).first->second;
      rows_of_cases.resize(indices.size());
      rows_of_cases[index].push_back(&row);
    }
  std::vector<CaseFigures> cases;
  for (const Rows& rows : rows_of_cases)
    add_peak_warning(rows, results.front().device, cases.emplace_back(figures_of_case(rows)));
  return cases;
}

std::vector<CaseFigures> case_figures(const std::vector<BenchResult>& results) {
  std::vector<CaseFigures> cases = cases_in_order(results);
  std::ranges::stable_sort(cases, {},
                           [](const CaseFigures& row) { return std::tie(row.what.lesson, row.what.size); });
  return cases;
}

namespace {

struct AsText {
  std::string operator()(const std::string& word) const { return word.empty() ? "-" : word; }
  std::string operator()(std::uint64_t count) const { return std::to_string(count); }
  std::string operator()(double number) const {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
  }
};

}  // namespace

std::string text_of(const OptionValue& value) {
  return std::visit(AsText{}, value);
}

std::string id_of(const BenchCase& what) {
  std::string id = fmt::format("{} {} size={}", what.lesson, what.variant, what.size);
  for (const auto& [name, value] : what.options) id += fmt::format(" {}={}", name, text_of(value));
  id += " seed=" + std::to_string(what.seed);
  if (what.block_size > 0) id += " block=" + std::to_string(what.block_size);
  return id;
}

std::string_view name_of(BenchTime time) {
  static constexpr Named<BenchTime> names[] = {
      {BenchTime::cold, "cold"},           {BenchTime::steady, "steady"},   {BenchTime::launch, "launch"},
      {BenchTime::to_device, "to_device"}, {BenchTime::to_host, "to_host"}, {BenchTime::cpu, "cpu"},
  };
  static_assert(names_every(names, BenchTime::cpu));
  return name_in(names, time);
}

std::string identifier(BenchKind kind) {
  if (kind == BenchKind::kernel) return "kernel";
  return kind == BenchKind::library ? "library" : "cpu";
}

bool was_run(const BenchRow& row) {
  return row.observed != Outcome::not_run && row.observed != Outcome::fails_to_compile;
}

ExitCode exit_code_of(const BenchRow& row) {
  if (row.valid) return ExitCode::ok;
  return exit_code_of(VariantResult{.expected = row.expected, .observed = row.observed});
}

ExitCode exit_code_of(const BenchResult& result) {
  if (result.ended_with) return *result.ended_with;
  ExitCode code = result.rows.empty() ? ExitCode::usage : ExitCode::ok;  // as bench without a row
  for (const BenchRow& row : result.rows) code = std::max(code, exit_code_of(row));
  return result.complete() ? code : more_severe(code, ExitCode::regression);  // no gate passes by accident
}

namespace {

// Distinct known values, in order.
using Values = std::vector<std::string>;

void add(Values& values, const std::string& value) {
  if (!value.empty()) add_once(values, value);
}

std::string joined(const Values& values) {
  constexpr std::size_t max_listed = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), max_listed); ++i)
    text += (i > 0 ? ", " : "") + values[i];
  return text + (values.size() > max_listed ? ", ..." : "");
}

std::string before_and_now(const Values& before, const Values& now) {
  return fmt::format("{} before, {} now", joined(before), joined(now));
}

template <class Item, class ValueOf>
Values values_of(const std::vector<Item>& items, const ValueOf& value_of) {
  Values values;
  for (const Item& item : items) add(values, value_of(item));
  return values;
}

// Returns whether the two sides together have more than one known value.
bool differ(const Values& before, const Values& now) {
  Values all = before;
  for (const std::string& value : now) add(all, value);
  return all.size() > 1;
}

std::string clock_words(double hz) {
  return hz > 0 ? clock_text(hz) : "";
}

std::string device_kind_of(const BenchResult& result) {
  return result.device.simulated() ? "the simulator" : "a GPU";
}

struct ComparedFact {
  const char* what;  // "the GPUs"
  std::string (*value)(const BenchResult&);
};

constexpr ComparedFact facts_of_gpus[] = {
    {"the GPUs", [](const BenchResult& result) { return result.device.name; }},
    {"the compute capabilities",
     [](const BenchResult& result) { return result.device.compute_capability(); }},
    {"the numbers of multiprocessors",
     [](const BenchResult& result) {
       return result.device.multiprocessors > 0 ? std::to_string(result.device.multiprocessors) : "";
     }},
    {"the GPUs' highest clocks",
     [](const BenchResult& result) { return clock_words(result.device.clock_hz); }},
    {"the GPUs' memory clocks",
     [](const BenchResult& result) { return clock_words(result.device.memory_clock_hz); }},
};

// Returns a sentence with the values of a property on both sides; empty if they share one.
template <class ValueOf>
std::string text_unless_shared(const std::string& what, const std::vector<CaseFigures>& before,
                               const std::vector<CaseFigures>& now, const ValueOf& value_of) {
  const Values values_before = values_of(before, value_of), values_now = values_of(now, value_of);
  const bool shared =
      std::ranges::any_of(values_before, [&](const auto& value) { return contains(values_now, value); });
  return shared ? "" : what + " differ: " + before_and_now(values_before, values_now);
}

std::string options_text(const BenchCase& what) {
  std::string text;
  for (const auto& [name, value] : what.options)
    text += (text.empty() ? "" : " ") + name + "=" + text_of(value);
  return text.empty() ? "none" : text;
}

// Returns a sentence about the first property of which the sides share no value. If they share a value of
// each property, the sentence says that no case has all of these at once.
std::string first_difference(const std::vector<CaseFigures>& before, const std::vector<CaseFigures>& now) {
  std::string found;
  const auto compare = [&](const char* name, const auto& value_of) {
    if (!found.empty()) return;
    found = text_unless_shared(name, before, now, [&](const CaseFigures& row) { return value_of(row.what); });
  };
  compare("the lessons", [](const BenchCase& what) { return what.lesson; });
  compare("the variants", [](const BenchCase& what) { return what.variant; });
  compare("the sizes", [](const BenchCase& what) { return std::to_string(what.size); });
  compare("the options", options_text);
  compare("the seeds", [](const BenchCase& what) { return std::to_string(what.seed); });
  compare("the block sizes", [](const BenchCase& what) {
    return what.block_size > 0 ? std::to_string(what.block_size) : "the variant's own";
  });
  return found.empty() ? "they have lessons, variants and sizes in common, but never together" : found;
}

constexpr ComparedFact compilers_of_kernels = {
    "the compilers of the kernels", [](const BenchResult& result) { return result.device.compiler_version; }};

constexpr ComparedFact versions_of_gpulab{"the versions of gpulab", [](const BenchResult& result) {
                                            const BuildFacts& build = result.facts.build;
                                            return build.version +
                                                   (build.revision.empty() ? "" : " " + build.revision);
                                          }};

constexpr ComparedFact facts_to_remark_on[] = {
    {"the drivers", [](const BenchResult& result) { return result.device.driver_version; }},
    {"the computers", [](const BenchResult& result) { return result.facts.hostname; }},
    {"the CUDA Toolkits", [](const BenchResult& result) { return result.facts.build.cuda_toolkit; }},
    {"the build types", [](const BenchResult& result) { return result.facts.build.build_type; }},
    compilers_of_kernels,
};

// Returns "the drivers differ: 1 before, 2 now"; empty if they do not.
std::string difference_of(const ComparedFact& fact, const std::vector<BenchResult>& before,
                          const std::vector<BenchResult>& now) {
  const Values values_before = values_of(before, fact.value), values_now = values_of(now, fact.value);
  return differ(values_before, values_now)
             ? fmt::format("{} differ: {}", fact.what, before_and_now(values_before, values_now))
             : "";
}

bool has_remark(const std::vector<BenchResult>& results, const std::string& remark) {
  return std::ranges::any_of(results,
                             [&](const BenchResult& result) { return contains(result.remarks, remark); });
}

void remark_incomplete(const std::vector<BenchResult>& results, const std::string& when,
                       std::vector<std::string>& remarks) {
  for (const BenchResult& result : results)
    if (!result.is_measured() || !result.complete())
      remarks.push_back(fmt::format("what was measured {} is incomplete: {}", when,
                                    result.complete() ? "a document has no rows" : result.stopped_by));
}

}  // namespace

void refuse_other_devices(const std::vector<BenchResult>& before, const std::vector<BenchResult>& now) {
  const Values kinds_before = values_of(before, device_kind_of), kinds_now = values_of(now, device_kind_of);
  if (differ(kinds_before, kinds_now))
    throw UsageError("the simulator's figures cannot be compared with a GPU's: it was " +
                     before_and_now(kinds_before, kinds_now));
  if (before.front().device.simulated()) return;  // its counts do not depend on the machine
  for (const ComparedFact& fact : facts_of_gpus) {
    const Values values_before = values_of(before, fact.value), values_now = values_of(now, fact.value);
    if (differ(values_before, values_now))
      throw UsageError(fmt::format("{} differ: {}; measure both on the same GPU", fact.what,
                                   before_and_now(values_before, values_now)));
  }
}

void refuse_other_kernels(const std::vector<BenchResult>& side, const std::string& when) {
  std::map<std::string, std::string> hashes;  // by lesson
  for (const BenchResult& result : side)
    for (const BenchRow& row : result.rows) {
      const auto hash = result.plan.kernel_hashes.find(row.what.lesson);
      if (hash != result.plan.kernel_hashes.end() && hashes.insert(*hash).first->second != hash->second)
        throw UsageError(fmt::format(
            "the documents {} are of different kernels of {}, so they are not processes of one measurement: put each on a side of its own",
            when, row.what.lesson));
    }
}

void require_common_cases(const std::vector<CaseFigures>& before, const std::vector<CaseFigures>& now) {
  std::set<std::string> ids;
  for (const CaseFigures& row : before) ids.insert(id_of(row.what));
  if (std::ranges::any_of(now, [&](const CaseFigures& row) { return ids.contains(id_of(row.what)); })) return;
  throw UsageError("nothing was measured both before and now: " + first_difference(before, now));
}

namespace {

bool lack_lesson(const std::vector<BenchResult>& results, const std::string& lesson) {
  return std::ranges::all_of(
      results, [&](const BenchResult& result) { return result.plan.absent_lessons.contains(lesson); });
}

}  // namespace

bool lack_all_lessons(const std::vector<BenchResult>& before, const std::vector<CaseFigures>& now) {
  return std::ranges::all_of(
      now, [&](const CaseFigures& measured) { return lack_lesson(before, measured.what.lesson); });
}

std::string unmeasured_edit_text(const RunPlan& plan, const std::string& lesson) {
  return fmt::format("{} has edited files of {}, which is not measured: name it, too", plan.kernels, lesson);
}

namespace {

// Returns a sentence for each lesson that nobody measured now, and whose edited files were not there before.
Values unmeasured_changes(const std::vector<BenchResult>& before, const std::vector<BenchResult>& now) {
  Values sentences;
  for (const BenchResult& result : now)
    for (const auto& edit : result.plan.unmeasured_edits) {
      const auto had_edit = [&](const BenchResult& earlier) {
        return std::ranges::find(earlier.plan.unmeasured_edits, edit) != earlier.plan.unmeasured_edits.end();
      };
      const auto measured = [&](const BenchResult& other) {
        return other.plan.kernel_hashes.contains(edit.first);
      };
      if (std::ranges::none_of(before, had_edit) && std::ranges::none_of(now, measured))
        add(sentences, unmeasured_edit_text(result.plan, edit.first));
    }
  return sentences;
}

}  // namespace

std::vector<std::string> remarks_on(const std::vector<BenchResult>& before,
                                    const std::vector<BenchResult>& now) {
  std::vector<std::string> remarks;
  if (!before.front().device.simulated())
    for (const ComparedFact& fact : facts_to_remark_on)
      if (const std::string difference = difference_of(fact, before, now); !difference.empty())
        remarks.push_back(difference);
  if (const std::string versions = difference_of(versions_of_gpulab, before, now); !versions.empty())
    remarks.push_back(versions + "; launches or inputs of a lesson may have changed");
  for (const auto& [lesson, hash] : now.front().plan.kernel_hashes)
    if (lack_lesson(before, lesson))
      remarks.push_back(fmt::format("the base has no kernels of {}, so nothing of it was compared", lesson));
  const Values doubts = unmeasured_changes(before, now);
  for (const BenchResult& result : now)
    for (const std::string& remark : result.remarks)
      if (!has_remark(before, remark) && !contains(doubts, remark)) remarks.push_back("now: " + remark);
  return remarks;
}

std::vector<std::string> doubts_about(const std::vector<BenchResult>& before,
                                      const std::vector<BenchResult>& now) {
  std::vector<std::string> doubts = unmeasured_changes(before, now);
  const std::string compilers = difference_of(compilers_of_kernels, before, now);
  if (before.front().device.simulated() && !compilers.empty())
    doubts.push_back(compilers + "; they may count differently, so measure both with one");
  remark_incomplete(before, "before", doubts);
  remark_incomplete(now, "now", doubts);
  Values known, unknown;  // a file that both sides have is not new
  const auto name_of_file = [](const std::string& file) { return file.substr(file.rfind('/') + 1); };
  for (const BenchResult& result : before)
    for (const std::string& file : result.plan.unknown_kernels) add(known, name_of_file(file));
  for (const BenchResult& result : now)
    for (const std::string& file : result.plan.unknown_kernels)
      if (!contains(known, name_of_file(file))) add(unknown, file);
  if (!unknown.empty())
    doubts.push_back("no lesson measures " + joined(unknown) +
                     ": put what is no kernel of a lesson into another folder");
  return doubts;
}

}  // namespace gpulab::bench
