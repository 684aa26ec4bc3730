#include "sandbox/sandbox.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <thread>

#include "base/error.hpp"
#include "test.hpp"

namespace gpulab::sandbox {
namespace {

TEST(RunCommand, GivesTheOutputAndTheStatus) {
  const CommandResult result = run_command({"sh", "-c", "echo out; echo err >&2; exit 3"}, "/");
  EXPECT_EQ(result.output, "out\nerr\n");
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_EQ(result.limit, CommandResult::Limit::none);
}

TEST(RunCommand, GivesTheStatusOfAShellForAProgramThatDoesNotExist) {
  EXPECT_EQ(run_command({"no-such-program"}, "/").exit_status, 127);
}

TEST(RunCommand, RunsInItsFolderWhichIsAlsoThatOfTemporaryFiles) {
  EXPECT_EQ(run_command({"sh", "-c", "pwd; echo $TMPDIR"}, "/usr").output, "/usr\n/usr\n");
}

TEST(RunCommand, StopsAtTheLimitOfCpuTimeAndOfWallTime) {
  const CommandResult spins = run_command({"sh", "-c", "while :; do :; done"}, "/", {.cpu_s = 1});
  EXPECT_EQ(spins.limit, CommandResult::Limit::time);
  const CommandResult sleeps = run_command({"sleep", "100"}, "/", {.cpu_s = 0.2});
  EXPECT_EQ(sleeps.limit, CommandResult::Limit::time);
}

TEST(RunCommand, StopsAtTheLimitOfTheOutput) {
  const CommandResult result = run_command({"yes"}, "/", {.output_bytes = 10'000});
  EXPECT_EQ(result.limit, CommandResult::Limit::output);
  EXPECT_LE(result.output.size(), 10'000u);
}

TEST(RunCommand, EndsWhatTheCommandHasStartedInTheBackground) {
  const CommandResult result = run_command({"sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!"}, "/");
  const int process = std::stoi(result.output);
  for (int turn = 0; turn < 200 && ::kill(process, 0) == 0; ++turn) ::usleep(10'000);
  EXPECT_NE(::kill(process, 0), 0);
}

TEST(RunCommand, IsStoppedOnRequest) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "q", 1), 1);
  const StopToken stop{.descriptor = ends[0], .requested = [] { return true; }};
  EXPECT_THROW(run_command({"sleep", "100"}, "/", {}, nullptr, stop), WorkStopped);
  for (const int end : ends) ::close(end);
}

// Tries by system calls what a confined process can do, as native code in a kernel could if every defence
// before the sandbox had failed.

namespace fs = std::filesystem;

class ConfinementTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!support().is_complete()) GTEST_SKIP() << "this machine has no Landlock, or gpulab no libseccomp";
    std::string pattern = (fs::temp_directory_path() / "gpulab-confinement-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    std::ofstream(canary()) << "alive";
  }
  void TearDown() override {
    if (folder_.empty()) return;
    std::string content;
    std::ifstream(canary()) >> content;
    EXPECT_EQ(content, "alive");
    fs::remove_all(folder_);
  }

  fs::path canary() const { return folder_ / "canary"; }

  // Returns the wait status of a confined child that does the deed.
  static int status_of(SystemCalls calls, const Files& files, const std::function<int()>& deed) {
    const Confinement confinement(Mode::require, files, calls);
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);
      if (!confinement.confine_files() || !confinement.confine_system_calls()) ::_exit(99);
      ::_exit(deed());
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }

