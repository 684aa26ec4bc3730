#include "device/simulator/check/checked_launches.hpp"

#include <algorithm>

#include "device/simulator/fault/kernel_code.hpp"

namespace gpulab {

void CheckedLaunches::start(SimulatedLaunch& launch, const std::vector<ModuleVariable>& variables) {
  if (!watch_) watch_ = std::make_unique<LaunchWatch>();
  variables_.emplace(variables);
  std::vector<WatchedRegion> regions = memory_.regions();
  regions.insert(regions.end(), variables_->regions().begin(), variables_->regions().end());
  watch_->start(std::move(regions), image_around(launch.function), most_accesses_);
  launch.watch = watch_.get();
}

std::string CheckedLaunches::finish(const SimulatedLaunch& launch, const std::vector<FoundDefect>& found) {
  for (const Defect& defect : reported(found, launch.config)) add_defect(defects_, defect);
  const auto end = std::ranges::find_if(found, &FoundDefect::ends_launch);
  return end == found.end() ? std::string() : explanation_of(reported({*end}, launch.config).front());
}

}  // namespace gpulab
