#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/run_options.hpp"

namespace gpulab::run {

// Tests the lesson's claims about variants that ran. A claim about times holds if it is true for all values
// in the two confidence intervals, and fails if it is true for none. A claim about counts is tested directly.
// A claim that does not apply in its context is not measured.
std::vector<ClaimResult> judge_claims(const std::vector<Claim>& claims, const LessonResult& result,
                                      const std::function<LaunchContext(const Claim&)>& context_of = {});

// Runs a lesson on a device: inputs, references, every chosen variant, validation, times, claims. Failures of
// variants are part of the result. Throws UsageError for inconsistent options.
LessonResult run_lesson(const Lesson& lesson, const RunOptions& options, device::Device& device);

// Does the same with a problem already made with the options' settings: making it may read files.
LessonResult run_lesson(const Lesson& lesson, const RunOptions& options, Problem problem,
                        device::Device& device);

class LessonRun;

// A lesson run repeatedly while its kernel files are edited. Makes inputs and measures references once.
class RepeatedRun {
 public:
  // The lesson, options and device must outlive it. Throws like run_lesson.
  RepeatedRun(const Lesson& lesson, const RunOptions& options, device::Device& device);
  ~RepeatedRun();

  // Reads the kernel files, and runs the variants whose file has changed since their result, or all. Keeps
  // the other results; options.on_result gets them all. Throws UsageError if the files cannot be read.
  // Unusable after a result that lost the device.
  LessonResult run(bool runs_all = false);

 private:
  std::unique_ptr<LessonRun> run_;
};

}  // namespace gpulab::run
