#include "teach/submissions.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "grade_fixtures.hpp"

namespace gpulab::teach {
namespace {

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
  EXPECT_EQ(read.rows[0].handed, Handed::checked);
  EXPECT_EQ(read.rows[2].handed, Handed::not_checked) << "what was missing may be there by now";
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

}  // namespace
}  // namespace gpulab::teach
