#include "terminal_fixture.hpp"

#include "base/table.hpp"
#include "cli/demo_stage.hpp"
#include "lesson/lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "teach/demo.hpp"
#include "test.hpp"

namespace gpulab::cli {
namespace {

class Width : public ProgramTest {
 protected:
  std::size_t longest_line(const std::string& columns) const {
    return widest_line(run({"list"}, {{"COLUMNS", columns}}).out);
  }
};

TEST_F(Width, IsWhatColumnsSaysWhereThereIsNoTerminal) {
  EXPECT_LE(longest_line("60"), 60u);
  EXPECT_GT(longest_line("100"), 60u);
  const std::size_t usual = longest_line("");
  for (const char* nonsense : {"-5", "many", "0", "99999999999"})
    EXPECT_EQ(longest_line(nonsense), usual) << nonsense;
}

TEST_F(Width, Of80ColumnsAndAHeightOf24HoldAllLessons) {
  EXPECT_LT(std::ranges::count(run({"list"}, {{"COLUMNS", "80"}}).out, '\n'), 24);
}

class Terminal : public TerminalTest {
 protected:
  // Returns everything that a person sees.
  std::string seen(const std::vector<std::string>& words, const Environment& environment) {
    open(words, environment);
    return until_the_end();
  }
};

const std::string colour_begins = "\033[3";

TEST_F(Terminal, GetsColourAndProgress) {
  const std::string text = seen(simulated({"first-kernel"}), {{"TERM", "xterm"}, {"NO_COLOR", ""}});
  EXPECT_TRUE(contains(text, colour_begins));
  EXPECT_TRUE(contains(text, "first-kernel: global-index ..."));
  EXPECT_TRUE(contains(text, "\r\033[K")) << "progress is wiped";
}

TEST_F(Terminal, GetsNoColourWhereItIsNotWanted) {
  for (const auto& environment :
       {Environment{{"TERM", "xterm"}, {"NO_COLOR", "1"}}, Environment{{"TERM", "dumb"}},
        Environment{{"TERM", "xterm"}, {"NO_COLOR", ""}, {"OMPI_COMM_WORLD_RANK", "0"}}})
    for (const auto& words : {simulated({"first-kernel"}), {"show", "histogram"}, {"list"}, {"doctor"}})
      EXPECT_FALSE(contains(seen(words, environment), colour_begins)) << words[0];
}

TEST_F(Terminal, SaysBetweenTheLinesOfAWatchedProgramThatItIsStillRunning) {
  const std::string text = R"(#include <cstdio>
#include <ctime>
int main(int, char** words) {
  printf("begins%s", words[1]);
  fflush(stdout);
  while (clock() < 4 * CLOCKS_PER_SEC) {}
  printf("ends\n");
}
)";
  write("long.cu", text);
  const std::string remark = "still running, watched; --plain is faster ...";
  EXPECT_TRUE(contains(seen({"run", "long.cu", "--", "\n"}, {{"TERM", "xterm"}}),
                       "begins\r\n" + remark + "\r\033[Kends\r\n"));
  EXPECT_FALSE(contains(seen({"run", "long.cu", "--", " "}, {{"TERM", "xterm"}}), remark))
      << "a prompt has no line end";
}

TEST_F(Terminal, GetsErrorsAndRemarksInLinesThatFit) {
  for (const auto& words : {std::vector<std::string>{"check", "a_file_that_is_not_here_at_all.cu"},
                            {"first-kernel", "--device", "auto"}}) {
    open(words, no_colour, 50);
    std::istringstream lines(until_the_end().substr(0, 160));
    std::string line;
    std::getline(lines, line);
    EXPECT_LE(line.size(), 51u) << line;  // with its \r
  }
}

TEST_F(Terminal, GetsNoProgressIfItIsQuiet) {
  const std::string text = seen(simulated({"first-kernel", "--quiet"}), {{"TERM", "xterm"}});
  EXPECT_FALSE(contains(text, "..."));
}

TEST_F(Terminal, ReadsAClassTomlThatIsWrittenWhileAClassIsShown) {
  open({"class", "."}, no_colour);
  until("0 learners");
  write("class.toml", "late = nonsense\n");
  until("class.toml");
  write("class.toml", "late = 1\n");
  until("0 learners");
  press("q");
  EXPECT_EQ(wait_for_exit(), 0);
}

class Stage : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(simulator::simulator_with(""), nullptr); }

  Lesson lesson = find_lesson("matmul");
  DemoStage stage{lesson,
                  std::nullopt,
                  teach::parse_script("== small\nwith: --m 16 --n 16 --k 16\nshow: naive\nrun: nothing\n"
                                      "== large\nwith: --m 8192 --n 8192 --k 8192\nshow: naive\n",
                                      lesson, "demo.txt"),
                  {.device = "simulator"},
                  std::nullopt};
};

TEST_F(Stage, HasASmallestSizeAndGrowsAgainFromThere) {
  for (int halves = 0; halves < 4; ++halves) EXPECT_EQ(stage.scale(-1), "");
  for (int halves = 0; halves < 80; ++halves) EXPECT_EQ(stage.scale(-1), "this is the smallest size");
  EXPECT_TRUE(contains(stage.scene().problem, "1 x 1 times"));
  EXPECT_EQ(stage.scale(1), "");
  EXPECT_TRUE(contains(stage.scene().problem, "2 x 2 times"));
}

TEST_F(Stage, StartsAStepAtItsOwnSizeWhereItsDoubledSizeIsTooLarge) {
  for (int doublings = 0; doublings < 11; ++doublings) EXPECT_EQ(stage.scale(1), "");
  EXPECT_NE(stage.scale(1), "");
  EXPECT_TRUE(stage.go_on());
  EXPECT_TRUE(contains(stage.scene().problem, "8 192 x 8 192 times"));
  EXPECT_TRUE(stage.go_back());
  EXPECT_TRUE(contains(stage.scene().problem, "16 x 16 times"));
}

}  // namespace
}  // namespace gpulab::cli
