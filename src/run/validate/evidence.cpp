#include "run/validate/evidence.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "base/text.hpp"

namespace gpulab::run::validate {
namespace {

bool has_one_dimension(const Extent& extent) {
  return extent.y == 1 && extent.z == 1;
}

// Returns whether items, blocks and threads are all one-dimensional.
bool are_one_dimensional(const WorkItems& items) {
  return has_one_dimension(items.launch.grid) && has_one_dimension(items.launch.block) &&
         has_one_dimension(items.work);
}

bool determines_owners(const WorkItems& items) {
  if (items.launch.grid.volume() * items.launch.block.volume() == 0) return false;
  // One-dimensional items in a launch with more dimensions have no known thread, with or without strides.
  if (items.ownership == Ownership::one_item)
    return are_one_dimensional(items) || !has_one_dimension(items.work);
  return items.ownership == Ownership::grid_stride && are_one_dimensional(items);
}

Index index_of_item(const WorkItems& items, std::size_t item) {
  if (are_one_dimensional(items)) return {item};
  const Extent& work = items.work;
  return {item % work.x, item / work.x % work.y, item / work.x / work.y};
}

std::string coordinates_text(const Index& index, bool is_one_dimensional) {
  if (is_one_dimensional) return std::to_string(index.x);
  const std::string z = index.z > 0 ? ", " + std::to_string(index.z) : "";
  return fmt::format("({}, {}{})", index.x, index.y, z);
}

}  // namespace

std::string text_of(const ThreadPlace& place) {
  const auto [block, thread] = place;
  const bool is_one_dimensional = block.y + block.z + thread.y + thread.z == 0;
  return fmt::format("block {} thread {}", coordinates_text(block, is_one_dimensional),
                     coordinates_text(thread, is_one_dimensional));
}

std::size_t launched_threads(const WorkItems& items) {
  return items.launch.grid.volume() * items.launch.block.volume();
}

bool has_one_item_per_thread(const WorkItems& items, std::size_t count) {
  if (!determines_owners(items) || !are_one_dimensional(items)) return false;
  return items.ownership == Ownership::one_item || count <= launched_threads(items);
}

std::optional<ThreadPlace> owner_of(const WorkItems& items, std::size_t element) {
  if (!determines_owners(items)) return std::nullopt;
  const auto item = items.item_of ? items.item_of(element) : element;
  if (!item) return std::nullopt;
  const Extent &grid = items.launch.grid, &block = items.launch.block;
  const bool is_grid_stride = items.ownership == Ownership::grid_stride;
  const auto [x, y, z] = index_of_item(items, is_grid_stride ? *item % launched_threads(items) : *item);
  const ThreadPlace place{{x / block.x, y / block.y, z / block.z}, {x % block.x, y % block.y, z % block.z}};
  const bool exists = place.block.x < grid.x && place.block.y < grid.y && place.block.z < grid.z;
  return exists ? std::optional(place) : std::nullopt;
}

std::string owner_in_brackets(const WorkItems& items, std::size_t element) {
  const auto owner = owner_of(items, element);
  return owner ? " (" + text_of(*owner) + ")" : "";
}

std::string text_of(const LaunchConfig& launch) {
  return text_of(launch.grid) + (launch.grid.volume() == 1 ? " block of " : " blocks of ") +
         text_of(launch.block) + (launch.block.volume() == 1 ? " thread" : " threads");
}

namespace {

template <class T>
bool is_untouched(T value, unsigned char filling) {
  T initial;
  std::memset(&initial, filling, sizeof(T));
  return std::memcmp(&value, &initial, sizeof(T)) == 0;
}

// Returns the byte of which each element consisted before the launch.
unsigned char filling_of(const Array& output, InitialContents contents) {
  return contents == InitialContents::poisoned ? poison_of(output.type()) : 0;
}

bool is_element_untouched(const Array& output, std::size_t element, InitialContents contents) {
  const unsigned char filling = filling_of(output, contents);
  return with_type(output.type(),
                   [&](auto zero) { return is_untouched(output.as<decltype(zero)>()[element], filling); });
}

// Returns where the transposed matrix stores this element; none unless each element is one work item.
std::optional<std::size_t> transposed(std::size_t element, const Evidence& evidence) {
  const Extent& work = evidence.items.work;
  if (work.y <= 1 || work.z > 1 || work.volume() != evidence.checked()) return std::nullopt;
  return element % work.y * work.x + element / work.y;
}

std::size_t distance_from_edge(std::size_t index, std::size_t block) {
  if (block <= 1) return 0;
  const std::size_t index_in_block = index % block;
  return std::min(index_in_block, block - 1 - index_in_block);
}

// Returns the distance in elements from the edge of the launch's block, if blocks are laid over the elements.
std::size_t distance_from_block_edge(std::size_t element, const Evidence& evidence) {
  const Extent& block = evidence.items.launch.block;
  const Extent& work = evidence.items.work;
  if (work.y <= 1) return distance_from_edge(element, block.volume());
  const std::size_t along_x = distance_from_edge(element % work.x, block.x);
  const std::size_t along_y = distance_from_edge(element / work.x, block.y);
  return block.y > 1 ? std::min(along_x, along_y) : along_x;
}

std::size_t distance_from_border(std::size_t element, const Extent& work) {
  const std::size_t x = element % work.x, y = element / work.x % work.y;
  return std::min({x, y, work.x - 1 - x, work.y - 1 - y});
}

// Allows some dozen roundings to float32, or four times the lesson's tolerance.
bool is_off_by_little(double actual, double expected, const Tolerance& tolerance) {
  const double allowed = tolerance.absolute + tolerance.relative * std::abs(expected);
  return std::abs(actual - expected) <= std::max(0x1p-18 * std::abs(expected), 4 * allowed);
}

// Returns whether a float has only the 11 significand bits of a half, and is right to these.
bool has_few_bits(double actual, double expected) {
  std::uint32_t bits = 0;
  const auto value = static_cast<float>(actual);
  std::memcpy(&bits, &value, sizeof bits);
  return actual != 0 && (bits & 0x1fffu) == 0 && std::abs(actual - expected) <= 0x1p-10 * std::abs(expected);
}

template <class T>
void note_wrong_value(std::span<const T> expected, std::size_t i, double actual, Evidence& evidence) {
  const auto fits = [&](double other) { return is_close(actual, other, evidence.comparison.tolerance); };
  const double right_value = static_cast<double>(expected[i]);
  if (i + 1 < expected.size() && fits(static_cast<double>(expected[i + 1]))) ++evidence.equal_to_next;
  if (i > 0 && fits(static_cast<double>(expected[i - 1]))) ++evidence.equal_to_previous;
  if (const auto other = transposed(i, evidence); other && fits(static_cast<double>(expected[*other])))
    ++evidence.equal_to_transposed;
  if (is_off_by_little(actual, right_value, evidence.comparison.tolerance)) ++evidence.off_by_little;
  if (has_few_bits(actual, right_value)) ++evidence.few_bits;
  if (fits(2 * right_value)) ++evidence.doubled;
  if (0 < actual && actual < right_value) ++evidence.too_small;
  if (std::isnan(actual)) evidence.not_a_number.add(i);
}

template <class T>
void collect(std::span<const T> actual, std::span<const T> expected, Evidence& evidence) {
  std::vector<bool> has_wrong(evidence.blocks());
  const unsigned char filling = filling_of(evidence.actual, evidence.initial_contents);
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double a = static_cast<double>(actual[i]);
    const bool wrong = !is_close(a, static_cast<double>(expected[i]), evidence.comparison.tolerance);
    const bool untouched = is_untouched(actual[i], filling);
    if (a == 0) ++evidence.zeros;
    if (!untouched) evidence.written.add(i);
    const std::size_t from_edge = distance_from_block_edge(i, evidence);
    evidence.deepest_in_block = std::max(evidence.deepest_in_block, from_edge);
    if (!wrong) continue;
    evidence.wrong_at.add(i);
    has_wrong[evidence.block_of(i)] = true;
    evidence.farthest_from_block_edge = std::max(evidence.farthest_from_block_edge, from_edge);
    evidence.farthest_from_border =
        std::max(evidence.farthest_from_border, distance_from_border(i, evidence.items.work));
    if (untouched)
      evidence.unwritten.add(i);
    else
      note_wrong_value(expected, i, a, evidence);
  }
  evidence.blocks_with_wrong = static_cast<std::size_t>(std::ranges::count(has_wrong, true));
}

template <class Number>
std::string shortest_text(Number number) {
  std::array<char, 64> buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr};
}

}  // namespace

