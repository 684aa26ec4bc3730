#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/access_counts.hpp"
#include "lesson/estimate.hpp"
#include "lesson/finding.hpp"
#include "lesson/handles.hpp"
#include "lesson/launch.hpp"

namespace gpulab {

// Observations of a program while it ran: in its kernels, and in the host's calls of the runtime API.

// A line of the program; 0 if unknown.
struct SourcePlace {
  std::string file = {};  // empty for the main file of reports
  int line = 0;
  std::string source = {};                // text of that line, if looked up
  int column = 0;                         // of the source, from 1; 0 if unknown
  std::vector<SourcePlace> callers = {};  // of the function with that line, the nearest first; none in main()

  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

// Returns "line 12", "line 12 of sum.cuh", "line 12, called from line 40" or "an unknown line".
std::string text_of(const SourcePlace& place);

// A defect, or a note worth knowing. Texts are sentences without line breaks.
struct ProgramFinding {
  std::string pattern;  // "memory-leak", "race-shared"
  bool is_note = false;
  SourcePlace place;
  std::string text;        // the event, its place and thread
  std::string correction;  // what to write; may be empty
  struct Other {
    SourcePlace place;
    std::string text;       // "it was freed here"
    std::string call = {};  // also a subject of value_is_unused: "cudaGetLastError"
  };
  std::vector<Other> others = {};
  std::size_t count = 1;  // findings of the same kind in the same lines
  // Condition that only the program's text can decide. If it is false, the finding is dropped, but a defect
  // with value_is_unused_at_failure or kernel_never_returns becomes a note. If kernel_never_returns is true,
  // a note becomes a defect.
  enum class Premise : unsigned char {
    none,
    value_is_unused,
    value_is_unused_at_failure,
    size_is_not_in_bytes,
    size_is_of_pointer,
    array_has_floats,
    kernel_never_returns,
  };
  Premise premise = Premise::none;
  bool is_allowed = false;           // a note that would be a defect without --allow
  bool lanes_have_returned = false;  // before the line; the program's text may tell where
  std::string call = {};             // "cudaMalloc"
};

// How the registers and instructions of a program's kernels are known.
enum class InstructionOrigin { no_nvcc, nvcc_failed, nvcc };  // without nvcc's: guessed from accesses

// Launches of a kernel in one shape, and what they are predicted to take on a GPU, all together.
struct PredictedLaunches {
  LaunchConfig config;
  std::size_t launches = 0;
  double seconds = 0, low_s = 0, high_s = 0;
  Limiter limiter = Limiter::launch;  // of the first launch
  bool is_guessed = true;             // registers and instructions, since no compiler told them
  std::string why_not = {};           // not empty if nothing is predicted
};

// Memory requests of all launches of one kernel.
struct KernelCounts {
  std::string kernel;
  std::size_t launches = 0;
  AccessCounts counts;
  std::vector<PredictedLaunches> predicted = {};  // in the order of their first launches
};

// A call of the runtime API on the timeline, or a piece of device work. Its times are those of the GPU that
// the timeline models.
struct TimelineEntry {
  enum class Kind : unsigned char { call, kernel, to_device, to_host, other };

