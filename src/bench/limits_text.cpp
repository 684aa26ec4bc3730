#include <fmt/format.h>
#include <vector>

#include "base/table.hpp"
#include "base/text.hpp"
#include "bench/bench_formats.hpp"
#include "bench/limits.hpp"
#include "lesson/words.hpp"

namespace gpulab::bench {
namespace {

std::string rate_text(const Traffic& traffic, std::optional<double> rate) {
  if (!rate) return not_available;
  return traffic.limited_by_operations ? three_digits(*rate * 1e-12) + " TFLOP/s"
                                       : three_digits(*rate * 1e-9) + " GB/s";
}

std::string interval_text(const VariantResult& variant) {
  const auto half_width = variant.kernel_cold ? variant.kernel_cold->relative_half_width() : std::nullopt;
  return half_width ? "± " + percent_text(*half_width) : "";
}

std::optional<double> steady_s(const VariantResult& variant) {
  if (!variant.kernel_steady) return std::nullopt;
  return variant.kernel_steady->median_s;
}

// Returns "97 %", "1x" or "82 %, 1x".
std::string target_text(const LimitCase& target) {
  std::string text = target.min_fraction_of_ceiling > 0 ? percent_text(target.min_fraction_of_ceiling) : "";
  if (target.min_speedup > 0) text += (text.empty() ? "" : ", ") + factor_text(target.min_speedup);
  return text.empty() ? "-" : text;
}

void add_row(Table& table, const LimitResult& measured) {
  std::vector<Cell> cells = {{measured.lesson}, {measured.limit_case.label}, {measured.variant.name}};
  if (measured.variant.observed != Outcome::right) {
    cells.push_back(result_cell(measured.variant));
    return table.add(std::move(cells), measured.variant.explanation);
  }
  const auto seconds = cold_s(measured.variant);
  const auto megahertz = [](double hz) { return grouped(static_cast<std::size_t>(hz * 1e-6 + 0.5)); };
  cells.insert(
      cells.end(),
      {{text_or_not_available(duration_text, seconds), Ink::bold},
       {interval_text(measured.variant), Ink::faint},
       {text_or_not_available(duration_text, steady_s(measured.variant))},
       {rate_text(measured.traffic, bench_rate(measured.traffic, seconds))},
       {text_or_not_available(percent_text, fraction_of_ceiling(measured))},
       {target_text(measured.limit_case), meets_target(measured) ? Ink::green : Ink::yellow},
       {text_or_not_available(megahertz, measured.variant.clock_hz)},
       {measured.yardstick ? measured.yardstick->name : "-"},
       {measured.yardstick ? text_or_not_available(duration_text, cold_s(*measured.yardstick)) : "-"},
       {measured.yardstick ? text_or_not_available(duration_text, steady_s(*measured.yardstick)) : "-"},
       {measured.yardstick ? text_or_not_available(factor_text, speedup_over_yardstick(measured)) : "-"}});
  table.add(std::move(cells));
}

Table table_of(const LimitsResult& result) {
  Table table(
      {{"lesson"},
       {"case", Align::left, 1},
       {"variant", Align::left, 2},
       {"cold", Align::right, 0, "cold: caches evicted before each launch, median ± half its 95 % interval"},
       {"", Align::right, 8},
       {"steady", Align::right, 6, "steady: launches one after another on the same arrays, as a graph"},
       {"rate", Align::right, 3, "rate: what the problem must move or compute / cold median"},
       {"of ceiling", Align::right, 2,
        "ceiling: the same bytes or operations with nothing besides, measured in this run"},
       {"target", Align::right, 1,
        "target: the part of the ceiling, or the multiple of the yardstick's speed, that the variant should reach"},
       {"SM MHz", Align::right, 9},
       {"yardstick", Align::left, 4},
       {"cold", Align::right, 5},
       {"steady", Align::right, 7},
       {"times", Align::right, 3, "times: how many times as fast as the yardstick, cold"}});
  for (const LimitResult& measured : result.cases) add_row(table, measured);
  return table;
}

std::string shortfall_text(const LimitResult& measured) {
  const LimitCase& limit_case = measured.limit_case;
  std::string text;
  if (limit_case.min_fraction_of_ceiling > 0)
    text = fmt::format("should reach {} of the ceiling: {}", percent_text(limit_case.min_fraction_of_ceiling),
                       text_or_not_available(percent_text, fraction_of_ceiling(measured)));
  if (limit_case.min_speedup > 0 && measured.yardstick)
    text += fmt::format("{}should be {} as fast as {}: {}", text.empty() ? "" : "; ",
                        factor_text(limit_case.min_speedup), measured.yardstick->name,
                        text_or_not_available(factor_text, speedup_over_yardstick(measured)));
  return text.empty() ? "should be right" : text;
}

// Lists what misses its target, or says that nothing does.
std::string targets_text(const LimitsResult& result, const TextStyle& style) {
  std::string text;
  for (const LimitResult& measured : result.cases)
    if (!meets_target(measured))
      text += labelled("missed", Ink::yellow,
                       fmt::format("{}, {}: {} {}", measured.lesson, measured.limit_case.label,
                                   measured.variant.name, shortfall_text(measured)),
                       style);
  return text.empty() ? paragraph("Every target is met.", Ink::green, style) : text;
}

std::string ceilings_text(const LimitsResult& result, const TextStyle& style) {
  std::vector<std::string> list;
  for (const LimitResult& measured : result.cases) {
    const std::string entry =
        fmt::format("{} {}", measured.ceiling.what, rate_text(measured.traffic, measured.ceiling.per_s));
    add_once(list, entry);
  }
  return list.empty() ? ""
                      : labelled("ceilings", Ink::faint, fmt::format("{}", fmt::join(list, ", ")), style);
}

std::string references_text(const LimitsResult& result, const RunFacts& facts, const TextStyle& style) {
  Table table({{"lesson"},
               {"case", Align::left, 1},
               {fmt::format("OpenMP, {} threads", facts.cores), Align::right, 0},
               {"rate", Align::right, 1},
               {"of ceiling", Align::right, 0,
                "of ceiling: part of what this CPU's memory and multiply-adds were measured to allow"},
               {"library", Align::left, 2}});
  for (const LimitResult& measured : result.cases) {
    if (!measured.reference || !measured.reference_fraction) continue;
    const double seconds = measured.reference->timing.median_s;
    table.add({{measured.lesson},
               {measured.limit_case.label},
               {duration_text(seconds)},
               {rate_text(measured.traffic, bench_rate(measured.traffic, seconds))},
               {percent_text(*measured.reference_fraction)},
               {measured.host_library ? measured.host_library->name + ": " +
                                            duration_text(measured.host_library->timing.median_s)
                                      : "-"}});
  }
  return table.text(style) + paragraph(table.legend(style), Ink::faint, style);
}

// Returns the simulated threads per second, in millions.
std::string threads_rate_text(const VariantResult& variant) {
  const auto seconds = simulated_s(variant);
  return seconds ? three_digits(threads_of(variant) / *seconds * 1e-6) : not_available;
}

void add_row(Table& table, const SimulationResult& measured) {
  const VariantResult& on_all_cores = measured.on_all_cores;
  std::vector<Cell> cells = {{measured.lesson}, {measured.limit_case.label}, {on_all_cores.name}};
  if (on_all_cores.observed != Outcome::right) {
    cells.push_back(result_cell(on_all_cores));
    return table.add(std::move(cells), on_all_cores.explanation);
  }
  const auto& library = measured.host_library;
  const bool has_library = library && library->observed == Outcome::right;
  cells.insert(cells.end(),
               {{text_or_not_available(duration_text, simulated_s(measured.on_one_core))},
                {threads_rate_text(measured.on_one_core)},
                {text_or_not_available(duration_text, simulated_s(on_all_cores)), Ink::bold},
                {threads_rate_text(on_all_cores)},
                {text_or_not_available(factor_text, parallel_speedup(measured))},
                {has_library ? duration_text(library->timing.median_s)
                 : library   ? "wrong"
                             : "-"},
                {has_library ? text_or_not_available(factor_text, speedup_over_library(measured)) : "-"}});
  table.add(std::move(cells));
}

std::string library_of(const LimitsResult& result) {
  for (const SimulationResult& measured : result.simulated)
    if (measured.host_library) return measured.host_library->name;
  return "OpenCL";
}

std::string simulation_text(const LimitsResult& result, const RunFacts& facts, const TextStyle& style) {
  Table table(
      {{"lesson"},
       {"case", Align::left, 1},
       {"kernel", Align::left, 3},
       {"one core", Align::right, 4, "one core, all cores: wall-clock time of a launch, median"},
       {"M threads/s", Align::right, 5},
       {fmt::format("{} cores", facts.cores), Align::right, 0},
       {"M threads/s", Align::right, 0},
       {"gain", Align::right, 2, "gain: how many times as fast as one core"},
       {library_of(result), Align::right, 1},
       {"times", Align::right, 1,
        "times: how many times as fast as the same kernel in OpenCL, which runs on all cores and checks nothing"}});
  for (const SimulationResult& measured : result.simulated) add_row(table, measured);
  return table.text(style) + paragraph(table.legend(style), Ink::faint, style);
}

std::string heading_text(const LimitsResult& result, const RunFacts& facts) {
  const DeviceProperties& device = result.device;
  if (device.simulated())
    return fmt::format("limits · simulated on the CPU · {}, {} cores · seed {} · {}",
                       facts.cpu.empty() ? "unknown CPU" : facts.cpu, facts.cores, result.seed,
                       facts.started_utc);
  return fmt::format("limits · {} ({}), driver {}, {} · seed {} · {}", device.name, device.architecture(),
                     device.driver_version, device.compiler_version, result.seed, facts.started_utc);
}

}  // namespace

std::string limits_text(const LimitsResult& result, const RunFacts& facts, const TextStyle& style) {
  std::string text = paragraph(heading_text(result, facts), Ink::bold, style) + "\n";
  if (result.device.simulated()) {
    text += simulation_text(result, facts, style);
  } else {
    const Table table = table_of(result);
    text += table.text(style) + paragraph(table.legend(style), Ink::faint, style) +
            ceilings_text(result, style) + "\n";
    text += targets_text(result, style) + "\n" + references_text(result, facts, style);
  }
  for (const std::string& remark : result.remarks) text += paragraph(remark, Ink::plain, style);
  return text;
}

}  // namespace gpulab::bench
