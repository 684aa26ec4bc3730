#pragma once

#include <string>
#include <string_view>

#include "source/code.hpp"

namespace gpulab::source {

// Returns the name of the atomic operation in a line: "atomicAdd", or "store" for flag.store(1). Empty if
// there is none.
std::string atomic_in(const Code& code, int line);

// Returns whether it depends on the atomic or the load in the first line whether a thread comes to the
// second: it, or a variable that it gives a value to, is in a condition or is returned.
bool decides_on(const Code& code, int line, int later_line);

// Returns whether what happens in a line depends on a variable that is read in another one, perhaps in an
// earlier iteration of a loop: whether a thread comes there, or which element it uses.
bool depends_on(const Code& code, int line, std::string_view variable, int line_of_read);

// Returns the call in a line that has memory_order_relaxed, with another order in its place:
// "flag.store(1, memory_order_release)"; or the instruction of inline PTX. Empty if the line has none.
std::string with_memory_order(const Code& code, int line, std::string_view order);

}  // namespace gpulab::source
