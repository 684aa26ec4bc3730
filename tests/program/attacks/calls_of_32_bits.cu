// expect: ended by the sandbox | host-crash
// Machine code that makes a system call as a 32-bit program does, where 20 is getpid. A Linux without such calls ends
// it first, by a signal.
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int main() {
#ifdef __x86_64__
  const unsigned char code[] = {0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3};
  void* const memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(memory, code, sizeof code);
  reinterpret_cast<int (*)()>(memory)();
#else
  syscall(SYS_ptrace, 0, 0, 0, 0);
#endif
}
