#include "sandbox/only_sender.hpp"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "sandbox/filter.hpp"

// The system call with its three arguments; the kernel sees the address behind the instruction.
#if defined(__x86_64__)
asm(R"(
  .pushsection .text
  .hidden gpulab_send_message_call, gpulab_behind_send_message
  .globl gpulab_send_message_call, gpulab_behind_send_message
gpulab_send_message_call:
  mov $46, %eax
  syscall
gpulab_behind_send_message:
  ret
  .popsection
)");
#elif defined(__aarch64__)
asm(R"(
  .pushsection .text
  .hidden gpulab_send_message_call, gpulab_behind_send_message
  .globl gpulab_send_message_call, gpulab_behind_send_message
gpulab_send_message_call:
  mov x8, #211
  svc #0
gpulab_behind_send_message:
  ret
  .popsection
)");
#endif

#if defined(__x86_64__) || defined(__aarch64__)

extern "C" long gpulab_send_message_call(long socket, const msghdr* message, long flags);
extern "C" const char gpulab_behind_send_message[];

namespace gpulab::sandbox {
namespace {

#ifdef __x86_64__
constexpr std::uint32_t this_machine = AUDIT_ARCH_X86_64, of_narrow_pointers = 0x40000000;
#else
constexpr std::uint32_t this_machine = AUDIT_ARCH_AARCH64, of_narrow_pointers = 0;
#endif

// Each with the place of the descriptor among its arguments.
constexpr struct {
  std::uint32_t number, argument;
} uses_of_a_descriptor[] = {{SYS_write, 0},    {SYS_writev, 0}, {SYS_pwrite64, 0}, {SYS_pwritev, 0},
                            {SYS_pwritev2, 0}, {SYS_sendto, 0}, {SYS_sendmsg, 0},  {SYS_sendmmsg, 0},
                            {SYS_sendfile, 0}, {SYS_splice, 2}, {SYS_dup, 0},
#ifdef SYS_dup2
                            {SYS_dup2, 0},
#endif
                            {SYS_dup3, 0},     {SYS_fcntl, 0},  {SYS_ioctl, 0},    {SYS_setsockopt, 0},
                            {SYS_shutdown, 0}};

// 32 bits; of 64 the lower ones come first on both machines.
sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

sock_filter skip_unless(std::uint32_t value, std::uint8_t instructions) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, instructions);
}

sock_filter end_with(std::uint32_t action) {
  return BPF_STMT(BPF_RET | BPF_K, action);
}

std::vector<sock_filter> filter_for_sender(std::uint32_t socket) {
  const auto address = reinterpret_cast<std::uintptr_t>(gpulab_behind_send_message);
  const std::size_t from = offsetof(seccomp_data, instruction_pointer);
  std::vector<sock_filter> filter{load(offsetof(seccomp_data, arch)),
                                  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, this_machine, 1, 0),
                                  end_with(SECCOMP_RET_KILL_PROCESS),
                                  load(from),
                                  skip_unless(static_cast<std::uint32_t>(address), 3),
                                  load(from + 4),
                                  skip_unless(static_cast<std::uint32_t>(address >> 32), 1),
                                  end_with(SECCOMP_RET_ALLOW)};
  for (const auto& [number, argument] : uses_of_a_descriptor)
    filter.insert(filter.end(),
                  {load(offsetof(seccomp_data, nr)), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~of_narrow_pointers),
                   skip_unless(number, 3), load(offsetof(seccomp_data, args) + 8 * argument),
                   skip_unless(socket, 1), end_with(SECCOMP_RET_KILL_PROCESS)});
  filter.push_back(end_with(SECCOMP_RET_ALLOW));
  return filter;
}

}  // namespace

ssize_t send_message(int socket, const msghdr& message, int flags) {
  const long sent = gpulab_send_message_call(socket, &message, flags);
  if (sent >= 0) return sent;
  errno = static_cast<int>(-sent);
  return -1;
}

bool let_only_send_message_send(int socket) noexcept try {
  return install(filter_for_sender(static_cast<std::uint32_t>(socket)));
} catch (const std::exception&) {
  return false;
}

}  // namespace gpulab::sandbox

#else

namespace gpulab::sandbox {

ssize_t send_message(int socket, const msghdr& message, int flags) {
  return ::sendmsg(socket, &message, flags);
}

bool let_only_send_message_send(int) noexcept {
  return false;
}

}  // namespace gpulab::sandbox

#endif
