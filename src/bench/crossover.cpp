#include "bench/crossover.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>

#include "base/plot.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "bench/result.hpp"

namespace gpulab::bench {
namespace {

std::optional<double> value_of(const CaseFigures& timed, BenchTime time) {
  for (const BenchFigure& figure : timed.figures)
    if (figure.name == name_of(time)) return figure.value;
  return std::nullopt;
}

// Adds the times of a case to the point at its size. Of several kernels, the fastest counts.
void add_times_to(CrossoverPoint& point, const CaseFigures& timed) {
  if (timed.what.variant == plain_reference) point.one_thread_s = value_of(timed, BenchTime::cpu);
  if (timed.what.variant == openmp_reference) point.all_threads_s = value_of(timed, BenchTime::cpu);
  const std::optional<double> launch_s = value_of(timed, BenchTime::launch);
  if (timed.kind != BenchKind::kernel || !timed.valid || !launch_s) return;
  if (point.launch_s && *point.launch_s <= *launch_s) return;
  point.launch_s = launch_s;
  point.variant = timed.what.variant;
  const auto to_device = value_of(timed, BenchTime::to_device), to_host = value_of(timed, BenchTime::to_host);
  if (to_device && to_host) point.copies_s = *to_device + *to_host;
}

// Returns the size at which the ratio of times is 1, interpolated on logarithmic scales.
double where_equal(double size_a, double ratio_a, double size_b, double ratio_b) {
  const double fraction = std::log(ratio_a) / (std::log(ratio_a) - std::log(ratio_b));
  return std::exp(std::log(size_a) + fraction * (std::log(size_b) - std::log(size_a)));
}

using SecondsOf = std::optional<double> (*)(const CrossoverPoint& point);

struct RatioAtSize {
  double size = 0;
  double ratio = 0;  // the CPU's time / the GPU's: above 1 the GPU is faster
};

Crossing crossing(const std::vector<CrossoverPoint>& points, SecondsOf cpu, SecondsOf gpu) {
  std::vector<RatioAtSize> ratios;
  for (const CrossoverPoint& point : points)
    if (const auto cpu_s = cpu(point), gpu_s = gpu(point); cpu_s && gpu_s && *cpu_s > 0 && *gpu_s > 0)
      ratios.push_back({static_cast<double>(point.size), *cpu_s / *gpu_s});
  if (ratios.empty()) return {};
  if (ratios.back().ratio <= 1) return {Crossing::Kind::never};
  // The largest size at which the GPU is not faster.
  const auto largest_not_won = std::ranges::find_if(
      ratios.rbegin(), ratios.rend(), [](const RatioAtSize& point) { return point.ratio <= 1; });
  if (largest_not_won == ratios.rend()) return {Crossing::Kind::always};
  const auto [size, ratio] = *largest_not_won;
  const auto [next_size, next_ratio] = *(largest_not_won - 1);  // reversed: the next larger size
  return {Crossing::Kind::from, where_equal(size, ratio, next_size, next_ratio)};
}

std::optional<double> on_one_thread(const CrossoverPoint& point) {
  return point.one_thread_s;
}
std::optional<double> on_all_threads(const CrossoverPoint& point) {
  return point.all_threads_s;
}
std::optional<double> on_gpu(const CrossoverPoint& point) {
  return point.launch_s;
}
std::optional<double> on_gpu_with_copies(const CrossoverPoint& point) {
  return point.with_copies_s();
}

// Returns the lesson with the options whose value is a word: numbers, such as sides, differ at each size.
std::string result_key(const BenchCase& what) {
  std::string key = what.lesson;
  for (const auto& [name, value] : what.options)
    if (std::holds_alternative<std::string>(value)) key += fmt::format(" {}={}", name, text_of(value));
  return key;
}

}  // namespace

std::vector<CrossoverResult> crossovers(const BenchResult& measured) {
  std::vector<CrossoverResult> results;
  std::map<std::string, std::size_t> indices;  // in `results`, by result_key()
  for (const CaseFigures& timed : case_figures({measured})) {
    const auto [index, is_new] = indices.try_emplace(result_key(timed.what), results.size());
    if (is_new) results.push_back({.what = timed.what});
    CrossoverResult& result = results[index->second];
    auto point = std::ranges::find(result.points, timed.what.size, &CrossoverPoint::size);
    if (point == result.points.end())
      point = result.points.insert(point, CrossoverPoint{.size = timed.what.size});
    add_times_to(*point, timed);
  }
  for (CrossoverResult& result : results) {
    std::ranges::sort(result.points, {}, &CrossoverPoint::size);
    result.what.variant.clear();
    result.what.size = 0;
    result.one_thread = crossing(result.points, on_one_thread, on_gpu);
    result.one_thread_with_copies = crossing(result.points, on_one_thread, on_gpu_with_copies);
    result.all_threads = crossing(result.points, on_all_threads, on_gpu);
    result.all_threads_with_copies = crossing(result.points, on_all_threads, on_gpu_with_copies);
  }
  return results;
}

namespace {

Cell time_cell(std::optional<double> seconds, bool is_fastest) {
  if (!seconds) return {"n/a"};
  return {duration_text(*seconds), is_fastest ? Ink::bold : Ink::plain};
}

bool is_fastest(std::optional<double> seconds, const CrossoverPoint& point) {
  for (const auto other : {point.one_thread_s, point.all_threads_s, point.with_copies_s()})
    if (other && seconds && *other < *seconds) return false;
  return seconds.has_value();
}

// Returns "from about 52 000 elements on", with two digits, since the size is interpolated.
std::string crossing_text(const Crossing& crossing, const CrossoverResult& result) {
  switch (crossing.kind) {
    case Crossing::Kind::always:
      return "at every size that was measured";
    case Crossing::Kind::never:
      return fmt::format("at no size up to {}", grouped(result.points.back().size));
    case Crossing::Kind::not_measured:
      return "was not measured";
    case Crossing::Kind::from:
      break;
  }
  double unit = 1;
  while (crossing.size / unit >= 100) unit *= 10;
  return fmt::format(
      "from about {} elements on",
      grouped(static_cast<std::size_t>(crossing.size / unit + 0.5) * static_cast<std::size_t>(unit)));
}

std::string verdicts(const CrossoverResult& result, int threads, unsigned width) {
  const auto indented = [&](const std::string& text) {
    std::string all;
    for (const std::string& line : wrapped(text, width - 2, 2)) all += "  " + line + "\n";
    return all;
  };
  const auto verdict = [&](const std::string& rival, const Crossing& resident, const Crossing& copied) {
    return fmt::format("the GPU beats {}\n{}{}", rival,
                       indented("with the data on the GPU: " + crossing_text(resident, result)),
                       indented("with copies there and back: " + crossing_text(copied, result)));
  };
  return verdict("one CPU thread", result.one_thread, result.one_thread_with_copies) +
         verdict(fmt::format("{} CPU threads", threads), result.all_threads, result.all_threads_with_copies);
}

}  // namespace

std::string crossover_text(const CrossoverResult& result, const BenchResult& measured,
                           const TextStyle& style) {
  const int threads = measured.facts.cores;
  Table table(
      {{"size", Align::right},
       {"1 thread", Align::right, 1},
       {fmt::format("{} threads", threads), Align::right},
       {"GPU", Align::right, 2, "GPU: from the launch until the host knows that it is done, data on the GPU"},
       {"with copies", Align::right, 0, "with copies: inputs there and outputs back, medians added up"},
       {"fastest variant", Align::left, 3}});
  for (const CrossoverPoint& point : result.points)
    table.add({{grouped(point.size)},
               time_cell(point.one_thread_s, is_fastest(point.one_thread_s, point)),
               time_cell(point.all_threads_s, is_fastest(point.all_threads_s, point)),
               time_cell(point.launch_s, /*is_fastest=*/false),
               time_cell(point.with_copies_s(), is_fastest(point.with_copies_s(), point)),
               {point.variant}});
  std::string heading = "crossover · " + result.what.lesson;
  for (const auto& [name, value] : result.what.options)
    if (std::holds_alternative<std::string>(value) && !text_of(value).starts_with('-'))  // "-" is not a value
      heading += fmt::format(" · {} {}", name, text_of(value));
  heading += " · " + measured.device.name;
  return fmt::format("{}\n{}\n{}\n{}", paragraph(heading, Ink::plain, style), table.text(style),
                     paragraph(table.legend(style), Ink::faint, style),
                     verdicts(result, threads, style.width));
}

std::string crossover_plot(const CrossoverResult& result, const TextStyle& style) {
  std::vector<Series> series = {{"1 thread", {}}, {"all threads", {}}, {"GPU", {}}, {"with copies", {}}};
  for (const CrossoverPoint& point : result.points) {
    const auto add = [&](std::size_t curve, std::optional<double> seconds) {
      if (seconds) series[curve].points.emplace_back(static_cast<double>(point.size), *seconds);
    };
    add(0, point.one_thread_s);
    add(1, point.all_threads_s);
    add(2, point.launch_s);
    add(3, point.with_copies_s());
  }
  return plot(series, {.title = "elements", .tick_text = size_tick_text},
              {.title = "time", .tick_text = duration_text}, style);
}

}  // namespace gpulab::bench
