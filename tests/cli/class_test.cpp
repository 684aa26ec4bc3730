#include "terminal_fixture.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;

class Class : public TerminalTest {
 protected:
  void SetUp() override {
    TerminalTest::SetUp();
    fs::create_directory(folder / "shared");
    write("first_kernel.cu", "");
  }
  ProgramRun check() const { return run({"check", "--device", "simulator"}); }
};

TEST_F(Class, SeesTheChecksOfThoseWhoShareThem) {
  const ProgramRun begun = run({"progress", "--share", "shared", "--name", "Ada"});
  EXPECT_EQ(begun.exit_code, 0) << begun.err;
  EXPECT_TRUE(simulator::contains(begun.out, "Ada.gpulab.txt")) << begun.out;
  check();
  const ProgramRun seen = run({"class", "shared"});
  EXPECT_TRUE(simulator::contains(seen.out, "1 learner, 1 stuck")) << seen.out;
  EXPECT_TRUE(simulator::contains(seen.out, "most are stuck at: missing-kernel in first-kernel (1)"))
      << seen.out;
  EXPECT_TRUE(simulator::contains(run({"class", "shared", "--format", "json"}).out, "\"learner\": \"Ada\""));
}

TEST_F(Class, IsDrawnAnewAtEachCheckUntilQIsPressed) {
  run({"progress", "--share", "shared", "--name", "Ada"});
  open({"class", "shared"}, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}, 80);
  until("nobody is stuck");
  check();
  until("missing-kernel in first-kernel (1)");
  press("q");
  EXPECT_EQ(ended(), 0);
  EXPECT_TRUE(waits_for_lines());
}

TEST_F(Class, ThatIsGoneFailsNoCheck) {
  run({"progress", "--share", "shared", "--name", "Ada"});
  write("first_kernel.cu", "");
  fs::remove_all(folder / "shared");
  const ProgramRun checked = check();
  EXPECT_EQ(checked.exit_code, 3);
  EXPECT_TRUE(simulator::contains(checked.out, "DOES NOT COMPILE")) << checked.out;
  EXPECT_TRUE(simulator::contains(checked.err, "the class does not see this check")) << checked.err;
  EXPECT_EQ(std::count(checked.err.begin(), checked.err.end(), '\n'), 1) << checked.err;
  EXPECT_EQ(run({"progress", "--share", "none"}).exit_code, 0);
  EXPECT_EQ(check().err, "");
  expect_refusal({"class", "shared"}, 2, "cannot read shared");
  expect_refusal({"progress", "--name", "Ada"}, 2, "--share");
}

}  // namespace
}  // namespace gpulab::cli
