#include "report/progress_json.hpp"

#include <nlohmann/json.hpp>

#include "report/identifiers.hpp"

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

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
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpulab
