#include "sandbox/sandbox.hpp"

#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

namespace gpulab::sandbox {
namespace {

TEST(RunCommand, GivesTheOutputAndTheStatus) {
  const CommandResult result = run_command({"sh", "-c", "echo out; echo err >&2; exit 3"}, "/");
  EXPECT_EQ(result.output, "out\nerr\n");
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_EQ(result.limit, CommandResult::Limit::none);
}

TEST(RunCommand, SaysAsAShellDoesThatThereIsNoSuchProgram) {
  EXPECT_EQ(run_command({"no-such-program"}, "/").exit_status, 127);
}

TEST(RunCommand, RunsInItsFolderWhichIsAlsoThatOfTemporaryFiles) {
  EXPECT_EQ(run_command({"sh", "-c", "pwd; echo $TMPDIR"}, "/usr").output, "/usr\n/usr\n");
}

TEST(RunCommand, StopsAtTheTimeOfTheCpuAndAtThatOfTheWall) {
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
  const StopRequest stop{.descriptor = ends[0], .is_made = [] { return true; }};
  EXPECT_THROW(run_command({"sleep", "100"}, "/", {}, nullptr, stop), WorkStopped);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace gpulab::sandbox
