#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "device/simulator/check/defect_report.hpp"
#include "device/simulator/check/global_shadows.hpp"

namespace gpulab {

// Everything that a device does around the launches that it checks.
class CheckedLaunches {
 public:
  // What the host does to the device's memory.
  GlobalShadows& memory() { return memory_; }

  // Of each launch from now on; 0 for any number.
  void set_most_accesses(std::size_t accesses) { most_accesses_ = accesses; }

  // Before the workers run it; the variables are those of its module.
  void start(SimulatedLaunch& launch, const std::vector<ModuleVariable>& variables);
  // After it. What the defect that ended it was, if one did.
  std::string finish(const SimulatedLaunch& launch, const std::vector<FoundDefect>& found);

  std::vector<Defect> take_defects() { return std::exchange(defects_, {}); }

 private:
  GlobalShadows memory_;
  std::unique_ptr<LaunchWatch> watch_;  // none before the first launch
  std::optional<VariableShadows> variables_;
  std::vector<Defect> defects_;
  std::size_t most_accesses_ = 0;
};

}  // namespace gpulab
