#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/arrays.hpp"
#include "lesson/launch.hpp"
#include "lesson/problem.hpp"
#include "run/validate/comparison.hpp"

namespace gpulab::run::validate {

// Which work item, and so which thread, has to do with which element of an output.
struct WorkItems {
  LaunchConfig launch;
  Ownership ownership = Ownership::unknown;
  Extent work = {};  // where items have two or three dimensions: how many there are in each
  // The first item that adds to an element, where several do and if any does. Left out: item i writes element
  // i. It is only asked for elements that exist.
  std::function<std::optional<std::size_t>(std::size_t element)> item_of = {};
  std::string element_name = "element";  // "bin"
};

// An index in x, y and z, as CUDA's uint3.
struct Index {
  std::size_t x = 0, y = 0, z = 0;
};

// Where a thread stands: the block in the grid, the thread in the block.
struct ThreadPlace {
  Index block;
  Index thread;
};

// "block 9 thread 784", "block (1, 2) thread (31, 7)"
std::string text_of(const ThreadPlace& place);

std::size_t launched_threads(const WorkItems& items);

// Whether item i is known to be that of thread i, and so of nobody when fewer threads were launched. Where
// threads stride it is so as long as none of the items is left for a second step.
bool one_item_each(const WorkItems& items, std::size_t count);

// The thread that the item of the element belongs to; none when no thread has it, or the launch does not
// tell.
std::optional<ThreadPlace> owner_of(const WorkItems& items, std::size_t element);

// " (block 9 thread 784)", or nothing where no thread can be named.
std::string owner_in_brackets(const WorkItems& items, std::size_t element);

// "1 block of 1024 threads"
std::string text_of(const LaunchConfig& launch);

// The elements that something is true of, added in ascending order.
class Positions {
 public:
  void add(std::size_t index);

  std::size_t count() const { return count_; }
  std::size_t first() const { return first_; }
  std::size_t last() const { return last_; }
  bool contiguous() const { return count_ > 0 && last_ - first_ + 1 == count_; }
  // The distance from each to the next; 0 when it varies, or when there are fewer than two.
  std::size_t step() const { return step_; }

 private:
  std::size_t count_ = 0, first_ = 0, last_ = 0, step_ = 0;
};

// What one pass over a wrong result shows. Patterns are recognised from this alone.
struct Evidence {
  const Array& expected;
  const Array& actual;
  const Comparison& comparison;
  Before before;
  const WorkItems& items;

  Positions wrong_at = {};
  Positions unwritten = {};                  // wrong, and still what the output held before the launch
  Positions written = {};                    // anything that was not there before, right or wrong
  Positions not_a_number = {};               // wrong, written, NaN
  std::size_t zeros = 0;                     // elements that are 0, right or wrong
  std::size_t equal_to_next = 0;             // wrong, but right for the element after it
  std::size_t equal_to_previous = 0;         // wrong, but right for the element before it
  std::size_t doubled = 0;                   // wrong, and twice what is expected
  std::size_t too_small = 0;                 // wrong, written, and between 0 and what is expected
  std::size_t equal_to_transposed = 0;       // wrong, but right for the element with row and column exchanged
  std::size_t off_by_little = 0;             // wrong by no more than some roundings make
  std::size_t off_as_by_half = 0;            // wrong by no more than roundings to 11 bits make
  std::size_t few_bits = 0;                  // wrong, but right to 11 bits, and not stored with more
  std::size_t farthest_from_block_edge = 0;  // elements, of all that are wrong, in the blocks of the launch
  std::size_t farthest_from_border = 0;      // elements, of all that are wrong, in work that has rows
  std::size_t blocks_with_wrong = 0;         // of the launch's blocks, laid over the elements

