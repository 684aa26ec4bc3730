#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "source/statements.hpp"

namespace gpulab::source {

// Corrections of a text whose kernel accesses elements outside an array.

// Returns the condition that keeps the line's only index of that sign, such as i + 1, in its array: "i + 1 <
// n", or "t >= 1", since t - 1 may be unsigned. The bound is `length` or, if that is 0, what the text
// compares the variable with before. Empty if the text does not show it, or if the index is further outside
// than the number in it explains.
std::string missing_condition(const Code& code, int line, bool is_before, std::size_t elements_outside,
                              std::size_t length);

// Returns whether the array is dynamic shared memory, whose bytes a launch gives.
bool is_dynamic(const Code& code, std::string_view array);

// Returns the configuration of the one launch in a line with its count of elements of dynamic shared memory
// as bytes:
// "<<<1, 256, 256 * sizeof(float)>>>". Empty if the array is not dynamic, or what is given may be bytes.
std::string launch_in_bytes(const Code& code, int line, std::string_view array);

// A step of a pointer in bytes, which the pointer counts as elements: "e + n * sizeof(int)", and "e + n".
struct ScaledStep {
  int line = 0;
  std::string wrong, right;
};

// Returns the first one in these lines, where the pointer's type is larger than a byte.
std::optional<ScaledStep> scaled_step(const Code& code, const LineRange& lines);

// Returns the correction of a line whose index multiplies a pitch, which counts bytes, as "pitch /
// sizeof(*in) in place of pitch"; empty if there is none.
std::string pitch_in_elements(const Code& code, int line);

}  // namespace gpulab::source
