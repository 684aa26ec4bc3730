// expect: nothing got through
#include "attack.cuh"

#include <linux/sched.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <cstdlib>

// Returns whether the system lets a child be made. The child ends at once.
static bool is_child(long result) {
  if (result == 0) _exit(0);
  return is_tried(result);
}

static bool sends(long result) { return is_tried(result); }

static bool has_other_cpus(pid_t process) {
  cpu_set_t before, one, after;
  CPU_ZERO(&one);
  sched_getaffinity(process, sizeof before, &before);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  sched_setaffinity(process, sizeof one, &one);
  sched_getaffinity(process, sizeof after, &after);
  sched_setaffinity(process, sizeof before, &before);
  return !CPU_EQUAL(&before, &after);
}

int main() {
  attempt("fork", [] { return is_child(fork()); });
  attempt("the system call fork", [] { return is_child(syscall(SYS_fork)); });
  attempt("the system call vfork", [] { return is_child(syscall(SYS_vfork)); });
  attempt("clone", [] { return is_child(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0)); });
  attempt("clone, with upper bits", [] { return is_child(syscall(SYS_clone, 0x100000000 | SIGCHLD, nullptr, nullptr, nullptr, 0)); });
  attempt("a user namespace", [] { return is_child(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, 0)); });
  attempt("clone3", [] { return is_child(syscall(SYS_clone3, nullptr, 0)); });
  attempt("unshare", [] { return is_tried(unshare(CLONE_NEWUSER)); });
  attempt("system", [] { return system("true") == 0; });
  attempt("popen", [] { return popen("true", "r") != nullptr; });
  attempt("posix_spawn", [] {
    pid_t child;
    char* words[] = {const_cast<char*>("true"), nullptr};
    return posix_spawn(&child, "/bin/true", nullptr, nullptr, words, environ) == 0;
  });
  attempt("execve", [] { return is_tried(syscall(SYS_execve, "/bin/none", nullptr, nullptr)); });
  attempt("execveat", [] { return is_tried(syscall(SYS_execveat, 0, "", nullptr, nullptr, AT_EMPTY_PATH)); });
  attempt("a signal to the parent", [] { return sends(kill(getppid(), 0)); });
  attempt("a signal to the group", [] { return sends(kill(0, 0)); });
  attempt("a signal to everybody", [] { return sends(kill(-1, 0)); });
  attempt("a signal to the first process", [] { return sends(kill(1, 0)); });
  attempt("tkill", [] { return sends(syscall(SYS_tkill, getppid(), 0)); });
  attempt("tgkill", [] { return sends(syscall(SYS_tgkill, getppid(), getppid(), 0)); });
  attempt("tgkill to anybody", [] { return sends(syscall(SYS_tgkill, -1, getppid(), 0)); });
  attempt("sigqueue", [] { return sends(sigqueue(getppid(), 0, {})); });
  attempt("rt_tgsigqueueinfo", [] { siginfo_t info{}; return sends(syscall(SYS_rt_tgsigqueueinfo, getppid(), getppid(), 0, &info)); });
  attempt("a descriptor of the parent", [] { return is_tried(syscall(SYS_pidfd_open, getppid(), 0)); });
  attempt("a signal by descriptor", [] { return is_tried(syscall(SYS_pidfd_send_signal, 0, 0, nullptr, 0)); });
  attempt("a file's owner", [] { return is_tried(fcntl(0, F_SETOWN, getppid())); });
  attempt("a file's signal", [] { return is_tried(fcntl(0, F_SETSIG, SIGKILL)); });
  attempt("asynchronous files", [] { return is_tried(fcntl(0, F_SETFL, O_ASYNC)); });
  attempt("ptrace", [] { return is_tried(ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr)); });
  attempt("the parent's memory", [] { iovec piece{}; return is_tried(process_vm_writev(getppid(), &piece, 1, &piece, 1, 0)); });
  attempt("comparing with the parent", [] { return is_tried(syscall(SYS_kcmp, getpid(), getppid(), 0, 0, 0)); });
  attempt("the parent's limits", [] { rlimit limit; return is_tried(syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, nullptr, &limit)); });
  attempt("the parent's priority", [] { return is_tried(setpriority(PRIO_PROCESS, static_cast<id_t>(getppid()), 19)); });
  attempt("everybody's priority", [] { return is_tried(setpriority(PRIO_USER, 0, 19)); });
  attempt("the parent's scheduler", [] { sched_param parameter{}; return is_tried(sched_setscheduler(getppid(), SCHED_IDLE, &parameter)); });
  attempt("the parent's CPUs", [] { return has_other_cpus(getppid()); });
  attempt("the parent's disk", [] { return is_tried(syscall(SYS_ioprio_set, 1, getppid(), 3 << 13)); });
  attempt("a session", [] { return is_tried(setsid()); });
  attempt("a group", [] { return is_tried(setpgid(0, 0)); });
  attempt("outliving its parent", [] { return is_tried(prctl(PR_SET_PDEATHSIG, 0)); });
  attempt("being traced", [] { return is_tried(prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY)); });
  attempt("another personality", [] { return is_tried(syscall(SYS_personality, 0x0040000)); });
  attempt("a filter of its own", [] { return is_tried(syscall(SYS_seccomp, 0, 0, nullptr)); });
  return end_of_attacks();
}
