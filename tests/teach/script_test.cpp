#include "teach/demo.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "cli/options.hpp"
#include "text_contains.hpp"

namespace gpulab::teach {
namespace {

Demo parsed(const std::string& text) {
  return parse_script(text, cli::find_lesson("histogram"), "my.txt");
}

std::string refusal(const std::string& text) {
  try {
    parsed(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

const std::string question = "ask: what?\nanswer: result of shared\nchoice right: yes\nchoice race: no\n";

TEST(DemoScript, ReadsAStepWithItsQuestion) {
  const Demo demo = parsed(
      "# by me\nsimulated with: --size 2^10\n\n== one\ntext: Threads\n  meet.\nshow: shared\n"
      "ask: What\n  comes out?\nanswer: result of shared\nchoice right: the counts\n  because: barriers\n"
      "  and more\nchoice race: a race\n  tempting: threads meet\nsay: slowly\nminutes: 2.5\n");
  ASSERT_EQ(demo.steps.size(), 1U);
  const DemoStep& step = demo.steps.front();
  EXPECT_EQ(step.text, "Threads meet.");
  EXPECT_EQ(step.simulated_with, "--size 2^10");
  EXPECT_EQ(step.run, std::vector<std::string>{"shared"});
  EXPECT_EQ(step.say, "slowly");
  EXPECT_EQ(step.minutes, 2.5);
  ASSERT_TRUE(step.question);
  EXPECT_EQ(step.question->text, "What comes out?");
  ASSERT_EQ(step.question->choices.size(), 2U);
  EXPECT_EQ(step.question->choices[0].because, "barriers and more");
  EXPECT_EQ(step.question->choices[1].tempting, "threads meet");
}

TEST(DemoScript, TakesWhatWindowsWritesAndRefusesWhatATerminalWouldObey) {
  const Demo demo = parsed("\xEF\xBB\xBF== a\r\ntext: Threads\r\n\tmeet.\r\n");
  EXPECT_EQ(demo.steps.at(0).name + ": " + demo.steps[0].text, "a: Threads meet.");
  EXPECT_EQ(refusal("== a\ntext: \033[2J\n"), "my.txt:2: there is a character that cannot be shown");
}

TEST(DemoScript, ComparesWithTheVariantOfTheStepBefore) {
  const Demo demo =
      parsed("== a\nshow: global-atomic\n== b\nshow: shared\n== c\nshow: shared since nothing\n");
  EXPECT_EQ(demo.steps[0].since, "");
  EXPECT_EQ(demo.steps[1].since, "global-atomic");
  EXPECT_EQ(demo.steps[2].since, "");
}

TEST(DemoScript, RunsWhatTheAnswerNeeds) {
  const Demo demo = parsed(
      "== a\nshow: shared\nask: how?\nanswer: times as fast private-copies as shared\nchoice below 2: a\n"
      "choice 2 to 8: b\nchoice 8 or more: c\n");
  EXPECT_EQ(demo.steps[0].run, (std::vector<std::string>{"shared", "private-copies"}));
  EXPECT_EQ(demo.steps[0].question->choices[1].least, 2);
  EXPECT_EQ(demo.steps[0].question->choices[1].below, 8);
}

TEST(DemoScript, TakesEditsOfTheShownKernel) {
  const Demo demo =
      parsed("== a\nshow: shared\nedit:\n  - old;\n  + new;\n  +   newer;\n  - old two;\ntext: x\n");
  ASSERT_EQ(demo.steps[0].edits.size(), 2U);
  EXPECT_EQ(demo.steps[0].edits[0].after, (std::vector<std::string>{"new;", "  newer;"}));
  EXPECT_EQ(demo.steps[0].edits[1].before, std::vector<std::string>{"old two;"});
}

TEST(DemoScript, NamesTheLineOfWhatItCannotMean) {
  EXPECT_EQ(refusal(""), "my.txt:1: there is no step: a step begins with a line '== NAME'");
  EXPECT_TRUE(contains(refusal("text: early\n"), "my.txt:1: only 'with'"));
  EXPECT_TRUE(contains(refusal("== a\nshow: sharde\n"),
                       "my.txt:2: shared-histogram has no variant 'sharde'; did you mean 'shared'?"));
  EXPECT_TRUE(contains(refusal("== a\nwhat: x\n"), "my.txt:2: 'what: x' is none of the words"));
  EXPECT_TRUE(contains(refusal("== a\n" + question + "choice right: again\n"),
                       "my.txt:6: two choices fit the same answer"));
  EXPECT_TRUE(contains(refusal("== a\nask: x\nanswer: mood of shared\n== b\n"), "fewer than two choices"));
  EXPECT_TRUE(contains(refusal("== a\nask: x\nanswer: nonsense\n"), "nothing that a run can answer"));
  EXPECT_TRUE(contains(refusal("== a\nask: x\nanswer: threads of shared\nchoice many: x\n"), "'many'"));
  EXPECT_TRUE(
      contains(refusal("== a\nask: x\nanswer: threads of shared\nchoice 1 to 5: x\nchoice 4 or more: y\n"),
               "two choices fit"));
  EXPECT_TRUE(contains(refusal("== a\ntempting: x\n"), "'ask' comes first"));
  EXPECT_TRUE(contains(refusal("== a\n== a\n"), "two steps a"));
  EXPECT_TRUE(contains(refusal("== a\nminutes: long\n"), "'long' is not a number"));
}

}  // namespace
}  // namespace gpulab::teach