void Positions::add(std::size_t index) {
  if (count_ == 0) first_ = index;
  if (count_ == 1) step_ = index - last_;
  if (count_ > 1 && index - last_ != step_) step_ = 0;
  last_ = index;
  ++count_;
}

Evidence collect_evidence(const Comparison& comparison, const Array& actual, const Array& expected,
                          const WorkItems& items) {
  Evidence evidence{expected, actual, comparison, expected.initial_contents(), items};
  with_type(actual.type(), [&](auto zero) {
    using T = decltype(zero);
    collect(actual.as<T>(), expected.as<T>(), evidence);
  });
  return evidence;
}

std::size_t Evidence::blocks() const {
  return checked() == 0 ? 0 : block_of(checked() - 1) + 1;
}

std::size_t Evidence::block_of(std::size_t element) const {
  const Extent& block = items.launch.block;
  const Extent& work = items.work;
  if (work.y <= 1) return element / block.volume();
  const std::size_t blocks_per_row = (work.x + block.x - 1) / block.x;
  return element % work.x / block.x + element / work.x / block.y * blocks_per_row;
}

bool Evidence::is_untouched(std::size_t element) const {
  return is_element_untouched(actual, element, initial_contents);
}

bool is_poison(const Array& output, std::size_t element) {
  return output.initial_contents() == InitialContents::poisoned &&
         is_element_untouched(output, element, InitialContents::poisoned);
}

