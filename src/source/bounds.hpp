#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lesson/launch.hpp"
#include "source/statements.hpp"

namespace gpulab::source {

// Corrections of a text whose kernel accesses elements outside an array.

// Returns the condition that keeps the line's only index with an offset, such as i + 1, in its array: "i + 1
// < n" or, if the access is before the array, "t >= 1", since t - 1 may be unsigned. The bound is `length`
// or, if `length` is 0, what the text compares the variable with. Returns an empty text if the text does
// not show the bound, or if the index is further outside than its offset explains.
std::string missing_condition(const Code& code, int line, bool is_before, std::size_t elements_outside,
                              std::size_t length);

// Returns "i < n" if the line has an element [i] in a loop whose condition is i <= n; else an empty text.
std::string condition_without_end(const Code& code, int line);

// Returns how many elements an array of offsets needs whose next element ends a loop over each part in this
// line, as in j < begin[i + 1]: "n + 1" if i is less than n. Empty if there is no such array.
std::string elements_of_offsets(const Code& code, int line);

// Returns whether the array is dynamic shared memory, whose size in bytes is given by the launch.
bool is_dynamic_array(const Code& code, std::string_view array);

// Returns the corrected configuration of the only launch in a line, which gives the size of a dynamic array
// in elements instead of bytes: "<<<1, 256, 256 * sizeof(float)>>>". Empty if the array is not dynamic, or if
// the given size may be bytes.
std::string launch_in_bytes(const Code& code, int line, std::string_view array);

// A sum that moves a pointer by a number of bytes instead of elements: "e + n * sizeof(int)", right: "e + n".
struct ScaledStep {
  int line = 0;
  std::string wrong, right;
};

// Returns the first such sum in these lines whose pointer has elements larger than a byte.
std::optional<ScaledStep> scaled_step(const Code& code, const LineRange& lines);

// Returns the argument of the launch in this line that is a number of bytes, itself or as a variable, if the
// call in line `allocation` allocates such a number, too: "n * sizeof(float)", right: "n".
std::optional<ScaledStep> size_as_argument(const Code& code, int line, int allocation);

// Returns the correction of an index that multiplies a pitch, although a pitch is a number of bytes: "pitch /
// sizeof(*in) in place of pitch". Empty if the line has no such index.
std::string pitch_in_elements(const Code& code, int line);

// Returns the type whose pointer's size the line takes: "float" for sizeof(float*). Empty if it takes none.
std::string pointer_type_in_size(const Code& code, int line);

// Returns the bytes of an element of the memory that the call in this line gives a pointer, by the
// declaration of the pointer in its first argument: 4 for cudaMalloc((void**)&x, n) of a float* x; 0 if that
// is unknown.
std::size_t element_bytes_of(const Code& code, std::string_view call, int line);

// An index by which several threads of a launch use one element, and none uses others.
struct WrongIndex {
  std::string text, right;  // "line 6 multiplies ...", "blockIdx.x * blockDim.x + threadIdx.x"
};

// Returns why threads of such a launch have the same index, as far as the kernel's text shows it. Call it for
// a launch that has left elements out.
std::optional<WrongIndex> wrong_index(const Code& code, std::string_view kernel, const LaunchConfig& launch);

// Returns why each block of such a launch adds the same sum of the kernel's input to one place.
std::optional<WrongIndex> repeated_sum(const Code& code, std::string_view kernel, const LaunchConfig& launch);

// Returns n for "if (i < n)" or "if (i >= n) return", where i is the number of the kernel's thread in the
// grid, around the line, or before it; with 0 for the line, anywhere. Empty if there is none.
std::string bound_of_guard(const Code& code, std::string_view kernel, int line = 0);

// Returns 2 for "i = blockIdx.x * blockDim.x * 2 + threadIdx.x" and "if (i < n)" in the kernel; 0 if there is
// no such factor.
std::size_t elements_per_thread(const Code& code, std::string_view kernel);

// A launch for a part of an array, f<<<...>>>(d + off, n), whose guard compares with the argument n.
struct LaunchedPart {
  std::string pointer, count, correction;  // "d + off", "n", "n / 2 in place of n in the launch"
};

// Returns what the launch in that line gives the kernel for a part, if such a guard is around the access. The
// right count is `most` unless copies or the index of the part show it.
std::optional<LaunchedPart> launched_part(const Code& code, int launch, int line, std::size_t most);

// Returns what is wrong with an element of rows in the line, a[y * h + x], or with the if around it, such as
// if (x < w && y < h): threads share an element, or access one past the end.
std::optional<WrongIndex> wrong_row_length(const Code& code, int line, bool is_past_end = false);

// Returns whether the kernel around the line has threadIdx.y.
bool has_rows(const Code& code, int line);

// Returns "if (x < w && y < h)" for "if (x < w || y < h)" around the line. Empty if there is none.
std::string both_conditions(const Code& code, int line);

// Says under which condition the one store of the kernel around the line sets the array. Empty if there are
// several stores, or the condition chooses threads.
std::string condition_of_store(const Code& code, std::string_view array, int line);

// Returns whether the line's one assignment is to an element of an array that the kernel names nowhere else:
// "out[i] = 2 * in[i]".
bool stores_only(const Code& code, int line);

}  // namespace gpulab::source
