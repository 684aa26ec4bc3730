#include "run/prepared_problem.hpp"

namespace gpulab {

PreparedProblem::PreparedProblem(Problem made, const Settings& asked)
    : problem(std::move(made)),
      settings(asked),
      inputs(problem.parameters, Role::input),
      expected(problem.parameters, Role::output) {
  problem.fill(inputs, settings.seed);
  problem.reference(inputs, expected);
}

}  // namespace gpulab