bool holds_integers(const Evidence& evidence) {
  return with_type(evidence.actual.type(), [](auto zero) { return std::is_integral_v<decltype(zero)>; });
}

Difference difference_at(const Evidence& evidence, std::size_t element) {
  return {.index = element,
          .expected = value_of(evidence.expected, element),
          .actual = value_of(evidence.actual, element)};
}

namespace {

std::string name_of_element(const Array& array, const WorkItems& items, std::size_t element) {
  if (items.element_name != "element") return items.element_name + " " + std::to_string(element);
  return array.name() + index_text(element, array.row_length());
}

}  // namespace

std::string name_of_element(const Evidence& evidence, std::size_t element) {
  return name_of_element(evidence.actual, evidence.items, element);
}

std::string share_of_elements(const WorkItems& items, std::size_t count, std::size_t all) {
  const std::string share = grouped(count) + " of " + grouped(all);
  if (items.element_name == "element") return share;
  return share + " " + items.element_name + (all == 1 ? "" : "s");
}

std::string share_of_elements(const Evidence& evidence, std::size_t count) {
  return share_of_elements(evidence.items, count, evidence.checked());
}

std::string share_wrong(const Evidence& evidence) {
  return share_of_elements(evidence, evidence.wrong()) + " wrong";
}

std::string value_text(double value, ElementType type) {
  return with_type(type, [value](auto zero) -> std::string {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      const auto magnitude = static_cast<std::uint64_t>(std::abs(value));
      std::string text = value < 0 ? "-" : "";
      return text += grouped(magnitude);
    } else {
      // Prints -0 as 0, which is just as right.
      return std::isnan(value) ? "NaN" : shortest_text(static_cast<T>(value == 0 ? 0 : value));
    }
  });
}

std::string element_in_full(const Array& expected, const Array& actual, const WorkItems& items,
                            std::size_t element) {
  const ExpectedAndActual apart = distinguishable(value_of(expected, element), value_of(actual, element));
  return name_of_element(actual, items, element) + ": expected " + apart.expected +
         (is_poison(actual, element) ? ", not written" : ", got " + apart.actual) +
         owner_in_brackets(items, element);
}

std::string element_in_full(const Evidence& evidence, std::size_t element) {
  return element_in_full(evidence.expected, evidence.actual, evidence.items, element);
}

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
  std::optional<Explanation> best;
  for (const auto& patterns : {unwritten_patterns(), value_patterns()})
    for (const Pattern& pattern : patterns) {
      auto found = pattern.detect(evidence);
      if (!found) continue;
      found->pattern = pattern.name;
      const bool is_fact = found->guess.empty();
      if (!is_fact) found->model = found->pattern + ": " + found->guess;
      if (best)
        best->others.push_back(*found);
      else
        best = std::move(found);
      if (is_fact) return *best;
    }
  throw std::logic_error("the last of the patterns must fit everything");
}

Found fact(std::string text) {
  return Explanation{.fact = std::move(text)};
}

Found fact_and_guess(std::string text, std::string guess) {
  return Explanation{.fact = std::move(text), .guess = std::move(guess)};
}

