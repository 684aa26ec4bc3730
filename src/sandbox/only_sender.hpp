#pragma once

#include <sys/socket.h>

namespace gpulab::sandbox {

// sendmsg(), by an instruction of its own.
ssize_t send_message(int socket, const msghdr& message, int flags);

// From now on that instruction alone sends by the socket: whatever else in this process writes to it, or
// makes another descriptor of it, ends the process. The kernel compares where the call comes from, so it does
// not matter what a stranger's code knows or can write to. To be called before the other system calls are
// closed. False where this machine cannot.
bool let_only_send_message_send(int socket) noexcept;

}  // namespace gpulab::sandbox
