#include <fmt/format.h>
#include <array>
#include <vector>

#include "base/text.hpp"
#include "run/validate/evidence.hpp"

namespace gpulab::run::validate {

namespace {

// Fewer elements than this can be evenly spaced by chance.
constexpr std::size_t min_for_spacing = 3;

std::string share_unwritten(const Evidence& evidence) {
  const std::string state =
      evidence.initial_contents == InitialContents::cleared ? " still 0, as before the launch" : " unwritten";
  return share_of_elements(evidence, evidence.unwritten.count()) + state;
}

bool reaches_the_end(const Positions& positions, const Evidence& evidence) {
  return positions.contiguous() && positions.last() + 1 == evidence.checked();
}

// Returns whether it is known of every element whether it was written.
bool is_every_write_known(const Evidence& evidence) {
  return evidence.unknown_if_written() == 0;
}

// Returns whether element i is known to be written by thread i, or by none if there are fewer threads.
bool is_one_per_thread(const Evidence& evidence) {
  return !evidence.items.item_of && has_one_item_per_thread(evidence.items, evidence.checked());
}

// Returns " (block 1 thread 0)", or that there is no such thread, or "" if unknown.
std::string owner_or_none(const Evidence& evidence, std::size_t element) {
  if (owner_of(evidence.items, element) || !is_one_per_thread(evidence))
    return owner_in_brackets(evidence.items, element);
  return ": no thread has that index (" + text_of(evidence.items.launch) + ")";
}

Found everywhere(const Evidence& evidence) {
  if (evidence.written.count() > 0 || evidence.initial_contents == InitialContents::cleared)
    return std::nullopt;
  const std::string name = evidence.actual.name();
  if (holds_integers(evidence))
    return fact(fmt::format("{}: {} is as it was before the launch", share_unwritten(evidence), name));
  return fact(fmt::format(
      "{} still NaN, as before the launch: nothing was stored in {}, or something was added to what it held",
      share_of_elements(evidence, evidence.unwritten.count()), name));
}

// Detects that all is 0, as before: a stored 0 cannot be told from the initial 0.
Found zero_as_before(const Evidence& evidence) {
  if (evidence.written.count() > 0 || evidence.initial_contents == InitialContents::poisoned)
    return std::nullopt;
  return fact(share_unwritten(evidence) + ": nothing was stored in the output or added to it, or only 0 was");
}

// Detects that one element was written. It may well be wrong: every thread may have written to it.
Found only_one_written(const Evidence& evidence) {
  if (evidence.written.count() != 1 || evidence.checked() < 3 || !is_every_write_known(evidence))
    return std::nullopt;
  const std::size_t only = evidence.written.first();
  if (evidence.only_unwritten())
    return fact(
        fmt::format("{}, only {} was written", share_unwritten(evidence), name_of_element(evidence, only)));
  return fact_and_guess(
      fmt::format("{}, only {} was written", share_unwritten(evidence), element_in_full(evidence, only)),
      "every thread writing to one element");
}

Found only_the_first_block(const Evidence& evidence) {
  const Positions& written = evidence.written;
  if (!is_one_per_thread(evidence) || !written.contiguous() || written.first() != 0 ||
      !reaches_the_end(evidence.unwritten, evidence))
    return std::nullopt;
  const auto last = owner_of(evidence.items, written.last());
  const auto next = owner_of(evidence.items, written.last() + 1);
  if (!last || !next || last->block.x != 0 || next->block.x != 1 || !is_every_write_known(evidence))
    return std::nullopt;
  const bool may_be_one_partial_block = evidence.unwritten.count() < evidence.items.launch.block.volume();
  return Explanation{
      .fact = fmt::format("{}, only the elements of block 0 were written ({})", share_unwritten(evidence),
                          text_of(evidence.items.launch)),
      .computed = std::string("consistent with an index that leaves out blockIdx, or a guard that ") +
                  (may_be_one_partial_block ? "leaves out the last block" : "ends with block 0")};
}

Found last_partial_block(const Evidence& evidence) {
  const std::size_t block = evidence.items.launch.block.volume();
  const Positions& unwritten = evidence.unwritten;
  if (!is_one_per_thread(evidence) || !reaches_the_end(unwritten, evidence)) return std::nullopt;
  const std::size_t partial = evidence.checked() % block;
  if (partial == 0 || unwritten.count() != partial) return std::nullopt;
  const bool launched = owner_of(evidence.items, unwritten.first()).has_value();
  return fact_and_guess(
      fmt::format("{}, from {} on{}", share_unwritten(evidence), name_of_element(evidence, unwritten.first()),
                  owner_or_none(evidence, unwritten.first())),
      (launched ? "a bounds check that leaves out the last, partly filled block"
                : "a number of blocks that was rounded down"));
}

// Detects that the written elements are those that the grid's threads reach if x is taken for the row.
Found rows_and_columns_swapped(const Evidence& evidence) {
  const Extent &work = evidence.items.work, &grid = evidence.items.launch.grid,
               &block = evidence.items.launch.block;
  const std::size_t rows = std::size_t{grid.x} * block.x, columns = std::size_t{grid.y} * block.y;
  if (work.y <= 1 || work.z > 1 || work.volume() != evidence.checked() || grid.y * block.y <= 1 ||
      !is_every_write_known(evidence))
    return std::nullopt;
  for (std::size_t i = 0; i < evidence.checked(); ++i) {
    const bool is_reached = i / work.x < rows && i % work.x < columns;
    if (is_reached == evidence.is_untouched(i)) return std::nullopt;
  }
  return fact_and_guess(
      fmt::format("{}, first {}: none beyond row {} and column {}", share_unwritten(evidence),
                  name_of_element(evidence, evidence.unwritten.first()), rows - 1, columns - 1),
      "x taken for the row, and y for the column");
}

// Detects that every thread wrote its first element and no thread its second.
Found only_the_first_step(const Evidence& evidence) {
  const WorkItems& items = evidence.items;
  const Positions& unwritten = evidence.unwritten;
  const bool begins_second_step = items.ownership == Ownership::grid_stride && !items.item_of &&
                                  unwritten.first() == launched_threads(items) &&
                                  owner_of(items, unwritten.first());
  if (!begins_second_step || !reaches_the_end(unwritten, evidence) || !is_every_write_known(evidence))
    return std::nullopt;
  return fact(fmt::format(
      "{}, from {} on, one for every thread was written ({}): consistent with a missing grid-stride loop",
      share_unwritten(evidence), name_of_element(evidence, unwritten.first()), text_of(items.launch)));
}

Found from_an_element_on(const Evidence& evidence) {
  if (!reaches_the_end(evidence.unwritten, evidence)) return std::nullopt;
  const std::size_t first = evidence.unwritten.first();
  const std::string name = name_of_element(evidence, first);
  return fact(share_unwritten(evidence) +
              (evidence.unwritten.count() == 1 ? ", the last one, " + name : ", from " + name + " on") +
              owner_or_none(evidence, first));
}

bool spans_everything(const Positions& positions, const Evidence& evidence) {
  return positions.count() >= min_for_spacing && positions.step() >= 2 &&
         positions.first() < positions.step() && positions.last() + positions.step() >= evidence.checked();
}

// Returns ": thread 255 of every block" if the spacing is one block.
std::string same_thread(const Evidence& evidence, const Positions& positions) {
  const auto owner = owner_of(evidence.items, positions.first());
  if (!owner || !is_one_per_thread(evidence) || positions.step() != evidence.items.launch.block.volume())
    return "";
  return ": thread " + std::to_string(owner->thread.x) + " of every block";
}

Found all_but_one_in_n(const Evidence& evidence) {
  const Positions& written = evidence.written;
  if (!spans_everything(written, evidence) || !is_every_write_known(evidence)) return std::nullopt;
  return fact(fmt::format("{}, all but one in {} from {} on{}", share_unwritten(evidence),
                          grouped(written.step()), name_of_element(evidence, written.first()),
                          same_thread(evidence, written)));
}

Found one_in_n(const Evidence& evidence) {
  const Positions& unwritten = evidence.unwritten;
  if (!spans_everything(unwritten, evidence)) return std::nullopt;
  return fact(fmt::format("{}, one in {} from {} on{}", share_unwritten(evidence), grouped(unwritten.step()),
                          name_of_element(evidence, unwritten.first()), same_thread(evidence, unwritten)));
}

// Detects that blocks are unwritten as a whole, and others written as a whole.
Found whole_blocks(const Evidence& evidence) {
  const std::size_t block = evidence.items.launch.block.volume(), count = evidence.checked();
  if (!is_one_per_thread(evidence) || count <= 2 * block || block < min_for_spacing) return std::nullopt;
  std::size_t missing = 0;
  for (std::size_t begin = 0; begin < count; begin += block) {
    const bool is_missing = evidence.is_untouched(begin);
    for (std::size_t i = begin; i < std::min(begin + block, count); ++i)
      if (evidence.is_untouched(i) != is_missing) return std::nullopt;
    missing += is_missing;
  }
  const std::size_t first = evidence.unwritten.first() / block;
  if (missing == 1 && first == 0)
    return fact_and_guess(share_unwritten(evidence) + ", all those of block 0",
                          "an index that counts the blocks from 1");
  return fact(fmt::format("{}, those of {} whole blocks of {} threads, first block {}",
                          share_unwritten(evidence), grouped(missing), block, first));
}

// Names the first elements and the last, so that the index that leaves them out can be guessed.
Found scattered(const Evidence& evidence) {
  constexpr std::size_t most_named = 4;
  const Positions& unwritten = evidence.unwritten;
  const auto index = [&](std::size_t i) { return index_text(i, evidence.actual.row_length()); };
  std::string others;
  std::size_t named = 1;
  for (std::size_t i = unwritten.first() + 1; i <= unwritten.last() && named < most_named; ++i)
    if (evidence.is_untouched(i)) others += (named++ == 1 ? ", then " : ", ") + index(i);
  if (named < unwritten.count()) others += " ... " + index(unwritten.last());
  return fact(share_unwritten(evidence) + ", first " + name_of_element(evidence, unwritten.first()) +
              owner_or_none(evidence, unwritten.first()) + others);
}

// Runs the detector only if every wrong element is unwritten.
template <Found (*detect)(const Evidence&)>
Found unwritten(const Evidence& evidence) {
  return evidence.only_unwritten() ? detect(evidence) : std::nullopt;
}

// Returns whether exactly the elements that the index leads to were written.
bool are_written_by(const IndexMap& map, const Evidence& evidence) {
  const std::size_t block = evidence.items.launch.block.volume(), count = evidence.checked(),
                    blocks = evidence.items.launch.grid.volume();
  std::vector<bool> leads_to(count);
  for (std::size_t i = 0; i < blocks * block; ++i)
    if (const std::size_t element = map.element(i / block, i % block, block, blocks); element < count)
      leads_to[element] = true;
  for (std::size_t i = 0; i < count; ++i)
    if (leads_to[i] == evidence.is_untouched(i)) return false;
  return true;
}

// Detects that exactly one of the known wrong indices leads to the written elements.
Found written_by_another_index(const Evidence& evidence) {
  const LaunchConfig& launch = evidence.items.launch;
  const bool is_one_dimensional =
      launch.grid.volume() == launch.grid.x && launch.block.volume() == launch.block.x;
  if (!is_one_per_thread(evidence) || !is_one_dimensional || launch.grid.x < 2 ||
      !is_every_write_known(evidence))
    return std::nullopt;
  const IndexMap* fitting = nullptr;
  for (const IndexMap& map : index_maps())
    if (are_written_by(map, evidence)) {
      if (fitting) return std::nullopt;
      fitting = &map;
    }
  if (!fitting) return std::nullopt;
  return fact_and_guess(fmt::format("{}, first {} ({})", share_unwritten(evidence),
                                    name_of_element(evidence, evidence.unwritten.first()), text_of(launch)),
                        std::string("an index that is ") + fitting->index);
}

}  // namespace

std::span<const IndexMap> index_maps() {
  // b and t are the numbers of a block and of a thread in it; n is the number of threads in a block.
  using Number = std::size_t;
  static constexpr std::array maps = {
      IndexMap{"threadIdx alone, without blockIdx", [](Number, Number t, Number, Number) { return t; }},
      IndexMap{"threadIdx + 1, without blockIdx", [](Number, Number t, Number, Number) { return t + 1; }},
      IndexMap{"blockIdx alone, without threadIdx", [](Number b, Number, Number, Number) { return b; }},
      IndexMap{"blockIdx + threadIdx, without blockDim",
               [](Number b, Number t, Number, Number) { return b + t; }},
      IndexMap{"blockIdx * threadIdx", [](Number b, Number t, Number, Number) { return b * t; }},
      IndexMap{"blockIdx * blockDim, without threadIdx",
               [](Number b, Number, Number n, Number) { return b * n; }},
      IndexMap{"threadIdx * blockDim + blockIdx, its factors swapped",
               [](Number b, Number t, Number n, Number) { return t * n + b; }},
      IndexMap{"blockIdx * gridDim + threadIdx, with gridDim for blockDim",
               [](Number b, Number t, Number, Number blocks) { return b * blocks + t; }},
      IndexMap{"blockIdx * (blockDim + threadIdx)",
               [](Number b, Number t, Number n, Number) { return b * (n + t); }},
      IndexMap{"blockIdx * (blockDim - 1) + threadIdx",
               [](Number b, Number t, Number n, Number) { return b * (n - 1) + t; }},
      IndexMap{"one more than it should be, or a guard that leaves out 0",
               [](Number b, Number t, Number n, Number) { return b * n + t + 1; }},
  };
  return maps;
}

std::span<const Pattern> unwritten_patterns() {
  static constexpr std::array patterns = {
      Pattern{"unwritten-everywhere", unwritten<everywhere>},
      Pattern{"still-zero", unwritten<zero_as_before>},
      Pattern{"only-one-element", only_one_written},
      Pattern{"only-first-block", unwritten<only_the_first_block>},
      Pattern{"wrong-index", unwritten<written_by_another_index>},
      Pattern{"transposed", unwritten<rows_and_columns_swapped>},
      Pattern{"partial-last-block", unwritten<last_partial_block>},
      Pattern{"unwritten-tail", unwritten<only_the_first_step>},
      Pattern{"unwritten-tail", unwritten<from_an_element_on>},
      Pattern{"unwritten-spaced", unwritten<all_but_one_in_n>},
      Pattern{"unwritten-spaced", unwritten<one_in_n>},
      Pattern{"unwritten-blocks", unwritten<whole_blocks>},
      Pattern{"unwritten-scattered", unwritten<scattered>},
  };
  return patterns;
}

}  // namespace gpulab::run::validate
