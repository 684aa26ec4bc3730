#pragma once

#include "lesson/exercise.hpp"

namespace gpulab::lessons::transfers {

// How the questions in questions.txt are answered.
QuestionSheet questions();

}  // namespace gpulab::lessons::transfers
