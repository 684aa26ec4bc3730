#pragma once

#include <string>
#include <vector>

#include "core/lesson.hpp"

namespace gpulab {

// Every lesson of the program, in the order of the course. The table behind it is generated at configure
// time from the folders in exercises/ (cmake/lessons.cmake): nothing registers itself.
std::vector<Lesson> all_lessons();

// The kernel files as they were when the program was built, by file name.
struct EmbeddedFile {
  const char* name;
  const char* text;
};
const std::vector<EmbeddedFile>& embedded_kernels();

}  // namespace gpulab
