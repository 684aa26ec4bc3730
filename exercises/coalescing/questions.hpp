#pragma once

#include "lesson/exercise.hpp"

namespace gpulab::lessons::coalescing {

// How the questions in questions.txt are answered.
QuestionSheet questions();

}  // namespace gpulab::lessons::coalescing
