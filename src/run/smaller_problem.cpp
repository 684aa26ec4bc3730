#include "run/smaller_problem.hpp"

#include <algorithm>
#include <cstdint>
#include <variant>

namespace gpulab::run {
namespace {

// Whether there was anything to halve.
bool halve_the_largest(const Lesson& lesson, Settings& settings) {
  std::uint64_t* largest_count = nullptr;
  for (const Option& option : lesson.options) {
    const auto* range = std::get_if<Count>(&option.kind);
    if (!range) continue;
    auto& count = std::get<std::uint64_t>(settings.options.at(option.name));
    if (count / 2 >= range->min && (!largest_count || count > *largest_count)) largest_count = &count;
  }
  if (settings.size >= 2 && (!largest_count || settings.size > *largest_count)) {
    settings.size /= 2;
    return true;
  }
  if (!largest_count) return false;
  *largest_count /= 2;
  return true;
}

}  // namespace

bool ProblemLimit::allows(const Problem& problem) const {
  return problem.work_items().volume() <= items && problem.traffic.operations <= operations;
}

std::optional<MadeProblem> smaller_problem(const Lesson& lesson, const Settings& asked, ProblemLimit limit) {
  Settings settings = asked;
  settings.size = std::min(settings.size, limit.items);
  while (true) {
    Problem problem = lesson.problem(settings);
    if (limit.allows(problem)) return MadeProblem{settings, std::move(problem)};
    if (!halve_the_largest(lesson, settings)) return std::nullopt;
  }
}

}  // namespace gpulab::run
