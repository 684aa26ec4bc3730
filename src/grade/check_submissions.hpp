#pragma once

#include <functional>
#include <vector>

#include "core/result.hpp"
#include "grade/submissions.hpp"
#include "sandbox/sandbox.hpp"

namespace gpulab::grade {

struct CheckRequest {
  unsigned jobs = 1;  // processes at once
  sandbox::Mode sandbox = sandbox::Mode::require;
  // For a check and all that it starts, by the clock on the wall; each part of it has a limit of its own.
  double time_limit_s = 300;
};

// Checks each of them in a process of its own, on the simulator alone, and fills in its row. A process that
// dies, or is stopped, leaves a row that says so, and the rest goes on. Calls done after each, with what
// check found, or null. Throws Error, with the code of a device, for sandbox::Mode::require where this
// machine cannot confine. This process must have no threads.
void check_submissions(const std::vector<Submission*>& submissions, const CheckRequest& request,
                       const std::function<void(Submission&, const CheckResult*)>& done);

}  // namespace gpulab::grade
