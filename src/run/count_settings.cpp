#include "run/count_settings.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "run/prepared_problem.hpp"

namespace gpulab::run {
namespace {

constexpr double most_operations_counted = 1e7;

struct Work {
  std::size_t items;
  double operations;

  bool is_quick() const { return items <= most_items_counted && operations <= most_operations_counted; }
};

Work work_at(const Lesson& lesson, const Settings& settings) {
  const Problem problem = lesson.problem(settings);
  return {work_of(problem, settings).volume(), problem.traffic.operations};
}

// Whether there was anything to halve.
bool halve_the_largest(const Lesson& lesson, Settings& settings) {
  std::uint64_t* largest_count = nullptr;
  for (const Option& option : lesson.options) {
    const auto* range = std::get_if<Count>(&option.kind);
    if (!range) continue;
    auto& count = std::get<std::uint64_t>(settings.options.at(option.name));
    if (count / 2 >= range->least && (!largest_count || count > *largest_count)) largest_count = &count;
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

Settings settings_to_count_at(const Lesson& lesson, const Settings& asked) {
  Settings settings = asked;
  settings.size = std::min(settings.size, most_items_counted);
  while (true) {
    const Work work = work_at(lesson, settings);
    if (work.is_quick()) return settings;
    if (!halve_the_largest(lesson, settings))
      throw UsageError("counting every access of " + grouped(work.items) + " work items of " + lesson.name +
                       " would take too long: ask for a smaller problem");
  }
}

}  // namespace gpulab::run
