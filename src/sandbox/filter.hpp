#pragma once

#include <linux/filter.h>
#include <sys/socket.h>
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

// sendmsg(), by an instruction of its own.
ssize_t send_message(int socket, const msghdr& message, int flags);

// From now on that instruction alone sends by the socket: whatever else in this process writes to it, or
// makes another descriptor of it, ends the process. The kernel compares where the call comes from, so it does
// not matter what a stranger's code knows or can write to. To be called before the other system calls are
// closed. False where this machine cannot.
bool let_only_send_message_send(int socket) noexcept;

}  // namespace gpulab::sandbox
