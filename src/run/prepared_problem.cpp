#include "run/prepared_problem.hpp"

namespace gpulab::run {

PreparedProblem::PreparedProblem(const Lesson& lesson, Problem made, const Settings& asked)
    : problem(std::move(made)), settings(asked), inputs(problem.arrays), expected(problem.arrays) {
  lesson.require_consistent(problem);
  if (problem.fill) problem.fill(inputs, settings.seed);
  const auto& [plain, openmp, operations, uses] = problem.references;
  (plain ? plain : openmp)(inputs, expected);
}

}  // namespace gpulab::run
