#include "run/transfers.hpp"

#include <vector>

#include "device/device.hpp"
#include "measure/sampling.hpp"
#include "run/stream_stopwatch.hpp"

namespace gpulab::run {
namespace {

std::vector<Array*> copied(const Problem& problem, Arrays& arrays) {
  std::vector<Array*> copied;
  for (const SizedArray& array : problem.arrays)
    if (Array* host = arrays.find(array.name); host && problem.copies(array)) copied.push_back(host);
  return copied;
}

std::vector<device::PinnedMemory> pinned(device::Device& device, const std::vector<Array*>& arrays) {
  std::vector<device::PinnedMemory> pinned;
  for (Array* array : arrays) pinned.emplace_back(device, array->bytes());
  return pinned;
}

double bytes_of(const std::vector<Array*>& arrays) {
  double bytes = 0;
  for (const Array* array : arrays) bytes += static_cast<double>(array->bytes().size());
  return bytes;
}

}  // namespace

TransferResult time_transfers(device::Device& device, device::Stream& stream, DeviceArrays& arrays,
                              PreparedProblem& prepared, double time_budget_s) {
  Outputs outputs(prepared.problem.arrays);
  const auto sent = copied(prepared.problem, prepared.inputs), returned = copied(prepared.problem, outputs);
  const auto pinned_inputs = pinned(device, sent), pinned_outputs = pinned(device, returned);
  StreamStopwatch to_device(
      device, stream, [] {},
      [&] {
        for (const Array* array : sent) arrays.copy_input(*array);
      });
  StreamStopwatch to_host(
      device, stream, [] {},
      [&] {
        for (Array* array : returned) arrays.copy_output(*array);
      });
  const measure::SamplingPlan plan{.time_budget_s = time_budget_s / 2, .warm_up_s = 0.02};
  return {.bytes_to_device = bytes_of(sent),
          .bytes_to_host = bytes_of(returned),
          .to_device = measure::sample(to_device, plan),
          .to_host = measure::sample(to_host, plan)};
}

}  // namespace gpulab::run
