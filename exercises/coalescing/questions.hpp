#pragma once

#include "lesson/exercise.hpp"

namespace gpulab::lessons::coalescing {

// Returns how the questions in questions.txt are answered.
QuestionSheet questions();

}  // namespace gpulab::lessons::coalescing
