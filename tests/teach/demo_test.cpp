#include "teach/demo.hpp"

#include <gtest/gtest.h>

#include "text_contains.hpp"

namespace gpulab::teach {
namespace {

const std::string file =
    "// formula\n\n// Reads, adds, stores: a comment that tells.\n__global__ void one(int* x) {\n  x[0] = "
    "1;\n"
    "  x[1] = 2;\n}\n\n__global__ void two(int* x) {\n  x[0] = 1;\n  __syncthreads();\n  x[1] = 3;\n}\n";

std::string marks_of(const std::vector<DemoLine>& lines) {
  std::string marks;
  for (const DemoLine& line : lines) marks += line.mark;
  return marks;
}

TEST(DemoLines, ShowAKernelWithoutTheCommentAboveIt) {
  const auto lines = demo_lines({.text = file, .kernel = "one"});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines.front().number, 4);
  EXPECT_EQ(lines.front().text, "__global__ void one(int* x) {");
}

TEST(DemoLines, MarkWhatIsNewAndChangedWhateverTheKernelsAreCalled) {
  const auto lines = demo_lines({.text = file, .kernel = "two", .base = file, .base_kernel = "one"});
  EXPECT_EQ(marks_of(lines), "  ~+ ");
  EXPECT_TRUE(lines[2].matters);
}

TEST(DemoLines, KeepLinesThatAreGone) {
  const std::string shorter = "__global__ void two(int* x) {\n  x[0] = 1;\n  x[1] = 3;\n}\n";
  const auto lines = demo_lines({.text = shorter, .kernel = "two", .base = file, .base_kernel = "two"});
  EXPECT_EQ(marks_of(lines), "  -  ");
  EXPECT_EQ(lines[2].number, 0);
}

TEST(DemoLines, MarkAChangedSignatureButDoNotKeepItForThat) {
  const std::string fewer = "__global__ void two(int* x,\n int n) {\n  x[0] = 1;\n  x[1] = n;\n}\n";
  const auto lines = demo_lines({.text = fewer, .kernel = "two", .base = file, .base_kernel = "one"});
  EXPECT_EQ(marks_of(lines), "~+ ~ ");
  EXPECT_FALSE(lines[0].matters);
  EXPECT_FALSE(lines[1].matters);
  EXPECT_TRUE(lines[3].matters);
}

TEST(DemoLines, CanCallTheKernelSomethingElse) {
  EXPECT_EQ(demo_lines({.text = file, .kernel = "one", .shown_as = "kernel"}).front().text,
            "__global__ void kernel(int* x) {");
}

TEST(DemoSourceRows, AreCutAroundWhatMatters) {
  std::vector<DemoLine> lines;
  for (int number = 1; number <= 30; ++number)
    lines.push_back({number, ' ', "line " + std::to_string(number)});
  lines[0].text = "__global__ void line_1() {";
  lines[19].matters = true;
  const auto rows = demo_source_rows(lines, 40, 6);
  EXPECT_LE(rows.size(), 6U);
  std::string text;
  for (const std::string& row : rows) text += row + "\n";
  EXPECT_TRUE(contains(text, "  20   line 20")) << text;
  EXPECT_TRUE(contains(text, "...")) << text;
  EXPECT_TRUE(contains(text, "line_1() {\n")) << "the kernel's name\n" << text;
}

TEST(DemoSourceRows, GiveNoRowToWhatIsLeftOutAboveAndBelow) {
  std::vector<DemoLine> lines;
  for (int number = 1; number <= 30; ++number)
    lines.push_back({number, ' ', "line " + std::to_string(number)});
  lines[18].is_named = lines[20].matters = true;
  EXPECT_EQ(demo_source_rows(lines, 40, 3),
            (std::vector<std::string>{"  19   line 19", "  20   line 20", "  21   line 21"}));
}

TEST(DemoSourceRows, ShowAllWhereThereIsRoomAndWrapLongLines) {
  const std::vector<DemoLine> lines{{1, ' ', "  " + std::string(20, 'a') + " " + std::string(20, 'b')},
                                    {2, '+', "}"}};
  const auto rows = demo_source_rows(lines, 40, 10);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[2], "   2 + }");
  for (const std::string& row : rows) EXPECT_LE(display_width(row), 40U);
}

struct Scene {
  Scene() {
    demo.steps.push_back({.name = "first", .text = "Something to know.", .run = {"one"}});
    demo.steps[0].question = DemoQuestion{"What comes out?",
                                          {DemoAnswer::Kind::result, {"one"}},
                                          {{.word = "right", .text = "the sum", .tempting = "as in a loop"},
                                           {.word = "race", .text = "a race", .because = "Nobody waits."}}};
    demo.steps.push_back({.name = "second"});
    reveal.answer = "a race, right this time";
    reveal.choice = 1;
    reveal.findings = {{"one", "thread 1 reads in line 5 what thread 2 wrote", {5}}};
    lines = demo_lines({.text = file, .kernel = "one"});
  }
  DemoScene scene(bool is_revealed) const {
    return {.demo = &demo,
            .problem = "simulated: 100 int32",
            .source = "file.cu",
            .lines = lines,
            .votes = {3, 1},
            .reveal = is_revealed ? &reveal : nullptr};
  }
  Demo demo{.lesson = "histogram"};
  DemoReveal reveal;
  std::vector<DemoLine> lines;
};

