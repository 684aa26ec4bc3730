#include "base/error.hpp"
#include "base/text.hpp"
#include "check/check_fixtures.hpp"
#include "grade_fixtures.hpp"
#include "teach/submissions.hpp"
#include "test.hpp"

namespace gpulab::teach {
namespace {

TEST(GradeText, IsATableWithEqualFilesAndASummary) {
  EXPECT_EQ(
      grade_text(fixtures::graded_class(), {.colour = false, .width = 100}),
      "learner  1  2  passed   points\n"
      "ada      +  x     1/2      1/2  50 %\n"
      "bea      ?  x     0/2  0/2 +1?   0 %\n"
      "\n"
      "1 first-kernel 50 % · 2 shared-histogram 0 % · mean 25 %\n"
      "+ passed · x did not pass · ? to look at · blank: not handed in · %: of the points · +N?: up to N\n"
      "  points more, for what is marked ?\n"
      "\n"
      "learner  exercise          verdict  pattern      line    s\n"
      "ada      shared-histogram  defect   race-shared    11  1.3  histogram-final (1).cu: recognised by\n"
      "                                                            its content\n"
      "bea      shared-histogram  defect   race-shared    11  1.3\n"
      "bea      ?                 archive                          =cmd.zip: unpack it\n"
      "\n"
      "Equal apart from comments, white space and names:\n"
      "  shared-histogram, equal to each other: ada, bea\n"
      "\n"
      "2 learners, 2 exercises: 1 passed, 2 did not, 0 missing, 1 to look at; most often race-shared (2\n  files)\n");
}

TEST(GradeText, NamesPatternsThatAreAsFrequent) {
  GradeResult tied = fixtures::graded_class();
  GradeRow other = tied.rows[1];
  other.pattern = "unwritten-tail";
  tied.rows.insert(tied.rows.end(), {other, other});
  const auto text = [&] { return grade_text(tied, {.colour = false, .width = 200}); };
  EXPECT_TRUE(contains(text(), "; most often race-shared and unwritten-tail (2 files each)")) << text();
  tied.rows.push_back(other);
  EXPECT_TRUE(contains(text(), "; most often unwritten-tail (3 files)")) << text();
}

TEST(GradeText, MarksARightFileWithARemarkAndShowsTheRemark) {
  GradeResult result = fixtures::graded_class();
  for (GradeRow& row : result.rows)
    if (has_passed(row)) row.notes = {"right, and yet all threads add to one element"};
  const std::string text = grade_text(result, {.colour = false, .width = 100});
  for (const char* part : {"ada      ~  x     1/2", "+ passed · ~ passed, with a note · x did not pass",
                           "first_kernel.cu: right, and yet all"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

TEST(GradeText, PromisesNoPointsForAFileThatIsTooLate) {
  GradeResult graded = fixtures::graded_class();
  for (GradeRow& row : graded.rows) row.is_late = true;
  const std::string text = grade_text(graded, {.colour = false, .width = 100});
  EXPECT_FALSE(contains(text, "?: up to")) << text;
  EXPECT_TRUE(contains(text, "bea      ?  x     0/2     0/2  0 %\n")) << text;
}

TEST(GradeText, NumbersTheMarksOfManyExercisesWithinEightyColumns) {
  GradeResult all{.rules = {.learners = {{"b", "王小明"}}}};
  for (const char* learner : {"a", "b"})
    for (const Exercise& exercise : all_exercises())
      all.rows.push_back({.learner = learner,
                          .exercise = exercise.name,
                          .state = *learner == 'a' ? SubmissionState::checked : SubmissionState::missing,
                          .score = 1});
  const std::vector<std::string> lines = lines_of(grade_text(all, {.colour = false, .width = 80}));
  EXPECT_TRUE(lines[0].starts_with("learner  1   5    10   15   20")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("a        ++++++++++++++++++++++")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("王小明          ")) << lines[2];
  for (const std::string& line : lines) EXPECT_LE(display_width(line), 80u) << line;
  EXPECT_LT(lines.size(), 24u) << "what is missing is blank";
}

TEST(GradeText, MarksAnExerciseThatMayBeInAFileOfNoExercise) {
  GradeResult result = fixtures::graded_class();
  EXPECT_TRUE(contains(grade_text(result, {}), "\nbea      ?  x"));
  result.rows.pop_back();
  EXPECT_TRUE(contains(grade_text(result, {}), "\nbea         x")) << grade_text(result, {});
}

TEST(GradeText, SaysThatAFileLacksItsKernel) {
  GradeResult result = fixtures::graded_class();
  result.rows[0].verdict = Verdict::does_not_compile;
  result.rows[0].pattern = "missing-kernel";
  EXPECT_TRUE(contains(grade_text(result, {}), "no such kernel  missing-kernel")) << grade_text(result, {});
  EXPECT_TRUE(contains(grade_csv(result), ",no_such_kernel,missing-kernel,")) << grade_csv(result);
  EXPECT_TRUE(contains(grade_page(result), "no such kernel, missing-kernel")) << grade_page(result);
  const std::string json = grade_json(result, /*is_complete=*/true);
  EXPECT_TRUE(contains(json, "\"verdict\": \"no_such_kernel\"")) << json;
  EXPECT_EQ(read_grade_json(json, "g.json").rows[0].verdict, Verdict::does_not_compile);
}

TEST(GradeText, MarksLateWorkAndSaysWhen) {
  GradeResult graded = fixtures::graded_class();
  graded.rules.exercises = {{.exercise = "first-kernel", .points = 4, .late_factor = 0.5}};
  graded.rows[0].is_late = true;
  graded.rows[0].notes = {"recognised by its content", "saved 2026-12-02 10:00 (late)"};
  const std::string text = grade_text(graded, {.colour = false, .width = 120});
  EXPECT_TRUE(contains(text, "ada      L  x     1/2      2/5  40 %\n")) << text;
  EXPECT_TRUE(contains(text, "0.4  first_kernel.cu: recognised by its content; saved")) << text;
}

TEST(GradeText, HasTheColumnsInTheOrderOfTheClass) {
  GradeResult graded = fixtures::graded_class();
  graded.rules.exercises = {{.exercise = "shared-histogram"}, {.exercise = "first-kernel"}};
  const std::string text = grade_text(graded, {.colour = false, .width = 100});
  EXPECT_TRUE(contains(text, "1 shared-histogram ")) << text;
  EXPECT_TRUE(contains(text, "2 first-kernel ")) << text;
}

TEST(GradeText, FitsIntoEightyColumns) {
  const std::string text = grade_text(fixtures::graded_class(), {.colour = false, .width = 80});
  for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), 100u) << line;
  EXPECT_TRUE(contains(text, "race-shared"));
}

TEST(GradeCsv, HasARowForEachAndNoFormula) {
  EXPECT_EQ(
      grade_csv(fixtures::graded_class()),
      "learner,exercise,verdict,pattern,line,seconds,file,summary,notes,late,name,points,max_points\n"
      "ada,first-kernel,passed,,,0.41,first_kernel.cu,,,,ada,1,1\n"
      "ada,shared-histogram,defect,race-shared,11,1.26,histogram-final (1).cu,\"two threads, one word\","
      "recognised by its content,,ada,0,1\n"
      "bea,first-kernel,missing,,,,,,,,bea,,1\n"
      "bea,shared-histogram,defect,race-shared,11,1.26,histogram-final (1).cu,\"two threads, one word\",,,bea,"
      "0,1\n"
      "bea,,archive,,,,'=cmd.zip,unpack it,,,bea,,\n");
}

TEST(GradeCsv, HasNoPointsForAFileBesideOneThatCounts) {
  GradeResult graded = fixtures::graded_class();
  graded.rows.insert(graded.rows.begin() + 1, graded.rows.front());
  graded.rows[1].file = "second.cu";
  const std::string csv = grade_csv(graded);
  EXPECT_TRUE(contains(csv, "first_kernel.cu,,,,ada,1,1\n")) << csv;
  EXPECT_TRUE(contains(csv, "second.cu,,,,ada,0,0\n")) << csv;
}

TEST(MatrixCsv, HasALineForEachLearnerAndAQuestionMarkForWhatCouldNotBeChecked) {
  GradeResult graded = fixtures::graded_class();
  graded.rules.learners = {{"ada", "=1+1"}};
  EXPECT_EQ(matrix_csv(graded),
            "learner,name,first-kernel,shared-histogram,passed,points,percent\n"
            "ada,'=1+1,1,0,1,1,50\n"
            "bea,bea,?,0,0,0,0\n");
}

TEST(GradePage, HasACellForEachWithItsSentenceAndNoHtmlOfLearners) {
  GradeResult graded = fixtures::graded_class();
  graded.rules.learners = {{"bea", "<b onclick=\"x\">Bea</b>"}};
  graded.rows[1].feedback = "<script>alert(1)</script>";
  const std::string page = grade_page(graded);
  for (const char* part : {"<a href=\"#f1\" title=\"defect, race-shared: two threads, one word\">0</a>",
                           "<td class=\"unknown\"><a href=\"#f4\" title=\"archive: unpack it\">?</a></td>",
                           "Tan: late. ?: to look at", "&lt;b onclick=&quot;x&quot;&gt;Bea&lt;/b&gt;",
                           "<h2 id=\"f1\">ada: shared-histogram</h2>", "&lt;script&gt;",
                           "<h2 id=\"f3\">&lt;b onclick=&quot;x&quot;&gt;Bea&lt;/b&gt;: shared-histogram"})
    EXPECT_TRUE(contains(page, part)) << part << "\n" << page;
  EXPECT_FALSE(contains(page, "<script") || contains(page, "<b ") || contains(page, "http")) << page;
  graded.rows[3].state = SubmissionState::empty;
  EXPECT_TRUE(contains(grade_page(graded), "<td class=\"failed\"><a href=\"#f3\" title=\"empty")) << "as x";
}

TEST(GradeJunit, HasASuiteForEachLearner) {
  GradeResult graded = fixtures::graded_class();
  graded.rules.learners = {{"ada", "Ada L."}};
  graded.rows[0].is_late = true;
  const std::string text = grade_junit(graded);
  for (const char* part : {"<testsuite name=\"Ada L.\" tests=\"2\" failures=\"1\" errors=\"0\"",
                           "<testsuite name=\"bea\" tests=\"3\" failures=\"1\" errors=\"1\"", "<skipped ",
                           "type=\"race-shared\"", "<testcase classname=\"ada\" name=\"first-kernel\"",
                           "<system-out>late: 0 of 1 points</system-out>"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

TEST(GradeGradescope, IsOfOneLearnerWithTheirPoints) {
  GradeResult graded = fixtures::graded_class();
  EXPECT_THROW(grade_gradescope(graded), UsageError);
  graded.rows.resize(2);
  graded.rules.exercises = {{.exercise = "first-kernel", .points = 4}};
  const auto document = nlohmann::json::parse(grade_gradescope(graded));
  EXPECT_EQ(document["score"], 4);
  EXPECT_EQ(document["tests"][0]["max_score"], 4);
  EXPECT_EQ(document["tests"][1]["score"], 0);
  EXPECT_EQ(document["tests"][1]["output"], "DEFECT  shared-histogram\n");
  graded.rows[0].is_late = true;
  graded.rules.exercises = {{"first-kernel", 2, 1000, 0.5}};
  const auto late = nlohmann::json::parse(grade_gradescope(graded));
  EXPECT_TRUE(contains(late["tests"][0]["output"], "late, which leaves 50 %\n\n")) << late.dump();
}

TEST(Feedback, IsTheOutputOfCheckWithoutControlCharactersAndCutToALength) {
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
  const GradeMatrix matrix = matrix_of(graded);
  const std::string text =
      feedback_text(matrix.learners[1], matrix, {&graded.rows[2], &graded.rows[3], &graded.rows[4]});
  EXPECT_TRUE(text.starts_with("bea: 0 of 2 passed, 0 of 2 points, and 1 to look at\n")) << text;
  for (const char* part : {"first-kernel  missing\n", "DEFECT  shared-histogram\n",
                           "which exercise?  archive\n=cmd.zip: unpack it\n"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

TEST(Feedback, HasThePointsOfEachExerciseAndWhatWasLate) {
  GradeResult graded = fixtures::graded_class();
  graded.rules.exercises = {{"shared-histogram", 4}, {"first-kernel", 2, 1000, 0.5}};
  graded.rows[0].is_late = true;
  const GradeMatrix matrix = matrix_of(graded);
  const std::string text = feedback_text(matrix.learners[0], matrix, {});
  EXPECT_TRUE(contains(text, "late, which leaves 50 %")) << text;
  EXPECT_TRUE(contains(text, "/4")) << text;
  EXPECT_TRUE(contains(text, "/2")) << text;
}

TEST(GradeJson, IsReadAsItWasWritten) {
  const GradeResult written = fixtures::graded_class();
  const GradeResult read = read_grade_json(grade_json(written, /*is_complete=*/false), "grades.json");
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
  EXPECT_EQ(read.rows[0].state, SubmissionState::checked);
  EXPECT_EQ(read.rows[2].state, SubmissionState::not_checked) << "what was missing may be there by now";
}

TEST(GradeJson, SaysWhatIsKnownAndNullForTheRest) {
  const auto document = nlohmann::json::parse(grade_json(fixtures::graded_class(), /*is_complete=*/true));
  EXPECT_EQ(document["complete"], true);
  EXPECT_EQ(document["rows"][1]["verdict"], "defect");
  EXPECT_EQ(document["rows"][1]["passed"], false);
  EXPECT_EQ(document["rows"][2]["verdict"], "missing");
  EXPECT_EQ(document["rows"][2]["seconds"], nullptr);
  EXPECT_EQ(document["exercises"][0]["mean"], 0.5);
  EXPECT_EQ(document["learners"][1]["points_of_exercises"], nlohmann::json::parse("[null, 0.0]"));
  EXPECT_EQ(document["equal"][0]["learners"].size(), 2u);
}

TEST(GradeJson, RefusesOtherDocuments) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"schema": "gpulab.check"})", R"({"schema": "gpulab.grade"})",
        R"({"schema": "gpulab.grade", "tool": {"version": "1"}, "rows": [{"learner": 5}]})",
        R"({"schema": "gpulab.grade", "tool": {"version": "1"}, "rows": 7})"})
    EXPECT_THROW(read_grade_json(text, "grades.json"), UsageError) << text;
  try {
    read_grade_json("no JSON", "grades.json");
  } catch (const UsageError& error) {
    EXPECT_TRUE(contains(error.what(),
                         "grades.json is not a document of gpulab grade (it is not a whole JSON document"))
        << error.what();
  }
}

ClassResult small_class() {
  ClassResult result{.folder = "/course", .now = 100'000, .exercises = 17};
  result.learners = {
      {.learner = "bea",
       .exercise = "shared-histogram",
       .progress = {.state = ExerciseState::started, .checks = 7, .last_pattern = "race-shared"},
       .since = 100'000 - 40 * 60,
       .checked = 100'000 - 60,
       .passed = 8,
       .same_checks = 3,
       .same_since = 100'000 - 60 - 5 * 60},
      {.learner = "ada",
       .exercise = "reduction",
       .progress = {.state = ExerciseState::passed, .checks = 2},
       .since = 100'000 - 26 * 3600,
       .checked = 100'000 - 25 * 3600,
       .passed = 10},
      {.learner = "cai"}};
  result.started = {{.exercise = "shared-histogram",
                     .started = 2,
                     .passed = 1,
                     .stuck = 1,
                     .patterns = {{"doubled", 1}, {"race-shared", 2}}},
                    {.exercise = "reduction", .started = 1, .passed = 1}};
  return result;
}

TEST(LearnerStatus, IsStuckAfterThreeEqualChecksOverFiveMinutes) {
  LearnerStatus bea = small_class().learners.front();
  EXPECT_TRUE(bea.is_stuck());
  bea.same_since += 1;
  EXPECT_FALSE(bea.is_stuck()) << "less than five minutes";
  bea = small_class().learners.front();
  bea.same_checks = 2;
  EXPECT_FALSE(bea.is_stuck()) << "two equal checks";
  bea.same_checks = 3;
  bea.progress.last_pattern.clear();
  EXPECT_FALSE(bea.is_stuck()) << "the last check has passed";
}

TEST(ClassLines, SayWhereTheClassIsAndWhoNeedsHelp) {
  const std::vector<std::string> lines = class_lines(small_class(), {.colour = false, .width = 80}, 23);
  EXPECT_EQ(lines,
            (std::vector<std::string>{
                "3 learners, 1 stuck · /course", "", "exercise          begun  passed  stuck  most often",
                "shared-histogram      2       1      1  race-shared (2)", "reduction             1       1",
                "", "learner  at                   for  checks  last check            ago  passed",
                "bea      shared-histogram  40 min       7  stuck: race-shared  1 min    8/17",
                "ada      reduction           26 h       2  passed               25 h   10/17",
                "cai      -                                 -                            0/17"}));
}

TEST(ClassLines, SayThatNobodyShares) {
  const ClassResult none{.folder = "/course", .exercises = 17};
  EXPECT_EQ(
      class_lines(none, {.colour = false, .width = 80}, 23),
      (std::vector<std::string>{
          "0 learners, 0 stuck · /course", "",
          "nobody shares their progress there; learners do with gpulab progress --share", "  /course"}));
}

TEST(ClassLines, CutNamesInTheirMiddle) {
  ClassResult alike = small_class();
  for (int i = 0; i < 20; ++i)
    alike.learners.push_back({.learner = "Student Numéro très très long " + std::to_string(i)});
  alike.learners.front().learner = "Student Numéro très très long 40";
  std::string all;
  for (const std::string& line : class_lines(alike, {.colour = false, .width = 80}, 23)) all += line + " ";
  for (const char* name : {"Studen…ng 40  shared-histogram  40 min       7  stuck", "Student Nu…s long 19 0"})
    EXPECT_TRUE(contains(all, name)) << name << "\n" << all;
}

TEST(ClassLines, FitTheScreenWithEverybodyOfAClassOfTwenty) {
  ClassResult many = small_class();
  for (int i = 0; i < 17; ++i)
    many.learners.push_back({.learner = "小明" + std::string(60, 'x') + std::to_string(i)});
  for (int i = 0; i < 9; ++i) many.started.push_back({.exercise = "reduction", .started = 1});
  many.not_read = 4;
  const auto lines_that_fit = [&] {
    const std::vector<std::string> lines = class_lines(many, {.colour = false, .width = 80}, 23);
    EXPECT_LE(lines.size(), 23u);
    for (const std::string& line : lines) EXPECT_LE(display_width(line), 80u) << line;
    return lines;
  };
  for (LearnerStatus& status : many.learners) status.learner = cut(status.learner, 8);
  std::string all;
  for (const std::string& line : lines_that_fit()) all += line;
  EXPECT_EQ(std::ranges::count(all, '/'), 1 + 10) << "rows, and a folder: " << all;
  EXPECT_TRUE(contains(all, "passed by others: 小明xxx… 0, ")) << all;
  EXPECT_TRUE(contains(all, "no learner's or too many: 4 files")) << all;
  many.learners.back().learner = "Learner Number 17";
  std::string with_a_longer_name;
  for (const std::string& line : lines_that_fit()) with_a_longer_name += line;
  EXPECT_TRUE(contains(with_a_longer_name, "Learner Number 17 0")) << with_a_longer_name;
  many.learners.back() = many.learners[many.learners.size() - 2];
  for (int i = 0; i < 10; ++i) many.learners.push_back(many.learners.back());
  std::string thirty;
  for (const std::string& line : lines_that_fit()) thirty += line + " ";
  EXPECT_GE(std::ranges::count(thirty, *"…"), 27) << "thirty cut names: " << thirty;
  for (int i = 0; i < 30; ++i) many.learners.push_back(many.learners.back());
  EXPECT_TRUE(contains(lines_that_fit()[20], "and 50 more, not stuck for as long"));
}

}  // namespace
}  // namespace gpulab::teach
