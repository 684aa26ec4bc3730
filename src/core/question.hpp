#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/arguments.hpp"
#include "core/handles.hpp"
#include "core/launch.hpp"

// What a learner is asked who has no kernel to write: to predict a number. The words of a question, its
// facts, its unit and its tolerance stand in exercises/LESSON/questions.txt; how the answer follows from the
// facts stands in the lesson.

namespace gpulab {

// What a question states and, of the kernel in it, what the simulator has counted. In SI units, by name.
class Facts {
 public:
  // Throws std::logic_error when the question has no such fact.
  double of(const std::string& name) const;
  void set(const std::string& name, double value) { values_[name] = value; }

 private:
  std::map<std::string, double> values_;
};

// A launch of a kernel that stands in the question, to count its accesses to memory.
struct CountedKernel {
  std::string kernel;
  LaunchConfig config;
  std::vector<SizedArray> arrays;
  Arguments arguments;
};

// What is counted, as facts.
constexpr const char* counted_sectors_per_load = "sectors per load";
constexpr const char* counted_sectors_per_store = "sectors per store";
constexpr const char* counted_used_part_of_loads = "used part of loads";

// A number that somebody arrives at who has not understood one thing.
struct TypicalError {
  std::string pattern;             // "nothing-overlaps"
  std::string explanation;         // what was done, as the end of a sentence; not what is right
  double (*answer)(const Facts&);  // in SI units
};

struct Question {
  std::string name;                // its heading
  double (*answer)(const Facts&);  // in SI units
  std::vector<TypicalError> errors = {};
  CountedKernel (*counted)(const Facts&) = nullptr;
};

struct QuestionSheet {
  std::vector<Question> questions = {};
  std::string shown_by = {};  // a sentence: the command that shows the answers for real
};

}  // namespace gpulab