  std::string name;  // "cudaMemcpy", "add"
  int stream = -1;   // stream of the device; -1 for a host call
  SourcePlace place = {};
  double start_s = 0, end_s = 0;
  std::size_t bytes = 0;  // bytes that are copied, or that a kernel moves
  Kind kind = Kind::call;
  bool is_pageable = false;       // a copy from or to pageable host memory
  bool is_implicit_wait = false;  // a call that frees memory before the host has waited for all work
};

// A time that the program asked for, between two events on the timeline.
struct MeasuredTime {
  SourcePlace place = {};
  double start_s = 0, end_s = 0;
  double milliseconds = 0;  // what the program was told
};

// The purpose of running a program.
enum class ProgramWatch : unsigned char {
  nothing,   // nothing is checked, at the simulator's full speed
  defects,   // every memory access and runtime call is checked
  accesses,  // accesses are counted line by line
};

// Maximum size of ProgramReport::sent and brought_back.
constexpr std::size_t max_kept_copy_bytes = std::size_t{1} << 25;

// Number of the call that has to fail on purpose, if all calls have to fail.
constexpr std::size_t every_call = static_cast<std::size_t>(-1);

// Returns whether the call's error is sticky: later calls return it too, since work or the device has failed.
constexpr bool is_sticky_error(std::string_view call) {
  return call == "cudaSetDevice" || call.ends_with("Synchronize");
}

// Everything that a program's process reports when it ends.
struct ProgramReport {
  std::vector<ProgramFinding> findings;
  std::vector<KernelCounts> counts;
  std::vector<TimelineEntry> timeline;
  std::vector<MeasuredTime> measured;
  std::size_t launches = 0, calls = 0;
  // Blocks of large launches in which races were looked for, and all their blocks. 0 if no launch was large.
  std::size_t recorded_blocks = 0, sampled_blocks = 0;
  // If asked for, the bytes that the device received (by copies, kernel arguments or host-visible memory) and
  // those that the host got back. Each run of bytes begins at a multiple of 8.
  std::string sent, brought_back;
};

// Limit that stopped a program whose output was kept.
enum class ProgramLimit : unsigned char { none, time, output, message };

// A program run and its end.
struct ProgramResult {
  std::string file;         // first file, as given
  std::string source;       // text of that file
  int status = 0;           // as in a shell: 128 + signal if a signal ended it
  int signal = 0;           // 0 if it exited
  bool has_report = false;  // false if its end could not be watched
  ProgramWatch watch = ProgramWatch::defects;
  bool is_hip = false;
  unsigned warp_size = 0;  // lanes of a warp; 0 if it did not run
  ProgramReport report;
  std::string gpu = {};  // that its launches are predicted on: "H200"; empty without predictions
  InstructionOrigin instructions = InstructionOrigin::no_nvcc;
  double seconds = 0;          // wall-clock time, including compilation
  std::string output, errors;  // its stdout and stderr, if kept
  ProgramLimit limit = ProgramLimit::none;

  bool has_defect() const;
  bool is_interrupted() const { return signal == 2 || signal == 15; }  // SIGINT, SIGTERM
  // Returns the program's own code, or 1 if it was watched to its end and has a defect.
  int exit_code() const {
    return has_report && watch == ProgramWatch::defects && has_defect() && !is_interrupted() ? 1 : status;
  }
};

// Exercises without a kernel to write: predicting numbers, or writing a whole program. The words of a
// question, its facts, unit and tolerance are in exercises/LESSON/questions.txt; the lesson has the formula
// for the answer, and the output that a program must print.

// Facts stated in a question, and counts of its kernel by the simulator. In SI units, by name.
class Facts {
 public:
  // Throws std::logic_error if the question has no such fact.
  double of(const std::string& name) const;
  void set(const std::string& name, double value) { values_[name] = value; }

