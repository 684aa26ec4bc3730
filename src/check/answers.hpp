#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "lesson/exercise.hpp"
#include "lesson/result.hpp"

namespace gpulab::check {

enum class Dimension { number, time, bytes, rate };

struct Unit {
  const char* name;
  Dimension dimension;
  double in_si;  // the value of 1 unit: in s, bytes, bytes per s, or as a plain number
};

constexpr Unit plain_number{"", Dimension::number, 1};

// Returns the unit of a word such as "ms", "us", "%", "x", "GB/s" or "sectors"; null for no unit.
const Unit* unit_called(const std::string& name);

struct Quantity {
  double value = 0;   // in SI units
  double number = 0;  // as it was written, before its unit
  Dimension dimension = Dimension::number;
};

// Returns whether some unit of that dimension makes the number about that value, which is in SI units.
bool is_in_some_unit(double number, Dimension dimension, double value);

// Parses "12.5 ms", "25%", "1 000", "3e6 B"; a number alone has the given unit. None for anything else.
std::optional<Quantity> quantity(const std::string& text, const Unit& unit_of_bare_numbers);

// Question as a file has it:
//
//   2. An event
//      Any words, and facts, each in a line of its own:
//        primes: 6 ms
//      The text of a kernel, from __global__ to its closing brace.
//   answer (ms, within 1 %): 11 ms   # a note
//
// Lines of any other form are skipped.
struct AskedQuestion {
  std::string heading;  // "2. An event"
  std::string name;     // "An event"
  Facts facts;
  std::vector<std::string> rates = {};  // names of the facts that are rates
  std::string kernels;                  // text of the kernels in the question
  std::string unit;                     // unit of an answer that is a number alone: "ms"
  double tolerance = 0;                 // relative
  std::string answer;                   // as it was written, without the note; empty when there is none
  int line = 0;                         // line of the answer in the file, from 1 on; 0 if there is none
  std::string source;                   // the text of that line
};

std::vector<AskedQuestion> asked_questions(const std::string& sheet);

// Answer to a question that a misunderstanding would give.
struct MistakenAnswer {
  int line = 0;         // line of the question's answer in the exercise's sheet
  std::string pattern;  // "nothing-overlaps"
  std::string answer;   // "28 ms"
  double value = 0;     // the same in SI units
  double tolerance = 0;
  bool is_slip = false;  // whether a right result was written down wrongly, such as with another unit

  // Returns whether both are the same answer to the same question, within the tolerance.
  bool is_same_as(const MistakenAnswer& other) const;
};

// Returns the mistaken answers to all questions of an exercise, without those that happen to be right. Throws
// what check_answers() throws.
std::vector<MistakenAnswer> mistaken_answers(const Exercise& exercise);

// Returns why the answer in that line of a filled-in sheet is wrong, and what the right answer is. Empty if
// the answer is right.
std::string reason_for_answer(const Exercise& exercise, const std::string& sheet, int line);

// Returns the exercise's sheet with the course's answers filled in, each with its reason below.
std::string answered_sheet(const Exercise& exercise);

// Pattern of a missing answer.
constexpr const char* unanswered = "unanswered";

struct AnswerJudgement {
  std::string pattern;      // name of the mistake: "nothing-overlaps"; empty if the answer is right
  std::string explanation;  // a sentence that does not give the right answer away

  bool is_right() const { return pattern.empty(); }
};

// Judges the answer to a question, with the facts, unit and tolerance of `asked`. Throws std::logic_error if
// a fact is missing or the unit is unknown.
AnswerJudgement judge_answer(const std::string& answer, const AskedQuestion& asked, const Question& question);

// Launches a kernel on the simulator, with arrays of zeroes, and adds the sectors of its warps' requests to
// the facts. The module must have been compiled as counted. Throws CompileError, DeviceError.
void count_accesses(const CountedKernel& counted, device::Module& module, device::Device& simulator,
                    Facts& facts);

// Judges a learner's answers to the questions of an exercise; `file` is the name of their file in the result.
// The questions and their tolerances are the exercise's, even if the learner's file has changed them.
// Questions about kernels are answered by running them on the simulator. Throws CompileError or DeviceError
// when this machine cannot run the kernels.
CheckResult check_answers(const Exercise& exercise, const std::string& file, const std::string& text);

}  // namespace gpulab::check
