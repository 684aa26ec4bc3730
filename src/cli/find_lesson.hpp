#pragma once

#include <string>

#include "core/lesson.hpp"

namespace gpulab {

// The lesson of that name or alias. Throws UsageError, with the nearest name, when there is none.
Lesson find_lesson(const std::string& name);

}  // namespace gpulab
