#include "check/check_formats.hpp"

#include "base/test_report.hpp"
#include "check/explanations.hpp"
#include "check_fixtures.hpp"
#include "test.hpp"

namespace gpulab::check {
namespace {

using nlohmann::json;

// wrong_check() with the other thread of its race, and a second defect, also with another thread.
CheckResult two_defects() {
  CheckResult result = fixtures::wrong_check();
  result.column = 5;
  result.related = {{.line = 12, .column = 3, .source = "counts[bin] = 0;", .text = "thread 3 wrote it here"},
                    {.line = 20,
                     .column = 7,
                     .source = "x = t[i];",
                     .pattern = "uninitialised-shared",
                     .text = "nobody wrote it"},
                    {.line = 22, .column = 1, .source = "y;", .text = "thread 4 waits here"}};
  return result;
}

CheckResult missing_file() {
  return {.exercise = "primes",
          .file = "primes.cu",
          .verdict = Verdict::not_checked,
          .summary = "there is no primes.cu"};
}

CheckResult sheet_with_right_answers(std::size_t right) {
  return {.exercise = "streams",
          .file = "streams.txt",
          .verdict = right == 3 ? Verdict::right : Verdict::wrong,
          .pattern = right == 3 ? "" : "wrong-number",
          .summary = "some are wrong",
          .line = 20,
          .questions = 3,
          .right_answers = right};
}

const std::vector<CheckResult> all = {fixtures::right_check(), two_defects(), fixtures::refused_check(),
                                      missing_file()};

TEST(CheckGcc, HasAnErrorForEachDefectAndNotesForItsOtherPlaces) {
  EXPECT_EQ(check_gcc({two_defects()}),
            "shared_histogram.cu:17:5: error: 12 of 256 bins differ: consistent with a missing barrier "
            "[race-shared]\n"
            "shared_histogram.cu:12:3: note: thread 3 wrote it here\n"
            "shared_histogram.cu:17:5: note: several threads store the same value\n"
            "shared_histogram.cu:17:5: note: hint: Where must all threads wait for each other?\n"
            "shared_histogram.cu:20:7: error: nobody wrote it [uninitialised-shared]\n"
            "shared_histogram.cu:22:1: note: thread 4 waits here\n");
}

TEST(CheckGcc, SaysNothingOfWhatHasPassed) {
  CheckResult right = fixtures::right_check();
  right.notes = {"only these settings were checked"};
  EXPECT_EQ(check_gcc({right}), "");
}

TEST(CheckGcc, LeavesOutThePlaceThatACompilersMessageBeginsWith) {
  CheckResult refused = fixtures::refused_check();
  refused.summary = "shared_histogram.cu does not compile: line 7: expected ';'";
  refused.fact = "expected ';'";
  EXPECT_EQ(check_gcc({refused}), "shared_histogram.cu:7:1: error: expected ';' [does-not-compile]\n");
}

TEST(CheckGcc, PointsToTheFirstLineWhereNoneIsKnown) {
  EXPECT_EQ(check_gcc({missing_file()}), "primes.cu:1:1: error: there is no primes.cu [not-checked]\n");
}

TEST(CheckGcc, KeepsANameWithALineBreakInOneLine) {
  CheckResult result = missing_file();
  result.file = "a\nb.cu:1:1: error: \033[2J";
  const std::string text = check_gcc({result});
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  EXPECT_FALSE(contains(text, "\033"));
}

TEST(CheckJunit, HasATestCaseForEachFile) {
  const std::string xml = check_junit(all);
  EXPECT_TRUE(contains(
      xml, "<testsuite name=\"gpulab check\" tests=\"4\" failures=\"2\" errors=\"1\" time=\"1.500\""));
  EXPECT_TRUE(contains(xml,
                       "<testcase classname=\"gpulab.shared-histogram\" name=\"shared_histogram.cu\" "
                       "time=\"1.500\" file=\"shared_histogram.cu\" line=\"17\">\n      <failure "
                       "type=\"race-shared\" message=\"12 of 256 bins differ"));
  EXPECT_TRUE(contains(xml, "<error type=\"not-checked\" message=\"there is no primes.cu\">"));
  EXPECT_TRUE(contains(xml, "time=\"0.000\" file=\"shared_histogram.cu\"/>\n")) << "has passed";
}

TEST(CheckJunit, EscapesMarkupAndReplacesBytesThatXmlForbids) {
  CheckResult result = two_defects();
  result.file = "<a&b>\xff.cu";
  result.printed = "\033[2J\x01 ]]>";
  const std::string xml = check_junit({result});
  EXPECT_TRUE(contains(xml, "name=\"&lt;a&amp;b&gt;\xEF\xBF\xBD.cu\""));
  EXPECT_FALSE(contains(xml, "\033")) << xml;
  EXPECT_FALSE(contains(xml, "\x01")) << xml;
}

TEST(CheckGradescope, HasATestOfOnePointForEachFile) {
  const json document = json::parse(check_gradescope(all));
  EXPECT_EQ(document["execution_time"], 1.5);
  EXPECT_EQ(document["stdout_visibility"], "hidden");
  ASSERT_EQ(document["tests"].size(), 4u);
  const json& passed = document["tests"][0];
  EXPECT_EQ(passed["score"], 1);
  EXPECT_EQ(passed["status"], "passed");
  const json& failed = document["tests"][1];
  EXPECT_EQ(failed["score"], 0);
  EXPECT_EQ(failed["max_score"], 1);
  EXPECT_EQ(failed["status"], "failed");
  EXPECT_EQ(failed["number"], "2");
  EXPECT_EQ(failed["tags"], (json{"shared-histogram", "race-shared"}));
  EXPECT_TRUE(contains(failed["output"].get<std::string>(), "hint: Where must all"));
  EXPECT_EQ(document["tests"][3]["score"], 0) << "there is no such file";
}

TEST(CheckGradescope, GivesAPartOfThePointForSomeRightAnswers) {
  const json tests = json::parse(check_gradescope(
      {sheet_with_right_answers(0), sheet_with_right_answers(2), sheet_with_right_answers(3)}))["tests"];
  EXPECT_DOUBLE_EQ(tests[0]["score"], 0);
  EXPECT_DOUBLE_EQ(tests[1]["score"], 0.67);
  EXPECT_DOUBLE_EQ(tests[2]["score"], 1);
}

TEST(CheckGradescope, GivesNoPointWhereThereIsNoResult) {
  const json document = json::parse(no_gradescope("it was \xff stopped"));
  EXPECT_EQ(document["score"], 0);
  EXPECT_FALSE(document.contains("tests"));
}

json sarif_run(const std::vector<CheckResult>& results) {
  return json::parse(check_sarif(results, 1))["runs"][0];
}

TEST(CheckSarif, HasAResultForEachDefectUnderARuleForItsPattern) {
  const json document = json::parse(check_sarif(all, 1)), run = document["runs"][0];
  EXPECT_EQ(document["version"], "2.1.0");
  const json& rules = run["tool"]["driver"]["rules"];
  ASSERT_EQ(run["results"].size(), 3u);
  for (const json& result : run["results"]) {
    EXPECT_EQ(rules[result["ruleIndex"].get<std::size_t>()]["id"], result["ruleId"]);
    EXPECT_EQ(result["level"], "error");
  }
  EXPECT_EQ(rules[0]["id"], "race-shared");
  const json& race = run["results"][0];
  EXPECT_EQ(race["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "shared_histogram.cu");
  EXPECT_EQ(race["locations"][0]["physicalLocation"]["region"],
            (json{{"startLine", 17}, {"startColumn", 5}}));
  ASSERT_EQ(race["relatedLocations"].size(), 1u);
  EXPECT_EQ(race["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 12);
  EXPECT_EQ(race["relatedLocations"][0]["message"]["text"], "thread 3 wrote it here");
}

TEST(CheckSarif, ExplainsEachRuleAsTheCommandExplainDoes) {
  const json driver = sarif_run(all)["tool"]["driver"];
  EXPECT_EQ(driver["semanticVersion"], build_facts().version);
  for (const json& rule : driver["rules"]) {
    const PatternHint* const known = find_pattern(rule["id"].get<std::string>());
    ASSERT_TRUE(known) << rule["id"];
    EXPECT_EQ(rule["fullDescription"]["text"], known->hint);
    const std::string first = rule["shortDescription"]["text"], markdown = rule["help"]["markdown"];
    EXPECT_TRUE(known->hint.starts_with(first) && (first.ends_with('.') || first.ends_with('?'))) << first;
    EXPECT_TRUE(contains(markdown, known->wrong_line));
    EXPECT_EQ(rule["defaultConfiguration"]["level"], "error");
  }
}

TEST(CheckSarif, NamesAFileInThisFolderByItsRelativePath) {
  CheckResult result = two_defects();
  result.file = (std::filesystem::current_path() / "src" / "a.cu").string();
  result.related[0].file = "include/sums.cuh";
  const json found = sarif_run({result})["results"][0];
  const auto uri = [](const json& location) {
    return location["physicalLocation"]["artifactLocation"]["uri"];
  };
  EXPECT_EQ(uri(found["locations"][0]), "src/a.cu");
  EXPECT_EQ(uri(found["relatedLocations"][0]), "include/sums.cuh");
}

TEST(CheckSarif, NotifiesOfAFileThatCouldNotBeChecked) {
  const json failed = sarif_run({missing_file()})["invocations"][0],
             checked = sarif_run({two_defects()})["invocations"][0];
  EXPECT_EQ(failed["executionSuccessful"], false);
  EXPECT_EQ(failed["toolExecutionNotifications"][0]["message"]["text"], "there is no primes.cu");
  EXPECT_EQ(checked["executionSuccessful"], true);
  CheckResult program = two_defects();
  program.exercise.clear();
  program.verdict = Verdict::does_not_compile;
  EXPECT_EQ(sarif_run({program})["invocations"][0]["executionSuccessful"], false);
}

TEST(CheckSarif, HasFingerprintsThatStayWhenOtherLinesAreAdded) {
  CheckResult moved = two_defects();
  moved.line += 10;
  moved.summary = "another thread this time, in line 27";
  moved.related.erase(moved.related.begin() + 1, moved.related.end());
  const auto fingerprint = [](const CheckResult& result) {
    return sarif_run({result})["results"][0]["partialFingerprints"];
  };
  EXPECT_EQ(fingerprint(moved), fingerprint(two_defects()));
  moved.source = "counts[0] += 1;";
  EXPECT_NE(fingerprint(moved), fingerprint(two_defects()));
}

TEST(CheckSarif, TellsEqualLinesOfAFileApart) {
  CheckResult twice = two_defects();
  twice.related = {{.line = 30, .source = twice.source, .pattern = twice.pattern, .text = "the same again"}};
  const json results = sarif_run({twice})["results"];
  EXPECT_NE(results[0]["partialFingerprints"], results[1]["partialFingerprints"]);
}

TEST(CheckSarif, MakesUrisOfNames) {
  const auto uri = [](const std::string& file) {
    CheckResult result = two_defects();
    result.file = file;
    return sarif_run({result})["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
  };
  EXPECT_EQ(uri("./a b/x%#?.cu"), "a%20b/x%25%23%3F.cu");
  EXPECT_EQ(uri("c:d.cu"), "c%3Ad.cu");
  EXPECT_EQ(uri("/autograder/a.cu"), "file:///autograder/a.cu");
  EXPECT_EQ(uri("\xff\n.cu"), "%FF%0A.cu");
}

TEST(CheckGithub, HasOneErrorForEachFileThatHasNotPassed) {
  EXPECT_EQ(
      check_github({fixtures::right_check(), two_defects()}),
      "::error file=shared_histogram.cu,line=17,col=5,title=shared-histogram%3A race-shared::12 of 256 bins "
      "differ: consistent with a missing barrier%0Aline 12: thread 3 wrote it here%0Anobody wrote it%0A"
      "line 22: thread 4 waits here%0Ahint: Where must all threads wait for each other?\n"
      "::notice title=gpulab check::1 of 2 passed, the first that has not: gpulab check "
      "shared_histogram.cu\n");
}

TEST(CheckGithub, EscapesNamesThatWouldEndAValueOrTheCommand) {
  CheckResult result = missing_file();
  result.file = "a,b:c%\r\n::stop-commands::x.cu";
  const std::string text = check_github({result});
  EXPECT_TRUE(text.starts_with("::error file=a%2Cb%3Ac%25%0D%0A%3A%3Astop-commands%3A%3Ax.cu,line=1,col=1,"))
      << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
}

TEST(WorkflowCommand, EscapesMoreInAPropertyThanInTheMessage) {
  EXPECT_EQ(github_line({.title = "a:b,c", .message = "a:b,c\n"}), "::error title=a%3Ab%2Cc::a:b,c\n");
}

}  // namespace
}  // namespace gpulab::check
