#include "run/references.hpp"

#include <omp.h>

#include "measure/host_stopwatch.hpp"
#include "measure/sampler.hpp"
#include "validate/explanation.hpp"

namespace gpulab {
namespace {

Timing time_reference(const Reference& reference, const Inputs& inputs, Outputs& outputs,
                      double time_budget_s) {
  HostStopwatch stopwatch([&] { reference(inputs, outputs); });
  // No warm-up: each reference has run once already, to be checked.
  return sample(stopwatch, {.time_budget_s = time_budget_s, .warm_up_s = 0});
}

}  // namespace

std::vector<ReferenceResult> time_references(const PreparedProblem& prepared, const Tolerance& tolerance,
                                             double time_budget_s) {
  const Problem& problem = prepared.problem;
  const References& references = problem.references;
  Outputs actual(problem.arrays);
  if (references.plain) references.openmp(prepared.inputs, actual);

  ReferenceResult openmp{.name = "reference, OpenMP", .threads = omp_get_max_threads()};
  for (std::size_t i = 0; references.plain && i < actual.count(); ++i) {
    const Array& expected = prepared.expected.at(i);
    const Comparison comparison = compare(actual.at(i), expected, tolerance);
    if (comparison.right()) continue;
    openmp.observed = Outcome::wrong;
    openmp.explanation =
        explain_difference(comparison, actual.at(i), expected, {.launch = {}, .element_name = problem.element})
            .text;
  }
  openmp.operations = references.operations_openmp;
  openmp.timing = time_reference(references.openmp, prepared.inputs, actual, time_budget_s);
  if (!references.plain) return {std::move(openmp)};

  ReferenceResult plain{.name = "reference", .threads = 1};
  plain.timing = time_reference(references.plain, prepared.inputs, actual, time_budget_s);
  return {std::move(plain), std::move(openmp)};
}

}  // namespace gpulab
