#include <gtest/gtest.h>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "check/check_fixtures.hpp"
#include "grade_fixtures.hpp"
#include "teach/submissions.hpp"
#include "text_contains.hpp"

namespace gpulab::teach {
namespace {

TEST(GradeText, IsATableWithWhatIsEqualAndHowManyPassed) {
  EXPECT_EQ(
      grade_text(fixtures::graded_class(), {.colour = false, .width = 100}),
      "learner  1  2  passed\n"
      "ada      +  x     1/2  50 %\n"
      "bea         x     0/2   0 %\n"
      "passed   1  0\n"
      "\n"
      "1 first-kernel · 2 shared-histogram\n"
      "+ passed · x did not pass · ? to look at · blank: not handed in\n"
      "\n"
      "learner  exercise          verdict  pattern      line    s\n"
      "ada      shared-histogram  defect   race-shared    11  1.3  histogram-final (1).cu: told by what is\n"
      "                                                            in it\n"
      "bea      shared-histogram  defect   race-shared    11  1.3\n"
      "bea      ?                 archive  =cmd.zip: unpack it\n"
      "\n"
      "The same tokens but for comments, blanks and names:\n"
      "  shared-histogram, equal to each other: ada, bea\n"
      "\n"
      "2 learners, 2 exercises: 1 passed, 2 did not, 1 missing, 1 to look at; most often race-shared (2)\n");
}

TEST(GradeText, FitsIntoEightyColumns) {
  const std::string text = grade_text(fixtures::graded_class(), {.colour = false, .width = 80});
  for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), 100u) << line;
  EXPECT_TRUE(contains(text, "race-shared"));
}

TEST(GradeCsv, HasARowForEachAndNoFormula) {
  EXPECT_EQ(
      grade_csv(fixtures::graded_class()),
      "learner,exercise,verdict,pattern,line,seconds,file,summary,notes\n"
      "ada,first-kernel,passed,,,0.41,first_kernel.cu,,\n"
      "ada,shared-histogram,defect,race-shared,11,1.26,histogram-final (1).cu,\"two threads, one word\",told "
      "by what is in it\n"
      "bea,first-kernel,missing,,,,,,\n"
      "bea,shared-histogram,defect,race-shared,11,1.26,histogram-final (1).cu,\"two threads, one word\",\n"
      "bea,,archive,,,,'=cmd.zip,unpack it,\n");
}

