#include <fmt/format.h>

#include "core/text.hpp"
#include "report/documents.hpp"
#include "report/layout.hpp"
#include "report/quantity_text.hpp"
#include "report/table.hpp"
#include "report/words.hpp"

namespace gpulab::report {
namespace {

template <class Word>
std::string word_of(Word word, std::optional<double> figure) {
  return figure ? word(*figure) : not_available;
}

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

// "97 %", "1x" or "82 %, 1x".
std::string target_text(const LimitCase& asked) {
  std::string text = asked.at_least > 0 ? percent_text(asked.at_least) : "";
  if (asked.at_least_times > 0) text += (text.empty() ? "" : ", ") + factor_text(asked.at_least_times);
  return text.empty() ? "-" : text;
}

Cell target_cell(const LimitResult& one) {
  return {target_text(one.asked), meets_target(one) ? Ink::green : Ink::yellow};
}

void add_row(Table& table, const LimitResult& one) {
  std::vector<Cell> cells = {{one.lesson}, {one.asked.label}, {one.rung.name}};
  if (one.rung.observed != Outcome::right) {
    cells.push_back(result_cell(one.rung));
    return table.add(std::move(cells), one.rung.explanation);
  }
  const auto seconds = cold_s(one.rung);
  const auto megahertz = [](double hz) { return grouped(static_cast<std::size_t>(hz * 1e-6 + 0.5)); };
  cells.insert(cells.end(), {{word_of(duration_text, seconds), Ink::bold},
                             {interval_text(one.rung), Ink::faint},
                             {word_of(duration_text, steady_s(one.rung))},
                             {rate_text(one.traffic, rate_of(one.traffic, seconds))},
                             {word_of(percent_text, part_of_ceiling(one))},
                             target_cell(one),
                             {word_of(megahertz, one.rung.clock_hz)},
                             {one.yardstick ? one.yardstick->name : "-"},
                             {one.yardstick ? word_of(duration_text, cold_s(*one.yardstick)) : "-"},
                             {one.yardstick ? word_of(duration_text, steady_s(*one.yardstick)) : "-"},
                             {one.yardstick ? word_of(factor_text, times_yardstick(one)) : "-"}});
  table.add(std::move(cells));
}

Table table_of(const LimitsResult& result) {
  Table table(
      {{"lesson"},
       {"case", Align::left, 1},
       {"rung", Align::left, 2},
       {"cold", Align::right, 0, "cold: caches evicted before each launch, median ± half its 95 % interval"},
       {"", Align::right, 8},
       {"steady", Align::right, 6, "steady: launches one after another on the same arrays, as a graph"},
       {"rate", Align::right, 3, "rate: what the problem must move or compute / cold median"},
       {"of ceiling", Align::right, 2,
        "ceiling: the same bytes or operations with nothing besides, measured in this run"},
       {"target", Align::right, 1,
        "target: the part of the ceiling, or the multiple of the yardstick's speed, that the rung should "
        "reach"},
       {"SM MHz", Align::right, 9},
       {"yardstick", Align::left, 4},
       {"cold", Align::right, 5},
       {"steady", Align::right, 7},
       {"times", Align::right, 3, "times: as fast as the yardstick, cold"}});
  for (const LimitResult& one : result.cases) add_row(table, one);
  return table;
}

std::string shortfall_text(const LimitResult& one) {
  const LimitCase& asked = one.asked;
  std::string text;
  if (asked.at_least > 0)
    text = fmt::format("should reach {} of the ceiling: {}", percent_text(asked.at_least),
                       word_of(percent_text, part_of_ceiling(one)));
  if (asked.at_least_times > 0 && one.yardstick)
    text += fmt::format("{}should be {} as fast as {}: {}", text.empty() ? "" : "; ",
                        factor_text(asked.at_least_times), one.yardstick->name,
                        word_of(factor_text, times_yardstick(one)));
  return text.empty() ? "should be right" : text;
}

// What misses its target, or that nothing does.
std::string targets_text(const LimitsResult& result, const TextStyle& style) {
  std::string text;
  for (const LimitResult& one : result.cases)
    if (!meets_target(one))
      text += labelled(
          "missed", Ink::yellow,
          fmt::format("{}, {}: {} {}", one.lesson, one.asked.label, one.rung.name, shortfall_text(one)),
          style);
  return text.empty() ? paragraph("Every target is met.", Ink::green, style) : text;
}

std::string ceilings_text(const LimitsResult& result, const TextStyle& style) {
  std::string list;
  for (const LimitResult& one : result.cases) {
    const std::string entry =
        fmt::format("{} {}", one.ceiling.what, rate_text(one.traffic, one.ceiling.per_s));
    if (list.find(entry) == std::string::npos) list += (list.empty() ? "" : ", ") + entry;
  }
  return list.empty() ? "" : labelled("ceilings", Ink::faint, list, style);
}

std::string references_text(const LimitsResult& result, const RunFacts& facts, const TextStyle& style) {
  Table table({{"lesson"},
               {"case", Align::left, 1},
               {fmt::format("OpenMP, {} threads", facts.cores), Align::right, 0},
               {"rate", Align::right, 1},
               {"of ceiling", Align::right, 0,
                "of ceiling: of what memory and multiply-adds of this CPU were measured to allow"}});
  for (const LimitResult& one : result.cases) {
    if (!one.reference || !one.reference_of_ceiling) continue;
    const double seconds = one.reference->timing.median_s;
    table.add({{one.lesson},
               {one.asked.label},
               {duration_text(seconds)},
               {rate_text(one.traffic, rate_of(one.traffic, seconds))},
               {percent_text(*one.reference_of_ceiling)}});
  }
  return table.text(style) + paragraph(table.legend(style), Ink::faint, style);
}

}  // namespace

std::string limits_text(const LimitsResult& result, const RunFacts& facts, const TextStyle& style) {
  const DeviceProperties& device = result.device;
  std::string text = paragraph(fmt::format("limits · {} ({}), driver {}, {} · seed {} · {}", device.name,
                                           device.architecture(), device.driver_version,
                                           device.compiler_version, result.seed, facts.started_utc),
                               Ink::bold, style) +
                     "\n";
  const Table table = table_of(result);
  text += table.text(style) + paragraph(table.legend(style), Ink::faint, style) +
          ceilings_text(result, style) + "\n";
  text += targets_text(result, style) + "\n" + references_text(result, facts, style);
  for (const std::string& remark : result.remarks) text += paragraph(remark, Ink::plain, style);
  return text;
}

}  // namespace gpulab::report
