#pragma once

#include <filesystem>
#include <string>

#include "core/check_result.hpp"
#include "core/exercise.hpp"

namespace gpulab {

// Judges a learner's answers to the questions of an exercise. What is asked, and how exactly, is what the
// exercise says, whatever the learner's file has made of it. Questions about kernels are answered by running
// them on the simulator. Throws UsageError when the file cannot be read, CompileError or DeviceError when
// this machine cannot run the kernels.
CheckResult check_answers(const Exercise& exercise, const std::filesystem::path& file);

// The same of a text; file is what the result calls it.
CheckResult check_answers(const Exercise& exercise, const std::string& file, const std::string& text);

}  // namespace gpulab
