#include <array>

#include "core/text.hpp"
#include "validate/explanation.hpp"

namespace gpulab::validate {
namespace {

using Line = std::optional<std::string>;

// Fewer elements than this can be evenly spaced by chance.
constexpr std::size_t min_for_spacing = 3;

std::string share_unwritten(const Evidence& evidence) {
  const std::string state =
      evidence.before == Before::cleared ? " still 0, as before the launch" : " unwritten";
  return share_of_elements(evidence, evidence.unwritten.count()) + state;
}

bool reaches_the_end(const Positions& positions, const Evidence& evidence) {
  return positions.contiguous() && positions.last() + 1 == evidence.checked();
}

// Whether it is known of every element that it was written, or that it was not.
bool all_told(const Evidence& evidence) {
  return evidence.untold() == 0;
}

// Whether element i is known to be written by thread i, or by nobody where there are fewer threads.
bool one_element_each(const Evidence& evidence) {
  return !evidence.items.item_of && one_item_each(evidence.items, evidence.checked());
}

// " (block 1 thread 0)", or that there is no such thread, or nothing where that is not known.
std::string owner_or_none(const Evidence& evidence, std::size_t element) {
  if (owner_of(evidence.items, element) || !one_element_each(evidence))
    return owner_in_brackets(evidence.items, element);
  return ": no thread has that index (" + text_of(evidence.items.launch) + ")";
}

Line everywhere(const Evidence& evidence) {
  if (evidence.written.count() > 0 || evidence.before == Before::cleared) return std::nullopt;
  return share_unwritten(evidence) + ": " + evidence.actual.name() + " is as it was before the launch" +
         (holds_integers(evidence) ? "" : " (NaN: adding to it without setting it first looks the same)");
}

// A 0 that was stored is no other than the one from before.
Line zero_as_before(const Evidence& evidence) {
  if (evidence.written.count() > 0 || evidence.before == Before::poisoned) return std::nullopt;
  return share_unwritten(evidence) + ": nothing was stored in " + evidence.actual.name() +
         " or added to it, or only 0 was";
}

// The one element may well be wrong: then every thread may have written to it.
Line only_one_written(const Evidence& evidence) {
  if (evidence.written.count() != 1 || evidence.checked() < 3 || !all_told(evidence)) return std::nullopt;
  const std::size_t only = evidence.written.first();
  if (evidence.only_unwritten())
    return share_unwritten(evidence) + ", only " + name_of_element(evidence, only) + " was written";
  return share_unwritten(evidence) + ", only " + element_in_full(evidence, only) +
         " was written; consistent with every thread writing to one element";
}

Line only_the_first_block(const Evidence& evidence) {
  const Positions& written = evidence.written;
  if (!one_element_each(evidence) || !written.contiguous() || written.first() != 0 ||
      !reaches_the_end(evidence.unwritten, evidence))
    return std::nullopt;
  const auto last = owner_of(evidence.items, written.last());
  const auto next = owner_of(evidence.items, written.last() + 1);
  if (!last || !next || last->block.x != 0 || next->block.x != 1 || !all_told(evidence)) return std::nullopt;
  const bool all_of_one_partial_block = evidence.unwritten.count() < evidence.items.launch.block.volume();
  return share_unwritten(evidence) + ", only the elements of block 0 were written (" +
         text_of(evidence.items.launch) + "): consistent with an index that leaves out blockIdx" +
         (all_of_one_partial_block ? ", or a bounds check that leaves out the last block" : "");
}

Line last_partial_block(const Evidence& evidence) {
  const std::size_t block = evidence.items.launch.block.volume();
  const Positions& unwritten = evidence.unwritten;
  if (!one_element_each(evidence) || !reaches_the_end(unwritten, evidence)) return std::nullopt;
  const std::size_t partial = evidence.checked() % block;
  if (partial == 0 || unwritten.count() != partial) return std::nullopt;
  const bool launched = owner_of(evidence.items, unwritten.first()).has_value();
  return share_unwritten(evidence) + ", from " + name_of_element(evidence, unwritten.first()) + " on" +
         owner_or_none(evidence, unwritten.first()) + "; consistent with " +
         (launched ? "a bounds check that leaves out the last, partly filled block"
                   : "a number of blocks that was rounded down");
}

// Every thread wrote its first element and no thread its second.
Line only_the_first_step(const Evidence& evidence) {
  const WorkItems& items = evidence.items;
  const Positions& unwritten = evidence.unwritten;
  const bool second_step = items.ownership == Ownership::strides && !items.item_of &&
                           unwritten.first() == launched_threads(items) && owner_of(items, unwritten.first());
  if (!second_step || !reaches_the_end(unwritten, evidence) || !all_told(evidence)) return std::nullopt;
  return share_unwritten(evidence) + ", from " + name_of_element(evidence, unwritten.first()) +
         " on, one for every thread was written (" + text_of(items.launch) +
         "): consistent with a kernel that leaves out the loop in strides of the whole grid";
}

Line from_an_element_on(const Evidence& evidence) {
  if (!reaches_the_end(evidence.unwritten, evidence)) return std::nullopt;
  const std::size_t first = evidence.unwritten.first();
  const std::string name = name_of_element(evidence, first);
  return share_unwritten(evidence) +
         (evidence.unwritten.count() == 1 ? ", the last one, " + name : ", from " + name + " on") +
         owner_or_none(evidence, first);
}

bool spans_everything(const Positions& positions, const Evidence& evidence) {
  return positions.count() >= min_for_spacing && positions.step() >= 2 &&
         positions.first() < positions.step() && positions.last() + positions.step() >= evidence.checked();
}

// ": thread 255 of every block", where the spacing is one block.
std::string same_thread(const Evidence& evidence, const Positions& positions) {
  const auto owner = owner_of(evidence.items, positions.first());
  if (!owner || !one_element_each(evidence) || positions.step() != evidence.items.launch.block.volume())
    return "";
  return ": thread " + std::to_string(owner->thread.x) + " of every block";
}

Line all_but_every_so_many(const Evidence& evidence) {
  const Positions& written = evidence.written;
  if (!spans_everything(written, evidence) || !all_told(evidence)) return std::nullopt;
  return share_unwritten(evidence) + ", all but one in " + grouped(written.step()) + " from " +
         name_of_element(evidence, written.first()) + " on" + same_thread(evidence, written);
}

Line one_in_so_many(const Evidence& evidence) {
  const Positions& unwritten = evidence.unwritten;
  if (!spans_everything(unwritten, evidence)) return std::nullopt;
  return share_unwritten(evidence) + ", one in " + grouped(unwritten.step()) + " from " +
         name_of_element(evidence, unwritten.first()) + " on" + same_thread(evidence, unwritten);
}

Line scattered(const Evidence& evidence) {
  const std::size_t first = evidence.unwritten.first();
  return share_unwritten(evidence) + ", first " + name_of_element(evidence, first) +
         owner_or_none(evidence, first);
}

// For the detectors that look at nothing but the places: no other element may be wrong.
template <Line (*detect)(const Evidence&)>
Line unwritten(const Evidence& evidence) {
  return evidence.only_unwritten() ? detect(evidence) : std::nullopt;
}

}  // namespace

std::span<const Pattern> unwritten_patterns() {
  static constexpr std::array patterns = {
      Pattern{"unwritten-everywhere", unwritten<everywhere>},
      Pattern{"still-zero", unwritten<zero_as_before>},
      Pattern{"only-one-element", only_one_written},
      Pattern{"only-first-block", unwritten<only_the_first_block>},
      Pattern{"partial-last-block", unwritten<last_partial_block>},
      Pattern{"unwritten-tail", unwritten<only_the_first_step>},
      Pattern{"unwritten-tail", unwritten<from_an_element_on>},
      Pattern{"unwritten-spaced", unwritten<all_but_every_so_many>},
      Pattern{"unwritten-spaced", unwritten<one_in_so_many>},
      Pattern{"unwritten-scattered", unwritten<scattered>},
  };
  return patterns;
}

}  // namespace gpulab::validate
