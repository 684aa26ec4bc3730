#include "sandbox/sandbox.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <utility>

#ifdef GPULAB_HAS_SECCOMP
#include <seccomp.h>
#endif

namespace gpulab::sandbox {

bool install(const std::vector<sock_filter>& instructions) noexcept {
  const sock_fprog program{static_cast<unsigned short>(instructions.size()),
                           const_cast<sock_filter*>(instructions.data())};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#ifdef GPULAB_HAS_SECCOMP

namespace {

// Calls for the network. Landlock confines only TCP, and only since version 4.
constexpr const char* network_calls[] = {"socket", "socketpair", "connect", "bind",    "listen",
                                         "accept", "accept4",    "sendto",  "sendmmsg"};

// Calls that reach other processes or the machine. No harmless program needs them, so each ends the process.
constexpr const char* escaping_calls[] = {
    // Other processes.
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_open", "pidfd_getfd",
    "pidfd_send_signal", "kcmp",
    // Ways around a filter.
    "io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open", "userfaultfd",
    // Memory and messages that processes share.
    "mq_open", "mq_unlink", "shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "semget", "semop",
    // The machine's settings, and changes of user.
    "keyctl", "add_key", "request_key", "mount", "umount2", "move_mount", "open_tree", "fsopen", "fsmount",
    "fsconfig", "fspick", "pivot_root", "chroot", "unshare", "setns", "reboot", "swapon", "swapoff",
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "settimeofday",
    "clock_settime", "adjtimex", "sethostname", "setdomainname", "syslog", "quotactl", "acct", "iopl",
    "ioperm", "name_to_handle_at", "open_by_handle_at", "fanotify_init", "setuid", "setgid", "setreuid",
    "setregid", "setresuid", "setresgid", "setgroups"};

// Further calls that end a process that runs kernels, which opens no files by name and starts no processes.
constexpr const char* process_and_file_calls[] = {
    // Processes.
    "execve", "execveat", "fork", "vfork", "kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "setsid",
    "setpgid", "setrlimit", "setpriority", "sched_setaffinity", "sched_setscheduler",
    // Files by their names.
    "unlink", "unlinkat", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "rmdir", "link", "linkat",
    "symlink", "symlinkat", "mknod", "mknodat", "creat", "truncate", "ftruncate", "fallocate", "chmod",
    "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "utimensat", "setxattr",
    // New descriptors.
    "memfd_create", "timerfd_create", "eventfd2", "inotify_init1", "dup", "dup2", "dup3", "ioctl"};

// Calls that kernels and whole programs may make.
constexpr const char* cuda_kernel_calls[] = {
    // Open files.
    "read", "write", "readv", "writev", "pread64", "recvmsg", "sendmsg", "poll", "ppoll", "close", "fstat",
    "newfstatat", "statx", "lseek",
    // Memory.
    "mmap", "munmap", "mremap", "mprotect", "madvise", "brk", "futex",
    // Signals, time and exit.
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "exit", "exit_group", "clock_gettime",
    "clock_nanosleep", "nanosleep", "gettimeofday", "restart_syscall", "mincore", "sched_yield",
    "sched_getaffinity", "getpid", "gettid", "getrandom", "rseq", "set_robust_list", "membarrier", "sysinfo",
    "uname"};

// More calls of the C and C++ libraries and OpenMP in a whole program: its files, as far as Landlock allows,
// waiting, its own clocks and limits. Processes, links, special files and all changes of a file's owner,
// mode, times or attributes are left out: Landlock does not refuse such changes outside of the folder.
constexpr const char* program_calls[] = {
    // Files and folders.
    "access", "faccessat", "faccessat2", "stat", "lstat", "statfs", "fstatfs", "readlink", "readlinkat",
    "getcwd", "chdir", "fchdir", "getdents", "getdents64", "creat", "mkdir", "mkdirat", "rmdir", "unlink",
    "unlinkat", "rename", "renameat", "ftruncate", "fallocate", "fsync", "fdatasync", "flock", "fadvise64",
    "umask",
    // Open files.
    "pwrite64", "preadv", "preadv2", "pwritev", "pwritev2", "sendfile", "copy_file_range", "dup", "dup2",
    "dup3", "pipe", "pipe2", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait",
    "epoll_pwait", "eventfd", "eventfd2", "signalfd4", "timerfd_create", "timerfd_settime", "timerfd_gettime",
    // Memory.
    "msync", "mlock", "mlock2", "munlock", "get_mempolicy", "pkey_alloc", "pkey_free", "pkey_mprotect",
    // Signals and timers of this process.
    "rt_sigpending", "rt_sigsuspend", "rt_sigtimedwait", "pause", "alarm", "setitimer", "getitimer",
    "timer_create", "timer_settime", "timer_gettime", "timer_getoverrun", "timer_delete", "wait4", "waitid",
    // Information.
    "time", "times", "clock_getres", "getrusage", "getrlimit", "setrlimit", "getppid", "getpgrp", "getpgid",
    "getsid", "getuid", "geteuid", "getgid", "getegid", "getgroups", "getresuid", "getresgid", "getcpu",
    "getpriority", "sched_getscheduler", "sched_getparam", "sched_get_priority_min", "sched_get_priority_max",
    "sched_rr_get_interval", "set_tid_address", "get_robust_list", "futex_waitv"};

// ioctl requests about an open file. Others are forbidden: they may type into a terminal, take it over or
// change its settings.
constexpr unsigned long allowed_ioctls[] = {
    TCGETS, 0x802C542A /* TCGETS2 */, TIOCGWINSZ, FIONREAD, FIOCLEX, FIONCLEX, FIONBIO};

// fcntl commands, without those that send signals to whoever is set as the file's owner.
constexpr int allowed_fcntls[] = {F_DUPFD,      F_DUPFD_CLOEXEC, F_GETFD,     F_SETFD,     F_GETFL,
                                  F_GETLK,      F_SETLK,         F_SETLKW,    F_OFD_GETLK, F_OFD_SETLK,
                                  F_OFD_SETLKW, F_GETPIPE_SZ,    F_SETPIPE_SZ};

constexpr int allowed_prctls[] = {PR_SET_NAME, PR_GET_NAME, 0x53564d41 /* PR_SET_VMA */};

class FilterBuilder {
 public:
  // Calls by another architecture's ABI, such as the 32-bit one, have other numbers: they end the process.
  explicit FilterBuilder(std::uint32_t default_action)
      : filter_(seccomp_init(default_action)),
        is_complete_(seccomp_attr_set(filter_, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0) {}
  ~FilterBuilder() {
    if (filter_) seccomp_release(filter_);
  }
  FilterBuilder(const FilterBuilder&) = delete;
  FilterBuilder& operator=(const FilterBuilder&) = delete;

  // Adds the calls that this machine has.
  template <class Names>
  void add(std::uint32_t action, const Names& names) {
    for (const char* name : names)
      if (const int number = seccomp_syscall_resolve_name(name); number >= 0) add_rule(action, number);
  }

  // Allows the call if that argument has one of these values.
  template <class Values>
  void allow_only(const char* name, unsigned argument, const Values& values) {
    const int number = seccomp_syscall_resolve_name(name);
    for (const auto value : values)
      if (number >= 0)
        add_rule(SCMP_ACT_ALLOW, number,
                 scmp_arg_cmp{argument, SCMP_CMP_EQ, static_cast<scmp_datum_t>(value), 0});
  }

  // Allows opening a file to read, to write or both. The fourth access mode stays forbidden: it needs no
  // Landlock right, and can truncate. Before Landlock 3, O_RDONLY | O_TRUNC truncates, too.
  void allow_opening(int landlock_version) {
    for (const auto& [name, argument] : {std::pair{"open", 1u}, {"openat", 2u}})
      for (const int access : {O_RDONLY, O_WRONLY, O_RDWR}) {
        const bool must_not_truncate = access == O_RDONLY && landlock_version < 3;
        const auto mask = static_cast<scmp_datum_t>(O_ACCMODE | (must_not_truncate ? O_TRUNC : 0));
        if (const int number = seccomp_syscall_resolve_name(name); number >= 0)
          add_rule(SCMP_ACT_ALLOW, number,
                   scmp_arg_cmp{argument, SCMP_CMP_MASKED_EQ, mask, static_cast<scmp_datum_t>(access)});
      }
  }

  // Allows threads of this process to signal each other, so that one can stop another that spins.
  void allow_signals_to_threads_of(pid_t process) { allow_only("tgkill", 0, std::initializer_list{process}); }

  // Allows threads, one for each block that waits for others. A filter cannot see the flags of clone3. So
  // clone3 fails as if it did not exist, and the C library calls clone.
  void allow_threads() {
    constexpr scmp_datum_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                        CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
    add_rule(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3));
    add_rule(SCMP_ACT_ALLOW, SCMP_SYS(clone),
             SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD | namespaces, CLONE_THREAD));
  }
  // Ends a process that starts another one with clone().
  void forbid_processes() {
    add_rule(SCMP_ACT_KILL_PROCESS, SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  }

  // Allows the calls that a whole program may make with certain arguments only.
  void allow_restricted_calls(pid_t process, int landlock_version) {
    for (const char* name : {"kill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"})
      allow_only(name, 0, std::initializer_list{process});
    allow_only("prlimit64", 0, std::initializer_list{0, process});
    allow_only("ioctl", 1, allowed_ioctls);
    allow_only("fcntl", 1, allowed_fcntls);
    allow_only("prctl", 0, allowed_prctls);
    add_rule(SCMP_ACT_ALLOW, SCMP_SYS(fcntl), SCMP_A1(SCMP_CMP_EQ, F_SETFL),
             SCMP_A2(SCMP_CMP_MASKED_EQ, O_ASYNC, 0));
    constexpr scmp_datum_t rename_whiteout = 1 << 2;  // RENAME_WHITEOUT leaves a device in place of the file
    add_rule(SCMP_ACT_ALLOW, SCMP_SYS(renameat2), SCMP_A4(SCMP_CMP_MASKED_EQ, rename_whiteout, 0));
    if (landlock_version >= 3) add_rule(SCMP_ACT_ALLOW, SCMP_SYS(truncate));
  }

  // Fakes success of two calls, because libraries give up if these fail. Setting the CPUs of another thread
  // is only a hint. Changing the mode of a copied file has no effect.
  void fake_success() {
    constexpr std::uint32_t succeed_without_effect = SCMP_ACT_ERRNO(0);
    allow_only("sched_setaffinity", 0, std::initializer_list{0});
    add_rule(succeed_without_effect, SCMP_SYS(sched_setaffinity), SCMP_A0(SCMP_CMP_NE, 0));
    add_rule(succeed_without_effect, SCMP_SYS(fchmod));
  }

  // Returns no instructions if a rule could not be added: the confinement counts as not prepared then.
  std::vector<sock_filter> instructions() const {
    std::vector<sock_filter> program;
    if (!is_complete_) return program;
    const int file = ::memfd_create("filter", MFD_CLOEXEC);
    if (file < 0) return program;
    if (seccomp_export_bpf(filter_, file) == 0) {
      program.resize(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)) / sizeof(sock_filter));
      const std::size_t bytes = program.size() * sizeof(sock_filter);
      if (::pread(file, program.data(), bytes, 0) != static_cast<ssize_t>(bytes)) program.clear();
    }
    ::close(file);
    return program;
  }

 private:
  template <class... Comparisons>
  void add_rule(std::uint32_t action, int number, Comparisons... comparisons) {
    is_complete_ &= seccomp_rule_add(filter_, action, number, sizeof...(comparisons), comparisons...) == 0;
  }

  scmp_filter_ctx filter_;
  bool is_complete_;  // all rules could be added
};

}  // namespace

