// expect: traced_parent.cu:6: ptrace(PTRACE_ATTACH, getppid(), 0, 0);
// expect: the sandbox ended the program, which made the system call ptrace
#include <sys/ptrace.h>
#include <unistd.h>
int main() {
  ptrace(PTRACE_ATTACH, getppid(), 0, 0);
  puts("got through");
}
