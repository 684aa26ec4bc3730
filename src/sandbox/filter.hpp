#pragma once

#include <linux/filter.h>
#include <vector>

#include "sandbox/sandbox.hpp"

namespace gpulab::sandbox {

// A program of the kernel's, which says of each system call whether it may go on.
struct Confinement::Filter {
  std::vector<sock_filter> instructions;
};

bool can_filter_system_calls();

// For this process, beside Landlock of that version: what an older one cannot refuse, the filter does. Empty
// where it could not be made.
std::vector<sock_filter> filter_for(SystemCalls calls, int landlock_version);

// For all threads of this process.
bool install(const std::vector<sock_filter>& instructions) noexcept;

}  // namespace gpulab::sandbox
