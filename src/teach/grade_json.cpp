#include <fmt/format.h>
#include <stdexcept>

#include "base/error.hpp"
#include "check/check_formats.hpp"
#include "lesson/json_fields.hpp"
#include "teach/submissions.hpp"

namespace gpulab::teach {
namespace {

constexpr const char* schema_name = "gpulab.grade";

const char* name_of(EqualFiles::To to) {
  if (to == EqualFiles::To::each_other) return "each_other";
  return to == EqualFiles::To::the_starter ? "starter" : "solution";
}

Json learner_json(const LearnerStatus& status, std::int64_t now) {
  const auto seconds_from = [&](std::int64_t then) { return then > 0 ? Json(now - then) : Json(nullptr); };
  return {{"learner", status.learner},
          {"exercise", text_or_null(status.exercise)},
          {"state", status.exercise.empty() ? Json(nullptr) : Json(identifier(status.progress.state))},
          {"for_s", seconds_from(status.since)},
          {"checks", status.progress.checks},
          {"last_pattern", text_or_null(status.progress.last_pattern)},
          {"stuck", status.is_stuck()},
          {"last_check_s_ago", seconds_from(status.checked)},
          {"passed", status.passed}};
}

}  // namespace

template <class Archive>
void fields(Archive& archive, MaybeConst<GradeRow> auto& row) {
  const bool is_checked = row.state == SubmissionState::checked;
  archive("learner", row.learner);
  archive.known("exercise", row.exercise);
  archive.known("file", row.file);
  archive.known("hash", row.hash);
  std::string verdict = verdict_of(row);
  archive("verdict", verdict);
  if constexpr (Archive::reads) {
    const Verdict found = verdict == check::verdict_of_no_such_kernel
                              ? Verdict::does_not_compile
                              : enumerator(verdict, Verdict::not_checked, Verdict::not_checked);
    row.state = found == Verdict::not_checked ? SubmissionState::not_checked : SubmissionState::checked;
    if (row.state == SubmissionState::checked) row.verdict = found;
  }
  archive.derived("passed", [&] { return is_checked && row.verdict == Verdict::right; });
  archive.known("pattern", row.pattern);
  archive.known("line", row.line);
  archive.known_if(is_checked, "seconds", row.seconds);
  archive.known_if(is_checked, "score", row.score);
  archive.known("modified", row.modified);
  archive.optional("late", row.is_late);
  archive.known("summary", row.summary);
  archive.optional("notes", row.notes);
  archive.known("feedback", row.feedback);
}

std::string grade_json(const GradeResult& result, bool is_complete) {
  const GradeMatrix matrix = matrix_of(result);
  Json document = {
      {"schema", schema_name},     {"schema_version", "1.3.0"},  {"tool", tool_json(result.build)},
      {"complete", is_complete},   {"seed", result.seed},        {"points", matrix.possible},
      {"mean", matrix.mean},       {"exercises", Json::array()}, {"rows", json_of(result.rows)},
      {"learners", Json::array()}, {"equal", Json::array()}};
  for (std::size_t i = 0; i < matrix.exercises.size(); ++i) {
    const auto& [exercise, points, deadline, late, deadlines] = matrix.exercises[i];
    document["exercises"].push_back({{"exercise", exercise},
                                     {"points", points},
                                     {"deadline", value_or_null(deadline)},
                                     {"late", late},
                                     {"mean", matrix.means[i]}});
  }
  for (const LearnerGrade& grade : matrix.learners) {
    Json cells = Json::array();
    for (const GradeCell& cell : grade.cells)
      cells.push_back(has_points(cell) ? Json(cell.points) : Json(nullptr));
    document["learners"].push_back({{"learner", grade.learner},
                                    {"name", grade.name},
                                    {"passed", grade.passed},
                                    {"exercises", matrix.exercises.size()},
                                    {"points", grade.points},
                                    {"points_of_exercises", cells}});
  }
  for (const auto& [exercise, to, learners] : result.equal)
    document["equal"].push_back({{"exercise", exercise}, {"to", name_of(to)}, {"learners", learners}});
  return document_text(document);
}

std::string grade_gradescope(const GradeResult& result) {
  const GradeMatrix matrix = matrix_of(result);
  if (matrix.learners.size() != 1)
    throw UsageError("Gradescope's results are for one learner; name the folder of one");
  Json tests = Json::array();
  for (std::size_t i = 0; i < matrix.exercises.size(); ++i) {
    const auto& [row, points] = matrix.learners.front().cells[i];
    const std::string late = lateness_of(*row, matrix.exercises[i]);
    const bool has_points = points > 0 || matrix.exercises[i].points == 0;  // late work may get none
    tests.push_back(
        {{"name", matrix.exercises[i].exercise},
         {"score", points},
         {"max_score", matrix.exercises[i].points},
         {"status", has_passed(*row) && has_points ? "passed" : "failed"},
         {"output", (late.empty() ? "" : late + "\n\n") +
                        (row->feedback.empty() ? verdict_of(*row) + " " + row->summary : row->feedback)},
         {"output_format", "text"},
         {"visibility", "visible"}});
  }
  return document_text(
      {{"score", matrix.learners.front().points}, {"visibility", "visible"}, {"tests", tests}});
}

GradeResult read_grade_json(const std::string& text, const std::string& file) try {
  const Json document = parsed_json(text);
  JsonReader reader(document);
  std::string schema;
  if (document.is_object()) reader.optional("schema", schema);
  if (schema != schema_name) throw std::runtime_error("it is something else");
  GradeResult result;
  reader("tool", result.build);
  reader.optional("seed", result.seed);
  reader.optional("rows", result.rows);
  return result;
} catch (const std::exception& error) {
  throw UsageError(fmt::format("{} is not a document of gpulab grade ({}); name another file for the output",
                               file, std::string(error.what()).substr(0, 120)));
}

std::string class_json(const ClassResult& result) {
  const auto of_learner = [&](const LearnerStatus& status) { return learner_json(status, result.now); };
  Json document = {{"schema", "gpulab.class"},      {"schema_version", "1.1.0"},
                   {"exercises", result.exercises}, {"not_read", result.not_read},
                   {"started", Json::array()},      {"learners", list_json(result.learners, of_learner)}};
  for (const ExerciseStatus& exercise : result.started) {
    const auto [pattern, learners] = most_frequent_pattern(exercise);
    document["started"].push_back({{"exercise", exercise.exercise},
                                   {"started", exercise.started},
                                   {"passed", exercise.passed},
                                   {"stuck", exercise.stuck},
                                   {"pattern", text_or_null(pattern)},
                                   {"learners_with_pattern", learners}});
  }
  return document_text(document);
}

}  // namespace gpulab::teach
