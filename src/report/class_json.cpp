#include "report/class_formats.hpp"
#include "report/json_values.hpp"
#include "report/words.hpp"

namespace gpulab::report {
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

}  // namespace gpulab::report