Specificity specificity_of(std::string_view pattern) {
  struct Row {
    std::string_view pattern;
    Specificity specificity;
  };
  static constexpr Row rows[] = {
      {"wrong-values", Specificity::generic},     {"one-wrong-value", Specificity::generic},
      {"lost-updates", Specificity::generic},     {"too-few", Specificity::generic},
      {"rounding-only", Specificity::generic},    {"tile-edges", Specificity::location},
      {"zero-everywhere", Specificity::location}, {"border", Specificity::location},
      {"skipped-elements", Specificity::exact},   {"counted-twice", Specificity::exact},
      {"constant-factor", Specificity::exact},    {"constant-offset", Specificity::exact},
      {"whole-numbers", Specificity::exact},      {"wrong-sign", Specificity::exact},
      {"wrong-option", Specificity::exact},       {"wrong-formula", Specificity::exact},
      {"input-index", Specificity::exact},        {"wrong-summand", Specificity::exact},
  };
  const auto* const found = std::ranges::find(rows, pattern, &Row::pattern);
  return found == std::end(rows) ? Specificity::kind : found->specificity;
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

// Describes which rows or columns (`what`) are wrong, given those of the wrong elements. Empty if these span
// all.
std::string part_of(const std::vector<std::size_t>& wrong, std::size_t length, const std::string& what) {
  const auto [first, last] = std::ranges::minmax(wrong);
  const std::size_t span = last - first + 1;
  if (span >= length || length < min_for_a_rule) return "";
  if (span == 1 && first == 0) return "the first " + what;
  if (span == 1) return last + 1 == length ? "the last " + what : what + " " + grouped(first);
  if (last + 1 == length) return fmt::format("{}s {} and on", what, grouped(first));
  if (first == 0) return what + "s up to " + grouped(last);
  return fmt::format("{}s {} to {}", what, grouped(first), grouped(last));
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
  const bool has_blocks = !evidence.items.item_of && block > 1 && block < evidence.checked();
  const std::string from = name_of_element(evidence, wrong.front()),
                    to = name_of_element(evidence, wrong.back());
  if (evidence.wrong_at.contiguous() && wrong.back() + 1 == evidence.checked())
    return ", from " + from + " to the end";
  if (evidence.wrong_at.contiguous()) return fmt::format(", from {} to {}", from, to);
  if (has_blocks && all([&](std::size_t i) { return i / block == wrong.front() / block; }))
    return ", all in block " + grouped(wrong.front() / block);
  const std::size_t distance = evidence.wrong_at.step();
  // A block, a warp, the elements of a float4, and every other element.
  for (const std::size_t step : {block, std::size_t{32}, std::size_t{4}, std::size_t{2}}) {
    const std::size_t remainder = wrong.front() % step;
    // Evenly spaced elements are described below, unless they are one per block or every other one.
    const bool fits_spacing = distance <= 1 || (distance == step && (step == block || step == 2));
    if (!fits_spacing || (step == block && !has_blocks)) continue;
    if (!all([&](std::size_t i) { return i % step == remainder; })) continue;
    if (step == block) return ", those of thread " + grouped(remainder) + " of their blocks";
    if (step == 2) return remainder == 0 ? ", all with an even index" : ", all with an odd index";
    return fmt::format(", all with an index that is {} modulo {}", grouped(remainder), grouped(step));
  }
  if (distance > 1) return fmt::format(", one in {} from {} on", grouped(distance), from);
  if (has_blocks && all([&](std::size_t i) { return i >= block; })) return ", none in block 0";
  return "";
}

std::string explain_guard_hit(const GuardHit& hit, const std::string& array, std::size_t length,
                              ElementType type, const WorkItems& items) {
  const std::size_t element_bytes = size_of(type);
  const std::size_t distance = hit.offset / element_bytes;  // in elements, from the array to the write
  const std::string wrote = "wrote " + elements_text((hit.bytes + element_bytes - 1) / element_bytes);
  const std::string of_array = fmt::format(" of {} (length {}), ", array, grouped(length));
  if (hit.side == GuardSide::before)
    return fmt::format("{} before the start{}nearest {}[-{}]", wrote, of_array, array, distance + 1);

  const std::size_t first = length + distance;
  std::string line = fmt::format("{} past the end{}first {}[{}]", wrote, of_array, array, first);
  // An element past the end has a known thread only if item i writes element i.
  const auto owner = items.item_of ? std::nullopt : owner_of(items, first);
  return owner ? line + " by " + text_of(*owner) : line;
}

}  // namespace gpulab::run::validate
