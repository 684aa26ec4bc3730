#include "run/validate/explanation.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "base/text.hpp"

namespace gpulab::run::validate {
namespace {

std::string elements_text(std::size_t count) {
  return grouped(count) + (count == 1 ? " element" : " elements");
}

}  // namespace

Explanation explain_difference(const Comparison& comparison, const Array& actual, const Array& expected,
                               const WorkItems& items) {
  if (comparison.checked == 0)
    return {.pattern = "nothing-compared", .fact = actual.name() + " has no elements: nothing was compared"};
  if (comparison.right()) throw std::logic_error("'" + actual.name() + "' is right: nothing to explain");
  const Evidence evidence = collect_evidence(comparison, actual, expected, items);
  for (const auto& patterns : {unwritten_patterns(), value_patterns()})
    for (const Pattern& pattern : patterns)
      if (auto found = pattern.detect(evidence)) {
        found->pattern = pattern.name;
        return *found;
      }
  throw std::logic_error("the last of the patterns must fit everything");
}

Telling telling_of(std::string_view pattern) {
  struct Row {
    std::string_view pattern;
    Telling telling;
  };
  static constexpr Row rows[] = {
      {"wrong-values", Telling::little},
      {"lost-updates", Telling::little},
      {"too-few", Telling::little},
      {"rounding-only", Telling::little},
      {"tile-edges", Telling::where},
      {"zero-everywhere", Telling::where},
      {"border", Telling::where},
      {"left-out", Telling::computed},
      {"counted-twice", Telling::computed},
      {"constant-factor", Telling::computed},
      {"constant-offset", Telling::computed},
      {"other-option", Telling::computed},
      {"other-formula", Telling::computed},
      {"input-index", Telling::computed},
      {"other-sum", Telling::computed},
  };
  const auto* const found = std::ranges::find(rows, pattern, &Row::pattern);
  return found == std::end(rows) ? Telling::kind : found->telling;
}

namespace {

std::vector<std::size_t> all_wrong(const Evidence& evidence) {
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < evidence.checked(); ++i)
    if (!is_close(value_of(evidence.actual, i), value_of(evidence.expected, i),
                  evidence.comparison.tolerance))
      wrong.push_back(i);
  return wrong;
}

// Of places along x or y: which part of them is wrong.
std::string part_of(const std::vector<std::size_t>& places, std::size_t length, const std::string& what) {
  const auto [least, most] = std::ranges::minmax(places);
  const std::size_t span = most - least + 1;
  if (span >= length || length < min_for_a_rule) return "";
  if (span == 1)
    return least == 0           ? "the first " + what
           : most + 1 == length ? "the last " + what
                                : what + " " + grouped(least);
  if (most + 1 == length) return what + "s " + grouped(least) + " and on";
  if (least == 0) return what + "s up to " + grouped(most);
  return what + "s " + grouped(least) + " to " + grouped(most);
}

std::string where_in_rows(const std::vector<std::size_t>& wrong, const Extent& work) {
  std::vector<std::size_t> columns, rows;
  for (const std::size_t i : wrong) {
    columns.push_back(i % work.x);
    rows.push_back(i / work.x);
  }
  const std::string row = part_of(rows, work.y, "row"), column = part_of(columns, work.x, "column");
  if (row.empty() && column.empty()) return "";
  return ", all in " + row + (row.empty() || column.empty() ? "" : " and ") + column;
}

}  // namespace

std::string where_wrong(const Evidence& evidence) {
  const Extent& work = evidence.items.work;
  const std::vector<std::size_t> wrong = all_wrong(evidence);
  if (wrong.size() < min_for_a_rule || wrong.size() == evidence.checked()) return "";
  if (work.y > 1 && work.volume() == evidence.checked()) return where_in_rows(wrong, work);
  const auto all = [&](auto holds) { return std::ranges::all_of(wrong, holds); };
  const std::size_t block = evidence.items.launch.block.volume();
  const bool in_blocks = !evidence.items.item_of && block > 1 && block < evidence.checked();
  const std::string from = name_of_element(evidence, wrong.front()),
                    to = name_of_element(evidence, wrong.back());
  if (evidence.wrong_at.contiguous() && wrong.back() + 1 == evidence.checked())
    return ", from " + from + " to the end";
  if (evidence.wrong_at.contiguous()) return ", from " + from + " to " + to;
  if (in_blocks && all([&](std::size_t i) { return i / block == wrong.front() / block; }))
    return ", all in block " + grouped(wrong.front() / block);
  if (evidence.wrong_at.step() > 1)
    return ", one in " + grouped(evidence.wrong_at.step()) + " from " + from + " on";
  for (const std::size_t step : {block, std::size_t{32}, std::size_t{4}, std::size_t{2}})
    if ((step != block || in_blocks) && step > 1 &&
        all([&](std::size_t i) { return i % step == wrong.front() % step; }))
      return ", all with an index that is " + grouped(wrong.front() % step) + " modulo " + grouped(step);
  if (in_blocks && all([&](std::size_t i) { return i >= block; })) return ", none in block 0";
  return "";
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

}  // namespace gpulab::run::validate