 private:
  std::map<std::string, double> values_;
};

// A launch of a question's kernel, to count its memory accesses.
struct CountedKernel {
  std::string kernel;
  LaunchConfig config;
  std::vector<SizedArray> arrays;
  Arguments arguments;
};

// Names of the counted facts.
constexpr const char* counted_sectors_per_load = "sectors per load";
constexpr const char* counted_sectors_per_store = "sectors per store";
constexpr const char* counted_used_part_of_loads = "used part of loads";

// The answer that results from one misunderstanding.
struct TypicalError {
  std::string pattern;             // "nothing-overlaps"
  std::string explanation;         // the mistake, as the end of a sentence; not the right answer
  double (*answer)(const Facts&);  // in SI units
};

struct Question {
  std::string name;                // heading of the question
  double (*answer)(const Facts&);  // in SI units
  std::vector<TypicalError> errors = {};
  CountedKernel (*counted)(const Facts&) = nullptr;
};

struct QuestionSheet {
  std::vector<Question> questions = {};
  std::string shown_by = {};  // a sentence: the command that shows the real answers
};

// A number that a program prints on its own line, after its name: "sum 499500".
struct PrintedNumber {
  std::string name;
  double value = 0;
  double tolerance = 0;  // relative
};
using PrintedNumbers = std::vector<PrintedNumber>;

// The output of a program with one typical mistake.
struct TypicalOutput {
  std::string pattern;      // "stays-on-device"
  std::string explanation;  // the mistake, as a sentence without its full stop
  PrintedNumbers (*prints)(std::size_t size);
};

// An array that a program's kernels compute and the host gets back.
struct DeviceResult {
  std::string name;
  std::vector<double> numbers;
};

// A demand of an exercise besides a right result, tested from the record of a run.
template <class Record>
struct Demand {
  std::string pattern;   // empty for a note
  std::string sentence;  // the demand, as the exercise's text has it, without its full stop
  // Returns how and where a run breaks the demand, without a pattern; none if the run meets it.
  std::optional<ProgramFinding> (*violation)(const Record& record) = nullptr;
  bool is_note = false;  // a run that breaks it passes, with a note
};

// The record of a program that printed the right numbers.
struct ProgramRecord {
  const ProgramReport& report;
  std::size_t size = 0;
  PrintedNumbers printed = {};  // those of ProgramTask::prints, as the program printed them
};

// Errors of the runtime that a program has to look at.
enum class ErrorsToCheck : unsigned char { none, any, every };

// The task of a whole program, which takes the problem's size as its first argument.
struct ProgramTask {
  std::function<PrintedNumbers(std::size_t size)> prints;
  std::vector<std::size_t> sizes = {};  // to check with; the sizes that reveal most mistakes first
  std::vector<DeviceResult> (*results)(std::size_t size) = nullptr;
  std::vector<TypicalOutput> errors = {};
  std::vector<Demand<ProgramRecord>> demands = {};  // the most important first
  ErrorsToCheck errors_to_check = ErrorsToCheck::none;
};

// The record of a right kernel: its memory requests at one size.
struct KernelRecord {
  AccessCounts counts;
  std::size_t size = 0;     // work items
  std::size_t threads = 0;  // of the whole blocks that cover the work items
};

// Kinds of solutions that a learner writes.
enum class ExerciseKind { kernel, answers, program };

// The exercise of a lesson.
struct Exercise {
  std::string name;    // the lesson's name; for a program beside questions, the file: "streams.cu"
  std::string lesson;  // the subcommand: "shared-histogram"
  ExerciseKind kind = ExerciseKind::kernel;
  std::string file;     // the learner's file: "shared_histogram.cu", or "streams.txt" for questions
  std::string starter;  // initial text of the file
  std::vector<std::string> hints;  // from gentle to explicit
  std::string solution = {};       // answers under their headings, or the course's program

  bool has_questions() const { return kind == ExerciseKind::answers; }
  bool is_program() const { return kind == ExerciseKind::program; }
};

// Splits hints at lines of three hyphens.
std::vector<std::string> hints_in(const std::string& text);

enum class ExerciseState { not_started, started, passed };

// A learner's progress with one exercise.
struct ExerciseProgress {
  ExerciseState state = ExerciseState::not_started;
  unsigned hints_taken = 0;
  unsigned checks = 0;
  std::string last_pattern;         // pattern of the last check; empty if right
  std::string passed_on;            // day of the first right check: "2026-11-21"
  bool read_solution = false;       // before passing
  std::string hash_of_passed = {};  // of the text that passed last; empty after a wrong one

  friend bool operator==(const ExerciseProgress&, const ExerciseProgress&) = default;
};

struct ExerciseStanding {
  Exercise exercise;
  ExerciseProgress progress;
};

// Returns the first exercise not yet passed; null if all are.
const ExerciseStanding* first_not_passed(const std::vector<ExerciseStanding>& standings);

// Help for a learner who asks for a hint.
struct TakenHint {
  std::string exercise;            // "shared-histogram"
  std::string pattern;             // pattern of the last check; empty without help for it
  std::string advice;              // for this pattern
  std::vector<std::string> texts;  // the next hint or, after the last, all of them
  std::size_t first = 1;           // number of the first of these texts
  std::size_t left = 0;            // hints still to come
};

}  // namespace gpulab
