#pragma once

#include <string>

#include "core/question.hpp"
#include "exercise/answer_sheet.hpp"

namespace gpulab {

// The pattern of an answer that is not there.
constexpr const char* unanswered = "unanswered";

struct AnswerJudgement {
  std::string pattern;      // of what is wrong: "nothing-overlaps"; empty when the answer is right
  std::string explanation;  // a sentence, which does not say what is right

  bool is_right() const { return pattern.empty(); }
};

// Judges the answer to a question with those facts. Unit and tolerance are those of asked. Throws
// std::logic_error for a question that has no such facts or no unit that is known.
AnswerJudgement judge_answer(const std::string& answer, const AskedQuestion& asked, const Question& question);

}  // namespace gpulab
