#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lesson/finding.hpp"
#include "source/code.hpp"

namespace gpulab::source {

// An array in shared memory, as its kernel file declares it: __shared__ float tile[32][33];
struct SharedArray {
  std::string name;
  std::vector<std::size_t> dimensions;
  int line = 0;

  std::size_t elements() const;  // 1 without dimensions
};

// Returns the arrays whose dimensions follow from the text: numbers, and constants that it defines.
std::vector<SharedArray> shared_arrays(const Code& code);

// Tokens of "extern __shared__ float name[];": where its type begins, and its name. If the declaration has
// another form, the token `name` is not a word.
struct DynamicArray {
  std::size_t type = 0, name = 0;
};
std::vector<DynamicArray> dynamic_arrays(const Code& code);

// The macros that declare extern __shared__ T name[], each with the number of the parameter that is the name.
using SharedMacros = std::map<std::string, std::size_t, std::less<>>;
void add_shared_macros(const Code& code, SharedMacros& macros);

// Returns the symbols of declarations extern __shared__ T name[], with their words in any order, of
// HIP_DYNAMIC_SHARED(T, name), and of such macros.
std::vector<std::string> dynamic_shared_symbols(const Code& code, const SharedMacros& macros);

// Adds the dimensions of the shared arrays that defects are about, so that messages name elements. Leaves out
// an array if several declarations in the text fit its bytes. Adds the name of an array whose index is wrong.
// If the store of a race ran first, but the text shows that the read comes before it, exchanges the race's
// parties. Reads the text only if a defect is about an array: a check calls this after each of its runs.
void add_names_and_dimensions(std::vector<Defect>& defects, const std::string& text);

// Names dynamic shared memory as the text does, if it has only one name there. If it has floats or ints, sets
// their number as its dimension.
Defect with_dynamic_name(Defect defect, const Code& code);

}  // namespace gpulab::source
