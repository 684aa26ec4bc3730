// expect: nothing got through
#include "attack.cuh"

#include <dirent.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <cstdlib>
#include <cstring>
#include <string>

static const char* victim;

static bool reads(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY);
  char letter;
  return file >= 0 && read(file, &letter, 1) > 0;
}

static bool lists(const char* path) {
  DIR* const folder = opendir(path);
  return folder && readdir(folder);
}

int main(int, char** words) {
  victim = words[1];
  attempt("the folder above", [] { return lists("..") || lists("/proc") || lists("/tmp") || lists("/home") || lists("/dev"); });
  attempt("somebody's processes", [] {
    bool got = false;
    for (int process = 1; process < 400; ++process) {
      // A thread of this process has a folder in /proc, too: its link may be read.
      if (syscall(SYS_tgkill, getpid(), process, 0) == 0) continue;
      const std::string folder = "/proc/" + std::to_string(process);
      char link[10];
      got |= reads(folder + "/cmdline") || reads(folder + "/environ") || reads(folder + "/status") ||
             readlink((folder + "/exe").c_str(), link, sizeof link) > 0;
    }
    return got;
  });
  attempt("the parent's files", [] {
    bool got = false;
    for (int file = 0; file < 20; ++file) got |= open(("/proc/" + std::to_string(getppid()) + "/fd/" + std::to_string(file)).c_str(), O_RDWR) >= 0;
    return got;
  });
  attempt("files that were left open", [] {
    bool got = false;
    for (int file = 3; file < 1024; ++file) {
      struct stat facts;
      if (fstat(file, &facts) == 0 && (S_ISDIR(facts.st_mode) || S_ISCHR(facts.st_mode)))
        got |= openat(file, "..", O_RDONLY | O_DIRECTORY) >= 0 || openat(file, victim, O_RDONLY) >= 0;
    }
    return got;
  });
  attempt("another root by /proc", [] { return reads("/proc/self/root/etc/shadow") || reads("/proc/self/cwd/../theirs/file"); });
  attempt("a folder of /proc", [] { return reads("/proc/kallsyms") || reads("/proc/1/mounts") || reads("/proc/sys/kernel/hostname") || reads("/proc/keys"); });
  attempt("the machine's disks", [] { return reads("/dev/sda") || reads("/dev/vda") || reads("/dev/mem") || reads("/dev/kmsg"); });
  attempt("a descriptor by its path", [] {
    const int folder = open(".", O_PATH);
    return openat(folder, "../theirs/file", O_RDONLY) >= 0 || openat(folder, victim, O_RDONLY) >= 0;
  });
  attempt("changing through a path alone", [] { const int file = open(victim, O_PATH); return ftruncate(file, 0) == 0 || fchmod(file, 0) != 0; });
  attempt("allocating in it", [] { return fallocate(open(victim, O_PATH), 0, 0, 1 << 20) == 0; });
  attempt("mapping it", [] { return mmap(nullptr, 1, PROT_READ, MAP_SHARED, open(victim, O_PATH), 0) != MAP_FAILED; });
  attempt("sending a file to it", [] { return open(victim, O_WRONLY | O_APPEND) >= 0; });
  attempt("moving its folder", [] { return rename("../theirs", "taken") == 0; });
  attempt("exchanging", [] { close(creat("mine", 0600)); return syscall(SYS_renameat2, AT_FDCWD, "mine", AT_FDCWD, victim, 2) == 0; });
  attempt("a white-out", [] { return syscall(SYS_renameat2, AT_FDCWD, "mine", AT_FDCWD, "white", 4) == 0; });
  attempt("linking by descriptor", [] { return is_tried(syscall(SYS_linkat, open(victim, O_PATH), "", AT_FDCWD, "linked", AT_EMPTY_PATH)); });
  attempt("unlinking by descriptor", [] { return unlinkat(open("..", O_PATH), "theirs/file", 0) == 0; });
  attempt("a library of its own", [] { return dlopen((std::string(victim)).c_str(), RTLD_NOW) != nullptr; });
  attempt("locking what all read", [] { return is_tried(syscall(SYS_fcntl, 0, 1024 /* F_SETLEASE */, 1)); });
  attempt("a timer of another process", [] {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGTERM;
    event._sigev_un._tid = getppid();
    timer_t timer;
    return syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0;
  });
  attempt("another's clock", [] { timespec time; const clockid_t clock = (~getppid() << 3) | 6; return clock_settime(clock, &time) == 0; });
  attempt("keeping its parent's signals away", [] { return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0; });
  attempt("speculation", [] { return prctl(PR_SET_SPECULATION_CTRL, 0, 4, 0, 0) == 0; });
  attempt("dumping its memory", [] { return prctl(PR_SET_DUMPABLE, 1) == 0; });
  attempt("no limit on memory", [] { rlimit limit{RLIM_INFINITY, RLIM_INFINITY}; return prlimit(getppid(), RLIMIT_AS, &limit, nullptr) == 0; });
  attempt("Landlock undone", [] { return is_tried(syscall(446, -1, 0)); });
  attempt("a secret memory", [] { return is_tried(syscall(447, 0)); });
  attempt("all files at once", [] { return is_tried(syscall(SYS_sync)); });
  attempt("mounting a tree", [] { return is_tried(syscall(428, AT_FDCWD, "/", 1)); });
  attempt("idle pages", [] { return is_tried(syscall(SYS_remap_file_pages, nullptr, 0, 0, 0, 0)); });
  attempt("a message to the parent's files", [] { return is_tried(syscall(SYS_sendmmsg, 3, nullptr, 0, 0)); });
  return end_of_attacks();
}
