#pragma once

#include <filesystem>

#include "core/demo.hpp"
#include "core/exercise.hpp"

namespace gpulab::demo {

// Learners' typical mistakes in an exercise, one in a step: what will `gpulab check` say? Choices are what
// the course expects of this mistake and of others. Throws UsageError where the exercise has no mistakes.
Demo mistakes_of(const Exercise& exercise);

// Checks a mistake, which is written into a file of that folder, and computes the answer of its step. Throws
// what learn::check_exercise throws.
DemoReveal reveal_mistake(const DemoStep& step, const Exercise& exercise, const std::filesystem::path& file);

}  // namespace gpulab::demo
