// expect: ended by the sandbox
// Ignoring and blocking the signal does not help.
#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>
int main() {
  signal(SIGSYS, SIG_IGN);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  syscall(SYS_ptrace, 0, 0, 0, 0);
  _exit(0);
}
