#include <algorithm>
#include <stdexcept>

#include "base/error.hpp"
#include "lesson/json_fields.hpp"
#include "lesson/words.hpp"
#include "teach/submissions.hpp"

namespace gpulab::teach {
namespace {

constexpr const char* schema_name = "gpulab.grade";

Json row_json(const GradeRow& row) {
  const bool is_checked = row.handed == Handed::checked;
  return {{"learner", row.learner},
          {"exercise", text_or_null(row.exercise)},
          {"file", text_or_null(row.file)},
          {"hash", text_or_null(row.hash)},
          {"verdict", verdict_of(row)},
          {"passed", is_checked && row.verdict == Verdict::right},
          {"pattern", text_or_null(row.pattern)},
          {"line", known_or_null(row.line)},
          {"seconds", is_checked ? Json(row.seconds) : Json(nullptr)},
          {"summary", text_or_null(row.summary)},
          {"notes", row.notes},
          {"feedback", text_or_null(row.feedback)}};
}

const char* name_of(EqualFiles::To to) {
  if (to == EqualFiles::To::each_other) return "each_other";
  return to == EqualFiles::To::the_starter ? "starter" : "solution";
}

GradeRow row_of(const Json& json) {
  GradeRow row{.learner = field(json, "learner"),
               .exercise = field_or(json, "exercise", std::string()),
               .file = field_or(json, "file", std::string()),
               .hash = field_or(json, "hash", std::string()),
               .pattern = field_or(json, "pattern", std::string()),
               .line = field_or(json, "line", 0),
               .seconds = field_or(json, "seconds", 0.0),
               .feedback = field_or(json, "feedback", std::string()),
               .summary = field_or(json, "summary", std::string()),
               .notes = field_or(json, "notes", std::vector<std::string>())};
  const auto verdict = field(json, "verdict").as<std::string>();
  row.handed = Handed::not_checked;
  for (const Verdict known :
       {Verdict::right, Verdict::defect, Verdict::wrong, Verdict::unanswered, Verdict::does_not_compile})
    if (verdict == identifier(known)) row.handed = Handed::checked, row.verdict = known;
  return row;
}

}  // namespace

std::string grade_json(const GradeResult& result, bool is_complete) {
  Json document = {{"schema", schema_name},   {"schema_version", "1.1.0"}, {"tool", tool_json(result.build)},
                   {"complete", is_complete}, {"seed", result.seed},       {"rows", Json::array()},
                   {"equal", Json::array()}};
  for (const GradeRow& row : result.rows) document["rows"].push_back(row_json(row));
  for (const auto& [exercise, to, learners] : result.equal)
    document["equal"].push_back({{"exercise", exercise}, {"to", name_of(to)}, {"learners", learners}});
  return document_text(document);
}

GradeResult read_grade_json(const std::string& text, const std::string& file) try {
  const Json document = Json::parse(text);
  if (!document.is_object() || field_or(document, "schema", std::string()) != schema_name)
    throw std::runtime_error("it is something else");
  GradeResult result;
  const Json tool = field(document, "tool").json();
  result.build.version = field(tool, "version").as<std::string>();
  result.build.revision = field_or(tool, "revision", std::string());
  result.seed = field_or(document, "seed", std::uint64_t{0});
  for (const Json& row : list_field(document, "rows")) result.rows.push_back(row_of(row));
  return result;
} catch (const std::exception& error) {
  throw UsageError(file + " is no document of gpulab grade (" + std::string(error.what()).substr(0, 120) +
                   "); name another file for the output");
}

namespace {

Json learner_json(const LearnersPlace& one, std::int64_t now) {
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
  for (const LearnersPlace& one : result.learners)
    document["learners"].push_back(learner_json(one, result.now));
  return document_text(document);
}

}  // namespace gpulab::teach
