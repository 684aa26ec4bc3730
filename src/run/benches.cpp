#include "run/benches.hpp"

namespace gpulab::run {

Benches::Benches(const Lesson& lesson, const KernelFiles& files, device::Device& device,
                 device::Stream& stream)
    : lesson_(lesson), files_(files), device_(device), stream_(stream), modules_(device) {}

Workbench& Benches::make(Problem problem, const Settings& settings, const Tolerance& tolerance) {
  settings_ = settings;
  tolerance_ = tolerance;
  return add(settings.size, std::move(problem), settings);
}

Workbench& Benches::asked() {
  return *by_size_.at(settings_.size)->workbench;
}

Workbench& Benches::at_most(std::size_t size) {
  if (size >= settings_.size) return asked();
  if (const auto found = by_size_.find(size); found != by_size_.end()) return *found->second->workbench;
  Settings smaller = settings_;
  smaller.size = size;
  return add(size, lesson_.problem(smaller), smaller);
}

Workbench& Benches::add(std::size_t size, Problem problem, const Settings& settings) {
  auto& bench = by_size_[size];
  bench = std::make_unique<Bench>(std::move(problem), settings, device_, stream_);
  bench->workbench.reset(
      new Workbench{device_, stream_, modules_, files_, bench->prepared, bench->arrays, tolerance_});
  return *bench->workbench;
}

}  // namespace gpulab::run