  // Of the launch's blocks, laid over the elements: how many, and the number of the one an element lies in.
  std::size_t blocks() const;
  std::size_t block_of(std::size_t element) const;
  std::size_t checked() const { return comparison.checked; }
  std::size_t wrong() const { return comparison.wrong; }
  // Whether the element is what the output held before the launch.
  bool is_untouched(std::size_t element) const;
  bool only_unwritten() const { return wrong() == unwritten.count(); }
  // Right elements that are what the output held before the launch: nobody can tell who wrote them.
  std::size_t untold() const { return checked() - written.count() - unwritten.count(); }
};

Evidence collect_evidence(const Comparison& comparison, const Array& actual, const Array& expected,
                          const WorkItems& items);

bool holds_integers(const Evidence& evidence);
// Whether an element of an output still holds the poison from before the launch.
bool is_poison(const Array& output, std::size_t element);

Difference difference_at(const Evidence& evidence, std::size_t element);

// How things are called in the one line of an explanation.
std::string name_of_element(const Evidence& evidence, std::size_t element);  // "C[17]", "bin 17"
std::string share_of_elements(const Evidence& evidence, std::size_t count);  // "12 of 256 bins"
std::string share_wrong(const Evidence& evidence);                           // "12 of 256 bins wrong"

// Fewer elements than this can fit a rule by chance.
constexpr std::size_t min_for_a_rule = 3;
std::string value_text(double value, ElementType type);  // "1 204", "0.1", "NaN"

// "C[17]: expected 3, got 4 (block 0 thread 17)"
std::string element_in_full(const Evidence& evidence, std::size_t element);

// What went wrong: how much, where, whose work it was, and the pattern it fits.

// The comparison is that of actual with expected, and found a difference. Throws std::logic_error when there
// is nothing to explain.
//   "1 024 of 2 048 unwritten, from C[1024] on: no thread has that index (1 block of 1024 threads)"
Explanation explain_difference(const Comparison& comparison, const Array& actual, const Array& expected,
                               const WorkItems& items);

// length: elements of the array that the guard zones lie around.
//   "wrote 240 elements past the end of C (length 10 000), first C[10000] by block 9 thread 784"
std::string explain_guard_hit(const GuardHit& hit, const std::string& array, std::size_t length,
                              ElementType type, const WorkItems& items);

// What the places of the wrong elements have in common: ", all in the last row", ", all with an odd index".
// Empty when they lie anywhere.
std::string where_wrong(const Evidence& evidence);

// How much the pattern of a wrong result says of why it is wrong.
enum class Telling {
  little,    // that it is wrong: anything that can be computed and compared says more
  where,     // where it is wrong, or that all of it is
  kind,      // in which way it is wrong
  computed,  // what it is equal to
};

// Of patterns of results; those of a lesson's typical mistakes tell the kind, unless they have a name of
// these.
Telling telling_of(std::string_view pattern);

// A way to be wrong that can be recognised. detect returns what tells of it, or nothing when the evidence
// does not fit; it claims no cause, and at most a guess.
struct Pattern {
  std::string_view name;
  std::optional<Explanation> (*detect)(const Evidence& evidence);
};

// Elements that no thread wrote: which ones are missing tells of the index or the bounds check.
std::span<const Pattern> unwritten_patterns();

// Elements that were written with the wrong value.
std::span<const Pattern> value_patterns();

// What tells of results whose wrong elements hold right values of other elements. There are none where a
// wrong value could be one of the right ones by chance: where these lie close together, or are often the
// same.

// All of them hold what one and the same element should.
std::optional<Explanation> repeated_value(const Evidence& evidence);
// Each of them holds what some other element should.
std::optional<Explanation> misplaced_values(const Evidence& evidence);

// What the problem would ask for with another of the lesson's options.
struct OtherResult {
  std::string option;  // "--border clamp"
  Reference compute;
};

// A wrong result, and all that is needed to compute what may have come out instead.
struct Candidates {
  const Problem& problem;
  const Inputs& inputs;
  std::size_t output = 0;  // which of the outputs
  const Array& actual;
  const Array& expected;
  const Comparison& comparison;
  const WorkItems& items;
  std::vector<OtherResult> others = {};
  double work = 0;  // of computing the result once
};

// The computed candidate that the wrong elements are equal to: another option's result, a factor, another
// formula, a sum that lacks something, an input read at another index. Nothing where none fits.
std::optional<Explanation> explain_by_candidates(const Candidates& of);

}  // namespace gpulab::run::validate
