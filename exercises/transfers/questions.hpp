#pragma once

#include "core/question.hpp"

namespace gpulab {

// How the questions in questions.txt are answered.
QuestionSheet transfers_questions();

}  // namespace gpulab
