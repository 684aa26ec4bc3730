#pragma once

#include <vector>

#include "core/lesson.hpp"

namespace gpulab {

// What a learner's kernel is tried with: first the settings at which most mistakes show, then edge sizes and
// the lesson's other choices.
std::vector<Settings> check_settings(const Lesson& lesson, unsigned block_size);

}  // namespace gpulab
