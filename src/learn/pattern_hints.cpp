#include <algorithm>
#include <iterator>

#include "learn/hints.hpp"

namespace gpulab::learn {
namespace {

struct PatternHint {
  const char* pattern;
  const char* hint;
};

constexpr PatternHint pattern_hints[] = {
    {"unwritten-everywhere",
     "Nothing was stored. Is there a line that stores to the output, and does any thread get to it?"},
    {"unwritten-tail",
     "The elements at the end were left out. Which index does the last thread have, and does the guard or "
     "the loop "
     "end too early?"},
    {"only-first-block",
     "Only block 0 has stored. threadIdx starts at 0 again in every block: what tells the blocks apart?"},
    {"only-one-element",
     "One element was stored. Does the index differ from thread to thread, or does one thread do all?"},
    {"partial-last-block",
     "The last block is not full, and was not handled. Which of its threads have an element, and does the "
     "kernel let "
     "those through?"},
    {"unwritten-spaced",
     "Elements are missing at regular distances. By how much does the index, or the loop, advance, and how "
     "much "
     "should it?"},
    {"shifted",
     "The values are right, in the wrong place. Is there a + 1 or - 1 too many in an index, or does it count "
     "from 1?"},
    {"repeated",
     "Every thread has computed the same element. Which index of the inputs does not change from thread to "
     "thread?"},
    {"misplaced",
     "The values are right, in the places of others. Which element does a thread read, and which does it "
     "write: are the two indices the same, and different from thread to thread?"},
    {"transposed",
     "Rows and columns have changed places. Which of x and y is the column, and how long is a row?"},
    {"doubled",
     "The output holds a multiple of the result. Is something added twice, or added to what was not set to "
     "zero?"},
    {"lost-updates",
     "Threads have overwritten each other's sums. Reading, adding and storing are three steps: what makes "
     "them one?"},
    {"tile-edges",
     "Only elements at the edges of the tiles are wrong. Which thread fetches the neighbours outside of the "
     "tile, and "
     "what stands there at the border of the data?"},
    {"filter-not-turned",
     "A convolution turns the filter round: its first element meets the last of the inputs that it lies "
     "over. Which of the two indices counts up here, and which should count down?"},
    {"not-a-number",
     "The result is not a number. Look for a division by zero, the root of something negative, and values "
     "that nobody "
     "has stored."},
    {"rounding-only",
     "The result is nearly right. Look for a float where there should be an exact integer or a double, for "
     "another "
     "order of operations, and for a constant with too few digits."},
    {"zero-everywhere",
     "Everything is 0. Does the starter's zero still stand somewhere? If not: is a value cut to a whole "
     "number, or too small or too large for its type, on the way?"},
    {"wrong-values",
     "The right elements were stored, with wrong values. Which of them are right, and what do their threads "
     "have in common? Then go through the first wrong one step by step."},
    {"out-of-bounds-write",
     "A thread stores outside of the array. Threads without an element must not store: what does the guard "
     "compare?"},
    {"out-of-bounds-read",
     "A thread reads outside of an array. Which values can its index have, and how long is the array? A "
     "guard has to stand before the reading, too, also for neighbours such as i - 1 and i + 1."},
    {"race-shared",
     "Two threads of a block use one place in shared memory, and nothing says who is first. If they should "
     "share it: where must all of them wait for each other with __syncthreads(), or should both add by "
     "atomicAdd? If not: does each have a place of its own?"},
    {"race-global",
     "Two threads use one place in global memory, and nothing says who is first. Blocks cannot wait for each "
     "other: "
     "use an atomic operation, or give each thread a place of its own."},
    {"race-shared-loop",
     "One barrier in a loop is enough for half of it: between what this round reads and what the next round "
     "writes to the same place all have to wait as well. What stands in the loop's last line?"},
    {"race-shared-update",
     "Adding to a place in shared memory is three steps: read, add, store. Two threads that do so at once "
     "both read the old value, and one of the sums is lost. atomicAdd() makes one step of it."},
    {"race-global-update",
     "Adding to a place in global memory is three steps: read, add, store. Other threads come in between, "
     "and sums are lost. Use atomicAdd(), or let one thread alone do all the adding for a place."},
    {"divergent-barrier",
     "Not all threads of the block get to the same __syncthreads(). Take it out of the if or the loop, and "
     "let no "
     "thread return before it."},
    {"uninitialised-shared",
     "Shared memory was read before anything was stored there. Which thread fills this place, and is there a "
     "barrier "
     "between the two?"},
    {"uninitialised-global",
     "An output was read before anything was stored there. Outputs do not start at zero, unless the exercise "
     "says "
     "so."},
    {"not-enough-shared",
     "The kernel uses more shared memory than it is launched with. How much does the exercise say there is, "
     "and how large can the index become? Shared memory begins anew in every block."},
    {"launch-failure",
     "The device refuses this launch. A block has at most 1024 threads and 48 KiB of shared memory."},
    {"illegal-address",
     "A thread followed a pointer that leads to no array. Where does this pointer come from?"},
    {"division-by-zero",
     "An integer was divided by 0, or the rest of that was asked for. Which value can the divisor have in "
     "the "
     "first or the last thread?"},
    {"stack-overflow",
     "A thread has no room for its own variables. Does a function call itself without end, or is there a "
     "large array inside of the kernel?"},
    {"trap", "The kernel has stopped itself. What leads to its __trap()?"},
    {"too-much-output",
     "Printing is slow, and a GPU keeps only the end of so much. Let one thread print, or take printf out."},
    {"kernel-failure", "The kernel was stopped before its end. The sentence about it says what it did last."},
    {"deadlock",
     "All threads wait, and none will come. Look for a barrier in a loop that threads go through differently "
     "often, "
     "and for a loop that waits for another block."},
    {"time-limit",
     "The kernel was stopped before its end. Does the loop's index change in every round, and towards its "
     "end? Or does "
     "every thread do the work of all, where one element for each would do?"},
    {"does-not-compile",
     "Begin with the first message: later ones often follow from it. A semicolon may be missing one line "
     "above."},
    {"wrong-parameters",
     "The parameters are part of the exercise. Make their types and their order those of the starter again."},
    {"missing-kernel",
     "The kernel must be there under the name that the starter gave it, with __global__ in front."},
};

}  // namespace

std::string pattern_hint(const std::string& pattern) {
  const auto found = std::ranges::find(pattern_hints, pattern, &PatternHint::pattern);
  return found == std::end(pattern_hints) ? answer_hint(pattern) : found->hint;
}

}  // namespace gpulab::learn
