#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/demo.hpp"
#include "core/exercise.hpp"
#include "core/lesson.hpp"
#include "demo/recorded.hpp"
#include "device/device.hpp"
#include "run/run_options.hpp"

namespace gpulab::demo {

// The demo that a text such as exercises/LESSON/demo.txt describes. Throws UsageError, with the line, for
// what it cannot mean: an unknown word, a variant that the lesson has not, choices that overlap.
// docs/demos.md lists the words.
Demo parse_script(const std::string& text, const Lesson& lesson, const std::string& file);

// The lesson's own.
Demo demo_of(const Lesson& lesson);

// Runs what a step asks for, watches it where the question is about what comes out, and computes the answer:
// on a GPU of its own times, without one of recorded ones. The options say at which settings, and with which
// kernel files. Throws what run_lesson throws.
DemoReveal reveal(const DemoStep& step, const Lesson& lesson, run::RunOptions options, device::Device& device,
                  const Recorded& recorded);

// The choice that a word or a number fits; none where it fits none.
std::optional<std::size_t> choice_of(const DemoQuestion& question, const std::string& word);
std::optional<std::size_t> choice_of(const DemoQuestion& question, double number);

// The text of a kernel file with what a step changes in one of its kernels. Throws UsageError where that has
// not the lines that are to be replaced.
std::string edited(const std::string& file_text, const std::string& kernel,
                   const std::vector<DemoEdit>& edits);

// Learners' typical mistakes in an exercise, one in a step: what will `gpulab check` say? Choices are what
// the course expects of this mistake and of others. Throws UsageError where the exercise has no mistakes.
Demo mistakes_of(const Exercise& exercise);

// Checks a mistake, which is written into a file of that folder, and computes the answer of its step. Throws
// what learn::check_exercise throws.
DemoReveal reveal_mistake(const DemoStep& step, const Exercise& exercise, const std::filesystem::path& file);

}  // namespace gpulab::demo
