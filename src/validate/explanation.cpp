#include "validate/explanation.hpp"

#include <stdexcept>

#include "core/text.hpp"

namespace gpulab::validate {
namespace {

std::string elements_text(std::size_t count) {
  return grouped(count) + (count == 1 ? " element" : " elements");
}

}  // namespace

Explanation explain_difference(const Comparison& comparison, const Array& actual, const Array& expected,
                               const WorkItems& items) {
  if (comparison.checked == 0)
    return {"nothing-compared", actual.name() + " has no elements: nothing was compared"};
  if (comparison.right()) throw std::logic_error("'" + actual.name() + "' is right: nothing to explain");
  const Evidence evidence = collect_evidence(comparison, actual, expected, items);
  for (const auto& patterns : {unwritten_patterns(), value_patterns()})
    for (const Pattern& pattern : patterns)
      if (auto line = pattern.detect(evidence)) return {std::string(pattern.name), *line};
  throw std::logic_error("the last of the patterns must fit everything");
}

std::string explain_guard_hit(const GuardHit& hit, const std::string& array, std::size_t length,
                              ElementType type, const WorkItems& items) {
  const std::size_t element_bytes = size_of(type);
  const std::size_t distance = hit.offset / element_bytes;  // in elements, from the array to the nearest
  const std::string wrote = "wrote " + elements_text((hit.bytes + element_bytes - 1) / element_bytes);
  const std::string of_array = " of " + array + " (length " + grouped(length) + "), ";
  if (hit.side == GuardSide::before)
    return wrote + " before the start" + of_array + "nearest " + array + "[-" + std::to_string(distance + 1) +
           "]";

  const std::size_t first = length + distance;
  std::string line =
      wrote + " past the end" + of_array + "first " + array + "[" + std::to_string(first) + "]";
  // Only where item i writes element i does an element that does not exist have an owner.
  const auto owner = items.item_of ? std::nullopt : owner_of(items, first);
  return owner ? line + " by " + text_of(*owner) : line;
}

}  // namespace gpulab::validate
