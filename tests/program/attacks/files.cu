// expect: nothing got through
#include "attack.cuh"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <cstdlib>
#include <string>

static const char *victim, *readable;

static std::string beside(const char* name) {
  const std::string path = victim;
  return path.substr(0, path.rfind('/') + 1) + name;
}

static bool opens(const std::string& path, int how) { return open(path.c_str(), how, 0600) >= 0; }

int main(int, char** words) {
  victim = words[1];
  readable = words[2];
  attempt("reading", [] { return opens(victim, O_RDONLY); });
  attempt("reading by way of /proc", [] { return opens(std::string("/proc/self/root") + victim, O_RDONLY); });
  attempt("reading by way of ..", [] { return chdir("..") == 0 && opens(victim, O_RDONLY); });
  attempt("the parent's memory", [] { return opens("/proc/" + std::to_string(getppid()) + "/mem", O_RDWR); });
  attempt("the parent's environment", [] { return opens("/proc/" + std::to_string(getppid()) + "/environ", O_RDONLY); });
  attempt("the first process", [] { return opens("/proc/1/cmdline", O_RDONLY); });
  attempt("its own priority", [] { return opens("/proc/self/oom_score_adj", O_WRONLY); });
  attempt("the password file", [] { return opens("/etc/passwd", O_RDONLY); });
  attempt("writing", [] { return opens(victim, O_WRONLY); });
  attempt("truncating", [] { return opens(victim, O_WRONLY | O_TRUNC); });
  attempt("truncating while reading", [] { return opens(victim, O_RDONLY | O_TRUNC); });
  attempt("truncating what may be read", [] { return opens(readable, O_RDONLY | O_TRUNC); });
  attempt("the fourth way to open", [] { return opens(victim, 3 | O_TRUNC); });  // neither to read nor to write
  attempt("the fourth way, what may be read", [] { return opens(readable, 3 | O_TRUNC); });
  attempt("openat2", [] { unsigned long how[3] = {}; return is_tried(syscall(437, AT_FDCWD, readable, how, sizeof how)); });
  attempt("truncate", [] { return truncate(victim, 0) == 0 || truncate(readable, 0) == 0; });
  attempt("making a file", [] { return creat(beside("new").c_str(), 0600) >= 0; });
  attempt("making one without a name", [] { return opens(beside(""), O_TMPFILE | O_RDWR); });
  attempt("making a folder", [] { return mkdir(beside("folder").c_str(), 0700) == 0; });
  attempt("removing", [] { return unlink(victim) == 0; });
  attempt("renaming", [] { return rename(victim, "mine") == 0; });
  attempt("moving over", [] { close(creat("mine", 0600)); return rename("mine", victim) == 0; });
  attempt("linking", [] { return is_tried(link(victim, "mine-too")); });
  attempt("linking what may be read", [] { return is_tried(link(readable, "mine-too")); });
  attempt("pointing", [] { return is_tried(symlink(victim, "pointer")); });
  attempt("pointing from there", [] { return is_tried(symlinkat("/etc", AT_FDCWD, beside("etc").c_str())); });
  attempt("a pipe", [] { return is_tried(mknod("pipe", S_IFIFO | 0600, 0)); });
  attempt("a device", [] { return is_tried(mknod("device", S_IFCHR | 0600, makedev(1, 1))); });
  attempt("memory as a file", [] { return is_tried(syscall(SYS_memfd_create, "x", 0)); });
  attempt("shared memory", [] { return shm_open("/gpulab-attack", O_CREAT | O_RDWR, 0600) >= 0; });
  attempt("a handle", [] { return is_tried(syscall(SYS_name_to_handle_at, AT_FDCWD, victim, nullptr, nullptr, 0)); });
  attempt("another root", [] { return is_tried(chroot(".")); });
  attempt("the cache of gpulab", [] { return opens(std::string(getenv("XDG_CACHE_HOME")) + "/gpulab/x", O_CREAT | O_WRONLY); });
  return end_of_attacks();
}