bool can_filter_system_calls() {
  const std::uint32_t action = SECCOMP_RET_KILL_PROCESS;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

std::vector<sock_filter> filter_for(SystemCalls calls, int landlock_version) {
  if (calls == SystemCalls::compiler) {
    FilterBuilder filter(SCMP_ACT_ALLOW);
    filter.add(SCMP_ACT_KILL_PROCESS, network_calls);
    filter.add(SCMP_ACT_KILL_PROCESS, escaping_calls);
    return filter.instructions();
  }
  // Any other call fails, so that a newer C library may try it and go on without it.
  FilterBuilder filter(SCMP_ACT_ERRNO(EPERM));
  filter.add(SCMP_ACT_ALLOW, cuda_kernel_calls);
  filter.allow_opening(landlock_version);
  filter.allow_signals_to_threads_of(::getpid());
  filter.allow_threads();
  if (calls == SystemCalls::program) {
    filter.add(SCMP_ACT_TRAP, escaping_calls);
    filter.add(SCMP_ACT_ALLOW, program_calls);
    filter.allow_restricted_calls(::getpid(), landlock_version);
    filter.fake_success();
  } else {
    filter.add(SCMP_ACT_KILL_PROCESS, network_calls);
    filter.add(SCMP_ACT_KILL_PROCESS, escaping_calls);
    filter.add(SCMP_ACT_KILL_PROCESS, process_and_file_calls);
    filter.forbid_processes();
  }
  return filter.instructions();
}

std::string name_of_system_call(int number) {
  char* const name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
  const std::string text = name ? name : "";
  std::free(name);
  return text;
}

#else

bool can_filter_system_calls() {
  return false;
}
std::vector<sock_filter> filter_for(SystemCalls, int) {
  return {};
}
std::string name_of_system_call(int) {
  return "";
}

#endif

}  // namespace gpulab::sandbox

