#include "teach/submissions.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.hpp"
#include "check/check_fixtures.hpp"
#include "grade_fixtures.hpp"
#include "text_contains.hpp"

namespace gpulab::teach {
namespace {

TEST(GradeText, IsATableWithWhatIsEqualAndHowManyPassed) {
  EXPECT_EQ(
      grade_text(fixtures::graded_class(), {.colour = false, .width = 100}),
      "learner  exercise          verdict  pattern      line    s\n"
      "ada      first-kernel      passed                      0.4\n"
      "ada      shared-histogram  defect   race-shared    11  1.3  histogram-final (1).cu: told by what is\n"
      "                                                            in it\n"
      "bea      first-kernel      missing\n"
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

}  // namespace
}  // namespace gpulab::teach
