// expect: nothing got through
#include "attack.cuh"

#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/socket.h>

#define TRY(name, ...) attempt(#name, [] { return is_tried(syscall(SYS_##name, __VA_ARGS__)); })

// The arguments make no sense, so that a call that is let through does nothing.
int main() {
  attempt("socket", [] { return is_tried(socket(AF_INET, SOCK_STREAM, 0)); });
  attempt("local socket", [] { return is_tried(socket(AF_UNIX, SOCK_STREAM, 0)); });
  attempt("netlink", [] { return is_tried(socket(AF_NETLINK, SOCK_RAW, 0)); });
  attempt("socketpair", [] { int ends[2]; return is_tried(socketpair(AF_UNIX, SOCK_STREAM, 0, ends)); });
  attempt("message queue", [] { return is_tried(mq_open("/gpulab-attack", O_CREAT | O_RDWR, 0600, nullptr)); });
  TRY(io_uring_setup, 1, nullptr);
  TRY(io_setup, 1, nullptr);
  TRY(bpf, 0, nullptr, 0);
  TRY(perf_event_open, nullptr, 0, -1, -1, 0);
  TRY(userfaultfd, 0);
  TRY(keyctl, 0, 0, 0, 0, 0);
  TRY(add_key, nullptr, nullptr, nullptr, 0, 0);
  TRY(request_key, nullptr, nullptr, nullptr, 0);
  TRY(mount, nullptr, nullptr, nullptr, 0, nullptr);
  TRY(umount2, nullptr, 0);
  TRY(fsopen, nullptr, 0);
  TRY(open_tree, -1, nullptr, 0);
  TRY(pivot_root, nullptr, nullptr);
  TRY(setns, -1, 0);
  TRY(shmget, IPC_PRIVATE, 0, 0);
  TRY(shmat, -1, nullptr, 0);
  TRY(msgget, 12345, 0);
  TRY(semget, 12345, 0, 0);
  TRY(reboot, 0, 0, 0, nullptr);
  TRY(sethostname, nullptr, -1);
  TRY(settimeofday, nullptr, nullptr);
  TRY(clock_settime, -1, nullptr);
  TRY(adjtimex, nullptr);
  TRY(swapon, nullptr, 0);
  TRY(init_module, nullptr, 0, nullptr);
  TRY(kexec_load, 0, 0, nullptr, ~0ul);
  TRY(syslog, -1, nullptr, 0);
  TRY(acct, "");
  TRY(quotactl, -1, nullptr, 0, nullptr);
  TRY(fanotify_init, ~0u, 0);
  TRY(setuid, 0);
  TRY(setgroups, 0, nullptr);
  TRY(capset, nullptr, nullptr);
  TRY(move_pages, getppid(), 0, nullptr, nullptr, nullptr, 0);
  TRY(migrate_pages, getppid(), 0, nullptr, nullptr);
  TRY(process_madvise, -1, nullptr, 0, 0, 0);
  TRY(splice, -1, nullptr, -1, nullptr, 0, 0);
  TRY(vmsplice, -1, nullptr, 0, 0);
#ifdef __x86_64__
  TRY(iopl, 3);
  TRY(ioperm, 0, 1, 1);
  TRY(modify_ldt, 0, nullptr, 0);
  TRY(arch_prctl, 0x1012, 0);
#endif
  return end_of_attacks();
}
