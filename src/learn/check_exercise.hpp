#pragma once

#include <filesystem>
#include <optional>

#include "core/exercise.hpp"
#include "core/result.hpp"
#include "learn/checks.hpp"
#include "learn/child_process.hpp"
#include "sandbox/sandbox.hpp"

namespace gpulab::learn {

struct CheckOptions {
  double time_limit_s = 60;  // for everything that is run of one file
  bool with_gpu = true;      // where there is one, and kernels need not be confined: a GPU cannot do that
  sandbox::Mode sandbox = sandbox::Mode::automatic;
  Trial trial = {};
  StopRequest stop = {};
};

// "require", "auto" or "off".
sandbox::Mode sandbox_mode(const std::string& word);

// Compiles a learner's file, by NVRTC, too, where there is one, runs its kernel in a confined process at the
// lesson's edge sizes and on three schedules of the simulator, and on a GPU where there is one, and judges
// it. Whatever the kernel does wrong is in the result. Throws UsageError when the file cannot be read or the
// lesson cannot take what it is to be tried with, Error when this machine cannot check anything, and
// WorkStopped.
CheckResult check_exercise(const Exercise& exercise, const std::filesystem::path& file,
                           const CheckOptions& options);

}  // namespace gpulab::learn
