#include "base/process.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.hpp"

namespace gpulab {
namespace {

std::string read_all(const Descriptor& descriptor) {
  std::string text;
  while (read_more(descriptor.number(), text) > 0) continue;
  return text;
}

TEST(Child, HasTheFilesThatItIsGivenAndNoOthers) {
  const Descriptor others(::dup(STDERR_FILENO));  // a program that inherits all files would have it
  Pipe output = make_pipe();
  Child child({.error_prefix = "cannot test",
               .program = {"sh", "-c", "echo passed >&7; ls /proc/$$/fd"},
               .files = {STDIN_FILENO, output.writer.number(), STDERR_FILENO},
               .inherited = output.writer.number(),
               .inherited_as = 7});
  output.writer.close();
  EXPECT_EQ(read_all(output.reader), "passed\n0\n1\n2\n7\n");
  EXPECT_EQ(child.wait().code(), 0);
}

TEST(Child, MayInheritADescriptorUnderItsOwnNumber) {
  Pipe output = make_pipe();
  const int number = output.writer.number();
  Child child({.error_prefix = "cannot test",
               .program = {"sh", "-c", "echo one; echo two >&" + std::to_string(number)},
               .files = {STDIN_FILENO, number, STDOUT_FILENO},
               .inherited = number,
               .inherited_as = number});
  output.writer.close();
  EXPECT_EQ(read_all(output.reader), "one\ntwo\n");
  EXPECT_EQ(child.wait().code(), 0);
}

TEST(Child, HasTheCodeWithWhichItEnded) {
  const auto code_of = [](const std::vector<std::string>& program) {
    return Child({.error_prefix = "cannot test", .program = program}).wait().code();
  };
  EXPECT_EQ(code_of({"sh", "-c", "exit 3"}), 3);
  EXPECT_EQ(code_of({"sh", "-c", "kill -TERM $$"}), 128 + SIGTERM);
  EXPECT_EQ(code_of({"no-such-program"}), Child::cannot_execute);
}

TEST(Child, IsNotExecutedIfItsPreparationFails) {
  Child child({.error_prefix = "cannot test", .program = {"true"}, .prepare = [] { return false; }});
  EXPECT_EQ(child.wait().code(), Child::is_not_prepared);
}

TEST(Child, EndsTogetherWithItsDescendants) {
  for (const ChildLifetime lifetime :
       {ChildLifetime::own_session, ChildLifetime::own_group, ChildLifetime::with_descendants}) {
    Pipe life = make_pipe();  // closed when no process has its writer
    {
      const Child child({.error_prefix = "cannot test",
                         .program = {"sh", "-c", "sleep 1000 & echo begun; wait"},
                         .files = {STDIN_FILENO, life.writer.number(), STDERR_FILENO},
                         .lifetime = lifetime});
      life.writer.close();
      std::string begun;
      read_more(life.reader.number(), begun);
      EXPECT_EQ(begun, "begun\n");
    }
    EXPECT_EQ(read_all(life.reader), "");
  }
}

TEST(Child, EndsWithItsParentTogetherWithItsDescendants) {
  const std::filesystem::path life = std::filesystem::path(testing::TempDir()) / "life";
  std::filesystem::remove(life);
  ASSERT_EQ(::mkfifo(life.c_str(), 0600), 0);
  Descriptor reader;
  {
    ChildWork parent([&]() -> std::string {
      const Child child({.error_prefix = "cannot test",
                         .program = {"sh", "-c", "exec > \"$0\"; sleep 1000 & echo begun; wait", life},
                         .lifetime = ChildLifetime::with_descendants});
      for (;;) ::pause();
    });
    reader = Descriptor(::open(life.c_str(), O_RDONLY | O_CLOEXEC));
    std::string begun;
    read_more(reader.number(), begun);
    EXPECT_EQ(begun, "begun\n");
  }
  EXPECT_EQ(read_all(reader), "");
}

// A lock of a file ends with the last process that has the file open.
TEST(ChildWork, HasNoneOfTheFilesOfThisProcess) {
  constexpr int number = 100;
  const Descriptor other(::dup2(STDERR_FILENO, number));
  const ChildEnd end = ChildWork([] { return std::to_string(::fcntl(number, F_GETFD)); }).wait(10);
  EXPECT_EQ(end.output, "-1");
}

TEST(RunInShell, GivesTheInputAndTheExitCode) {
  const std::string input(1'000'000, 'x');
  EXPECT_EQ(run_in_shell("test $(wc -c) = 1000000", &input), 0);
  EXPECT_EQ(run_in_shell("exit 3"), 3);
  EXPECT_EQ(run_in_shell("no-such-command 2>/dev/null"), 127);
}

TEST(RunInShell, AcceptsACommandThatDoesNotReadItsInput) {
  const std::string input(1'000'000, 'x');
  EXPECT_EQ(run_in_shell("true", &input), 0);
}

}  // namespace
}  // namespace gpulab
