#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/lists.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "lesson/result.hpp"
#include "lesson/words.hpp"
#include "run/documents.hpp"

namespace gpulab::run {
namespace {

constexpr const char* becomes = " -> ";

bool has_other_failure(const VariantResult& before, const VariantResult& now) {
  const auto cause = [](const VariantResult& variant) {
    const Failure failure = variant.failure.value_or(Failure{});
    return std::tuple(variant.pattern, failure.kind, failure.line);
  };
  return !now.as_expected() && cause(before) != cause(now);
}

bool has_other_result(const VariantResult& before, const VariantResult& now) {
  return result_cell(before).text != result_cell(now).text || has_other_failure(before, now);
}

bool has_other_time(const VariantResult& before, const VariantResult& now) {
  if (!before.kernel_cold || !now.kernel_cold) return false;
  const auto &then_s = before.kernel_cold->confidence_s, &now_s = now.kernel_cold->confidence_s;
  return then_s && now_s && (then_s->high < now_s->low || now_s->high < then_s->low);
}

// Returns the earlier figure if it is a count and has changed, else null. Measured rates differ each time.
const Figure* earlier_if_changed(const VariantResult& before, const Figure& now) {
  if (now.unit.ends_with("/s")) return nullptr;
  const Figure* const then = find_or_null(before.findings.figures, now.name, &Figure::name);
  return then && then->value != now.value ? then : nullptr;
}

bool has_other_count(const VariantResult& before, const VariantResult& now) {
  return std::ranges::any_of(now.findings.figures,
                             [&](const Figure& figure) { return earlier_if_changed(before, figure); });
}

}  // namespace

const VariantResult* LessonChanges::earlier(const VariantResult& variant) const {
  return before_ ? find_or_null(before_->variants, variant.name, &VariantResult::name) : nullptr;
}

Cell LessonChanges::name(const std::string& reference) const {
  return {(before_ ? "  " : "") + reference};
}

bool LessonChanges::has_changed(const VariantResult& variant) const {
  const VariantResult* const before = earlier(variant);
  return before && (has_other_result(*before, variant) || has_other_time(*before, variant) ||
                    has_other_count(*before, variant));
}

Cell LessonChanges::name(const VariantResult& variant) const {
  return has_changed(variant) ? Cell{"~ " + variant.name, Ink::bold} : name(variant.name);
}

std::string LessonChanges::outcome_and_reason(const VariantResult& variant, std::size_t asked_size) const {
  const bool is_unchanged = earlier(variant) && !has_changed(variant) && variant.as_expected();
  return is_unchanged ? gpulab::outcome_text(variant, asked_size)
                      : gpulab::outcome_and_reason(variant, asked_size);
}

Cell LessonChanges::result(const VariantResult& variant) const {
  Cell now = result_cell(variant);
  const VariantResult* const before = earlier(variant);
  if (!before) return now;
  const std::string was = result_cell(*before).text;
  return was == now.text ? now : Cell{was + becomes + now.text, now.ink};
}

Cell LessonChanges::time(const VariantResult& variant, Cell now) const {
  const VariantResult* const before = earlier(variant);
  if (!before || !has_other_time(*before, variant)) return now;
  return {duration_text(before->kernel_cold->median_s) + becomes + now.text, now.ink};
}

Cell LessonChanges::figure(const VariantResult& variant, const Figure& figure) const {
  const Cell now{figure_text(figure.value)};
  const VariantResult* const before = earlier(variant);
  const Figure* const was = before ? earlier_if_changed(*before, figure) : nullptr;
  return was ? Cell{figure_text(was->value) + becomes + now.text, Ink::bold} : now;
}

namespace {

std::string heading(const LessonResult& result, const TextStyle& style) {
  std::string device = result.device.name;
  if (const std::string architecture = result.device.architecture(); !architecture.empty())
    device += " (" + architecture + ")";
  if (result.simulated()) {
    const unsigned lanes = result.device.warp_size;
    device = "simulated on the CPU" + (lanes == 32 ? "" : fmt::format(" in warps of {} lanes", lanes));
  }
  const std::string text =
      fmt::format("{} · {}, seed {} · {}", result.lesson, result.problem, result.seed, device);
  return paragraph(text, Ink::bold, style);
}

std::string differences(const VariantResult& variant) {
  std::string result;
  for (const Difference& difference : variant.first_differences) {
    const auto [expected, actual] = distinguishable(difference.expected, difference.actual);
    const std::string index = index_text(difference.index, difference.row_length);
    result += fmt::format("{}{} expected {}, {}", result.empty() ? "" : "; ", index, expected,
                          actual_text(difference, actual));
  }
  return result;
}

// A remark about variants below the table, made once for all variants that share it.
struct Remark {
  std::string label;
  Ink ink;
  std::string variants;
  std::string text;
};

void add(std::vector<Remark>& remarks, const std::string& label, Ink ink, const VariantResult& variant,
         const std::string& text) {
  for (Remark& remark : remarks) {
    if (remark.label != label || remark.text != text) continue;
    remark.variants += ", " + variant.name;
    return;
  }
  remarks.push_back({label, ink, variant.name, text});
}

std::string remarks_text(const LessonResult& result, const TextStyle& style) {
  std::vector<Remark> remarks;
  for (const VariantResult& variant : result.variants) {
    for (const std::string& warning : variant.warnings)
      add(remarks, "warning", Ink::yellow, variant, " " + warning);
    for (const std::string& note : variant.notes) add(remarks, "note", Ink::blue, variant, " " + note);
    if (variant.as_expected()) continue;
    if (variant.observed == Outcome::wrong && !variant.first_differences.empty())
      add(remarks, "differs", Ink::red, variant, " " + differences(variant));
    if (!variant.compiler_log.empty())
      add(remarks, "compiler", Ink::red, variant, "\n" + variant.compiler_log);
  }
  std::string text;
  for (const Remark& remark : remarks)
    text += labelled(remark.label, remark.ink, remark.variants + ":" + remark.text, style);
  return text;
}

std::string printed_by_kernels(const LessonResult& result, const TextStyle& style) {
  const auto prints = [](const VariantResult& variant) { return !variant.printed.empty(); };
  const std::size_t max_lines = std::ranges::count_if(result.variants, prints) == 1 ? 20 : 5;
  std::string text;
  for (const VariantResult& variant : result.variants)
    text += printed_text("the kernel of " + variant.name, variant.printed, max_lines, style);
  return text;
}

std::string claim_line(const ClaimResult& claim, const LessonResult& result, const TextStyle& style) {
  const Cell verdict = verdict_cell(claim.verdict);
  std::string text = claim_text(claim.claim);
  if (claim.ratio && claim.verdict == ClaimVerdict::needs_gpu)
    text += " (estimated " + factor_text(*claim.ratio) + ", which is too close to tell)";
  else if (claim.ratio)
    text += " (" + factor_text(*claim.ratio) + ")";
  const bool is_open =
      claim.verdict == ClaimVerdict::not_measured || claim.verdict == ClaimVerdict::needs_gpu;
  if (is_open && result.size < claim.claim.from)
    text += " (claimed from size " + grouped(claim.claim.from) + " on)";
  return labelled(verdict.text, verdict.ink, text, style);
}

std::string copy_text(double bytes, const Timing& timing) {
  if (bytes == 0) return "nothing";
  return fmt::format("{} in {} at {} GB/s", bytes_text(bytes), duration_text(timing.median_s),
                     three_digits(bytes / timing.median_s * 1e-9));
}

// Compares the fastest variant including copies with the fastest reference.
std::string end_to_end(const LessonResult& result) {
  using TimeAndName = std::pair<double, std::string>;
  TimeAndName fastest_variant{HUGE_VAL, ""}, fastest_reference{HUGE_VAL, ""};
  for (const VariantResult& candidate : result.variants)
    if (const auto seconds = with_copies_s(result, problem_median_s(result, candidate)))
      fastest_variant = std::min(fastest_variant, {*seconds, candidate.name});
  for (const ReferenceResult& candidate : result.references)
    if (const auto seconds = reference_median_s(candidate))
      fastest_reference = std::min(fastest_reference, {*seconds, candidate.name});
  const auto& [variant_s, variant] = fastest_variant;
  const auto& [reference_s, reference] = fastest_reference;
  if (variant.empty() || reference.empty()) return "";
  return fmt::format("; end to end {} takes {} (medians added up) against {} of {}", variant,
                     duration_text(variant_s), duration_text(reference_s), reference);
}

std::string transfer_line(const LessonResult& result, const TextStyle& style) {
  if (!result.transfers) return "";
  const TransferResult& transfers = *result.transfers;
  return labelled(
      "copies", Ink::bold,
      fmt::format("{} to the device, {} back{}", copy_text(transfers.bytes_to_device, transfers.to_device),
                  copy_text(transfers.bytes_to_host, transfers.to_host), end_to_end(result)),
      style);
}

Table table_of(const LessonResult& result, const TextStyle& style, const LessonChanges& changes,
               SimulatedTimes times = SimulatedTimes::estimated) {
  const bool is_untried = result.device.kind == "hip";
  if (!result.simulated() && !is_untried) return measured_table(result, style, changes);
  return simulated_table(result, is_untried ? SimulatedTimes::none : times, changes);
}

}  // namespace

std::string lesson_rows(const LessonResult& so_far, const TextStyle& style, const LessonResult* before) {
  return heading(so_far, style) + "\n" + table_of(so_far, style, LessonChanges(before)).text(style);
}

std::string lesson_text(const LessonResult& result, const TextStyle& style, const LessonResult* before,
                        SimulatedTimes times) {
  const LessonChanges changes(before);
  const Table table = table_of(result, style, changes, times);
  std::string text = heading(result, style) + "\n" + table.text(style);
  if (const std::string legend = table.legend(style); !legend.empty())
    text += "\n" + paragraph(legend, Ink::faint, style);
  for (const std::string& block : {figures_table(result, style, changes), timelines_text(result, style),
                                   records_text(result, style), printed_by_kernels(result, style)})
    if (!block.empty()) text += "\n" + block;
  std::string findings = remarks_text(result, style);
  for (const std::string& remark : result.remarks) findings += paragraph(remark, Ink::plain, style);
  for (const ClaimResult& claim : result.claims) findings += claim_line(claim, result, style);
  findings += transfer_line(result, style);
  return findings.empty() ? text : text + "\n" + findings;
}

namespace {

std::string billions_text(double per_s) {
  return three_digits(per_s * 1e-9);
}

std::string precision_text(const Timing& timing) {
  const auto half_width = timing.relative_half_width();
  return half_width ? "± " + percent_text(*half_width) : "";
}

// Names a reference. The first is the plain loop. On one core OpenMP has one thread, too.
std::string speed_up_title(const LessonResult& result, std::size_t index) {
  const int threads = result.references[index].threads;
  if (threads == 1) return index == 0 ? "1 thread" : "OpenMP";
  return fmt::format("{} threads", threads);
}

// Formats the rate of what limits the problem: of operations, or else of bytes.
std::string rate_text(const LessonResult& result, std::optional<double> seconds) {
  return result.traffic.limited_by_operations
             ? text_or_not_available(billions_text, operations_per_s(result.traffic, seconds))
             : text_or_not_available(billions_text, effective_bytes_per_s(result.traffic, seconds));
}

Column rate_column(const LessonResult& result) {
  if (result.traffic.limited_by_operations)
    return {"GFLOP/s", Align::right, 2,
            "GFLOP/s: additions and multiplications that the problem needs, per second"};
  return {"GB/s", Align::right, 2, "GB/s: bytes that the problem must move, per second"};
}

constexpr unsigned width_with_bars = 120;
constexpr std::size_t columns_of_bar = 13;

// Returns the longest time of variants that compute the same; none if fewer than two have a time.
std::optional<double> slowest_s(const LessonResult& result) {
  std::vector<double> times;
  for (const VariantResult& variant : result.variants)
    if (const auto seconds = problem_median_s(result, variant)) times.push_back(*seconds);
  if (times.size() < 2) return std::nullopt;
  return *std::ranges::max_element(times);
}

std::vector<Column> measured_columns(const LessonResult& result) {
  constexpr const char* cold =
      "cold: caches evicted before each launch; median ± half its 95 % confidence interval; references: CPU time";
  const bool by_operations = result.traffic.limited_by_operations;
  const double peak = by_operations ? result.device.peak_operations_per_s : result.device.peak_bytes_per_s;
  const std::string unit = by_operations ? " GFLOP/s in float32, theoretical" : " GB/s, theoretical";
  const std::string peak_text = peak > 0 ? billions_text(peak) + unit : "not known";
  std::vector<Column> columns = {
      {"variant"},           {"result"},          {"kernel, cold", Align::right, 1, cold},
      {"", Align::right, 5}, rate_column(result), {"of peak", Align::right, 6, "peak: " + peak_text}};
  for (std::size_t index = 0; index < result.references.size(); ++index)
    columns.push_back({speed_up_title(result, index), Align::right, index == 0 ? 3 : 4,
                       index == 0 ? "x: how many times as fast as the CPU" : ""});
  if (!result.references.empty())
    columns.push_back(
        {"with copies", Align::right, 7, "with copies: kernel and copies together, against 1 thread"});
  return columns;
}

void add_measured_reference(Table& table, const LessonResult& result, std::size_t index,
                            const LessonChanges& changes) {
  const ReferenceResult& reference = result.references[index];
  std::vector<Cell> cells = {changes.name(reference.name), result_cell(reference, index == 0)};
  if (reference.observed != Outcome::right) return table.add(std::move(cells), reference.explanation);
  const std::optional<double> seconds = reference_median_s(reference);
  cells.push_back({text_or_not_available(duration_text, seconds)});
  cells.push_back({precision_text(reference.timing), Ink::faint});
  cells.push_back({rate_text(result, seconds)});
  cells.push_back({});
  for (std::size_t earlier = 0; earlier < index; ++earlier)
    cells.push_back({text_or_not_available(factor_text, speed_up(result.references[earlier], seconds))});
  if (seconds) cells.push_back({"1x"});
  table.add(std::move(cells));
}

void add_measured_variant(Table& table, const LessonResult& result, const VariantResult& variant,
                          std::optional<double> longest_s, const LessonChanges& changes) {
  std::vector<Cell> cells = {changes.name(variant), changes.result(variant)};
  const std::optional<double> seconds = kernel_median_s(result, variant);
  const std::string prose = changes.outcome_and_reason(variant, result.size);
  if (!seconds && !prose.empty()) return table.add(std::move(cells), prose);
  cells.push_back(changes.time(variant, {text_or_not_available(duration_text, seconds), Ink::bold}));
  cells.push_back({seconds ? precision_text(*variant.kernel_cold) : "", Ink::faint});
  const std::optional<double> problem_s = problem_median_s(result, variant);
  if (seconds && !problem_s) return table.add(std::move(cells));
  cells.push_back({rate_text(result, problem_s)});
  cells.push_back({text_or_not_available(percent_text, fraction_of_peak(result, variant, problem_s))});
  for (const ReferenceResult& reference : result.references)
    cells.push_back({text_or_not_available(factor_text, speed_up(reference, problem_s))});
  const std::optional<double> whole_s = with_copies_s(result, problem_s);
  if (!result.references.empty())
    cells.push_back({text_or_not_available(factor_text, speed_up(result.references.front(), whole_s))});
  if (longest_s && problem_s) cells.push_back({bar_text(*problem_s / *longest_s, columns_of_bar), Ink::cyan});
  table.add(std::move(cells));
}

void add_simulated_reference(Table& table, const ReferenceResult& reference, bool is_first,
                             const LessonChanges& changes) {
  std::vector<Cell> cells = {changes.name(reference.name), result_cell(reference, is_first)};
  if (reference.observed != Outcome::right) return table.add(std::move(cells), reference.explanation);
  const std::string time = text_or_not_available(duration_text, reference_median_s(reference));
  cells.insert(cells.end(), {{}, {}, {time}});
  table.add(std::move(cells));
}

void add_estimate(std::vector<Cell>& cells, const Estimate* estimate) {
  if (!estimate) return cells.push_back({not_available});
  cells.push_back({range_text(*estimate), Ink::bold});
  const std::vector<Bound>& bounds = estimate->bounds;
  std::string limits(name_of(bounds.front().limiter));
  if (bounds.size() > 1 && bounds[1].seconds > bounds.front().seconds / 2)
    limits += ", " + std::string(name_of(bounds[1].limiter));
  cells.push_back({limits});
}

void add_simulated_variant(Table& table, const LessonResult& result, const VariantResult& variant,
                           const LessonChanges& changes, SimulatedTimes times) {
  std::vector<Cell> cells = {changes.name(variant), changes.result(variant)};
  const std::string prose = changes.outcome_and_reason(variant, result.size);
  if (!is_right_as_expected(variant) || !variant.launch) return table.add(std::move(cells), prose);
  const bool is_estimated = times == SimulatedTimes::estimated || times == SimulatedTimes::both;
  const Estimate* const estimate = is_estimated ? estimate_of(result, variant) : nullptr;
  // Shows the launch that was estimated, because the size of a grid may depend on the GPU.
  const LaunchConfig& launch =
      estimate && estimate->launches.size() == 1 ? estimate->launches[0].work.config : *variant.launch;
  const Extent &grid = launch.grid, &block = launch.block;
  const std::size_t threads = grid.volume() * block.volume();
  const bool is_single = variant.launches <= 1;
  cells.push_back(
      {is_single ? text_of(grid) + " x " + text_of(block) : grouped(variant.launches) + " launches"});
  cells.push_back({is_single ? grouped(threads) : ""});
  if (times == SimulatedTimes::none) return table.add(std::move(cells), prose);
  const bool has_cpu_time = times != SimulatedTimes::estimated;
  cells.push_back({has_cpu_time ? text_or_not_available(duration_text, variant.simulation_s) : ""});
  if (is_estimated) add_estimate(cells, estimate);
  table.add(std::move(cells), prose);
}

// Formats a duration with two significant digits: an estimate has no more.
std::string two_digits(double seconds) {
  const double digit = std::pow(10, std::floor(std::log10(seconds)) - 1);
  const std::string text = duration_text(std::round(seconds / digit) * digit);
  const std::size_t unit = text.rfind(' ');
  std::string number = text.substr(0, unit);
  if (number.find('.') != std::string::npos) {
    number.resize(number.find_last_not_of('0') + 1);
    if (number.ends_with('.')) number.pop_back();
  }
  return number + text.substr(unit);
}

}  // namespace

std::string range_text(const Estimate& estimate) {
  std::string low = two_digits(estimate.low_s);
  const std::string high = two_digits(estimate.high_s);
  const std::size_t unit = low.rfind(' ');
  if (high.ends_with(low.substr(unit))) low.resize(unit);
  return low + " to " + high;
}

Table measured_table(const LessonResult& result, const TextStyle& style, const LessonChanges& changes) {
  const std::optional<double> longest_s = style.width >= width_with_bars ? slowest_s(result) : std::nullopt;
  std::vector<Column> columns = measured_columns(result);
  if (longest_s)
    columns.push_back(
        {"relative time", Align::left, 8, "relative time: of the kernel; the slowest has the longest bar"});
  Table table(std::move(columns));
  for (std::size_t index = 0; index < result.references.size(); ++index)
    add_measured_reference(table, result, index, changes);
  for (const VariantResult& variant : result.variants)
    add_measured_variant(table, result, variant, longest_s, changes);
  return table;
}

Table simulated_table(const LessonResult& result, SimulatedTimes times, const LessonChanges& changes) {
  std::vector<Column> columns = {
      {"variant"}, {"result"}, {"grid x block", Align::right, 2}, {"threads", Align::right, 4}};
  const auto estimated = std::ranges::find_if(
      result.variants, [&](const VariantResult& variant) { return estimate_of(result, variant); });
  if (estimated == result.variants.end() && times != SimulatedTimes::none) times = SimulatedTimes::of_cpu;
  const std::string of_what =
      times == SimulatedTimes::estimated
          ? "the reference, on this machine"
          : "the reference or of the simulation; it does not show what is fast on a GPU";
  if (times != SimulatedTimes::none)
    columns.push_back(
        {"CPU time", Align::right, times == SimulatedTimes::estimated ? 5 : 1, "CPU time: of " + of_what});
  if (times == SimulatedTimes::estimated || times == SimulatedTimes::both) {
    const std::string& gpu = estimated->estimate->gpu;
    columns.push_back(
        {fmt::format("{}, estimated", gpu), Align::right, 1,
         "estimated: from counts of accesses and instructions, not measured; gpulab estimate explains it"});
    columns.push_back({"limiter", Align::left, 3, "limiter: what bounds that time"});
  }
  Table table(columns);
  for (std::size_t index = 0; index < result.references.size(); ++index)
    add_simulated_reference(table, result.references[index], index == 0, changes);
  for (const VariantResult& variant : result.variants)
    add_simulated_variant(table, result, variant, changes, times);
  return table;
}

}  // namespace gpulab::run
