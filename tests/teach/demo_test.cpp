#include "teach/demo.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "check/explanations.hpp"
#include "check/folder_fixture.hpp"
#include "check/progress.hpp"
#include "cli/demo_stage.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "run/kernels_folder.hpp"
#include "run/run_options.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

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
  EXPECT_EQ(marks_of(lines), "  +~ ");
  EXPECT_TRUE(lines[2].matters);
}

TEST(DemoLines, HaveAUsedFunctionWithSomethingToLookAt) {
  const std::string text =
      "// Adds.\n__device__ float add(float x) {\n  return x + 1;\n}\n__global__ void k(float* x) {\n"
      "  x[0] = add(x[1]);\n}\n";
  EXPECT_EQ(demo_lines({.text = text, .kernel = "k", .look_at = {"add("}}).front().number, 5);
  const auto lines = demo_lines({.text = text, .kernel = "k", .look_at = {"x + 1"}});
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines.front().number, 2) << "without the comment above it";
  EXPECT_TRUE(lines[1].matters);
}

TEST(DemoLines, PairTheMostSimilarLinesWhateverTheirIndents) {
  const auto kernel = [](const std::string& body) { return "__global__ void k(int* x) {\n" + body + "}\n"; };
  const std::string base = kernel("  x[0] = y[1];\n  if (x[2])\n    x[3] = 4;\n\n  __syncthreads();\n");
  const auto marks = [&](const std::string& body) {
    return marks_of(demo_lines({.text = kernel(body), .kernel = "k", .base = base, .base_kernel = "k"}));
  };
  EXPECT_EQ(marks("  __syncthreads();\n  x[0] = y[2];\n  if (x[2])\n    x[3] = 4;\n\n  __syncthreads();\n"),
            " +~     ");
  EXPECT_EQ(marks("  x[0] = y[1];\n  if (x[2])\n  x[3] = 4;\n"), "    - ") << "no empty line is gone";
}

TEST(DemoLines, KeepLinesThatAreGone) {
  const std::string shorter = "__global__ void two(int* x) {\n  x[0] = 1;\n  x[1] = 3;\n}\n";
  const auto lines = demo_lines({.text = shorter, .kernel = "two", .base = file, .base_kernel = "two"});
  EXPECT_EQ(marks_of(lines), "  -  ");
  EXPECT_EQ(lines[2].number, 0);
}

TEST(DemoLines, MarkAChangedSignatureAsOneThatDoesNotMatter) {
  const std::string fewer = "__global__ void two(int* x,\n int n) {\n  x[0] = 1;\n  x[1] = n;\n}\n";
  const auto lines = demo_lines({.text = fewer, .kernel = "two", .base = file, .base_kernel = "one"});
  EXPECT_EQ(marks_of(lines), "~+ ~ ");
  EXPECT_FALSE(lines[0].matters);
  EXPECT_FALSE(lines[1].matters);
  EXPECT_TRUE(lines[3].matters);
}

TEST(DemoLines, ShowTheKernelUnderAnotherName) {
  EXPECT_EQ(demo_lines({.text = file, .kernel = "one", .shown_as = "kernel"}).front().text,
            "__global__ void kernel(int* x) {");
}

TEST(DemoLines, HideBeforeTheVoteWhereTheyDiffer) {
  const auto hidden =
      without_marks(demo_lines({.text = "__global__ void one(int* x) {\n  x[0] = 1;\n  x[1] = 3;\n}\n",
                                .kernel = "one",
                                .base = file,
                                .base_kernel = "two"}));
  EXPECT_EQ(marks_of(hidden), "    ") << "no mark, and no line that is gone";
  EXPECT_TRUE(hidden[1].is_beside_gone);
  EXPECT_FALSE(hidden[1].matters);
  EXPECT_TRUE(hidden[2].is_beside_gone);
}

TEST(DemoLines, KeepWhatAnEditHasChanged) {
  const std::string edited = "__global__ void one(int* x) {\n  x[0] = 1;\n  __syncthreads();\n}\n";
  std::vector<DemoLine> lines = without_marks(demo_lines({.text = edited}));
  keep_edited(edited, "__global__ void one(int* x) {\n  x[0] = 1;\n}\n", lines);
  for (const DemoLine& line : lines) EXPECT_EQ(line.matters, line.number == 3) << line.text;
}

TEST(DemoLines, HaveNoCommentsBeforeTheVote) {
  const std::vector<DemoLine> lines = without_comments(std::vector<DemoLine>{
      {1, ' ', "{"}, {2, ' ', "  // tells"}, {3, ' ', ""}, {4, '+', "  f();  // tells"}, {5, ' ', "}"}});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[1].number, 3);
  EXPECT_EQ(lines[2].text, "  f();");
  EXPECT_EQ(lines[2].mark, '+');
}

TEST(WithoutComments, LeavesTheCodeAndItsLines) {
  EXPECT_EQ(
      without_comments(
          "// tells\nint a;  // it is wrong\n\n  /* two\n lines */\nchar b[] = \"// text\"; /* c */ int d;\n"),
      "int a;\n\nchar b[] = \"// text\";  int d;\n");
}

TEST(Anonymised, HidesCommentsAndOtherKernelsAndCanBeRestored) {
  const std::string whole = "constexpr int n = 2;  // half\n\n" + file;
  EXPECT_EQ(anonymised(whole, "two", "kernel"),
            std::string(10, '\n') +
                "__global__ void kernel(int* x) {\n  x[0] = 1;\n  __syncthreads();\n  x[1] = 3;\n}\n");
  const std::string back =
      restored("__global__ void kernel(int* x) {\n  x[0] = 7;\n}\n", whole, "two", "kernel");
  EXPECT_TRUE(back.starts_with("__global__ void two(int* x) {\n  x[0] = 7;\n}\n")) << back;
  EXPECT_TRUE(contains(back, "__global__ void one(int* x) {")) << "a step may run it, too";
  EXPECT_EQ(back.find("void two", back.find("void two") + 1), std::string::npos) << back;
  EXPECT_EQ(anonymised("int main() {}  // right\n", "", "x"), "int main() {}\n");
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
  EXPECT_TRUE(contains(text, "  20   line 20"));
  EXPECT_TRUE(contains(text, "..."));
  EXPECT_TRUE(contains(text, "line_1() {\n")) << "the kernel's name\n" << text;
}

TEST(DemoSourceRows, KeepWhatTheStepSaysToLookAtBeforeOtherChanges) {
  std::vector<DemoLine> lines;
  for (int number = 1; number <= 30; ++number)
    lines.push_back({number, '+', "line " + std::to_string(number), /*matters=*/true});
  lines[24].is_to_look_at = true;
  const auto rows = demo_source_rows(lines, 40, 6);
  EXPECT_NE(std::ranges::find(rows, "  25 + line 25"), rows.end());
}

TEST(DemoSourceRows, HaveLinesBesideAChangeBeforeThoseBesideALineToLookAt) {
  std::vector<DemoLine> lines;
  for (int number = 1; number <= 30; ++number)
    lines.push_back({number, ' ', "line " + std::to_string(number)});
  lines[4].is_to_look_at = lines[4].matters = lines[19].matters = true;
  lines[19].mark = '~';
  EXPECT_EQ(demo_source_rows(lines, 40, 7),
            (std::vector<std::string>{"   5   line 5", "     ...", "  18   line 18", "  19   line 19",
                                      "  20 ~ line 20", "  21   line 21", "  22   line 22"}));
}

