#pragma once

#include "core/question.hpp"

namespace gpulab {

// How the questions in questions.txt are answered.
QuestionSheet coalescing_questions();

}  // namespace gpulab
