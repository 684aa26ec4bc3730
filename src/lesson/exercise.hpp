#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lesson/access_counts.hpp"
#include "lesson/finding.hpp"
#include "lesson/handles.hpp"
#include "lesson/launch.hpp"

namespace gpulab {

// What was seen of a program while it ran: in its kernels, and on the host's side of the runtime API.

// A line of the program; no line where it cannot be told.
struct SourcePlace {
  std::string file = {};  // empty for the file that reports are about
  int line = 0;
  std::string source = {};  // the text of that line, once somebody has looked

  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

// "line 12", "line 12 of sum.cuh", "an unknown line"
std::string text_of(const SourcePlace& place);

// Something that is wrong, or a note that is worth knowing. Sentences without line breaks.
struct ProgramFinding {
  std::string pattern;  // "memory-leak", "race-shared"
  bool is_note = false;
  SourcePlace place;
  std::string text;     // what happened, where and by whom
  std::string instead;  // what to write; may be empty
  struct Other {
    SourcePlace place;
    std::string text;  // "it was freed here"
  };
  std::vector<Other> others = {};
  std::size_t count = 1;  // of the same kind in the same lines
  // What only the text of the call in that line can tell: where it does not hold, there is nothing wrong, or
  // it is a note that says why the program failed.
  enum class Premise : unsigned char {
    none,
    value_is_unused,
    value_is_unused_at_failure,
    counts_no_bytes,
    is_of_floats
  };
  Premise premise = Premise::none;
  std::string call = {};  // "cudaMalloc"
};

// What all launches of one kernel asked of memory.
struct KernelCounts {
  std::string kernel;
  std::size_t launches = 0;
  AccessCounts counts;
};

// A call of the runtime API that the timeline shows, or a piece of the device's work. Times as a GPU of the
// timeline's model would have them.
struct TimelineEntry {
  enum class Kind : unsigned char { call, kernel, to_device, to_host, other };

  std::string name;  // "cudaMemcpy", "add"
  int stream = -1;   // of the device; -1 for a call of the host
  SourcePlace place = {};
  double start_s = 0, end_s = 0;
  std::size_t bytes = 0;  // of a copy, or that a kernel moves
  Kind kind = Kind::call;
  bool is_pageable = false;  // a copy from or to ordinary memory of the host
};

// What a program is run for.
enum class ProgramWatch : unsigned char {
  nothing,   // as fast as the simulated device goes
  defects,   // every access to memory, and every call of the runtime
  accesses,  // which are counted, line by line
};

// The most of ProgramReport::sent and brought_back.
constexpr std::size_t most_kept_of_copies = std::size_t{1} << 25;

// All that a program's process tells when it ends.
struct ProgramReport {
  std::vector<ProgramFinding> findings;
  std::vector<KernelCounts> counts;
  std::vector<TimelineEntry> timeline;
  std::size_t launches = 0, calls = 0;
  // Where somebody asked for them, the bytes that the device was given (by copies, as arguments of kernels,
  // in memory that the host has, too) and those that the host got back. Each run of them begins at a multiple
  // of 8.
  std::string sent, brought_back;
};

// Why a program whose output was kept did not end by itself.
enum class ProgramLimit : unsigned char { none, time, output, message };

// A program that was run, and how it ended.
struct ProgramResult {
  std::string file;         // the first, as it was given
  std::string source;       // its text
  int status = 0;           // as a shell has it: 128 + signal when a signal ended it
  int signal = 0;           // 0 where it ended by itself
  bool has_report = false;  // else it ended in a way that nobody could watch
  ProgramWatch watch = ProgramWatch::defects;
  ProgramReport report;
  double seconds = 0;          // by the clock on the wall, compiling included
  std::string output, errors;  // what it wrote to stdout and stderr, where that was kept
  ProgramLimit limit = ProgramLimit::none;

  bool has_defect() const;
  // The program's own, or 1 where it was watched to its end and has a defect.
  int exit_code() const { return has_report && watch == ProgramWatch::defects && has_defect() ? 1 : status; }
};

// What a learner is asked who has no kernel to write: to predict a number, or to write the host's side of a
// whole program. The words of a question, its facts, its unit and its tolerance stand in
// exercises/LESSON/questions.txt; how the answer follows from the facts, and what a program prints, stands in
// the lesson.

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
