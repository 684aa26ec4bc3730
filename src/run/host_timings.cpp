#include "run/host_timings.hpp"

#include <omp.h>
#include <vector>

#include "device/device.hpp"
#include "measure/sampling.hpp"
#include "run/stopwatches.hpp"
#include "validate/explanation.hpp"

namespace gpulab::run {
namespace {

Timing time_reference(const Reference& reference, const Inputs& inputs, Outputs& outputs,
                      double time_budget_s) {
  measure::HostStopwatch stopwatch([&] { reference(inputs, outputs); });
  // No warm-up: each reference has run once already, to be checked.
  return measure::sample(stopwatch, {.time_budget_s = time_budget_s, .warm_up_s = 0});
}

}  // namespace

std::vector<ReferenceResult> time_references(const PreparedProblem& prepared, const Tolerance& tolerance,
                                             double time_budget_s) {
  const Problem& problem = prepared.problem;
  const References& references = problem.references;
  Outputs actual(problem.arrays);
  if (references.plain) references.openmp(prepared.inputs, actual);

  ReferenceResult openmp{.name = openmp_reference, .threads = omp_get_max_threads()};
  for (std::size_t i = 0; references.plain && i < actual.count(); ++i) {
    const Array& expected = prepared.expected.at(i);
    const validate::Comparison comparison = validate::compare(actual.at(i), expected, tolerance);
    if (comparison.right()) continue;
    openmp.observed = Outcome::wrong;
    openmp.explanation = validate::explain_difference(comparison, actual.at(i), expected,
                                                      {.launch = {}, .element_name = problem.element})
                             .text;
  }
  openmp.operations = references.operations_openmp;
  openmp.timing = time_reference(references.openmp, prepared.inputs, actual, time_budget_s);
  if (!references.plain) return {std::move(openmp)};

  ReferenceResult plain{.name = plain_reference, .threads = 1};
  plain.timing = time_reference(references.plain, prepared.inputs, actual, time_budget_s);
  return {std::move(plain), std::move(openmp)};
}

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
