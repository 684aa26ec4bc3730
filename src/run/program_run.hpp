#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "lesson/exercise.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/problems.hpp"

namespace gpulab::run {

// A fault of a whole program.
struct ProgramFault {
  enum class Kind {
    defect,  // found by watching
    end,     // did not exit, or exited abnormally
    output,  // prints a wrong number, or not all numbers
  };
  Kind kind = Kind::defect;
  ProgramFinding finding;  // with its line, if known
};

// Returns the fault that causes the others: watched defects first, then the end of the program, then its
// output. None if nothing is wrong. Sentences about the output begin with the subject.
std::optional<ProgramFault> fault_of(const ProgramResult& run, const ProgramTask& task, std::size_t size,
                                     const std::string& subject = "the program");

// Checks the output alone.
std::optional<ProgramFinding> wrong_output(const std::string& output, const ProgramTask& task,
                                           std::size_t size, const std::string& subject = "the program");

// Runs a variant that is a whole program: compiled and watched on the simulator or, with a GPU, built by
// nvcc. Judges it by what watching finds and by its output. All failures are in the result.
VariantResult run_program(const RunContext& context, const Variant& variant);

}  // namespace gpulab::run
