#include "run/references.hpp"

#include <omp.h>

#include "measure/sampling.hpp"
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

  ReferenceResult openmp{.name = "reference, OpenMP", .threads = omp_get_max_threads()};
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

  ReferenceResult plain{.name = "reference", .threads = 1};
  plain.timing = time_reference(references.plain, prepared.inputs, actual, time_budget_s);
  return {std::move(plain), std::move(openmp)};
}

}  // namespace gpulab::run
