#include "cli/find_lesson.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "core/registry.hpp"

namespace gpulab {

Lesson find_lesson(const std::string& name) {
  std::vector<std::string> names;
  for (const Lesson& lesson : all_lessons()) {
    if (lesson.is_called(name)) return lesson;
    names.push_back(lesson.name);
    names.insert(names.end(), lesson.aliases.begin(), lesson.aliases.end());
  }
  throw UsageError("there is no lesson '" + name + "'; " + suggestion(name, names, "gpulab list shows them"));
}

}  // namespace gpulab
