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

// Maps elements of an output to work items, and so to threads.
struct WorkItems {
  LaunchConfig launch;
  Ownership ownership = Ownership::unknown;
  Extent work = {};  // number of items in each of two or three dimensions
  // Returns the first item that adds to an element of the output; none if no item does. By default item i
  // writes element i.
  std::function<std::optional<std::size_t>(std::size_t element)> item_of = {};
  std::string element_name = "element";  // "bin"
  bool is_elementwise = false;           // each element of an output needs only few elements of the inputs
};

// An index in x, y and z, like CUDA's uint3.
struct Index {
  std::size_t x = 0, y = 0, z = 0;
};

// A thread's block in the grid and its index in the block.
struct ThreadPlace {
  Index block;
  Index thread;
};

// Returns "block 9 thread 784" or "block (1, 2) thread (31, 7)".
std::string text_of(const ThreadPlace& place);

std::size_t launched_threads(const WorkItems& items);

// Returns whether item i is known to belong to thread i, or to none if fewer threads were launched. With a
// grid-stride loop this holds if no item is left for a second step.
bool has_one_item_per_thread(const WorkItems& items, std::size_t count);

// Returns the thread of the element's item; none if no thread has it or the launch does not determine it.
std::optional<ThreadPlace> owner_of(const WorkItems& items, std::size_t element);

// Returns " (block 9 thread 784)", or "" if no thread is known.
std::string owner_in_brackets(const WorkItems& items, std::size_t element);

// Returns "1 block of 1024 threads".
std::string text_of(const LaunchConfig& launch);

// Elements with some property, added in ascending order.
class Positions {
 public:
  void add(std::size_t index);

  std::size_t count() const { return count_; }
  std::size_t first() const { return first_; }
  std::size_t last() const { return last_; }
  bool contiguous() const { return count_ > 0 && last_ - first_ + 1 == count_; }
  // Returns the distance between neighbours; 0 if it varies, or with fewer than two.
  std::size_t step() const { return step_; }

 private:
  std::size_t count_ = 0;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
  std::size_t step_ = 0;
};

// Results of one pass over a wrong output. Patterns are recognised from these alone.
struct Evidence {
  const Array& expected;
  const Array& actual;
  const Comparison& comparison;
  InitialContents initial_contents;
  const WorkItems& items;

  Positions wrong_at = {};
  Positions unwritten = {};                  // wrong, and unchanged since before the launch
  Positions written = {};                    // changed by the launch, right or wrong
  Positions not_a_number = {};               // wrong, written, NaN
  std::size_t zeros = 0;                     // elements that are 0, right or wrong
  std::size_t equal_to_next = 0;             // wrong, but right for the next element
  std::size_t equal_to_previous = 0;         // wrong, but right for the previous element
  std::size_t doubled = 0;                   // wrong, and twice the expected value
  std::size_t too_small = 0;                 // wrong, written, and between 0 and the expected value
  std::size_t equal_to_transposed = 0;       // wrong, but right for the element with row and column exchanged
  std::size_t off_by_little = 0;             // wrong by no more than some roundings
  std::size_t few_bits = 0;                  // wrong, but right to 11 bits, and stored with no more
  std::size_t farthest_from_block_edge = 0;  // largest distance of a wrong element from its block's edge
  std::size_t deepest_in_block = 0;          // largest distance of any element from its block's edge
  std::size_t farthest_from_border = 0;      // largest distance of a wrong element from the border of rows
  std::size_t blocks_with_wrong = 0;         // blocks of the launch with a wrong element

  // Return the number of the launch's blocks, laid over the elements, and the block that contains an element.
  std::size_t blocks() const;
  std::size_t block_of(std::size_t element) const;
  std::size_t checked() const { return comparison.checked; }
  std::size_t wrong() const { return comparison.wrong; }
  // Returns whether the element is unchanged since before the launch.
  bool is_untouched(std::size_t element) const;
  bool only_unwritten() const { return wrong() == unwritten.count(); }
  // Counts right elements unchanged since before the launch: whether they were written is unknown.
  std::size_t unknown_if_written() const { return checked() - written.count() - unwritten.count(); }
};

Evidence collect_evidence(const Comparison& comparison, const Array& actual, const Array& expected,
                          const WorkItems& items);

bool holds_integers(const Evidence& evidence);
// Returns whether an output element still holds the poison from before the launch.
bool is_poison(const Array& output, std::size_t element);

