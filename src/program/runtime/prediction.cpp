#include "program/runtime/prediction.hpp"

#include "device/ptxas_report.hpp"
#include "device/symbols.hpp"
#include "estimate/work.hpp"

namespace gpulab::program::runtime {
namespace {

// Factor between the ends of the range and its middle. The model was fitted to lessons. Programs differ more:
// of 12 kernels of public programs 6 were in the range of a lesson, and 9 in this one (docs/estimates.md).
constexpr double width_of_programs = 1.8;

}  // namespace

// nvcc mangles static functions and unnamed namespaces otherwise than the host's compiler. Both mean the same
// name.
const Prediction::Compiled& Prediction::compiled_for(const std::string& symbol) {
  const auto known = compiled_.find(symbol);
  if (known != compiled_.end()) return known->second;
  Compiled& compiled = compiled_[symbol];
  const std::string name = device::demangled_name(symbol);
  for (std::size_t i = 0; i < code_.ptx.size() && !compiled.ptx; ++i)
    for (const std::string& kernel : estimate::kernels_in(code_.ptx[i])) {
      if (kernel != symbol && device::demangled_name(kernel) != name) continue;
      compiled.ptx = estimate::read_ptx(code_.ptx[i], kernel, code_.files);
      if (const auto attributes = device::reported_attributes(code_.reports[i], kernel)) {
        compiled.registers = attributes->registers_per_thread;
        compiled.has_local_memory = attributes->local_bytes_per_thread > 0;
      }
      break;
    }
  return compiled;
}

Estimate Prediction::of(const std::string& kernel, const std::string& symbol, const LaunchConfig& config,
                        std::size_t shared_bytes, const AccessCounts& accesses) {
  const Compiled& compiled = compiled_for(symbol);
  const estimate::Occupancy occupancy =
      estimate::occupancy_of(gpu_, compiled.registers, shared_bytes, config.block.volume());
  KernelWork work =
      estimate::work_of(accesses, config, occupancy.blocks * gpu_.multiprocessors, compiled.ptx);
  work.kernel = kernel;
  work.registers = compiled.registers;
  work.shared_bytes = shared_bytes;
  if (!compiled.has_local_memory) work.local_requests = 0;  // ptxas keeps small arrays in registers
  return estimate::estimate_of(gpu_, {work}, 1, width_of_programs);
}

}  // namespace gpulab::program::runtime