// Calls sendmsg (46 on x86-64, 211 on AArch64). A filter sees the address after the system call instruction.
#if defined(__x86_64__)
asm(R"(
  .pushsection .text
  .hidden gpulab_send_message_call, gpulab_after_send_message
  .globl gpulab_send_message_call, gpulab_after_send_message
gpulab_send_message_call:
  mov $46, %eax
  syscall
gpulab_after_send_message:
  ret
  .popsection
)");
#elif defined(__aarch64__)
asm(R"(
  .pushsection .text
  .hidden gpulab_send_message_call, gpulab_after_send_message
  .globl gpulab_send_message_call, gpulab_after_send_message
gpulab_send_message_call:
  mov x8, #211
  svc #0
gpulab_after_send_message:
  ret
  .popsection
)");
#endif

#if defined(__x86_64__) || defined(__aarch64__)

extern "C" long gpulab_send_message_call(long socket, const msghdr* message, long flags);
extern "C" const char gpulab_after_send_message[];

namespace gpulab::sandbox {
namespace {

// x32_bit is set in the call numbers of the x32 ABI, which are otherwise those of x86-64.
#ifdef __x86_64__
constexpr std::uint32_t this_machine = AUDIT_ARCH_X86_64, x32_bit = 0x40000000;
#else
constexpr std::uint32_t this_machine = AUDIT_ARCH_AARCH64, x32_bit = 0;
#endif

// Calls that could use or duplicate the socket, each with the index of its descriptor among the arguments.
constexpr struct {
  std::uint32_t number, argument;
} calls_with_a_descriptor[] = {{SYS_write, 0},    {SYS_writev, 0}, {SYS_pwrite64, 0}, {SYS_pwritev, 0},
                               {SYS_pwritev2, 0}, {SYS_sendto, 0}, {SYS_sendmsg, 0},  {SYS_sendmmsg, 0},
                               {SYS_sendfile, 0}, {SYS_splice, 2}, {SYS_dup, 0},
#ifdef SYS_dup2
                               {SYS_dup2, 0},
#endif
                               {SYS_dup3, 0},     {SYS_fcntl, 0},  {SYS_ioctl, 0},    {SYS_setsockopt, 0},
                               {SYS_shutdown, 0}};

// Loads 32 bits of seccomp_data. The lower half of 64 bits comes first on both machines.
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
  const auto address = reinterpret_cast<std::uintptr_t>(gpulab_after_send_message);
  const std::size_t caller = offsetof(seccomp_data, instruction_pointer);
  std::vector<sock_filter> filter{load(offsetof(seccomp_data, arch)),
                                  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, this_machine, 1, 0),
                                  end_with(SECCOMP_RET_KILL_PROCESS),
                                  load(caller),
                                  skip_unless(static_cast<std::uint32_t>(address), 3),
                                  load(caller + 4),
                                  skip_unless(static_cast<std::uint32_t>(address >> 32), 1),
                                  end_with(SECCOMP_RET_ALLOW)};
  for (const auto& [number, argument] : calls_with_a_descriptor)
    filter.insert(filter.end(),
                  {load(offsetof(seccomp_data, nr)), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~x32_bit),
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

bool restrict_sending_to_send_message(int socket) noexcept try {
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

bool restrict_sending_to_send_message(int) noexcept {
  return false;
}

}  // namespace gpulab::sandbox

#endif
