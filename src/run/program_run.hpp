#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "lesson/exercise.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/problems.hpp"

namespace gpulab::run {

// Why a whole program is wrong that was run.
struct ProgramFault {
  enum class Kind {
    defect,  // which watching found
    end,     // it did not end by itself, or not well
    output,  // it prints what is wrong, or not all that is asked for
  };
  Kind kind = Kind::defect;
  ProgramFinding finding;  // with the line where that is known
};

// What is the cause of other things comes first: what watching finds, how the program ended, what it printed.
// None where nothing is wrong. Sentences about the output begin with the subject.
std::optional<ProgramFault> fault_of(const ProgramResult& run, const ProgramTask& task, std::size_t size,
                                     const std::string& subject = "the program");

// The same of the output alone.
std::optional<ProgramFinding> wrong_output(const std::string& output, const ProgramTask& task,
                                           std::size_t size, const std::string& subject = "the program");

// A variant that is a whole program: compiled and run, watched, on the simulated device or, where the device
// is a GPU, by nvcc; judged by what watching finds and by what it prints. Whatever goes wrong is in the
// result.
VariantResult run_program(const RunContext& context, const Variant& variant);

}  // namespace gpulab::run
