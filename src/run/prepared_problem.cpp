#include "run/prepared_problem.hpp"

namespace gpulab::run {

PreparedProblem::PreparedProblem(Problem made, const Settings& asked)
    : problem(std::move(made)),
      settings(asked),
      inputs(problem.arrays(), Role::input),
      expected(problem.arrays(), Role::output) {
  problem.fill(inputs, settings.seed);
  (problem.reference ? problem.reference : problem.reference_openmp)(inputs, expected);
}

Extent PreparedProblem::work() const {
  return work_of(problem, settings);
}

Extent work_of(const Problem& problem, const Settings& settings) {
  return problem.work.value_or(Extent{static_cast<unsigned>(settings.size)});
}

}  // namespace gpulab::run
