#include "run/references.hpp"

#include <omp.h>

#include "measure/sampling.hpp"
#include "validate/explanation.hpp"

namespace gpulab::run {
namespace {

Timing time_reference(const Reference& reference, const Arrays& inputs, Arrays& outputs,
                      double time_budget_s) {
  measure::HostStopwatch stopwatch([&] { reference(inputs, outputs); });
  // No warm-up: each reference has run once already, to be checked.
  return measure::sample(stopwatch, {.time_budget_s = time_budget_s, .warm_up_s = 0});
}

}  // namespace

std::vector<ReferenceResult> time_references(const PreparedProblem& prepared, const Tolerance& tolerance,
                                             double time_budget_s) {
  const Problem& problem = prepared.problem;
  Arrays actual(problem.arrays(), Role::output);
  if (problem.reference) problem.reference_openmp(prepared.inputs, actual);

  ReferenceResult openmp{.name = "reference, OpenMP", .threads = omp_get_max_threads()};
  for (std::size_t i = 0; problem.reference && i < actual.count(); ++i) {
    const Array& expected = prepared.expected[i];
    const validate::Comparison comparison = validate::compare(actual[i], expected, tolerance);
    if (comparison.right()) continue;
    openmp.observed = Outcome::wrong;
    openmp.explanation = validate::explain_difference(comparison, actual[i], expected,
                                                      {.launch = {}, .element_name = problem.element})
                             .text;
  }
  openmp.operations = problem.operations_openmp;
  openmp.timing = time_reference(problem.reference_openmp, prepared.inputs, actual, time_budget_s);
  if (!problem.reference) return {std::move(openmp)};

  ReferenceResult plain{.name = "reference", .threads = 1};
  plain.timing = time_reference(problem.reference, prepared.inputs, actual, time_budget_s);
  return {std::move(plain), std::move(openmp)};
}

}  // namespace gpulab::run
