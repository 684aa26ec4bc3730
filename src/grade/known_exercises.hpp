#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/exercise.hpp"

// By what a file says which exercise it is, whatever it is called.

namespace gpulab::grade {

struct KnownExercise {
  Exercise exercise;
  std::vector<std::string> names;   // "shared-histogram", "histogram"
  std::string kernel;               // that it must define; empty for questions
  std::set<std::string> questions;  // their headings; none for a kernel
};

// In the order of the course.
std::vector<KnownExercise> known_exercises();

// "shared_histogram.cu" of shared_histogram.1.cu, as gpulab reset names what it keeps; other names as they
// are.
std::string without_number(const std::string& name);

// The exercise whose file has that name, numbered or not; empty for none.
std::string told_by_name(const std::filesystem::path& file, const std::vector<KnownExercise>& known);

// The exercises whose kernels the text defines, or most of whose questions stand in it.
std::vector<std::string> told_by_text(const std::string& text, const std::vector<KnownExercise>& known);

// The exercise that a name such as "Histogram final (1).cu" is like; empty for none.
std::string meant_by_name(const std::filesystem::path& file, const std::vector<KnownExercise>& known);

std::string in_lower_case(std::string text);

}  // namespace gpulab::grade
