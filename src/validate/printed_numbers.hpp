#pragma once

#include <optional>
#include <string>

#include "core/exercise.hpp"

namespace gpulab::validate {

// A line that a program should print and did not.
struct PrintedDifference {
  std::string name;
  double expected = 0;
  std::string printed = {};  // what stands behind the name; empty where no line begins with it
};

// The first number that is missing, or wrong; none where all are there. Lines that begin with other words are
// the program's own business. A number that is printed twice is right twice.
std::optional<PrintedDifference> first_difference(const std::string& output, const PrintedNumbers& expected);

// Of the typical outputs that for which the program's is that, and which is not right; null if there is none.
const TypicalOutput* typical_output(const std::string& output, const ProgramTask& task, std::size_t size);

// The number behind that name, where a line begins with it.
std::optional<double> printed_number(const std::string& name, const std::string& output);

// As programs print numbers: "499500", "0.25".
std::string number_text(double value);

}  // namespace gpulab::validate
