// expect: nothing got through
#include "attack.cuh"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <cstdlib>

// A file outside of the folder, and one of the loader that may be read.
static const char *victim, *readable;

static int opened() { return open(readable, O_RDONLY); }

int main(int, char** words) {
  victim = words[1];
  readable = words[2];
  attempt("chmod", [] { return is_tried(chmod(victim, 0777)); });
  attempt("chmod of its own file", [] { close(creat("own", 0600)); return is_tried(chmod("own", 06777)); });
  attempt("fchmodat", [] { return is_tried(fchmodat(AT_FDCWD, victim, 0777, 0)); });
  attempt("fchmodat2", [] { return is_tried(syscall(452, AT_FDCWD, victim, 0777, 0)); });
  attempt("fchmod", [] { fchmod(opened(), 0777); struct stat facts; return stat(readable, &facts) == 0 && (facts.st_mode & 0777) == 0777; });
  attempt("chown", [] { return is_tried(chown(victim, 1, 1)); });
  attempt("lchown", [] { return is_tried(lchown(victim, 1, 1)); });
  attempt("fchown", [] { return is_tried(fchown(opened(), 1, 1)); });
  attempt("fchownat", [] { return is_tried(fchownat(AT_FDCWD, victim, 1, 1, 0)); });
  attempt("utimes", [] { return is_tried(utimes(victim, nullptr)); });
  attempt("utime", [] { return is_tried(syscall(SYS_utime, victim, nullptr)); });
  attempt("futimesat", [] { return is_tried(syscall(SYS_futimesat, AT_FDCWD, victim, nullptr)); });
  attempt("utimensat", [] { return is_tried(utimensat(AT_FDCWD, victim, nullptr, 0)); });
  attempt("futimens", [] { return is_tried(futimens(opened(), nullptr)); });
  attempt("setxattr", [] { return is_tried(setxattr(victim, "user.x", "x", 1, 0)); });
  attempt("lsetxattr", [] { return is_tried(lsetxattr(victim, "user.x", "x", 1, 0)); });
  attempt("fsetxattr", [] { return is_tried(fsetxattr(opened(), "user.x", "x", 1, 0)); });
  attempt("removexattr", [] { return is_tried(removexattr(victim, "user.x")); });
  attempt("attributes by ioctl", [] { int flags = 0x10; return is_tried(ioctl(opened(), 0x40086602, &flags)); });
  attempt("watching the folder", [] { return is_tried(syscall(SYS_inotify_init1, 0)); });
  attempt("watching by fcntl", [] { return is_tried(fcntl(open("/usr", O_RDONLY), F_NOTIFY, DN_CREATE)); });
  attempt("a lease", [] { return is_tried(fcntl(opened(), F_SETLEASE, F_RDLCK)); });
  return end_of_attacks();
}
