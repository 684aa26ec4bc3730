#pragma once

#include <string>
#include <vector>

#include "core/question.hpp"

namespace gpulab {

// A question as it stands in a file:
//
//   2. An event
//      Any words, and facts, each in a line of its own:
//        primes: 6 ms
//      The text of a kernel, from __global__ to its closing brace.
//   answer (ms, within 1 %): 11 ms   # a note
//
// What else its lines say does not matter.
struct AskedQuestion {
  std::string heading;  // "2. An event"
  std::string name;     // "An event"
  Facts facts;
  std::string kernels;   // the text of the kernels in it
  std::string unit;      // of an answer that is a number alone: "ms"
  double tolerance = 0;  // relative
  std::string answer;    // as it was written, without the note; empty when there is none
  int line = 0;          // of the answer in the file, from 1 on; 0 when there is no line for it
  std::string source;    // the text of that line
};

std::vector<AskedQuestion> asked_questions(const std::string& sheet);

}  // namespace gpulab