Difference difference_at(const Evidence& evidence, std::size_t element);

// Texts for an explanation, which is one line.
std::string name_of_element(const Evidence& evidence, std::size_t element);  // "C[17]", "bin 17"
// Returns "12 of 256 bins".
std::string share_of_elements(const WorkItems& items, std::size_t count, std::size_t all);
std::string share_of_elements(const Evidence& evidence, std::size_t count);
std::string share_wrong(const Evidence& evidence);  // "12 of 256 bins wrong"

// Fewer elements than this can fit a rule by chance.
constexpr std::size_t min_for_a_rule = 3;
std::string value_text(double value, ElementType type);  // "1 204", "0.1", "NaN"

// Returns "C[17]: expected 3, got 4 (block 0 thread 17)".
std::string element_in_full(const Array& expected, const Array& actual, const WorkItems& items,
                            std::size_t element);
std::string element_in_full(const Evidence& evidence, std::size_t element);

// A wrong index that beginners compute, from the numbers of a block and of a thread in it.
struct IndexMap {
  const char* index;  // "threadIdx alone, without blockIdx"
  std::size_t (*element)(std::size_t block, std::size_t thread, std::size_t threads, std::size_t blocks);
};

std::span<const IndexMap> index_maps();

// Explanations of wrong results: how much is wrong, where, the work item's thread, and the matching pattern.

// Explains the difference found by comparing actual with expected. Throws std::logic_error if there is none.
// The fact reads like "1 024 of 2 048 unwritten, from C[1024] on: no thread has that index (1 block of 1024
// threads)"
Explanation explain_difference(const Comparison& comparison, const Array& actual, const Array& expected,
                               const WorkItems& items);

// Explains a write outside of an array of `length` elements: "wrote 240 elements past the end of C (length 10
// 000), first C[10000] by block 9 thread 784"
std::string explain_guard_hit(const GuardHit& hit, const std::string& array, std::size_t length,
                              ElementType type, const WorkItems& items);

// Describes the common places of the wrong elements: ", all in the last row", ", all with an odd index".
// Empty if there are none.
std::string where_wrong(const Evidence& evidence);

// How much a pattern says about the cause of a wrong result.
enum class Specificity {
  generic,   // only that it is wrong: any computed candidate says more
  location,  // where it is wrong, or that all of it is
  kind,      // in which way it is wrong
  exact,     // the computed result it equals
};

// Rates a pattern. A lesson's typical mistake counts as `kind`, unless it has the name of another pattern.
Specificity specificity_of(std::string_view pattern);

// A recognisable way to be wrong. detect returns an explanation, without its pattern and its model, or
// nothing if the evidence does not fit.
struct Pattern {
  std::string_view name;
  std::optional<Explanation> (*detect)(const Evidence& evidence);
};

using Found = std::optional<Explanation>;
Found fact(std::string text);
Found fact_and_guess(std::string text, std::string guess);

// Returns patterns of unwritten elements: which ones are missing points to the index or the bounds check.
std::span<const Pattern> unwritten_patterns();

// Returns patterns of elements written with a wrong value.
std::span<const Pattern> value_patterns();

// Patterns of wrong elements that hold other elements' right values. They do not apply if a wrong value could
// be one of the right ones by chance: if the right ones lie close together, or often coincide.

// Detects that all wrong elements hold the value of one element.
std::optional<Explanation> repeated_value(const Evidence& evidence);
// Detects that each wrong element holds the value of some other element.
std::optional<Explanation> misplaced_values(const Evidence& evidence);

// The expected output with another of the lesson's options.
struct OtherResult {
  std::string option;  // "--border clamp"
  Reference compute;
};

// A wrong result, and everything needed to compute candidates for it.
struct WrongResult {
  const Problem& problem;
  const Inputs& inputs;
  std::size_t output = 0;  // index of the output
  const Array& actual;
  const Array& expected;
  const Comparison& comparison;
  const WorkItems& items;
  std::vector<OtherResult> others = {};
  double work = 0;  // loads and operations to compute the result once
};

// Returns the computed candidate that the wrong elements equal: another option's result, a factor, another
// formula, a sum with missing terms, an input read at another index. None if nothing fits.
std::optional<Explanation> explain_by_candidates(const WrongResult& result);

}  // namespace gpulab::run::validate
