#pragma once

#include <filesystem>
#include <optional>

#include "base/waiting.hpp"
#include "check/checks.hpp"
#include "lesson/exercise.hpp"
#include "lesson/result.hpp"
#include "run/run_options.hpp"
#include "sandbox/sandbox.hpp"

namespace gpulab::check {

struct CheckOptions {
  double time_limit_s = 60;  // for everything that is run of one file
  bool with_gpu = true;      // where there is one, and kernels need not be confined: a GPU cannot do that
  sandbox::Mode sandbox = sandbox::Mode::automatic;
  Trial trial = {};
  StopRequest stop = {};
};

using sandbox::mode_of;  // of what the command line says

// Compiles a learner's file, by NVRTC, too, where there is one, runs its kernel in a confined process at the
// lesson's edge sizes and on three schedules of the simulator, and on a GPU where there is one, and judges
// it. Whatever the kernel does wrong is in the result. Throws UsageError when the file cannot be read or the
// lesson cannot take what it is to be tried with, Error when this machine cannot check anything, and
// WorkStopped.
CheckResult check_exercise(const Exercise& exercise, const std::filesystem::path& file,
                           const CheckOptions& options);

// The same of a file that has been read.
CheckResult check_exercise(const Exercise& exercise, const device::KernelSource& source,
                           const CheckOptions& options);

// What a learner's kernel, in place of the lesson's solution, asks of memory. It runs in a confined process.
// Throws UsageError for options that the lesson cannot take, and Error when the kernel takes too long, or
// ends its process.
Inspection inspect_file(const Lesson& lesson, const run::RunOptions& options,
                        const device::KernelSource& learners);

}  // namespace gpulab::check
