#include "core/crossover.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/bench_figures.hpp"

namespace gpulab {
namespace {

std::optional<double> value_of(const CaseFigures& one, BenchTime time) {
  for (const BenchFigure& figure : one.figures)
    if (figure.name == name_of(time)) return figure.value;
  return std::nullopt;
}

void add(const CaseFigures& one, CrossoverPoint& point) {
  if (one.what.variant == plain_reference) point.one_thread_s = value_of(one, BenchTime::cpu);
  if (one.what.variant == openmp_reference) point.all_threads_s = value_of(one, BenchTime::cpu);
  const std::optional<double> launch_s = value_of(one, BenchTime::launch);
  if (one.kind != BenchKind::kernel || !one.valid || !launch_s) return;
  if (point.launch_s && *point.launch_s <= *launch_s) return;
  point.launch_s = launch_s;
  point.variant = one.what.variant;
  const auto there = value_of(one, BenchTime::to_device), back = value_of(one, BenchTime::to_host);
  if (there && back) point.copies_s = *there + *back;
}

// Where two straight lines cross, on logarithmic scales.
double where_equal(double size_a, double ratio_a, double size_b, double ratio_b) {
  const double part = std::log(ratio_a) / (std::log(ratio_a) - std::log(ratio_b));
  return std::exp(std::log(size_a) + part * (std::log(size_b) - std::log(size_a)));
}

using SecondsOf = std::optional<double> (*)(const CrossoverPoint& point);

Crossing crossing(const std::vector<CrossoverPoint>& points, SecondsOf cpu, SecondsOf gpu) {
  std::vector<std::pair<double, double>> ratios;  // size, CPU / GPU: above 1 the GPU is faster
  for (const CrossoverPoint& point : points)
    if (const auto slow = cpu(point), fast = gpu(point); slow && fast && *slow > 0 && *fast > 0)
      ratios.emplace_back(static_cast<double>(point.size), *slow / *fast);
  if (ratios.empty()) return {};
  if (ratios.back().second <= 1) return {Crossing::Kind::never};
  const auto last_lost =
      std::ranges::find_if(ratios.rbegin(), ratios.rend(), [](const auto& one) { return one.second <= 1; });
  if (last_lost == ratios.rend()) return {Crossing::Kind::always};
  const auto [size, ratio] = *last_lost;
  const auto [next_size, next_ratio] = *(last_lost - 1);
  return {Crossing::Kind::from, where_equal(size, ratio, next_size, next_ratio)};
}

std::optional<double> on_one_thread(const CrossoverPoint& point) {
  return point.one_thread_s;
}
std::optional<double> on_all_threads(const CrossoverPoint& point) {
  return point.all_threads_s;
}
std::optional<double> launched(const CrossoverPoint& point) {
  return point.launch_s;
}
std::optional<double> with_copies(const CrossoverPoint& point) {
  return point.with_copies_s();
}

// Lessons whose sides are options have other options at each size, so only words tell sets apart.
std::string words_of(const BenchCase& what) {
  std::string words = what.lesson;
  for (const auto& [name, value] : what.options)
    if (std::holds_alternative<std::string>(value)) words += " " + name + "=" + text_of(value);
  return words;
}

}  // namespace

std::vector<CrossoverResult> crossovers(const BenchResult& measured) {
  std::vector<CrossoverResult> results;
  std::map<std::string, std::size_t> places;
  for (const CaseFigures& one : case_figures({measured})) {
    const auto [place, is_new] = places.try_emplace(words_of(one.what), results.size());
    if (is_new) results.push_back({.what = one.what});
    CrossoverResult& result = results[place->second];
    auto point = std::ranges::find(result.points, one.what.size, &CrossoverPoint::size);
    if (point == result.points.end())
      point = result.points.insert(point, CrossoverPoint{.size = one.what.size});
    add(one, *point);
  }
  for (CrossoverResult& result : results) {
    std::ranges::sort(result.points, {}, &CrossoverPoint::size);
    result.what.variant.clear();
    result.what.size = 0;
    result.one_thread = crossing(result.points, on_one_thread, launched);
    result.one_thread_with_copies = crossing(result.points, on_one_thread, with_copies);
    result.all_threads = crossing(result.points, on_all_threads, launched);
    result.all_threads_with_copies = crossing(result.points, on_all_threads, with_copies);
  }
  return results;
}

}  // namespace gpulab
