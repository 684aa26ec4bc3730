#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "check/settings.hpp"
#include "device/device.hpp"
#include "device/instruments.hpp"
#include "lesson/exercise.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/run_options.hpp"
#include "sandbox/sandbox.hpp"

namespace gpulab::check {

// Returns the text of a kernel's file with blanks in place of the host's part of a program: main(), launches,
// what only they use, and headers that no kernel can use. Adds a note if there was such a part.
std::string without_host_code(const std::string& text, std::vector<std::string>& notes);

// Runs a learner's kernel in place of the lesson's solution, watched, on three schedules of its threads,
// until it does something wrong. Fills in everything that depends on a run. Throws UsageError for a trial
// that the lesson cannot take.
void check_on_simulator(const Lesson& lesson, const device::KernelSource& source, device::Device& simulator,
                        const Trial& trial, CheckResult& result);

struct ProgramCheckOptions {
  double time_limit_s = 60;  // CPU time for one run
  sandbox::Mode sandbox = sandbox::Mode::automatic;
  Trial trial = {};
  StopToken stop = {};
  WarpSize warp_size = {};
};

// Compiles a learner's program and runs it, watched and in a confined process, at the sizes of its task and
// at a size that is derived from its text, until something is wrong. Throws WorkStopped, and Error when this
// machine cannot run it.
CheckResult check_program(const Exercise& exercise, const device::KernelSource& source,
                          const ProgramCheckOptions& options);

// Runs and times kernels on a GPU, in another process: the learner's in place of the lesson's solution, then
// the lesson's own variants that are right. Returns nothing without a GPU. Throws WorkStopped.
std::vector<VariantResult> time_on_gpu(const Lesson& lesson, const device::KernelSource& source,
                                       double time_limit_s, const StopToken& stop);

// Has NVRTC, if there is one, compile a learner's file for this machine's GPU or, without one, for the oldest
// architecture with all features of the simulator. Fills in what NVRTC refuses, and nothing otherwise.
// Confines this process, which must be a child that was started for this call alone.
void check_by_nvrtc(const device::KernelSource& source, sandbox::Mode mode, CheckResult& result);

// Packs a check's result into bytes for a parent process. Unpacking throws std::runtime_error if some of the
// bytes are missing.
std::string packed(const CheckResult& result);
CheckResult unpacked(const std::string& bytes);

// Does the same for results of variants on a GPU: names, outcomes, explanations and median times.
std::string packed(const std::vector<VariantResult>& variants);
std::vector<VariantResult> unpacked_variants(const std::string& bytes);

struct CheckOptions {
  double time_limit_s = 60;  // CPU time for all runs of one file
  bool with_gpu = true;      // runs on a GPU, too, if there is one and kernels need not be confined
  sandbox::Mode sandbox = sandbox::Mode::automatic;
  Trial trial = {};
  StopToken stop = {};
  WarpSize warp_size = {};
  // GPU for which the times of a right kernel are predicted where no GPU measures them; none: no prediction.
  std::optional<estimate::Gpu> gpu = {};
};

using sandbox::mode_of;  // maps the words of the command line

// Compiles a learner's file, also with NVRTC if there is one, runs its kernel in a confined process at the
// lesson's edge sizes and on three schedules of the simulator, and on a GPU if there is one, and judges it.
// Whatever the kernel does wrong is in the result. Throws UsageError when the file cannot be read or the
// lesson cannot take the settings of the trial, Error when this machine cannot check anything, and
// WorkStopped.
CheckResult check_exercise(const Exercise& exercise, const std::filesystem::path& file,
                           const CheckOptions& options);

// Does the same for a file that has been read.
CheckResult check_exercise(const Exercise& exercise, const device::KernelSource& source,
                           const CheckOptions& options);

// Counts the accesses of a learner's kernel in the place of the lesson's solution. Runs it in a confined
// process. Throws UsageError for options that the lesson cannot take, and Error when the kernel takes too
// long, or ends its process.
Inspection inspect_file(const Lesson& lesson, const run::RunOptions& options,
                        const device::KernelSource& learners);
// Predicts the kernel's time on the GPU of the options, in the same way.
LessonResult estimate_file(const Lesson& lesson, const run::RunOptions& options,
                           const device::KernelSource& learners);
// Adds the times that this machine's GPU takes for the predicted variants, in another process; none without a
// GPU. `learners` is as above, or null.
void add_measured_times(const Lesson& lesson, const run::RunOptions& options,
                        const device::KernelSource* learners, LessonResult& result);

}  // namespace gpulab::check
