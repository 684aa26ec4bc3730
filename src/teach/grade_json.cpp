#include <stdexcept>

#include "base/error.hpp"
#include "lesson/json_fields.hpp"
#include "teach/submissions.hpp"

namespace gpulab::teach {
namespace {

constexpr const char* schema_name = "gpulab.grade";

const char* name_of(EqualFiles::To to) {
  if (to == EqualFiles::To::each_other) return "each_other";
  return to == EqualFiles::To::the_starter ? "starter" : "solution";
}

}  // namespace

template <class Archive>
void fields(Archive& archive, Listed<GradeRow> auto& row) {
  const bool is_checked = row.handed == SubmissionState::checked;
  archive("learner", row.learner);
  archive.known("exercise", row.exercise);
  archive.known("file", row.file);
  archive.known("hash", row.hash);
  std::string verdict = verdict_of(row);
  archive("verdict", verdict);
  if constexpr (Archive::reads) {
    const Verdict found = enumerator(verdict, Verdict::not_checked, Verdict::not_checked);
    row.handed = found == Verdict::not_checked ? SubmissionState::not_checked : SubmissionState::checked;
    if (row.handed == SubmissionState::checked) row.verdict = found;
  }
  archive.derived("passed", [&] { return is_checked && row.verdict == Verdict::right; });
  archive.known("pattern", row.pattern);
  archive.known("line", row.line);
  archive.known_if(is_checked, "seconds", row.seconds);
  archive.known("summary", row.summary);
  archive.optional("notes", row.notes);
  archive.known("feedback", row.feedback);
}

std::string grade_json(const GradeResult& result, bool is_complete) {
  Json document = {
      {"schema", schema_name},     {"schema_version", "1.2.0"}, {"tool", tool_json(result.build)},
      {"complete", is_complete},   {"seed", result.seed},       {"rows", json_of(result.rows)},
      {"learners", Json::array()}, {"equal", Json::array()}};
  const std::size_t exercises = graded_exercises(result).size();
  for (const auto& [learner, passed] : totals_of(result))
    document["learners"].push_back({{"learner", learner}, {"passed", passed}, {"exercises", exercises}});
  for (const auto& [exercise, to, learners] : result.equal)
    document["equal"].push_back({{"exercise", exercise}, {"to", name_of(to)}, {"learners", learners}});
  return document_text(document);
}

GradeResult read_grade_json(const std::string& text, const std::string& file) try {
  const Json document = Json::parse(text);
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
  throw UsageError(file + " is no document of gpulab grade (" + std::string(error.what()).substr(0, 120) +
                   "); name another file for the output");
}

namespace {

Json learner_json(const LearnerStatus& one, std::int64_t now) {
  const auto seconds_from = [&](std::int64_t then) { return then > 0 ? Json(now - then) : Json(nullptr); };
  return {{"learner", one.learner},
          {"exercise", text_or_null(one.exercise)},
          {"state", one.exercise.empty() ? Json(nullptr) : Json(identifier(one.progress.state))},
          {"for_s", seconds_from(one.since)},
          {"checks", one.progress.checks},
          {"last_pattern", text_or_null(one.progress.last_pattern)},
          {"last_check_s_ago", seconds_from(one.checked)},
          {"passed", one.passed}};
}

}  // namespace

std::string class_json(const ClassResult& result) {
  Json document = {{"schema", "gpulab.class"},
                   {"schema_version", "1.0.0"},
                   {"exercises", result.exercises},
                   {"not_read", result.not_read},
                   {"learners", Json::array()}};
  for (const LearnerStatus& one : result.learners)
    document["learners"].push_back(learner_json(one, result.now));
  return document_text(document);
}

}  // namespace gpulab::teach
