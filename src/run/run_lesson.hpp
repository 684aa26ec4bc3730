#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/run_options.hpp"

namespace gpulab::run {

// Tests what the lesson says about those variants that were run. A claim about times holds when it does so
// over both confidence intervals, and does not hold when it does nowhere in them. One about counts is tested
// as it is. One that is not meant for what context_of gives is not measured.
std::vector<ClaimResult> judge_claims(const std::vector<Claim>& claims, const LessonResult& result,
                                      const std::function<LaunchContext(const Claim&)>& context_of = {});

// Runs a lesson on a device: inputs, references, every chosen variant, validation, times, claims. What a
// variant does wrong is part of the result. Throws UsageError for options that make no sense.
LessonResult run_lesson(const Lesson& lesson, const RunOptions& options, device::Device& device);

// The same of a problem that has been made already, with the options' settings: making it may read files.
LessonResult run_lesson(const Lesson& lesson, const RunOptions& options, Problem problem,
                        device::Device& device);

class LessonRun;

// A lesson that is run again and again while somebody edits its kernel files. Its inputs are made, and its
// references measured, once.
class RepeatedRun {
 public:
  // The lesson, the options and the device have to live longer. Throws what run_lesson throws.
  RepeatedRun(const Lesson& lesson, const RunOptions& options, device::Device& device);
  ~RepeatedRun();

  // Reads the kernel files and runs the variants whose file is not that of their result, or all of them. The
  // results of the others are as they were; options.on_result is told of all. Throws UsageError when the
  // files cannot be read. After a result that lost the device, it is of no more use.
  LessonResult run(bool all = false);

 private:
  std::unique_ptr<LessonRun> run_;
};

}  // namespace gpulab::run
