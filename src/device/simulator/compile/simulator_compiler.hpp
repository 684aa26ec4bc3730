#pragma once

#include <memory>
#include <string>

#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "device/simulator/compile/host_compiler.hpp"
#include "device/simulator/compile/simulated_module.hpp"

namespace gpulab {

// Turns the text of a kernel file into a shared object that the simulator can run, or into a CompileError.
class SimulatorCompiler {
 public:
  // Throws DeviceError when this machine has no C++ compiler.
  explicit SimulatorCompiler(CompileCache& cache);

  std::unique_ptr<SimulatedModule> compile(const KernelSource& source, Schedule schedule);

  std::string name() const { return compiler_.path().string(); }

 private:
  CompileCache& cache_;
  HostCompiler compiler_;
};

}  // namespace gpulab
