#include "run/transfers.hpp"

#include <vector>

#include "device/device_memory.hpp"
#include "measure/sampler.hpp"
#include "run/stream_stopwatch.hpp"

namespace gpulab {
namespace {

std::vector<PinnedMemory> pinned(Device& device, Arrays& arrays) {
  std::vector<PinnedMemory> pinned;
  for (Array& array : arrays) pinned.emplace_back(device, array.bytes());
  return pinned;
}

double bytes_of(const Arrays& arrays) {
  double bytes = 0;
  for (const Array& array : arrays) bytes += static_cast<double>(array.bytes().size());
  return bytes;
}

}  // namespace

TransferResult time_transfers(Device& device, Stream& stream, DeviceArrays& arrays, PreparedProblem& prepared,
                              double time_budget_s) {
  Arrays outputs(prepared.problem.arrays(), Role::output);
  const auto pinned_inputs = pinned(device, prepared.inputs);
  const auto pinned_outputs = pinned(device, outputs);
  StreamStopwatch to_device(
      device, stream, [] {}, [&] { arrays.copy_inputs(prepared.inputs); });
  StreamStopwatch to_host(
      device, stream, [] {}, [&] { arrays.copy_outputs(outputs); });
  const SamplingPlan plan{.time_budget_s = time_budget_s / 2, .warm_up_s = 0.02};
  return {.bytes_to_device = bytes_of(prepared.inputs),
          .bytes_to_host = bytes_of(outputs),
          .to_device = sample(to_device, plan),
          .to_host = sample(to_host, plan)};
}

}  // namespace gpulab