  static bool is_killed(const std::function<int()>& deed) {
    const int status = status_of(SystemCalls::kernels, {}, deed);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
  }
  static bool is_refused(SystemCalls calls, const std::function<bool()>& deed) {
    const int status = status_of(calls, {}, [&] { return deed() ? 1 : 0; });
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  fs::path folder_;
};

TEST_F(ConfinementTest, KernelsCanStillUseMemoryAndEnd) {
  const int status = status_of(SystemCalls::kernels, {}, [] {
    void* const memory = ::mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? 1 : 42;
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST_F(ConfinementTest, KernelsCannotReadAFile) {
  const std::string file = canary();
  EXPECT_TRUE(is_refused(SystemCalls::kernels, [&] { return ::open(file.c_str(), O_RDONLY) >= 0; }));
  EXPECT_TRUE(is_refused(SystemCalls::kernels, [&] { return ::open("/etc/passwd", O_RDONLY) >= 0; }));
  EXPECT_TRUE(is_refused(SystemCalls::kernels, [&] { return ::open("/proc/self/mem", O_RDWR) >= 0; }));
  EXPECT_TRUE(is_refused(SystemCalls::kernels, [&] { return ::open("/proc/self/environ", O_RDONLY) >= 0; }));
}

TEST_F(ConfinementTest, KernelsCannotWriteMakeOrRemoveAFile) {
  const std::string file = canary(), other = folder_ / "other";
  EXPECT_TRUE(
      is_refused(SystemCalls::kernels, [&] { return ::open(file.c_str(), O_WRONLY | O_TRUNC) >= 0; }));
  EXPECT_TRUE(
      is_refused(SystemCalls::kernels, [&] { return ::open(other.c_str(), O_CREAT | O_WRONLY, 0600) >= 0; }));
  EXPECT_TRUE(is_killed([&] { return ::unlink(file.c_str()); }));
  EXPECT_TRUE(is_killed([&] { return ::rename(file.c_str(), other.c_str()); }));
  EXPECT_TRUE(is_killed([&] { return ::truncate(file.c_str(), 0); }));
  EXPECT_TRUE(is_killed([&] { return ::symlink(file.c_str(), other.c_str()); }));
  EXPECT_TRUE(is_killed([&] { return ::mkdir(other.c_str(), 0700); }));
  EXPECT_TRUE(is_killed([&] { return ::chmod(file.c_str(), 0777); }));
  EXPECT_FALSE(fs::exists(other));
}

TEST_F(ConfinementTest, KernelsCannotStartAProgramOrAProcess) {
  EXPECT_TRUE(is_killed([] { return ::execl("/bin/true", "true", nullptr); }));
  EXPECT_TRUE(is_killed([] { return static_cast<int>(::fork()); }));
  EXPECT_TRUE(is_killed([] { return std::system("true"); }));
  EXPECT_TRUE(is_killed([] { return static_cast<int>(::syscall(SYS_vfork)); }));
}

TEST_F(ConfinementTest, TheSimulatorCanStillStartThreads) {
  const int status = status_of(SystemCalls::kernels, {}, [] {
    int result = 0;
    std::thread([&] { result = 42; }).join();
    return result;
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST_F(ConfinementTest, KernelsCannotReachTheNetwork) {
  EXPECT_TRUE(is_killed([] { return ::socket(AF_INET, SOCK_STREAM, 0); }));
  EXPECT_TRUE(is_killed([] { return ::socket(AF_UNIX, SOCK_STREAM, 0); }));
}

TEST_F(ConfinementTest, KernelsCannotReachOtherProcesses) {
  const pid_t parent = ::getpid();
  EXPECT_TRUE(is_killed([=] { return ::kill(parent, SIGTERM); }));
  EXPECT_TRUE(is_killed([=] { return static_cast<int>(::ptrace(PTRACE_ATTACH, parent, nullptr, nullptr)); }));
  EXPECT_TRUE(is_killed([=] { return static_cast<int>(::syscall(SYS_pidfd_open, parent, 0)); }));
  EXPECT_TRUE(is_killed(
      [=] { return static_cast<int>(::syscall(SYS_process_vm_writev, parent, nullptr, 0, nullptr, 0, 0)); }));
  EXPECT_TRUE(
      is_refused(SystemCalls::kernels, [=] { return ::syscall(SYS_tgkill, parent, parent, SIGTERM) == 0; }));
}

TEST_F(ConfinementTest, KernelsCannotLiftTheirLimits) {
  EXPECT_TRUE(is_refused(SystemCalls::kernels, [] { return ::prctl(PR_SET_DUMPABLE, 1) == 0; }));
  EXPECT_TRUE(is_killed([] { return static_cast<int>(::syscall(SYS_setrlimit, 0, nullptr)); }));
  EXPECT_TRUE(is_killed([] { return static_cast<int>(::syscall(SYS_memfd_create, "x", 0)); }));
  EXPECT_TRUE(is_killed([] { return static_cast<int>(::syscall(SYS_io_uring_setup, 1, nullptr)); }));
}

TEST_F(ConfinementTest, CompilersHaveTheirFolderAndNothingBesides) {
  const fs::path own = folder_ / "own";
  fs::create_directory(own);
  const int status = status_of(SystemCalls::compiler, {.read = {"/usr"}, .write = {own}}, [&] {
    const bool can_write = ::open((own / "a.o").c_str(), O_CREAT | O_WRONLY, 0600) >= 0;
    const bool can_read = ::open("/usr", O_RDONLY) >= 0;
    const bool reads_others = ::open(canary().c_str(), O_RDONLY) >= 0;
    const bool writes_others = ::unlink(canary().c_str()) == 0;
    return 1 * can_write + 2 * can_read + 4 * reads_others + 8 * writes_others;
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

TEST_F(ConfinementTest, CompilersCannotReachTheNetworkOrOtherProcesses) {
  const auto is_killed_as_compiler = [](const std::function<int()>& deed) {
    const int status = status_of(SystemCalls::compiler, {}, deed);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
  };
  const pid_t parent = ::getpid();
  EXPECT_TRUE(is_killed_as_compiler([] { return ::socket(AF_INET, SOCK_STREAM, 0); }));
  EXPECT_TRUE(is_killed_as_compiler(
      [=] { return static_cast<int>(::ptrace(PTRACE_ATTACH, parent, nullptr, nullptr)); }));
}

// Returns whether the filter for that version of Landlock lets the deed pass. The process makes its own
// filter, since signals to itself are allowed.
bool is_let_through(int landlock_version, const std::function<bool()>& deed) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto filter = filter_for(SystemCalls::program, landlock_version);
    if (filter.empty() || !install(filter)) ::_exit(99);
    ::_exit(deed() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 99);
  return WEXITSTATUS(status) == 1;
}

TEST_F(ConfinementTest, WhatAnOldLandlockLetsPassIsFiltered) {
  const std::string file = folder_ / "own";
  std::ofstream(file) << "text";
  const auto truncates = [&] { return ::truncate(file.c_str(), 4) == 0; };
  const auto truncates_by_reading = [&] { return ::open(file.c_str(), O_RDONLY | O_TRUNC) >= 0; };
  for (const int version : {1, 2}) {
    EXPECT_FALSE(is_let_through(version, truncates));
    EXPECT_FALSE(is_let_through(version, truncates_by_reading));
  }
  EXPECT_TRUE(is_let_through(3, truncates));
  for (const int version : {1, 2, 3, 7}) {
    EXPECT_FALSE(is_let_through(version, [&] { return ::open(file.c_str(), O_ACCMODE | O_TRUNC) >= 0; }));
    EXPECT_FALSE(is_let_through(version, [] { return ::kill(::getppid(), 0) == 0; }));
    EXPECT_TRUE(is_let_through(version, [] { return ::kill(::getpid(), 0) == 0; }));
    EXPECT_TRUE(is_let_through(version, [&] { return ::open(file.c_str(), O_WRONLY | O_TRUNC) >= 0; }));
  }
}

TEST(Support, SaysWhatIsFilteredInPlaceOfLandlock) {
  const auto words = [](int version, bool filters) {
    return described({.landlock_version = version, .filters_system_calls = filters});
  };
  EXPECT_EQ(words(7, true), "files and network: Landlock 7; system calls: seccomp");
  EXPECT_TRUE(words(4, true).ends_with(
      "seccomp, which also refuses signals to others (Landlock does so from version 6 on)"));
  EXPECT_TRUE(words(2, true).ends_with(
      "truncate() and signals to others (Landlock does so from versions 3 and 6 on)"));
  EXPECT_TRUE(words(0, true).starts_with("files are not confined"));
  EXPECT_TRUE(contains(words(7, false), "system calls are not"));
}

TEST(Confinement, IsNothingWhereItIsOff) {
  const Confinement confinement(Mode::off, {}, SystemCalls::kernels);
  EXPECT_TRUE(confinement.confine_files());
  EXPECT_TRUE(confinement.confine_system_calls());
  EXPECT_GE(::open("/etc/passwd", O_RDONLY | O_CLOEXEC), 0);
}

}  // namespace
}  // namespace gpulab::sandbox
