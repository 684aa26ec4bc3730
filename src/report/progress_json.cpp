#include "report/progress_json.hpp"

#include "report/identifiers.hpp"
#include "report/json_values.hpp"

namespace gpulab {
namespace {

Json exercise_json(const ExerciseStanding& standing) {
  const auto& [exercise, progress] = standing;
  return {{"name", exercise.lesson},
          {"file", exercise.file},
          {"state", identifier(progress.state)},
          {"checks", progress.checks},
          {"hints_taken", progress.hints_taken},
          {"hints", exercise.hints.size()},
          {"last_pattern", text_or_null(progress.last_pattern)},
          {"passed_on", text_or_null(progress.passed_on)}};
}

}  // namespace

std::string progress_json(const std::vector<ExerciseStanding>& standings) {
  const ExerciseStanding* next = next_of(standings);
  Json document = {{"schema", "gpulab.progress"},
                   {"schema_version", "1.0.0"},
                   {"next", next ? Json(next->exercise.lesson) : Json(nullptr)},
                   {"exercises", Json::array()}};
  for (const ExerciseStanding& standing : standings) document["exercises"].push_back(exercise_json(standing));
  return document_text(document);
}

}  // namespace gpulab