TEST(Feedback, IsWhatCheckPrintsWithoutControlCharactersAndWithAnEnd) {
  CheckResult check = fixtures::wrong_check();
  check.compiler_log = "a\033[2Jb\n" + std::string(1 << 20, 'x') + "\nlast\n";
  const std::string text = feedback_of(check);
  EXPECT_TRUE(contains(text, "WRONG  shared-histogram · shared_histogram.cu · race-shared\n"));
  EXPECT_TRUE(contains(text, "a?[2Jb\n"));
  EXPECT_LT(text.size(), 20'000u);
  EXPECT_TRUE(text.ends_with("(cut here: gpulab check prints all)\n"));
}

TEST(Feedback, OfALearnerHasAllTheirRows) {
  const GradeResult graded = fixtures::graded_class();
  const std::string text = feedback_text("bea", {&graded.rows[2], &graded.rows[3], &graded.rows[4]});
  EXPECT_TRUE(text.starts_with("bea: 0 of 3 passed\n")) << text;
  for (const char* part : {"first-kernel  missing\n", "DEFECT  shared-histogram\n",
                           "which exercise?  archive\n=cmd.zip: unpack it\n"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

TEST(GradeJson, IsReadAsItWasWritten) {
  const GradeResult written = fixtures::graded_class();
  const GradeResult read = read_grade_json(grade_json(written, false), "grades.json");
  EXPECT_EQ(read.build.version, "1.2.3");
  EXPECT_EQ(read.build.revision, "abc");
  ASSERT_EQ(read.rows.size(), written.rows.size());
  const GradeRow &race = read.rows[1], &before = written.rows[1];
  EXPECT_EQ(race.learner + race.exercise + race.file + race.hash,
            before.learner + before.exercise + before.file + before.hash);
  EXPECT_EQ(race.verdict, Verdict::defect);
  EXPECT_EQ(race.pattern + race.feedback + race.summary, before.pattern + before.feedback + before.summary);
  EXPECT_EQ(race.line, 11);
  EXPECT_EQ(race.seconds, 1.26);
  EXPECT_EQ(race.notes, before.notes);
  EXPECT_EQ(read.rows[0].handed, SubmissionState::checked);
  EXPECT_EQ(read.rows[2].handed, SubmissionState::not_checked) << "what was missing may be there by now";
}

TEST(GradeJson, SaysWhatIsKnownAndNullForTheRest) {
  const auto document = nlohmann::json::parse(grade_json(fixtures::graded_class(), true));
  EXPECT_EQ(document["complete"], true);
  EXPECT_EQ(document["rows"][1]["verdict"], "defect");
  EXPECT_EQ(document["rows"][1]["passed"], false);
  EXPECT_EQ(document["rows"][2]["verdict"], "missing");
  EXPECT_EQ(document["rows"][2]["seconds"], nullptr);
  EXPECT_EQ(document["equal"][0]["learners"].size(), 2u);
}

TEST(GradeJson, RefusesWhatIsSomethingElse) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"schema": "gpulab.check"})", R"({"schema": "gpulab.grade"})",
        R"({"schema": "gpulab.grade", "tool": {"version": "1"}, "rows": [{"learner": 5}]})",
        R"({"schema": "gpulab.grade", "tool": {"version": "1"}, "rows": 7})"})
    EXPECT_THROW(read_grade_json(text, "grades.json"), UsageError) << text;
}

ClassResult small_class() {
  ClassResult result{.folder = "/course", .now = 100'000, .exercises = 17};
  result.learners = {
      {.learner = "bea",
       .exercise = "shared-histogram",
       .progress = {.state = ExerciseState::started, .checks = 7, .last_pattern = "race-shared"},
       .since = 100'000 - 40 * 60,
       .checked = 100'000 - 60,
       .passed = 8},
      {.learner = "ada",
       .exercise = "reduction",
       .progress = {.state = ExerciseState::passed, .checks = 2},
       .since = 100'000 - 26 * 3600,
       .checked = 100'000 - 25 * 3600,
       .passed = 10},
      {.learner = "cai"}};
  return result;
}

TEST(ClassLines, SayWhoIsWhereAndWhatMostAreStuckAt) {
  const std::vector<std::string> lines = class_lines(small_class(), {.colour = false, .width = 80}, 23);
  EXPECT_EQ(lines,
            (std::vector<std::string>{"3 learners, 1 stuck · /course", "",
                                      "learner  at                   for  checks  last check     ago  passed",
                                      "bea      shared-histogram  40 min       7  race-shared  1 min    8/17",
                                      "ada      reduction           26 h       2  passed        25 h   10/17",
                                      "cai      -                                 -                     0/17",
                                      "", "most are stuck at: race-shared in shared-histogram (1)"}));
}

TEST(ClassLines, FitTheScreenAndCountTheRest) {
  ClassResult many = small_class();
  for (int i = 0; i < 60; ++i)
    many.learners.push_back(many.learners.front()), many.learners.back().learner = std::string(60, 'x');
  many.not_read = 4;
  const std::vector<std::string> lines = class_lines(many, {.colour = false, .width = 80}, 23);
  EXPECT_EQ(lines.size(), 23u);
  for (const std::string& line : lines) EXPECT_LE(display_width(line), 80u) << line;
  EXPECT_TRUE(contains(lines[21], "and 46 more, not stuck for as long; 4 files"));
  EXPECT_TRUE(contains(lines[22], "(61)"));
}

}  // namespace
}  // namespace gpulab::teach
