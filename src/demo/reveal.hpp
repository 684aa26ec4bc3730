#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/demo.hpp"
#include "demo/recorded.hpp"
#include "device/device.hpp"
#include "run/run_options.hpp"

namespace gpulab::demo {

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

}  // namespace gpulab::demo
