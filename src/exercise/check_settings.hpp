#pragma once

#include <vector>

#include "core/check_result.hpp"
#include "core/lesson.hpp"

namespace gpulab {

// What a learner's kernel is tried with: first the settings at which most mistakes show, then edge sizes and
// the lesson's other choices.
std::vector<Settings> check_settings(const Lesson& lesson, unsigned block_size);

// How to come to these settings from the first that a kernel is tried with, and what is unusual in them.
TriedWith tried_with(const Lesson& lesson, unsigned block_size, const Settings& settings);

}  // namespace gpulab
