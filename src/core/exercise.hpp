#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/arguments.hpp"
#include "core/handles.hpp"
#include "core/launch.hpp"
#include "core/program.hpp"

// What a learner is asked who has no kernel to write: to predict a number, or to write the host's side of a
// whole program. The words of a question, its facts, its unit and its tolerance stand in
// exercises/LESSON/questions.txt; how the answer follows from the facts, and what a program prints, stands in
// the lesson.

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

// A number that a program prints in a line of its own, behind its name: "sum 499500".
struct PrintedNumber {
  std::string name;
  double value = 0;
  double tolerance = 0;  // relative
};
using PrintedNumbers = std::vector<PrintedNumber>;

// What a program prints that does one thing wrong.
struct TypicalOutput {
  std::string pattern;      // "stays-on-device"
  std::string explanation;  // what was done, as a sentence without its point
  PrintedNumbers (*prints)(std::size_t size);
};

// An array that a program's kernels compute and the host gets back.
struct DeviceResult {
  std::string name;
  std::vector<double> numbers;
};

// What a whole program has to do, whose first argument says how large the problem is.
struct ProgramTask {
  PrintedNumbers (*prints)(std::size_t size) = nullptr;
  std::vector<std::size_t> sizes = {};  // to check with, first those at which most mistakes show
  DeviceResult (*results)(std::size_t size) = nullptr;
  std::vector<TypicalOutput> errors = {};
  // What is asked of a program besides that its result is right: a defect, if it does not do it.
  std::optional<ProgramFinding> (*objection)(const ProgramReport& report, std::size_t size) = nullptr;
};

// What a learner writes.
enum class ExerciseKind { kernel, answers, program };

// What a learner is given for a lesson.
struct Exercise {
  std::string
      name;  // "shared-histogram" as the lesson; of its program, beside questions, as the file: "streams.cu"
  std::string lesson;  // the subcommand: "shared-histogram"
  ExerciseKind kind = ExerciseKind::kernel;
  std::string file;     // the learner's file: "shared_histogram.cu", or "streams.txt" for questions
  std::string starter;  // what stands in it at first
  std::vector<std::string> hints;  // from gentle to explicit
  std::string solution = {};  // the answers to questions, each under its heading, or the course's program

  bool has_questions() const { return kind == ExerciseKind::answers; }
  bool is_program() const { return kind == ExerciseKind::program; }
};

enum class ExerciseState { not_started, started, passed };

// How far a learner is with one exercise.
struct ExerciseProgress {
  ExerciseState state = ExerciseState::not_started;
  unsigned hints_taken = 0;
  unsigned checks = 0;
  std::string last_pattern;    // of the last check; empty when that was right
  std::string passed_on;       // the day of the first check that was right: "2026-11-21"
  bool read_solution = false;  // before it had passed

  friend bool operator==(const ExerciseProgress&, const ExerciseProgress&) = default;
};

struct ExerciseStanding {
  Exercise exercise;
  ExerciseProgress progress;
};

// The first that has not passed; null when all have.
const ExerciseStanding* next_of(const std::vector<ExerciseStanding>& standings);

// What somebody is told who asks for help with an exercise.
struct TakenHint {
  std::string exercise;            // "shared-histogram"
  std::string pattern;             // that the last check showed; empty when there is nothing to say about it
  std::string of_pattern;          // what to look for then
  std::vector<std::string> texts;  // the exercise's next hint or, after the last, all of them
  std::size_t first = 1;           // the number of the first of these texts
  std::size_t left = 0;            // hints that are still to come
};

}  // namespace gpulab
