#include "base/error.hpp"
#include "grade_fixtures.hpp"
#include "teach/submissions.hpp"
#include "test.hpp"

namespace gpulab::teach {
namespace class_toml_test {

ClassRules parsed(const std::string& text) {
  return parse_class_rules(text, "class.toml");
}

std::string refusal(const std::string& text) {
  try {
    parsed(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ClassRules, HavePointsDeadlinesAndNames) {
  const ClassRules rules = parsed(
      "late = 0.5\n[exercises.shared-histogram]\npoints = 4\ndeadline = 2026-12-01T23:59:00+01:00\n"
      "[exercises.first-kernel]\npoints = 2.5\nlate = 0\n[learners]\n\"van Dyck\" = \"Ada\"\n");
  ASSERT_EQ(rules.exercises.size(), 2u);
  EXPECT_EQ(rules.exercises[1].exercise, "first-kernel") << "in the order of the file";
  EXPECT_EQ(rules.exercises[1].points, 2.5);
  EXPECT_EQ(rules.exercises[1].late_factor, 0);
  EXPECT_FALSE(rules.exercises[1].deadline);
  EXPECT_EQ(rules.exercises[0].points, 4);
  EXPECT_EQ(rules.exercises[0].late_factor, 0.5) << "that of the class";
  EXPECT_EQ(rules.exercises[0].deadline, 1'796'165'940) << "in seconds since 1970";
  EXPECT_EQ(rules.learners.at("van Dyck"), "Ada");
}

TEST(ClassRules, TellNamesakesApartByTheirFolders) {
  const ClassRules rules = parsed("[learners]\nada = \"Same\"\nbea = \"Same\"\ncai = \"Cai\"\n");
  EXPECT_EQ(rules.learners.at("ada"), "Same (ada)");
  EXPECT_EQ(rules.learners.at("bea"), "Same (bea)");
  EXPECT_EQ(rules.learners.at("cai"), "Cai");
}

TEST(ClassRules, TakeADateAsTheLastSecondOfThatDay) {
  const auto deadline = [](const std::string& text) {
    return *parsed("[exercises.primes]\ndeadline = " + text).exercises.front().deadline;
  };
  EXPECT_EQ(deadline("2026-12-01T23:59:59"), deadline("2026-12-01")) << "both in this machine's time";
  EXPECT_EQ(deadline("2026-12-01T23:00:00Z"), deadline("2026-12-02T00:00:00+01:00"));
}

TEST(ClassRules, AreRefusedWithTheirLineInOneSentence) {
  for (const auto& [text, why] : std::initializer_list<std::pair<std::string, std::string>>{
           {"late = ", "class.toml, line 1: this is not TOML: 'late ='; a line is KEY = VALUE or [TABLE]"},
           {"[exercises.primes]\ndeadline = 1.12.2026", "a date is 2026-12-01 or 2026-12-01T23:59:00"},
           {"[exercises.primes]\npoints = three", "'points = three'; a line is KEY = VALUE"},
           {"[exercises]\n\n[exercises]", "class.toml, line 3: "},
           {"late = 2", "class.toml, line 1: late is a number from 0 to 1"},
           {"late = true", "class.toml, line 1: late is a number from 0 to 1"},
           {"learner = 2", "class.toml, line 1: there is no key 'learner'; did you mean 'learners'?"},
           {"exercises = 2", "class.toml, line 1: exercises is a table: exercises = {"},
           {"[exercises]\nhistogramm = {}", "class.toml, line 2: there is no exercise 'histogramm'"},
           {"[exercises]\n shared-histogran = {}", "did you mean 'shared-histogram'?"},
           {"[exercises.primes]\npionts = 1",
            "class.toml, line 2: there is no key 'pionts'; did you mean 'points'?"},
           {"[exercises.primes]\npoints = \"1\"", "class.toml, line 2: points is a number from 0 to 1000000"},
           {"[exercises.primes]\npoints = nan", "class.toml, line 2: points is a number"},
           {"[exercises.primes]\ndeadline = \"2026-12-01\"",
            "class.toml, line 2: a deadline is a date or a time without quotes"},
           {"[exercises.primes]\ndeadline = 12:00:00", "class.toml, line 2: a deadline is a date"},
           {"[exercises.primes]\ndeadline = 2026-13-01", "class.toml, line 2: "},
           {"[learners]\nada = 1", "class.toml, line 2: a learner has a name in quotes"},
           {"[learners]\nada = \" \"", "class.toml, line 2: a learner has a name in quotes"},
           {"\033[2J = 1", "class.toml, line 1: "}}) {
    const std::string said = refusal(text);
    EXPECT_TRUE(contains(said, why)) << text << "\n" << said;
    EXPECT_FALSE(contains(said, "boolean")) << said;
    EXPECT_FALSE(contains(said, "\n") || contains(said, "\033")) << said;
  }
}

TEST(ClassRules, AreReadAsTheyWereWritten) {
  const std::string text =
      class_rules_text({"first-kernel", "streams.cu"}, {"ada", "o'\"neil\\", "王小明"}, "my \"own\"");
  const ClassRules rules = parsed(text);
  ASSERT_EQ(rules.exercises.size(), 2u);
  EXPECT_EQ(rules.exercises[1].exercise, "streams.cu");
  EXPECT_EQ(rules.exercises[1].points, 1);
  EXPECT_FALSE(rules.exercises[1].deadline);
  EXPECT_EQ(rules.learners.at("o'\"neil\\"), "o'\"neil\\");
  EXPECT_TRUE(contains(text, "# deadline = 2026-12-01T23:59:00+01:00"));
  EXPECT_EQ(exercises_folder_in(text, "class.toml"), "my \"own\"");
}

TEST(GradeMatrix, HasPointsOfTheBestFileAndMeans) {
  GradeResult graded = fixtures::graded_class();
  graded.rules = parsed(
      "[exercises.first-kernel]\npoints = 4\nlate = 0.5\n[exercises.shared-histogram]\npoints = 1\n"
      "[learners]\nbea = \"Bea B.\"");
  graded.rows[0].is_late = true;
  graded.rows[4].exercise = "shared-histogram";
  const GradeMatrix matrix = matrix_of(graded);
  EXPECT_EQ(matrix.possible, 5);
  ASSERT_EQ(matrix.learners.size(), 2u);
  EXPECT_EQ(matrix.learners[0].points, 2) << "half of the points for late work";
  EXPECT_EQ(matrix.learners[0].passed, 1u);
  EXPECT_EQ(matrix.learners[1].name, "Bea B.");
  EXPECT_EQ(matrix.learners[1].cells[1].row, &graded.rows[3]) << "the first of two that are as good";
  EXPECT_EQ(matrix.means, (std::vector<double>{0.25, 0}));
  EXPECT_EQ(matrix.mean, 0.2);
  graded.rows[3].score = 0.5;
  EXPECT_EQ(matrix_of(graded).learners[1].points, 0.5) << "a sheet that is half right";
}

TEST(ClassToml, NamesLearnersWhoHaveNoFolder) {
  const ClassRules rules{.learners = {{"ada", "Ada"}, {"bae", "Bea"}}};
  EXPECT_EQ(learners_without_folder(rules, {{"ada", {}}, {"bae", {}}}), "");
  EXPECT_EQ(learners_without_folder(rules, {{"ada", {}}, {"bea", {}}}),
            "gpulab: class.toml names bae, and there is no such folder; did you mean 'bea'?\n");
}

}  // namespace class_toml_test
}  // namespace gpulab::teach
