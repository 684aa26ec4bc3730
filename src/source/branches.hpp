#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/code.hpp"
#include "source/statements.hpp"

namespace gpulab::source {

// The threads of a block that come to some lines, as far as the text shows them.
enum class Arrivals { all, some, one_warp };

struct Branch {
  Arrivals arrivals = Arrivals::all;
  int line = 0;  // of the condition; 0 without one
};

// Returns the branch or the loop around both lines, or the return before them, that keeps the most
// threads of a block from them.
Branch branch_around(const Code& code, int line, int other_line);

// Returns the last line between the two that names the variable and that no thread skips on its way from the
// first to the second; 0 if there is none, or if that is not certain.
int last_access_between(const Code& code, std::string_view variable, int first, int last);

// Returns whether the second line stores every element that the first line reads, and their indices depend on
// the thread. Then two threads meet at an element only in different iterations of a loop.
bool stores_what_it_reads(const Code& code, int line_of_read, int line_of_store);

// Returns the loop whose iterations exchange elements of pairs in the first line, as if (a[i] > a[j])
// swap(a[i], a[j]) does, and in the last line if that is in the loop, too. All threads go through the loop
// together, without a barrier: they meet at an element in different iterations. Nothing if that is not
// certain.
std::optional<Loop> loop_of_exchanges(const Code& code, int first, int last);

// Returns whether both lines update the same element from others of its array: s[t] += s[t + 2].
bool are_in_place_steps(const Code& code, int line, int other_line);

// Returns whether an index in the line is computed from threadIdx.
bool has_index_of_thread(const Code& code, int line);

// Returns the line of an if around this line, in a loop, whose condition tests the parity of an index, as a
// red-black update does; 0 if there is none.
int parity_branch(const Code& code, int line);

// Returns the pointer parameter of a kernel that is used in both lines, if possible to store; empty if
// there is none.
std::string pointer_in_both(const Code& code, int line, int other_line);

// Return whether a line stores to an element whose index has this variable, as out[pos], or a variable that a
// call in the other line may set through a reference, as scan(keep, pos).
bool stores_at(const Code& code, int line, std::string_view variable);
bool stores_at_result(const Code& code, int line, int line_of_call);

// Returns whether a line stores to an element whose index is an element itself: out[offsets[i]].
bool stores_at_element(const Code& code, int line);

// Returns whether the second line stores to a buffer that changes with a parity, s[k & 1][t], after the first
// line has read that array: perhaps the other buffer is meant.
bool may_mean_other_buffer(const Code& code, int line_of_read, int line_of_store);

// Lines of a shuffle whose mask names all lanes, and of the divergent branch or loop around it.
struct DivergentShuffle {
  int branch = 0, line = 0;  // 0 if there is none
};

// Returns the kernel's first such shuffle. A call of `helper`, a function that has such a shuffle, counts,
// too.
DivergentShuffle shuffle_in_branch(const Code& code, const LineRange& kernel, std::string_view helper);

// Returns whether a shuffle begins there whose mask is a literal, which is taken for a mask of all lanes.
bool is_full_shuffle(const Code& code, std::size_t at);

// A call such as grid.sync().
struct GridBarrier {
  int line = 0;
  std::string call;
};

std::vector<GridBarrier> grid_barriers(const Code& code);

// Returns the lines of the block's barriers between both lines, if each stands alone under a condition; then
// also those in the loop around both, if each does. If a barrier without a condition is between the lines,
// returns the latter only. If no barrier is between them, returns nothing.
std::vector<int> conditional_barriers(const Code& code, int first, int last);

// Returns the variable that is this_grid() in the function around the line; empty if there is none.
std::string grid_group(const Code& code, int line);

// Returns the outermost loop around the line that assigns to a pointer whose elements the line uses, as
// a = b does, or swaps it; nothing if there is none.
std::optional<Loop> loop_that_swaps(const Code& code, int line);

}  // namespace gpulab::source
