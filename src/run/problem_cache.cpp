#include "run/problem_cache.hpp"

namespace gpulab {

ProblemCache::ProblemCache(const Lesson& lesson, const KernelFiles& files, Device& device, Stream& stream)
    : lesson_(lesson), files_(files), device_(device), stream_(stream), modules_(device) {}

RunContext& ProblemCache::make(Problem problem, const Settings& settings, const Tolerance& tolerance) {
  settings_ = settings;
  tolerance_ = tolerance;
  return add(settings.size, std::move(problem), settings);
}

RunContext& ProblemCache::asked() {
  return *by_size_.at(settings_.size)->workbench;
}

RunContext& ProblemCache::at_most(std::size_t size) {
  if (size >= settings_.size) return asked();
  if (const auto found = by_size_.find(size); found != by_size_.end()) return *found->second->workbench;
  Settings smaller = settings_;
  smaller.size = size;
  return add(size, lesson_.problem(smaller), smaller);
}

RunContext& ProblemCache::add(std::size_t size, Problem problem, const Settings& settings) {
  auto& bench = by_size_[size];
  bench = std::make_unique<Bench>(std::move(problem), settings, device_, stream_);
  bench->workbench.reset(
      new RunContext{device_, stream_, modules_, files_, bench->prepared, bench->arrays, tolerance_});
  return *bench->workbench;
}

}  // namespace gpulab
