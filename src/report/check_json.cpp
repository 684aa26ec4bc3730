#include "report/check_formats.hpp"
#include "report/json_values.hpp"
#include "report/words.hpp"

namespace gpulab::report {
namespace {

Json exercise_json(const ExerciseStanding& standing) {
  const auto& [exercise, progress] = standing;
  return {{"name", exercise.name},
          {"file", exercise.file},
          {"state", identifier(progress.state)},
          {"checks", progress.checks},
          {"hints_taken", progress.hints_taken},
          {"hints", exercise.hints.size()},
          {"last_pattern", text_or_null(progress.last_pattern)},
          {"passed_on", text_or_null(progress.passed_on)},
          {"read_solution", progress.read_solution}};
}

}  // namespace

std::string progress_json(const std::vector<ExerciseStanding>& standings) {
  const ExerciseStanding* next = next_of(standings);
  Json document = {{"schema", "gpulab.progress"},
                   {"schema_version", "1.1.0"},
                   {"next", next ? Json(next->exercise.name) : Json(nullptr)},
                   {"exercises", Json::array()}};
  for (const ExerciseStanding& standing : standings) document["exercises"].push_back(exercise_json(standing));
  return document_text(document);
}

namespace {

Json differences_with_inputs(const std::vector<Difference>& differences) {
  Json list = Json::array();
  for (const auto& [index, expected, actual, inputs, is_poison] : differences) {
    Json values = Json::array();
    for (const auto& [array, place, value] : inputs)
      values.push_back({{"array", array}, {"index", place}, {"value", value}});
    list.push_back({{"index", index},
                    {"expected", expected},
                    {"actual", actual},
                    {"written", !is_poison},
                    {"inputs", values}});
  }
  return list;
}

Json gpu_json(const std::vector<VariantResult>& on_gpu) {
  Json list = Json::array();
  for (const VariantResult& variant : on_gpu)
    list.push_back(
        {{"name", variant.name},
         {"kernel", variant.kernel},
         {"observed", identifier(variant.observed)},
         {"as_expected", variant.as_expected()},
         {"size", variant.size},
         {"explanation", text_or_null(variant.explanation)},
         {"kernel_cold_s", variant.kernel_cold ? Json(variant.kernel_cold->median_s) : Json(nullptr)}});
  return list;
}

Json places_json(const std::vector<CheckPlace>& places) {
  Json list = Json::array();
  for (const CheckPlace& place : places)
    list.push_back({{"line", place.line},
                    {"column", place.column},
                    {"source", place.source},
                    {"pattern", text_or_null(place.pattern)},
                    {"text", place.text}});
  return list;
}

Json check_json(const CheckResult& result) {
  return {{"exercise", result.exercise},
          {"file", result.file},
          {"verdict", identifier(result.verdict)},
          {"passed", result.verdict == Verdict::right},
          {"pattern", text_or_null(result.pattern)},
          {"summary", text_or_null(result.summary)},
          {"details", result.details},
          {"where", text_or_null(result.where)},
          {"first_differences", differences_with_inputs(result.first_differences)},
          {"size", known_or_null(result.size)},
          {"block_size", known_or_null(result.block_size)},
          {"schedule", text_or_null(result.schedule)},
          {"seed", result.tried_with ? Json(result.tried_with->seed) : Json(nullptr)},
          {"edge_inputs", result.tried_with && result.tried_with->edge_inputs},
          {"options", result.tried_with ? Json(result.tried_with->options) : Json::object()},
          {"line", known_or_null(result.line)},
          {"column", result.line > 0 ? Json(result.column) : Json(nullptr)},
          {"source", text_or_null(result.source)},
          {"related", places_json(result.related)},
          {"hint", text_or_null(result.hint)},
          {"reproduce", text_or_null(reproduce_command(result))},
          {"check", check_command(result)},
          {"notes", result.notes},
          {"compiler_log", text_or_null(result.compiler_log)},
          {"printed", text_or_null(result.printed)},
          {"on_gpu", gpu_json(result.on_gpu)},
          {"seconds", result.seconds},
          {"questions", known_or_null(result.questions)},
          {"right_answers", result.questions > 0 ? Json(result.right_answers) : Json(nullptr)}};
}

}  // namespace

std::string check_json(const std::vector<CheckResult>& results, ExitCode exit_code) {
  Json document = {{"schema", "gpulab.check"}, {"schema_version", "2.2.0"}, {"checks", Json::array()}};
  for (const CheckResult& result : results)
    if (result.verdict != Verdict::not_checked) document["checks"].push_back(check_json(result));
  document["exit_code"] = static_cast<int>(exit_code);
  return document_text(document);
}

}  // namespace gpulab::report
