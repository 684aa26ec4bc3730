#include "sandbox/filter.hpp"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <initializer_list>

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

// Ways to reach other processes, the network or the machine itself. No compiler needs them, and a call ends
// the process. (Landlock takes care of files; version 4 of TCP only.)
constexpr const char* reaching_out[] = {"socket",
                                        "socketpair",
                                        "connect",
                                        "bind",
                                        "listen",
                                        "accept",
                                        "accept4",
                                        "sendto",
                                        "sendmmsg",
                                        "ptrace",
                                        "process_vm_readv",
                                        "process_vm_writev",
                                        "process_madvise",
                                        "pidfd_open",
                                        "pidfd_getfd",
                                        "pidfd_send_signal",
                                        "kcmp",
                                        "io_uring_setup",
                                        "io_uring_enter",
                                        "io_uring_register",
                                        "bpf",
                                        "perf_event_open",
                                        "userfaultfd",
                                        "keyctl",
                                        "add_key",
                                        "request_key",
                                        "mount",
                                        "umount2",
                                        "move_mount",
                                        "open_tree",
                                        "fsopen",
                                        "fsmount",
                                        "fsconfig",
                                        "fspick",
                                        "pivot_root",
                                        "chroot",
                                        "unshare",
                                        "setns",
                                        "reboot",
                                        "swapon",
                                        "swapoff",
                                        "init_module",
                                        "finit_module",
                                        "delete_module",
                                        "kexec_load",
                                        "kexec_file_load",
                                        "settimeofday",
                                        "clock_settime",
                                        "adjtimex",
                                        "sethostname",
                                        "setdomainname",
                                        "syslog",
                                        "quotactl",
                                        "acct",
                                        "iopl",
                                        "ioperm",
                                        "name_to_handle_at",
                                        "open_by_handle_at",
                                        "fanotify_init",
                                        "mq_open",
                                        "mq_unlink",
                                        "shmget",
                                        "shmat",
                                        "shmctl",
                                        "msgget",
                                        "msgsnd",
                                        "msgrcv",
                                        "semget",
                                        "semop",
                                        "setuid",
                                        "setgid",
                                        "setreuid",
                                        "setregid",
                                        "setresuid",
                                        "setresgid",
                                        "setgroups"};

// A process that runs kernels has opened its files, and it starts no others. It also ends when it wants one
// of these.
constexpr const char* starting_and_changing[] = {"execve",
                                                 "execveat",
                                                 "fork",
                                                 "vfork",
                                                 "kill",
                                                 "tkill",
                                                 "rt_sigqueueinfo",
                                                 "rt_tgsigqueueinfo",
                                                 "setsid",
                                                 "setpgid",
                                                 "setrlimit",
                                                 "setpriority",
                                                 "sched_setaffinity",
                                                 "sched_setscheduler",
                                                 "unlink",
                                                 "unlinkat",
                                                 "rename",
                                                 "renameat",
                                                 "renameat2",
                                                 "mkdir",
                                                 "mkdirat",
                                                 "rmdir",
                                                 "link",
                                                 "linkat",
                                                 "symlink",
                                                 "symlinkat",
                                                 "mknod",
                                                 "mknodat",
                                                 "creat",
                                                 "truncate",
                                                 "ftruncate",
                                                 "fallocate",
                                                 "chmod",
                                                 "fchmod",
                                                 "fchmodat",
                                                 "chown",
                                                 "fchown",
                                                 "lchown",
                                                 "fchownat",
                                                 "utime",
                                                 "utimes",
                                                 "utimensat",
                                                 "setxattr",
                                                 "memfd_create",
                                                 "timerfd_create",
                                                 "eventfd2",
                                                 "inotify_init1",
                                                 "dup",
                                                 "dup2",
                                                 "dup3",
                                                 "ioctl"};

constexpr const char* of_kernels[] = {"read",
                                      "write",
                                      "readv",
                                      "writev",
                                      "pread64",
                                      "recvmsg",
                                      "sendmsg",
                                      "poll",
                                      "ppoll",
                                      "close",
                                      "fstat",
                                      "newfstatat",
                                      "statx",
                                      "lseek",
                                      "openat",
                                      "mmap",
                                      "munmap",
                                      "mremap",
                                      "mprotect",
                                      "madvise",
                                      "brk",
                                      "futex",
                                      "rt_sigaction",
                                      "rt_sigprocmask",
                                      "rt_sigreturn",
                                      "sigaltstack",
                                      "exit",
                                      "exit_group",
                                      "clock_gettime",
                                      "clock_nanosleep",
                                      "nanosleep",
                                      "gettimeofday",
                                      "restart_syscall",
                                      "mincore",
                                      "sched_yield",
                                      "sched_getaffinity",
                                      "getpid",
                                      "gettid",
                                      "getrandom",
                                      "rseq",
                                      "set_robust_list",
                                      "membarrier",
                                      "sysinfo",
                                      "uname"};

class FilterInProgress {
 public:
  explicit FilterInProgress(std::uint32_t otherwise) : filter_(seccomp_init(otherwise)) {}
  ~FilterInProgress() {
    if (filter_) seccomp_release(filter_);
  }
  FilterInProgress(const FilterInProgress&) = delete;
  FilterInProgress& operator=(const FilterInProgress&) = delete;

  // Not every machine has every call.
  template <class Names>
  void add(std::uint32_t action, const Names& names) {
    for (const char* name : names)
      if (const int number = seccomp_syscall_resolve_name(name); number >= 0)
        seccomp_rule_add(filter_, action, number, 0);
  }

  // Threads of this process may signal each other, which is how one that spins is stopped.
  void allow_signals_to_threads_of(pid_t process) {
    seccomp_rule_add(filter_, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                     SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(process)));
  }

  // Blocks that wait for each other have a thread each. A newer call, whose purpose a filter cannot see, is
  // said not to exist: then the C library takes the older one.
  void allow_threads_but_no_processes() {
    seccomp_rule_add(filter_, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    seccomp_rule_add(filter_, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                     SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
    seccomp_rule_add(filter_, SCMP_ACT_KILL_PROCESS, SCMP_SYS(clone), 1,
                     SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  }

  std::vector<sock_filter> instructions() const {
    std::vector<sock_filter> program;
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
  scmp_filter_ctx filter_;
};

}  // namespace

bool can_filter_system_calls() {
  const std::uint32_t action = SECCOMP_RET_KILL_PROCESS;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

std::vector<sock_filter> filter_for(SystemCalls calls) {
  if (calls == SystemCalls::of_a_compiler) {
    FilterInProgress filter(SCMP_ACT_ALLOW);
    filter.add(SCMP_ACT_KILL_PROCESS, reaching_out);
    return filter.instructions();
  }
  // What nobody has thought of is refused, so that a newer C library may try it and go on without it.
  FilterInProgress filter(SCMP_ACT_ERRNO(EPERM));
  filter.add(SCMP_ACT_KILL_PROCESS, reaching_out);
  filter.add(SCMP_ACT_KILL_PROCESS, starting_and_changing);
  filter.add(SCMP_ACT_ALLOW, of_kernels);
  filter.allow_signals_to_threads_of(::getpid());
  filter.allow_threads_but_no_processes();
  return filter.instructions();
}

#else

bool can_filter_system_calls() {
  return false;
}
std::vector<sock_filter> filter_for(SystemCalls) {
  return {};
}

#endif

}  // namespace gpulab::sandbox
