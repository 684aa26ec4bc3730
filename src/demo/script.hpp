#pragma once

#include <string>

#include "core/demo.hpp"
#include "core/lesson.hpp"

namespace gpulab::demo {

// The demo that a text such as exercises/LESSON/demo.txt describes. Throws UsageError, with the line, for
// what it cannot mean: an unknown word, a variant that the lesson has not, choices that overlap.
//
//   # a comment
//   with: --size 2^25                 before the first step: for all of them
//   simulated with: --size 2^20
//
//   == NAME                           a step begins
//   text: what there is to know beforehand
//   show: VARIANT [since VARIANT|nothing]     since: the variant of the step before
//   kernel: NAME                      of the variant's file, where the main one is not meant
//   as: NAME                          what the kernel is called on the screen
//   look at: part of a line           it stays on the screen
//   edit:                             lines of the kernel, taken away and put in their place
//     - if (item < size) C[item] = A[item] + B[item];
//     + C[item] = A[item] + B[item];
//   run: VARIANT, VARIANT             those of the answer and the shown one, where it is left out; or:
//   nothing ask: the question answer: result of VARIANT | pattern of VARIANT | fastest of VARIANT, VARIANT |
//   times as fast VARIANT as VARIANT
//           | wrong elements of VARIANT | threads of VARIANT | launches of VARIANT | FIGURE of VARIANT
//           | FIGURE of VARIANT over VARIANT
//   choice WORD: what the class reads        for a number: below X, X to Y, X or more, exactly X
//     because: said when it is the answer
//     tempting: said when it is not
//   because: said after the run, whatever came out
//   say: / expect: / minutes:         for the instructor
//
// A line that begins with a space and with none of these words continues the one before.
Demo parse_script(const std::string& text, const Lesson& lesson, const std::string& file);

// The lesson's own.
Demo demo_of(const Lesson& lesson);

}  // namespace gpulab::demo
