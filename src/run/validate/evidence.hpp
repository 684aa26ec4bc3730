#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "lesson/arrays.hpp"
#include "lesson/launch.hpp"
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

}  // namespace gpulab::run::validate