TEST(DemoSourceRows, HaveLinesThatAreNamedBeforeThoseOfTheHostAndThoseToLookAt) {
  std::vector<DemoLine> lines(4, {.text = "host", .matters = true, .is_named = true});
  for (int number = 1; number <= 9; ++number)
    lines.push_back({.number = number, .text = "line " + std::to_string(number), .matters = true});
  lines.back().is_named = true;
  EXPECT_EQ(demo_source_rows(lines, 40, 3),
            (std::vector<std::string>{"       host", "     ...", "   9   line 9"}));
}

TEST(DemoSourceRows, LeaveOutTheNameOfAnotherKernelAndRemarksThatTakeARow) {
  std::vector<DemoLine> lines =
      demo_lines({.text = "__global__ void other(int* x) {\n  x[0] = 1;\n}\n\n"
                          "__device__ int one(int i) {\n  ++i;  // a remark that is long, too long for it\n"
                          "  ++i;\n  ++i;\n  return i;\n}\n"});
  lines[5].matters = true;
  EXPECT_EQ(demo_source_rows(lines, 40, 2),
            (std::vector<std::string>{"   5   __device__ int one(int i) {", "   6     ++i;"}));
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

// Returns the rows of a long file in which one line matters and the last `named` lines are named.
std::vector<std::string> rows_of_a_long_file(std::size_t rows, int line_that_matters, std::size_t named = 0) {
  std::string text = "__device__ int one(int i) {\n  return i;\n}\n__global__ void k(int* x) {\n";
  for (int i = 0; i < 20; ++i) text += "  x[" + std::to_string(i) + "] = one(0);\n";
  std::vector<DemoLine> lines = demo_lines({.text = text + "}\n"});
  lines.at(line_that_matters - 1).matters = true;
  for (std::size_t i = lines.size() - named; i < lines.size(); ++i) lines[i].is_named = true;
  return demo_source_rows(lines, 40, rows, SourceCut::points_at_nothing);
}

TEST(DemoSourceOfAMistake, HasWholeFunctionsOrManyLinesAroundTheMistake) {
  const auto helper = rows_of_a_long_file(5, 2);
  EXPECT_EQ(helper.size(), 5U);
  EXPECT_EQ(helper.front(), "   1   __device__ int one(int i) {") << "the whole function";
  EXPECT_EQ(helper[3], "   4   __global__ void k(int* x) {") << "and the first line of the next one";
  const auto kernel = rows_of_a_long_file(10, 12);
  EXPECT_EQ(kernel.front(), "   4   __global__ void k(int* x) {");
  EXPECT_EQ(kernel[1], "     ...");
  EXPECT_EQ(kernel.size(), 10U);
  EXPECT_NE(std::ranges::find(kernel, "  12     x[7] = one(0);"), kernel.end());
  EXPECT_NE(kernel[5], "  12     x[7] = one(0);") << "the middle would give it away";
  const auto with_calls = rows_of_a_long_file(10, 12, 8);
  for (const char* row : {"  10     x[5] = one(0);", "  14     x[9] = one(0);"})
    EXPECT_NE(std::ranges::find(with_calls, row), with_calls.end()) << "lines around it come before calls";
}

// A demo of two steps, with the scenes of its first one.
struct PlayedDemo {
  PlayedDemo() {
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
  DemoScene before_vote() const {
    return {.demo = &demo,
            .problem = "simulated: 100 int32",
            .source = "file.cu",
            .lines = lines,
            .votes = {3, 1}};
  }
  DemoScene after_vote() const {
    DemoScene scene = before_vote();
    scene.reveal = &reveal;
    return scene;
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

TEST(DemoAnswer, OfAnEditedKernelLeavesOutTheReasonsForTheCoursesKernel) {
  PlayedDemo edited;
  edited.demo.steps[0].because = "Why it is so.";
  DemoScene scene = edited.after_vote();
  const std::string before = screen(scene, 80, 30);
  for (const char* reason : {"Nobody waits.", "as in a loop", "Why it is so."})
    EXPECT_NE(before.find(reason), std::string::npos) << reason;
  scene.is_edited = true;
  const std::string after = screen(scene, 80, 30);
  for (const char* reason : {"Nobody waits.", "as in a loop", "Why it is so."})
    EXPECT_EQ(after.find(reason), std::string::npos) << reason;
  EXPECT_NE(after.find("This kernel was edited"), std::string::npos) << after;
  EXPECT_NE(after.find("thread 1 reads in line 5"), std::string::npos) << after;
}

TEST(DemoAnswer, SaysOnceWhyAllKernelsFailed) {
  PlayedDemo failed;
  failed.reveal.result = LessonResult{};
  for (const char* name : {"one", "two"}) {
    VariantResult row{.name = name};
    row.observed = Outcome::faults;
    row.explanation = "the call failed";
    failed.reveal.result->variants.push_back(row);
  }
  const std::string text = screen(failed.after_vote(), 80, 40);
  EXPECT_TRUE(contains(text, "two")) << text;
  EXPECT_EQ(text.find("the call failed"), text.rfind("the call failed")) << text;
  EXPECT_TRUE(contains(text, "the call failed")) << text;
}

TEST(DemoAnswer, OfAnEditedKernelMayBeThatNothingIsWrong) {
  using Kind = DemoAnswer::Kind;
  DemoStep step{.question = DemoQuestion{"?",
                                         {Kind::wrong_elements, {"one"}},
                                         {{.below = 1, .text = "none"}, {.least = 1, .text = "all"}}}};
  const DemoStep edited = with_choices_for_any_kernel(step);
  EXPECT_EQ(choice_of(*edited.question, 0), 0U);
  EXPECT_EQ(choice_of(*edited.question, 7), std::nullopt);
}

TEST(DemoAnswer, MarksAnEditedKernelAndAWrongResult) {
  PlayedDemo wrong;
  wrong.demo.steps[0].shown = "one";
  wrong.demo.steps[0].edits.push_back({"", {}, {}});
  wrong.reveal.result = LessonResult{};
  VariantResult row{.name = "one", .expected = Outcome::wrong};
  row.observed = Outcome::wrong;
  wrong.reveal.result->variants.push_back(row);
  const std::string text = screen(wrong.after_vote(), 80, 40);
  EXPECT_TRUE(contains(text, "one, edited  WRONG")) << text;
}

TEST(DemoAnswer, OfARecordedTimeHasNoTableOfTheSmallSimulation) {
  PlayedDemo played;
  played.reveal.result = LessonResult{};
  VariantResult row{.name = "one"};
  row.observed = Outcome::right;
  played.reveal.result->variants.push_back(row);
  const bool is_simulated = played.reveal.result->simulated();
  EXPECT_TRUE(contains(screen(played.after_vote(), 80, 40), "variant"));
  played.reveal.recorded = {{"one", 0.001, "s"}};
  const std::string text = screen(played.after_vote(), 80, 40);
  EXPECT_TRUE(contains(text, "recorded: one")) << text;
  EXPECT_EQ(contains(text, "variant"), !is_simulated) << text;
}

TEST(DemoScreen, LeavesOutATableOfRightKernelsBeforeALineOfTheKernel) {
  PlayedDemo played;
  std::string body;
  for (int i = 0; i < 10; ++i) body += fmt::format("  x[{}] = {};\n", i, i);
  played.lines = demo_lines({.text = "__global__ void one(int* x) {\n" + body + "}\n", .kernel = "one"});
  played.reveal.result = LessonResult{};
  played.reveal.result->device.kind = "simulator";
  VariantResult row{.name = "one"};
  row.observed = Outcome::right;
  played.reveal.result->variants.push_back(row);
  const auto has_both = [&](std::size_t rows) {
    const std::string text = screen(played.after_vote(), 80, rows);
    return contains(text, "(part") && contains(text, "variant  result");
  };
  EXPECT_TRUE(contains(screen(played.after_vote(), 80, 40), "variant  result"));
  for (std::size_t rows = 18; rows < 40; ++rows) EXPECT_FALSE(has_both(rows)) << rows;
  played.reveal.result->variants[0].observed = Outcome::wrong;
  EXPECT_TRUE(has_both(24)) << "it says what is wrong";
}

TEST(DemoScreen, ShowsTheLaunchAlsoWhereTheKernelIsCut) {
  PlayedDemo played;
  played.demo.steps[0].launch = "Launched as <<<2, 32>>>. ";
  EXPECT_TRUE(contains(screen(played.before_vote(), 80, 21), "Launched as <<<2, 32>>>."));
}

TEST(DemoScreen, ShowsTheQuestionAndNoReasonBeforeTheVote) {
  const PlayedDemo played;
  const std::string text = screen(played.before_vote(), 80, 24);
  for (const char* part : {"histogram   step 1 of 2: first", "simulated: 100 int32", "   5     x[0] = 1;",
                           "Something to know.", "What comes out?\n", "\n4 voted ---", "  1  the sum\n",
                           "[1 first]  2 second", "space run", "1-2 vote"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
  EXPECT_FALSE(contains(text, "Nobody waits."));
}

TEST(DemoScreen, ShowsTheAnswerItsReasonAndItsVotes) {
  const PlayedDemo played;
  const std::string text = screen(played.after_vote(), 80, 24);
  for (const char* part :
       {"> 2  a race   (1)", "\n1 of 4 votes ---", "IT IS: a race, right this time\n", "Nobody waits.",
        "one: thread 1 reads in line 5", "not 1: as in a loop", "space next"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

TEST(DemoScreen, LeavesOutTheSourceThenReasonsOfFewVotesAndKeepsTheChoices) {
  PlayedDemo played;
  auto& choices = played.demo.steps[0].question->choices;
  choices.push_back(
      {.word = "wrong", .text = "a wrong " + std::string(80, 's'), .tempting = "it is often so"});
  choices.push_back(
      {.word = "fault", .text = "it stops", .tempting = "it would be kind " + std::string(90, 'x')});
  DemoScene shown = played.after_vote();
  shown.lines[1].is_named = true;
  shown.votes = {3, 1, 0, 2};
  const std::string ample = screen(shown, 80, 26);
  EXPECT_TRUE(contains(ample, "\n     sss")) << ample;
  EXPECT_FALSE(contains(ample, "t shows the rest"));
  for (const std::size_t rows : {21U, 20U}) {
    const std::string tight = screen(shown, 80, rows);
    for (const char* part : {"  1  the sum   (3)", "> 2  a race   (1)", "  4  it stops   (2)",
                             "not 1: as in a loop", "not 4: it would be kind", "   5     x[0] = 1;"})
      EXPECT_TRUE(contains(tight, part)) << part << "\n" << tight;
  }
  const std::string scarce = screen(shown, 80, 16);
  EXPECT_TRUE(contains(scarce, "not 1: as in a loop")) << scarce;
  EXPECT_FALSE(contains(scarce, "not 4:")) << "fewer chose it\n" << scarce;
  EXPECT_TRUE(contains(scarce, "  4  it stops")) << scarce;
  EXPECT_FALSE(contains(scarce, "  3  a wrong s")) << "nobody chose it\n" << scarce;
}

TEST(DemoText, OfAResultHasAllChoices) {
  PlayedDemo played;
  auto& choices = played.demo.steps[0].question->choices;
  choices.push_back({.word = "fault", .text = "it stops"});
  DemoScene shown = played.after_vote();
  shown.votes.resize(choices.size());
  const std::string text = demo_text(shown, {.colour = false, .width = 80}, Tables::left_out);
  EXPECT_TRUE(contains(text, "  3  it stops\n")) << "nobody chose it\n" << text;
}

TEST(DemoSourceRows, OfAMistakeHaveWhatIsGoneBeforeWhatAReasonQuotes) {
  std::vector<DemoLine> lines;
  for (int number = 1; number < 20; ++number) lines.push_back({.number = number, .text = "x[1] = 1;"});
  lines[9] = {.number = 10, .text = ""};
  lines[4].is_quoted = true;
  lines[10].mark = '~', lines[10].matters = true;
  lines.push_back({.mark = '-', .text = "x[2] = 2;", .matters = true});
  const auto rows = demo_source_rows(lines, 80, 5, SourceCut::around_a_mistake);
  EXPECT_NE(std::ranges::find(rows, "  11 ~ x[1] = 1;"), rows.end());
  EXPECT_EQ(std::ranges::find(rows, "  10   "), rows.end());
  EXPECT_EQ(rows.back(), "     - x[2] = 2;");
}

TEST(DemoScreen, KeepsLinesWhoseCodeAReasonQuotes) {
  PlayedDemo played;
  std::string text = "__global__ void one(int* x) {\n";
  for (int i = 2; i < 40; ++i) text += fmt::format("  x[{}] = {};\n", i, i);
  played.lines = demo_lines({.text = text + "}\n", .kernel = "one"});
  played.demo.steps[0].question->choices[1].because =
      "Both x[7] and x[31] = 31 are stored, and 12 = 12 is not code.";
  DemoScene shown = played.after_vote();
  mark_quoted(played.demo.steps[0], &played.reveal, shown.votes, shown.lines);
  std::vector<int> quoted;
  for (const DemoLine& line : shown.lines)
    if (line.is_quoted) quoted.push_back(line.number);
  EXPECT_EQ(quoted, (std::vector{7, 31}));
  const std::string tight = screen(shown, 80, 24);
  for (const int line : quoted)
    EXPECT_TRUE(contains(tight, fmt::format("\n{:>4}     x[{}]", line, line))) << tight;
}

TEST(DemoScreen, ShowsALineOfAnotherKernelThatAFindingNames) {
  std::vector<DemoLine> lines = {
      {.text = "one<<<1, 1>>>();"}, {.number = 3, .text = "c"}, {.number = 4, .text = "d"}};
  add_named({1, 4, 5}, "a\nb\nc\nd\ne\n", lines);
  EXPECT_EQ(demo_source_rows(lines, 80, 9),
            (std::vector<std::string>{"       one<<<1, 1>>>();", "   1   a", "     ...", "   3   c",
                                      "   4   d", "   5   e"}));
}

TEST(DemoScreen, SaysWhichReasonsTheTableHas) {
  PlayedDemo played;
  DemoScene shown = played.after_vote();
  EXPECT_FALSE(contains(screen(shown, 80, 24), "why not")) << "all are on the screen";
  shown.votes = {0, 1};
  EXPECT_TRUE(contains(screen(shown, 80, 24), "\n... t shows why not 1 ---")) << screen(shown, 80, 24);
  EXPECT_TRUE(
      contains(demo_text(shown, {.colour = false, .width = 80}, Tables::left_out), "not 1: as in a loop"));
}

TEST(DemoSource, HasTheNumbersOfTheScreenInTheWholeKernel) {
  const std::string text =
      "__device__ int f() {\n  return 1;\n}\n\n__global__ void other() {}\n\n// Calls f.\n__global__ void one(int* x) {\n  x[0] = f();\n}\n";
  const std::string shown = whole_source_text(
      demo_lines({.text = text, .kernel = "one", .has_all_used = true}), {.colour = false, .width = 80});
  EXPECT_TRUE(shown.starts_with("   1   __device__ int f() {\n   2     return 1;\n")) << shown;
  EXPECT_TRUE(
      contains(shown, "   7   // Calls f.\n   8   __global__ void one(int* x) {\n   9     x[0] = f();\n"))
      << shown;
  EXPECT_FALSE(contains(shown, "other")) << shown;
}

TEST(DemoScreen, KeepsTheLinesThatTheAnswerNamesBeforeReasons) {
  PlayedDemo played;
  std::string text = "__global__ void one(int* x) {\n";
  for (int i = 2; i < 20; ++i) text += fmt::format("  x[{}] = {};\n", i, i);
  played.lines = demo_lines({.text = text + "}\n", .kernel = "one"});
  played.demo.steps[0].question->choices[1].because = "Line 4 stores, and lines 8 and 12 read.";
  for (int i = 0; i < 4; ++i)
    played.demo.steps[0].question->choices.push_back(
        {.word = "wrong", .text = "wrong", .tempting = "One would think so."});
  DemoScene shown = played.after_vote();
  shown.votes = {1, 1, 1, 1, 1, 1};
  for (DemoLine& line : shown.lines)
    line.is_named = lines_named(played.reveal, played.demo.steps[0]).contains(line.number);
  const std::string tight = screen(shown, 80, 24);
  for (const int line : {4, 5, 8, 12})
    EXPECT_TRUE(contains(tight, fmt::format("\n{:>4}     x[{}]", line, line))) << line << "\n" << tight;
  EXPECT_TRUE(contains(tight, "not 1: ")) << tight;
}

TEST(DemoScreen, HasTheSourceAndTheQuestionInItsRules) {
  PlayedDemo played;
  played.demo.steps[0].text.clear();
  const std::string text = screen(played.before_vote(), 80, 24);
  EXPECT_TRUE(contains(text, "\nWhat comes out? ---------")) << text;
  EXPECT_TRUE(contains(text, ".cu ---------")) << text;
}

TEST(DemoScreen, CutsNoHeadingOfTheSource) {
  PlayedDemo played;
  DemoScene shown = played.before_vote();
  shown.source = "matmul.cu, edited 14:03:21";
  shown.compared_with = "before your edit";
  shown.lines[1].mark = '~', shown.lines[2].mark = '+';
  for (int i = 0; i < 40; ++i) shown.lines.push_back({.number = 10 + i, .text = "more"});
  EXPECT_TRUE(contains(screen(shown, 80, 24),
                       "edited 14:03:21 (part) ------ ~ changed  + new since before your edit\n"))
      << screen(shown, 80, 24);
  shown.lines[3].mark = '-';
  EXPECT_TRUE(contains(screen(shown, 80, 24), " ~ changed  + new  - gone\n")) << screen(shown, 80, 24);
}

TEST(DemoScreen, NamesTheLimitsOfATimeThatItsWordsLeaveOpen) {
  PlayedDemo played;
  played.demo.steps[0].question->answer = {DemoAnswer::Kind::times_as_fast, {"one", "two"}};
  played.demo.steps[0].question->choices = {{.below = 1.5, .text = "hardly"},
                                            {.least = 1.5, .below = 4, .text = "two or three times"},
                                            {.least = 4, .text = "4 times and more"}};
  const std::string asked = screen(played.before_vote(), 80, 24);
  for (const char* part : {"hardly (below 1.5)\n", "two or three times (1.5 to 4)\n", "4 times and more\n"})
    EXPECT_TRUE(contains(asked, part)) << part << "\n" << asked;
}

TEST(DemoScreen, HasTheSourceBesideTheQuestionWhereThereIsRoom) {
  const PlayedDemo played;
  EXPECT_TRUE(contains(screen(played.before_vote(), 120, 30), "| Something to know."));
  EXPECT_FALSE(contains(screen(played.before_vote(), 119, 30), "| Something to know."));
}

TEST(DemoScreen, FitsAnyTerminal) {
  const PlayedDemo played;
  for (const unsigned width : {40U, 80U, 133U, 400U})
    for (const std::size_t rows : {10U, 24U, 100U})
      for (const DemoScene& scene : {played.before_vote(), played.after_vote()}) screen(scene, width, rows);
}

TEST(DemoScreen, SaysThatNoChoiceFitsAndThatThereIsNoAnswer) {
  PlayedDemo played;
  played.reveal.choice.reset();
  EXPECT_TRUE(contains(screen(played.after_vote(), 100, 30), "which is none of the choices"));
  played.reveal.unknown = "the time of one needs a GPU";
  const std::string text = screen(played.after_vote(), 100, 30);
  EXPECT_TRUE(contains(text, "no answer here: the time of one needs a GPU"));
  EXPECT_FALSE(contains(text, "not 1:")) << "no answer is known";
}

TEST(DemoScreen, ListsItsKeysWithinEightyColumns) {
  for (const std::string& line : lines_of(demo_keys_text())) EXPECT_LE(display_width(line), 80u) << line;
}

TEST(DemoScreen, GivesALongMessageTwoRows) {
  const PlayedDemo played;
  DemoScene scene = played.before_vote();
  scene.message = "the file " + std::string(70, 'x') + " cannot be read";
  EXPECT_TRUE(contains(screen(scene, 80, 24), "xx\ncannot be read\n"));
  scene.message = std::string(400, 'x');
  screen(scene, 80, 24);
}

TEST(DemoNotes, AreForTheInstructorAlone) {
  PlayedDemo played;
  played.demo.steps[0].say = "Ask twice.";
  played.demo.steps[0].minutes = 3;
  const std::string notes = demo_notes(played.demo, 0, nullptr);
  EXPECT_TRUE(contains(notes, "== histogram, step 1 of 2: first (3 minutes)"));
  EXPECT_TRUE(contains(notes, "say: Ask twice."));
  EXPECT_FALSE(contains(screen(played.before_vote(), 80, 24), "Ask twice."));
  const std::string answer = demo_notes(played.demo, 0, &played.reveal);
  EXPECT_TRUE(contains(answer, "the answer: a race"));
  EXPECT_TRUE(contains(answer, "because: Nobody waits."));
  const std::string of_edited = demo_notes(played.demo, 0, &played.reveal, /*is_edited=*/true);
  EXPECT_TRUE(contains(of_edited, "the answer of the edited kernel: a race")) << of_edited;
  EXPECT_FALSE(contains(of_edited, "because: ")) << of_edited;
}

TEST(DemoNotes, TellTheInstructorWhatAMistakeIs) {
  const Demo demo = mistakes_of(check::find_exercise("first-kernel").exercise);
  const std::string notes = demo_notes(demo, 0, nullptr);
  EXPECT_TRUE(contains(notes, "== first-kernel, step 1 of 14: thread-index-only (2 minutes)")) << notes;
  EXPECT_TRUE(contains(notes, "it is: only block 0's elements are stored\nbecause: ")) << notes;
}

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

TEST(DemoScript, AcceptsFilesOfWindowsAndRefusesControlCharacters) {
  const Demo demo = parsed("\xEF\xBB\xBF== a\r\ntext: Threads\r\n\tmeet.\r\n");
  EXPECT_EQ(demo.steps.at(0).name + ": " + demo.steps[0].text, "a: Threads meet.");
  EXPECT_EQ(refusal("== a\ntext: \033[2J\n"), "my.txt:2: there is a character that cannot be shown");
}

TEST(DemoScript, ComparesWithTheVariantOfTheStepBefore) {
  const Demo demo =
      parsed("== a\nshow: global-atomic\n== b\nshow: shared\n== c\nshow: shared since nothing\n");
  EXPECT_EQ(demo.steps[0].compared_with, "");
  EXPECT_EQ(demo.steps[1].compared_with, "global-atomic");
  EXPECT_EQ(demo.steps[2].compared_with, "");
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
  const Demo demo = parsed("== a\nshow: shared\nedit:\n  - old;\n+ new;\n+   newer;\n- old two;\ntext: x\n");
  ASSERT_EQ(demo.steps[0].edits.size(), 2U);
  EXPECT_EQ(demo.steps[0].edits[0].after, (std::vector<std::string>{"new;", "  newer;"}));
  EXPECT_EQ(demo.steps[0].edits[1].before, std::vector<std::string>{"old two;"});
}

TEST(DemoScript, IsRefusedWithTheLineOfItsError) {
  EXPECT_EQ(refusal(""), "my.txt:1: there is no step: a step begins with a line '== NAME'");
  EXPECT_TRUE(contains(refusal("text: early\n"), "my.txt:1: only 'with'"));
  EXPECT_TRUE(contains(refusal("== a\nshow: sharde\n"),
                       "my.txt:2: shared-histogram has no variant 'sharde'; did you mean 'shared'?"));
  EXPECT_TRUE(contains(refusal("== a\nwhat: x\n"), "my.txt:2: 'what: x' does not begin with a word"));
  EXPECT_TRUE(contains(refusal("== a\n" + question + "choice right: again\n"),
                       "my.txt:6: two choices fit the same answer"));
  EXPECT_TRUE(
      contains(refusal("== a\nask: x\nanswer: launches of shared\n== b\n"), "fewer than two choices"));
  EXPECT_TRUE(contains(refusal("== a\nask: x\nanswer: nonsense\n"), "no run can answer"));
  EXPECT_TRUE(
      contains(refusal("== a\nask: x\nanswer: bogus of shared\n"), "my.txt:3: shared-histogram shows no"));
  EXPECT_TRUE(contains(refusal("== a\nask: x\nanswer: threads of shared\nchoice many: x\n"), "'many'"));
  EXPECT_TRUE(
      contains(refusal("== a\nask: x\nanswer: threads of shared\nchoice 1 to 5: x\nchoice 4 or more: y\n"),
               "two choices fit"));
  EXPECT_TRUE(contains(refusal("== a\ntempting: x\n"), "'ask' comes first"));
  EXPECT_EQ(refusal("== a\nask: x\nanswer: result of shared\nchoice riht: it is right\n"),
            "my.txt:4: 'riht' cannot be the answer; did you mean 'right'?");
  EXPECT_TRUE(contains(refusal("== a\nask: x\nanswer: fastest of shared, global-atomic\nchoice plain: x\n"),
                       "my.txt:4: 'plain' cannot be the answer; there are shared, global-atomic"));
  EXPECT_EQ(
      refusal("== a\nshow: shared since nothing\nkernel: histogram_sharde\n"),
      "my.txt:3: step a shows a kernel 'histogram_sharde', which the file of shared does not have; did you "
      "mean 'histogram_shared'?");
  EXPECT_TRUE(contains(refusal("== a\n== a\n"), "two steps a"));
  EXPECT_TRUE(contains(refusal("== a\nminutes: long\n"), "'long' is not a number"));
}

const char* recorded_csv =
    "lesson,options,variant,figure,unit,value,gpus,date\n"
    "shared-histogram,--size 7,shared,seconds,s,0.002,2 GPUs,today\n"
    "shared-histogram,--size 7,global-atomic,seconds,s,0.009,2 GPUs,today\n"
    "shared-histogram,--size 7,wrong-merge,seconds,s,0.001,2 GPUs,later\n";

class RevealTest : public testing::Test {
 protected:
  DemoReveal revealed(const std::string& step, std::size_t size = 4096,
                      const std::optional<std::filesystem::path>& kernels = {}) {
    const Lesson lesson = cli::find_lesson("histogram");
    const Demo demo = parse_script("== a\n" + step, lesson, "test");
    run::RunOptions options{.settings = lesson.default_settings()};
    options.settings.size = size;
    options.kernels = kernels;
    return reveal(demo.steps.front(), lesson, options, *simulator::simulator_with(""),
                  Recorded(recorded_csv));
  }
};

TEST_F(RevealTest, SaysThatAKernelIsRight) {
  const DemoReveal reveal = revealed("ask: x\nanswer: result of shared\nchoice wrong: w\nchoice right: r\n");
  EXPECT_EQ(reveal.answer, "r (right)") << "in the words of the choice";
  EXPECT_EQ(reveal.choice, 1U);
  EXPECT_TRUE(reveal.findings.empty());
}

TEST_F(RevealTest, CallsARaceARaceWhateverCameOutAndNamesBothLines) {
  const DemoReveal reveal =
      revealed("ask: x\nanswer: result of shared-unsynchronised\nchoice right: r\nchoice race: a race\n");
  EXPECT_TRUE(reveal.answer.starts_with("a race, ")) << reveal.answer;
  EXPECT_EQ(reveal.choice, 1U);
  ASSERT_EQ(reveal.findings.size(), 1U);
  EXPECT_EQ(reveal.findings.front().lines.size(), 2U);
  EXPECT_NE(reveal.findings.front().text.find("nothing orders the two"), std::string::npos);
}

TEST_F(RevealTest, ComputesASpeedUpFromRecordedTimesWhereThereIsNoGpu) {
  const DemoReveal reveal = revealed(
      "ask: x\nanswer: times as fast shared as global-atomic\nchoice below 4: a\nchoice 4 to 5: b\n");
  EXPECT_EQ(reveal.answer, "4.50 times as fast");
  EXPECT_EQ(reveal.choice, 1U);
  EXPECT_EQ(reveal.basis, "recorded with --size 7 on 2 GPUs, today");
}

TEST_F(RevealTest, NamesBothDaysOnWhichTimesWereRecorded) {
  const DemoReveal reveal = revealed(
      "ask: x\nanswer: fastest of shared, global-atomic, wrong-merge\nchoice shared: a\n"
      "choice wrong-merge: b\n");
  EXPECT_EQ(reveal.basis, "recorded with --size 7 on 2 GPUs, today and later");
}

TEST_F(RevealTest, HasNoAnswerWhereNothingWasRecorded) {
  const DemoReveal reveal = revealed(
      "ask: x\nanswer: fastest of shared, private-copies\nchoice shared: a\nchoice private-copies: b\n");
  EXPECT_EQ(reveal.unknown, "the time of private-copies needs a GPU");
  EXPECT_FALSE(reveal.choice);
}

TEST_F(RevealTest, HasNoRecordedTimeOfAnEditedKernelButSaysWhatIsWrongWithIt) {
  const run::KernelsFolder folder;
  std::string text = run::embedded_kernel_file("shared_histogram.cu");
  const std::string barrier = "__syncthreads();";
  for (std::size_t at = 0; (at = text.find(barrier, at)) != std::string::npos;)
    text.erase(at, barrier.size());
  folder.write("shared_histogram.cu", text);
  const DemoReveal reveal =
      revealed("ask: x\nanswer: times as fast shared as global-atomic\nchoice below 4: a\nchoice 4 to 5: b\n",
               4096, folder.path());
  EXPECT_EQ(reveal.unknown, "the file has been edited, and what was recorded is of the course's kernels");
  EXPECT_FALSE(reveal.choice);
  const DemoReveal shown = revealed(
      "show: shared\nask: x\nanswer: times as fast shared as global-atomic\nchoice below 4: a\nchoice 4 to 5: b\n",
      4096, folder.path());
  EXPECT_EQ(shown.unknown, "");
  EXPECT_TRUE(shown.answer.starts_with("a race")) << shown.answer;
  ASSERT_EQ(reveal.findings.size(), 1U);
  EXPECT_NE(reveal.findings.front().text.find("nothing orders the two"), std::string::npos);
}

TEST_F(RevealTest, ExpectsNoMistakeOfAKernelThatAnEditMadeRight) {
  const run::KernelsFolder folder;
  std::string text = run::embedded_kernel_file("shared_histogram.cu");
  const std::string count_line = "if (item < size) atomicAdd(&counts[input[item]], 1);";
  text.replace(text.find(count_line), 0, "__syncthreads();\n");
  folder.write("shared_histogram.cu", text);
  const DemoReveal reveal =
      revealed("ask: x\nanswer: result of shared-unsynchronised\nchoice right: r\nchoice race: c\n", 10'007,
               folder.path());
  EXPECT_EQ(reveal.choice, 0U) << reveal.answer;
  EXPECT_EQ(reveal.result->variants.front().expected, Outcome::right);
}

TEST_F(RevealTest, RunsAnEditedKernelAtTheSizeOfTheStep) {
  const run::KernelsFolder folder;
  std::string text = run::embedded_kernel_file("shared_histogram.cu");
  const std::string guard = "if (item < size) ", count_line = guard + "atomicAdd(&output[input[item]], 1);";
  text.replace(text.find(count_line), guard.size(), "");
  folder.write("shared_histogram.cu", text);
  const DemoReveal reveal =
      revealed("ask: x\nanswer: result of global-atomic\nchoice right: r\nchoice out-of-bounds: o\n", 10'007,
               folder.path());
  EXPECT_EQ(reveal.choice, 1U);
  ASSERT_EQ(reveal.findings.size(), 1U);
  EXPECT_TRUE(reveal.findings.front().text.ends_with("past its 10 007 elements"))
      << reveal.findings.front().text;
}

TEST(DemoOfAnEditedKernel, MarksNoChoiceWhoseWordsMayBeFalse) {
  const Demo demo = parsed(
      "== a\nask: x\nanswer: result of shared\nchoice right: right: all is there\nchoice race: a race\n"
      "choice wrong: wrong: the last one is missing\n== b\nask: x\nanswer: threads of shared\n"
      "choice below 9: too few\nchoice 9 or more: one each\n");
  const DemoQuestion result = *with_choices_for_any_kernel(demo.steps[0]).question;
  EXPECT_EQ(choice_of(result, "right"), 0U);
  EXPECT_EQ(choice_of(result, "race"), 1U);
  EXPECT_FALSE(choice_of(result, "wrong"));
  EXPECT_FALSE(choice_of(*with_choices_for_any_kernel(demo.steps[1]).question, 10.0));
}

TEST_F(RevealTest, NamesThePatternOfAWrongResult) {
  const DemoReveal reveal =
      revealed("ask: x\nanswer: pattern of not-zeroed\nchoice none: right\nchoice doubled: twice\n");
  EXPECT_EQ(reveal.answer, "twice");
  EXPECT_EQ(reveal.choice, 1U);
}

TEST_F(RevealTest, CountsThreadsAndWrongElements) {
  EXPECT_EQ(
      revealed("ask: x\nanswer: threads of shared\nchoice exactly 4096: a\nchoice exactly 256: b\n").choice,
      0U);
  const DemoReveal wrong =
      revealed("ask: x\nanswer: wrong elements of not-zeroed\nchoice below 256: a\nchoice 256 or more: b\n");
  EXPECT_EQ(wrong.answer, "256 wrong elements");
  EXPECT_EQ(wrong.choice, 1U);
}

TEST_F(RevealTest, FitsNoChoiceThatDoesNotCoverTheAnswer) {
  EXPECT_FALSE(
      revealed("ask: x\nanswer: threads of shared\nchoice below 10: a\nchoice exactly 256: b\n").choice);
}

TEST_F(RevealTest, LeavesOutWhatThisDeviceCannotRun) {
  const Lesson lesson = cli::find_lesson("matmul");
  const Demo demo = parse_script(
      "== a\nsimulated with: --m 16 --n 16 --k 16\nrun: tiled, tensor-cores\n"
      "ask: x\nanswer: times as fast tensor-cores as tiled\nchoice below 2: a\nchoice 2 or more: b\n",
      lesson, "test");
  run::RunOptions options{.settings = lesson.default_settings()};
  const DemoReveal revealed = reveal(demo.steps.front(), lesson, options, *simulator::simulator_with(""),
                                     Recorded("lesson,options,variant,figure,unit,value,gpus,date\n"
                                              "matmul,--m 7,tiled,seconds,s,4,a GPU,today\n"
                                              "matmul,--m 7,tensor-cores,seconds,s,1,a GPU,today\n"));
  ASSERT_TRUE(revealed.result);
  EXPECT_EQ(revealed.result->variants.size(), 1U);
  EXPECT_EQ(revealed.answer, "4 times as fast");
}

TEST(DemoOfMistakes, SaysThatARaceMayLookRightAndNotThatAWrongSignMay) {
  const auto why_it_may_pass = [](const std::string& exercise, const std::string& mistake) {
    const auto all = all_exercises();
    const Demo demo = mistakes_of(*std::ranges::find(all, exercise, &Exercise::name));
    for (const DemoStep& step : demo.steps)
      if (step.question->answer.variants.front() == mistake) return step.question->choices.back().tempting;
    return std::string("no such mistake");
  };
  EXPECT_EQ(why_it_may_pass("first-kernel", "absolute-value"), "") << "check counts wrong values instead";
  EXPECT_EQ(why_it_may_pass("matmul", "no-second-barrier"),
            "On a GPU the result may be right, again and again: that proves nothing.");
  EXPECT_EQ(why_it_may_pass("shared-memory", "three-for-the-block"),
            "One place holds one value: on any GPU, what the other threads have stored there is lost.");
}

TEST(DemoOfMistakes, NamesTheLinesThatSpeakAgainstAChoice) {
  std::set<std::string> reasons;
  for (const DemoStep& step : mistakes_of(check::find_exercise("arbitrary-size").exercise).steps)
    for (const DemoChoice& choice : step.question->choices) reasons.insert(choice.tempting);
  EXPECT_TRUE(reasons.contains(
      "Then an index would pass the end of what it stores to, but there is a limit in line 3."));
}

// An instructor's file need not say why.
TEST(DemoOfMistakes, SaysOnceWhatOnlyCheckSaysAndOfWhichSettings) {
  const Exercise exercise = check::find_exercise("matmul").exercise;
  DemoStep step = mistakes_of(exercise).steps.front();
  EXPECT_TRUE(step.launch.starts_with("Launched as <<<")) << step.launch;
  step.question->choices = {{.word = "race-global"}, {.word = "pass"}};
  const Demo demo{.lesson = "matmul", .steps = {step}};
  DemoReveal revealed{.check = CheckResult{.verdict = Verdict::wrong,
                                           .pattern = "race-global",
                                           .summary = "two threads meet",
                                           .size = 4,
                                           .tried_with = TriedWith{.options = {{"k", "33"}, {"m", "2"}}},
                                           .wrong_elements = 3},
                      .choice = 0};
  const DemoScene scene{.demo = &demo, .votes = {0, 1}, .reveal = &revealed};
  const std::string page = demo_text(scene, {.colour = false, .width = 80});
  const std::size_t said = page.find("two threads meet");
  EXPECT_TRUE(said != std::string::npos && !contains(page.substr(said + 1), "two threads meet")) << page;
  EXPECT_TRUE(contains(page, "3 wrong values in the result with k 33, m 2.")) << page;
  EXPECT_FALSE(contains(demo_text(scene, {.colour = false, .width = 80}, Tables::left_out), "two threads"))
      << "the report beside it says so";
}

TEST(DemoOfMistakes, AnswerWrongChoicesByWhatCheckHasFound) {
  const Exercise exercise = check::find_exercise("first-kernel").exercise;
  DemoStep step = mistakes_of(exercise).steps.front();
  step.question->choices = {{.word = "wrong-zeros", .is_about_values = true},
                            {.word = "unwritten-tail", .is_about_values = true},
                            {.word = "pass", .tempting = check::find_pattern("race-global")->looks_right}};
  const Demo demo{.lesson = "first-kernel", .steps = {step}};
  DemoReveal revealed{.check = CheckResult{.verdict = Verdict::wrong, .pattern = "race-global"}};
  DemoScene scene{.demo = &demo, .reveal = &revealed};
  revealed.check->wrong_elements = 2;
  revealed.check->first_differences = {{.index = 7, .expected = 3, .actual = 2}};
  EXPECT_EQ(reason_against(scene, 0), "Element 7 is wrong, but stored: as 2 in place of 3.");
  EXPECT_EQ(reason_against(scene, 1), "Element 7 is wrong, but stored: as 2 in place of 3.");
  EXPECT_TRUE(reason_against(scene, 2).starts_with("On a GPU the result may be right"));
  revealed.check->first_differences = {{.index = 1033, .is_poison = true}};
  EXPECT_EQ(reason_against(scene, 0), "Nobody stores element 1 033: it holds what was there before.");
  EXPECT_EQ(reason_against(scene, 1), "");
  EXPECT_EQ(reason_against(scene, 2), "Check counts 2 wrong values in the result.") << "in any order";
  revealed.check = CheckResult{.verdict = Verdict::defect, .pattern = "one-thread-alone"};
  EXPECT_EQ(reason_against(scene, 1), "Check counts no wrong value.");
}

TEST(DemoOfMistakes, SayOnASmallScreenHowTheKernelIsLaunched) {
  const Exercise exercise = check::find_exercise("matmul").exercise;
  cli::DemoStage stage(cli::find_lesson("matmul"), exercise, mistakes_of(exercise), {}, std::nullopt);
  stage.go_to(0);
  const std::string row = demo_screen(stage.scene(), {.colour = false, .width = 80}, 24).front();
  EXPECT_TRUE(contains(row, "100 x 100 times 100 x 100 float32, <<<(4, 4), (32, 32)>>>")) << row;
}

TEST(DemoOfMistakes, ShowsTheStoresBeforeEndsOfOtherFunctions) {
  const Exercise exercise = check::find_exercise("divergence").exercise;
  cli::DemoStage stage(cli::find_lesson("divergence"), exercise, mistakes_of(exercise), {}, std::nullopt);
  stage.go_to(1);
  std::string screen;
  for (const std::string& row : demo_screen(stage.scene(), {.colour = false, .width = 80}, 24))
    screen += row + "\n";
  EXPECT_TRUE(contains(screen, "  18 ") && contains(screen, "  20 ")) << screen;
  EXPECT_FALSE(contains(screen, "0.999f")) << screen;
  EXPECT_TRUE(contains(stage.task(), "// output[i] = step_up(input[i]) if i is even"));
}

class DemoOfOwnMistakes : public check::FolderTest {
 protected:
  // Writes a mistake with this head, and returns the patterns of its demo's choices.
  std::vector<std::string> choices_of(const std::string& head) {
    const Exercise exercise = check::find_exercise("first-kernel").exercise;
    std::filesystem::create_directories(folder / "mistakes");
    write("solution.cu", exercise.solution);
    write("mistakes/one.cu", head + "\n" + exercise.solution);
    const DemoStep step = mistakes_of(exercise, folder).steps.at(0);
    EXPECT_TRUE(step.text.starts_with(lesson_of(exercise).title)) << "the task";
    question_ = *step.question;
    std::vector<std::string> words;
    for (const DemoChoice& choice : question_.choices) words.push_back(choice.word);
    return words;
  }
  std::string reason_of(const std::string& head) {
    choices_of(head);
    return question_.choices[*choice_of(question_, "race-shared")].because;
  }
  std::string reason_against(const std::string& word) const {
    return question_.choices[*choice_of(question_, word)].tempting;
  }

 private:
  DemoQuestion question_;
};

TEST_F(DemoOfOwnMistakes, HasOtherPatternsAsChoicesWhereThereAreFewMistakes) {
  const std::string head = "// expect: race-shared\n// because: Nobody waits.\n";
  EXPECT_EQ(reason_of(head), "Nobody waits.");
  const std::vector<std::string> all = choices_of(head);
  ASSERT_EQ(all.size(), 5U);
  for (const std::string& word : all)
    EXPECT_TRUE(word == "race-shared" || !check::may_be_true_too(word, "race-shared")) << word;
  EXPECT_EQ(reason_of("// expect: race-shared\n"), "") << "no advice on where to look";
  const std::string other = all[0] == "race-shared" ? all[1] : all[0];
  const std::vector<std::string> named =
      choices_of(head + "// tempting: unwritten-tail, shifted, type-limit\n");
  for (const char* tempting : {"unwritten-tail", "shifted", "type-limit"})
    EXPECT_NE(std::ranges::find(named, tempting), named.end()) << tempting;
  const std::vector<std::string> without = choices_of(head + "// also: wrong-sign, " + other + "\n");
  EXPECT_GE(without.size(), 4U);
  EXPECT_EQ(std::ranges::find(without, other), without.end()) << other;
}

TEST_F(DemoOfOwnMistakes, SayTheSizesOfTheLaunch) {
  const Exercise exercise = check::find_exercise("matmul").exercise;
  std::filesystem::create_directories(folder / "mistakes");
  write("solution.cu", exercise.solution);
  write("mistakes/one.cu", "// expect: race-shared\n" + exercise.solution);
  const std::string text = mistakes_of(exercise, folder).steps.at(0).text;
  EXPECT_TRUE(contains(
      text, ">>> for " + lesson_of(exercise).problem(lesson_of(exercise).default_settings()).description))
      << text;
}

TEST_F(DemoOfOwnMistakes, GivesTheReasonsOfTheFileAgainstItsWrongChoices) {
  const std::string head =
      "// expect: race-shared\n// tempting: shifted, type-limit\n// not shifted: Each is in its place.\n";
  choices_of(head + "// not race-shared: never said\n");
  EXPECT_EQ(reason_against("shifted"), "Each is in its place.");
  EXPECT_EQ(reason_against("type-limit"), "Then an index would have too few bits for large numbers.");
}

TEST(DemoScript, LeavesOutFiguresThatALaterStepIsAbout) {
  const Lesson lesson = cli::find_lesson("reduction");
  const Demo demo = parse_script(
      "== a\nshow: interleaved\nask: x\nanswer: launches of interleaved\nchoice below 2: a\nchoice 2 or more: b\n"
      "== b\nshow: interleaved\nask: x\nanswer: active lanes of interleaved\nchoice below 2: a\n"
      "choice 2 or more: b\n== c\nshow: interleaved\nleave out: bank-conflict ways per load\n",
      lesson, "test");
  EXPECT_EQ(demo.steps[0].leaves_out, std::vector<std::string>{"active lanes"});
  EXPECT_TRUE(demo.steps[1].leaves_out.empty());
  EXPECT_EQ(demo.steps[2].leaves_out, std::vector<std::string>{"bank-conflict ways per load"});
  run::RunOptions options{.settings = lesson.default_settings()};
  options.settings.size = 4096;
  const DemoReveal revealed = reveal(demo.steps[0], lesson, options, *simulator::simulator_with(""),
                                     Recorded("lesson,options,variant,figure,unit,value,gpus,date\n"));
  ASSERT_TRUE(revealed.result);
  for (const Figure& figure : revealed.result->variants.front().findings.figures)
    EXPECT_NE(figure.name, "active lanes");
}

TEST(DemoSource, LeavesOutBracesAndEmptyLinesFirst) {
  std::vector<DemoLine> lines;
  for (const char* text : {"a();", "{", "", "b();", "}", "c();"})
    lines.push_back({.number = static_cast<int>(lines.size()) + 1, .text = text});
  lines[0].matters = true;
  const std::vector<std::string> rows = demo_source_rows(lines, 80, 5);
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_TRUE(contains(rows[2], "b();") && contains(rows[4], "c();")) << rows[2] << rows[4];
  lines[4].text = "";
  lines.erase(lines.begin() + 1);
  const std::vector<std::string> close = demo_source_rows(lines, 80, 3);
  ASSERT_EQ(close.size(), 3U);
  EXPECT_TRUE(contains(close[1], "b();") && contains(close[2], "c();")) << "an empty line is no gap";
}

TEST(DemoSource, SaysThatABraceIsLeftOut) {
  std::vector<DemoLine> lines;
  for (const char* text : {"a();", "for (;;) {", "b(1);", "b(2);", "}", "c();"})
    lines.push_back({.number = static_cast<int>(lines.size()) + 1, .text = text});
  lines[3].matters = lines[5].matters = true;
  EXPECT_EQ(demo_source_rows(lines, 80, 3),
            (std::vector<std::string>{"   4   b(2);", "   5   }", "   6   c();"}));
  lines.insert(lines.begin() + 4, {.number = 0, .text = "  " + std::string(80, 'b')});
  EXPECT_EQ(demo_source_rows(lines, 80, 3),
            (std::vector<std::string>{"   4   b(2);", "     ...", "   6   c();"}));
}

TEST(DemoOfMistakes, SaysHowManyValuesAreWrongAgainstTheChoiceThatItPasses) {
  const Exercise exercise = check::find_exercise("arbitrary-size").exercise;
  const Demo demo = mistakes_of(exercise);
  const auto step = std::ranges::find_if(
      demo.steps, [](const DemoStep& each) { return name_of(each) == "stops-one-early"; });
  const DemoReveal revealed = reveal_mistake(*step, exercise);
  const std::string text = demo_text(
      {.demo = &demo, .step = static_cast<std::size_t>(step - demo.steps.begin()), .reveal = &revealed},
      {.colour = false, .width = 80});
  EXPECT_TRUE(contains(text, ": Check counts 1 wrong value in the result at size 10 007.\n")) << text;
}

TEST(Recorded, PrefersWhatWasRecordedWithTheOptionsOfTheStep) {
  const Recorded recorded(
      "lesson,options,variant,figure,unit,value,gpus,date\n"
      "scaling,--size 7,strong-2,seconds,s,1,2 GPUs,today\n"
      "scaling,--size 1048576,strong-2,seconds,s,2,2 GPUs,today\n");
  EXPECT_EQ(recorded.of("scaling", "strong-2", "seconds", "--size 1048576")->figure.value, 2);
  EXPECT_EQ(recorded.of("scaling", "strong-2", "seconds", "--size 8")->figure.value, 1);
  EXPECT_EQ(recorded.of("scaling", "strong-4", "seconds"), nullptr);
  EXPECT_THROW(Recorded("nothing"), std::logic_error);
}

TEST(Recorded, SaysOfEachFigureWhatItWasMeasuredWith) {
  const Recorded recorded(embedded_recorded_figures());
  const RecordedFigure* on_one_gpu = recorded.of("streams", "two-streams", recorded_seconds);
  ASSERT_TRUE(on_one_gpu);
  EXPECT_EQ(on_one_gpu->options, "--size 8388608");
  EXPECT_EQ(on_one_gpu->gpus, "NVIDIA H200");
  const RecordedFigure* on_two_gpus = recorded.of("multi-gpu", "all-reduce", recorded_seconds);
  ASSERT_TRUE(on_two_gpus);
  EXPECT_EQ(on_two_gpus->gpus, "2 NVIDIA H200");
}

}  // namespace
}  // namespace gpulab::teach