std::string screen(const DemoScene& scene, unsigned width, std::size_t rows) {
  std::string text;
  const auto lines = demo_screen(scene, {.colour = false, .width = width}, rows);
  EXPECT_EQ(lines.size(), rows);
  for (const std::string& line : lines) {
    EXPECT_LE(display_width(line), width) << line;
    text += line + "\n";
  }
  return text;
}

TEST(DemoScreen, AsksBeforeItTells) {
  const Scene scene;
  const std::string text = screen(scene.scene(false), 80, 24);
  for (const char* part : {"histogram   step 1 of 2: first", "simulated: 100 int32", "   5     x[0] = 1;",
                           "Something to know.", "What comes out?\n", "\n4 voted ---", "  1  the sum\n",
                           "[1 first]  2 second", "space run", "1-2 vote"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
  EXPECT_FALSE(contains(text, "Nobody waits."));
}

TEST(DemoScreen, TellsTheAnswerItsReasonAndHowManyHadIt) {
  const Scene scene;
  const std::string text = screen(scene.scene(true), 80, 24);
  for (const char* part :
       {"> 2  a race   (1)", "IT IS: a race, right this time   1 of 4 votes", "Nobody waits.",
        "one: thread 1 reads in line 5", "not 1: as in a loop", "space next"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

TEST(DemoScreen, LeavesOutFirstWhatNobodyVotedForAndThenWholeReasons) {
  Scene scene;
  auto& choices = scene.demo.steps[0].question->choices;
  choices.push_back({.word = "wrong", .text = "a wrong sum", .tempting = "it is often so"});
  choices.push_back(
      {.word = "fault", .text = "it stops", .tempting = "it would be kind " + std::string(90, 'x')});
  DemoScene shown = scene.scene(true);
  shown.votes = {3, 1, 0, 2};
  const std::string ample = screen(shown, 80, 24);
  EXPECT_TRUE(contains(ample, "  3  a wrong sum")) << ample;
  EXPECT_FALSE(contains(ample, "t shows the rest"));
  const std::string tight = screen(shown, 80, 21);
  EXPECT_FALSE(contains(tight, "a wrong sum")) << tight;
  EXPECT_TRUE(contains(tight, "not 1: as in a loop")) << tight;
  EXPECT_FALSE(contains(tight, "it would be kind")) << tight;
  EXPECT_TRUE(contains(tight, "\n... t shows the rest ---")) << tight;
}

TEST(DemoScreen, SpendsNoRowOnTheWordVotes) {
  Scene scene;
  scene.reveal.answer = std::string(63, 'x');
  EXPECT_TRUE(contains(screen(scene.scene(true), 80, 24), "x   1 of 4\n"));
  scene.reveal.answer = std::string(58, 'x');
  EXPECT_TRUE(contains(screen(scene.scene(true), 80, 24), "x   1 of 4 votes\n"));
}

TEST(DemoScreen, HasTheSourceBesideTheQuestionWhereThereIsRoom) {
  const Scene scene;
  EXPECT_TRUE(contains(screen(scene.scene(false), 120, 30), "| Something to know."));
  EXPECT_FALSE(contains(screen(scene.scene(false), 119, 30), "| Something to know."));
}

TEST(DemoScreen, FitsAnyTerminal) {
  const Scene scene;
  for (const unsigned width : {40U, 80U, 133U, 400U})
    for (const std::size_t rows : {10U, 24U, 100U})
      for (const bool is_revealed : {false, true}) screen(scene.scene(is_revealed), width, rows);
}

TEST(DemoScreen, SaysThatNoChoiceFitsAndThatThereIsNoAnswer) {
  Scene scene;
  scene.reveal.choice.reset();
  EXPECT_TRUE(contains(screen(scene.scene(true), 100, 30), "which is none of the choices"));
  scene.reveal.unknown = "the time of one needs a GPU";
  const std::string text = screen(scene.scene(true), 100, 30);
  EXPECT_TRUE(contains(text, "no answer here: the time of one needs a GPU"));
  EXPECT_FALSE(contains(text, "not 1:")) << "nobody knows";
}

TEST(DemoScreen, GivesALongMessageTwoRows) {
  const Scene of;
  DemoScene scene = of.scene(false);
  scene.message = "the file " + std::string(70, 'x') + " cannot be read";
  EXPECT_TRUE(contains(screen(scene, 80, 24), "xx\ncannot be read\n"));
  scene.message = std::string(400, 'x');
  screen(scene, 80, 24);
}

TEST(DemoNotes, AreForTheInstructorAlone) {
  Scene scene;
  scene.demo.steps[0].say = "Ask twice.";
  scene.demo.steps[0].minutes = 3;
  const std::string notes = demo_notes(scene.demo, 0, nullptr);
  EXPECT_TRUE(contains(notes, "== histogram, step 1 of 2: first (3 minutes)")) << notes;
  EXPECT_TRUE(contains(notes, "say: Ask twice."));
  EXPECT_FALSE(contains(screen(scene.scene(false), 80, 24), "Ask twice."));
  EXPECT_TRUE(contains(demo_notes(scene.demo, 0, &scene.reveal), "the answer: a race"));
}

}  // namespace
}  // namespace gpulab::teach
