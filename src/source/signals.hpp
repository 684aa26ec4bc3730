#pragma once

#include <string>
#include <string_view>

#include "source/code.hpp"

namespace gpulab::source {

// Returns the name of the first or the last atomic operation in a line: "atomicAdd", or "store" for
// flag.store(1). Empty if there is none.
std::string atomic_in(const Code& code, int line, bool is_last = false);

// Returns whether the value of the atomic or the load in `line` decides whether a thread comes to
// `later_line`. It does if the value, or a variable that is set to it, is in a condition between the lines,
// or is returned.
bool decides_on(const Code& code, int line, int later_line);

// Returns whether a value that the line reads through the pointer is tested: it, or a variable that is set to
// it, is in a condition of its function, or is returned.
bool is_tested(const Code& code, int line, std::string_view pointer);

// Returns whether all threads store the same value through the pointer, which parameters and numbers make, in
// a function without atomics and waits: then it does no harm if several threads come to that store.
bool stores_one_value(const Code& code, int line, std::string_view pointer);

// Returns whether what happens in a line depends on a variable that is read in another one, perhaps in an
// earlier iteration of a loop: whether a thread comes there, or which element it uses.
bool depends_on(const Code& code, int line, std::string_view variable, int line_of_read);

// Returns the call in a line that has memory_order_relaxed, with another order in its place:
// "flag.store(1, memory_order_release)"; or the instruction of inline PTX. Empty if the line has none.
std::string with_memory_order(const Code& code, int line, std::string_view order);

}  // namespace gpulab::source
