#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "base/text.hpp"
#include "run/validate/evidence.hpp"

namespace gpulab::run::validate {
namespace {

// Returns "12 of 256 bins wrong, each of them holds".
std::string share_held(const Evidence& evidence) {
  std::string text = share_wrong(evidence);
  if (evidence.unwritten.count() > 0)
    text += ", " + grouped(evidence.unwritten.count()) + " of them unwritten";
  return text + ", " + (evidence.unwritten.count() > 0 ? "the others hold" : "each of them holds");
}

// Longer arrays are not sorted: that would take seconds.
constexpr std::size_t max_elements = std::size_t{1} << 20;
// Fraction of the range of values that may pass for a right value by chance.
constexpr double max_by_chance = 0.1;
// Error up to which a value counts as that of another element, whatever the lesson's tolerance.
constexpr double max_relative_error = 1e-6;

struct Value {
  double value = 0;
  std::size_t element = 0;
};

class RightValues {
 public:
  explicit RightValues(const Evidence& evidence) : evidence_(evidence) {
    const auto& [relative, absolute] = evidence.comparison.tolerance;
    if (relative > 0 || absolute > 0) tolerance_.relative = max_relative_error;
    for (std::size_t i = 0; i < evidence.checked(); ++i)
      if (const double value = value_of(evidence.expected, i); std::isfinite(value))
        sorted_.push_back({value, i});
    std::ranges::sort(sorted_, {}, &Value::value);
  }

  // Returns whether a wrong value is unlikely to equal one of these by chance.
  bool are_distinctive() const {
    if (sorted_.size() < min_for_a_rule || sorted_.size() < evidence_.checked()) return false;
    const double range = sorted_.back().value - sorted_.front().value;
    // Whole numbers often coincide: if all are whole, each counts as an interval of length 1.
    const auto is_whole = [](const Value& value) { return value.value == std::floor(value.value); };
    const double length = std::ranges::all_of(sorted_, is_whole) ? 1 : 0;
    double covered = 0;
    std::size_t distinct = 1;
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      covered += 2 * tolerance_.relative * std::abs(sorted_[i].value) + length;
      if (i > 0 && sorted_[i].value != sorted_[i - 1].value) ++distinct;
    }
    return covered <= max_by_chance * range && 10 * distinct >= 9 * sorted_.size();
  }

  std::optional<std::size_t> element_with(double value) const {
    const auto not_less = std::ranges::lower_bound(sorted_, value, {}, &Value::value);
    if (not_less != sorted_.end() && is_close(value, not_less->value, tolerance_)) return not_less->element;
    if (not_less != sorted_.begin() && is_close(value, (not_less - 1)->value, tolerance_))
      return (not_less - 1)->element;
    return std::nullopt;
  }

  bool fits(double value, std::size_t element) const {
    return element < evidence_.checked() &&
           is_close(value, value_of(evidence_.expected, element), tolerance_);
  }

 private:
  const Evidence& evidence_;
  Tolerance tolerance_ = exact;
  std::vector<Value> sorted_;
};

// Returns the values of the written wrong elements, in ascending order.
std::vector<Value> wrong_values(const Evidence& evidence) {
  std::vector<Value> values;
  for (std::size_t i = evidence.wrong_at.first(); i <= evidence.wrong_at.last(); ++i) {
    const double actual = value_of(evidence.actual, i), expected = value_of(evidence.expected, i);
    if (is_close(actual, expected, evidence.comparison.tolerance) || evidence.is_untouched(i)) continue;
    values.push_back({actual, i});
  }
  return values;
}

// Returns for each wrong element the element whose value it holds; empty unless each one holds such a value.
std::vector<std::size_t> sources_of(const std::vector<Value>& wrong, const RightValues& right) {
  std::vector<std::size_t> sources;
  for (const Value& value : wrong) {
    const auto source = right.element_with(value.value);
    if (!source) return {};
    sources.push_back(*source);
  }
  return sources;
}

bool can_be_misplaced(const Evidence& evidence) {
  return evidence.checked() <= max_elements &&
         evidence.wrong() - evidence.unwritten.count() >= min_for_a_rule;
}

std::string first_wrong_and_source(const Evidence& evidence, const Value& first, std::size_t source) {
  return fmt::format("first {}, which is right for {}", element_in_full(evidence, first.element),
                     name_of_element(evidence, source));
}

// A rule that maps an element to the source of its value, and a cause consistent with it.
struct Rule {
  std::string source_name;  // "the element as far from the other end"
  std::string cause;
  std::function<std::size_t(std::size_t element)> source;
};

std::vector<Rule> rules(const Evidence& evidence, const Value& first, std::size_t first_source) {
  const std::size_t last = evidence.checked() - 1, block = evidence.items.launch.block.volume();
  const std::size_t distance = first_source - first.element;  // modulo 2^64, also backwards
  const bool is_ahead = first_source > first.element;
  const std::string places = grouped(is_ahead ? distance : first.element - first_source) + " places ";
  return {{"the element as far from the other end", "an index that counts from the end",
           [last](std::size_t i) { return last - i; }},
          {"the element " + places + (is_ahead ? "further on" : "before it"),
           "an index that is off by as many", [distance](std::size_t i) { return i + distance; }},
          {"the same thread of block 0", "an index of an input that leaves out blockIdx",
           [block](std::size_t i) { return i % block; }},
          {"the element with the number of its block", "an index of an input that leaves out threadIdx",
           [&evidence](std::size_t i) { return evidence.block_of(i); }}};
}

// Returns whether all wrong elements of a block hold the value of one element of that block.
bool is_one_for_each_block(const Evidence& evidence, const std::vector<Value>& wrong,
                           const std::vector<std::size_t>& sources) {
  std::map<std::size_t, double> value_of_block;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    const std::size_t block = evidence.block_of(wrong[i].element);
    if (evidence.block_of(sources[i]) != block) return false;
    const auto [known, is_new] = value_of_block.emplace(block, wrong[i].value);
    if (known->second != wrong[i].value) return false;
  }
  return wrong.size() >= value_of_block.size() + min_for_a_rule;
}

}  // namespace

Found repeated_value(const Evidence& evidence) {
  if (!can_be_misplaced(evidence)) return std::nullopt;
  const std::vector<Value> wrong = wrong_values(evidence);
  const auto is_first = [&](const Value& value) { return value.value == wrong.front().value; };
  if (wrong.empty() || !std::ranges::all_of(wrong, is_first)) return std::nullopt;
  const RightValues right(evidence);
  const auto source = right.element_with(wrong.front().value);
  if (!source || !right.are_distinctive()) return std::nullopt;
  return fact_and_guess(
      fmt::format("{} what {} should, {}", share_held(evidence), name_of_element(evidence, *source),
                  first_wrong_and_source(evidence, wrong.front(), *source)),
      "threads that all compute the same element");
}

Found misplaced_values(const Evidence& evidence) {
  if (!can_be_misplaced(evidence)) return std::nullopt;
  const RightValues right(evidence);
  if (!right.are_distinctive()) return std::nullopt;
  const std::vector<Value> wrong = wrong_values(evidence);
  const std::vector<std::size_t> sources = sources_of(wrong, right);
  if (sources.empty()) return std::nullopt;
  const std::string first = first_wrong_and_source(evidence, wrong.front(), sources.front());
  for (const Rule& rule : rules(evidence, wrong.front(), sources.front()))
    if (std::ranges::all_of(
            wrong, [&](const Value& value) { return right.fits(value.value, rule.source(value.element)); }))
      return fact_and_guess(
          fmt::format("{} what {} should, {}", share_held(evidence), rule.source_name, first), rule.cause);
  if (is_one_for_each_block(evidence, wrong, sources))
    return fact_and_guess(
        share_held(evidence) + " what one and the same element of its block should, " + first,
        "threads of a block that overwrite each other's value");
  return fact_and_guess(share_held(evidence) + " what another element should, " + first,
                        "an index for what is read that is not the index for what is written");
}

namespace {

std::string first_wrong_text(const Evidence& evidence) {
  return "first " + element_in_full(evidence, evidence.wrong_at.first());
}

// Returns whether a right element holds its neighbour's value, too: whole numbers often coincide.
bool may_be_by_chance(const Evidence& evidence, std::size_t to_neighbour) {
  if (!holds_integers(evidence)) return false;
  for (std::size_t i = 0; i < evidence.checked(); ++i) {
    const double actual = value_of(evidence.actual, i);
    if (i + to_neighbour >= evidence.checked() || actual != value_of(evidence.expected, i)) continue;
    if (actual != value_of(evidence.expected, i + to_neighbour)) return true;
  }
  return false;
}

Found shifted(const Evidence& evidence, std::size_t fitting, bool edge_is_wrong, std::size_t to_neighbour) {
  // The element at the edge has no such neighbour, so it may hold anything.
  const std::size_t explained = fitting + (edge_is_wrong ? 1 : 0);
  if (fitting < min_for_a_rule || explained != evidence.wrong()) return std::nullopt;
  if (may_be_by_chance(evidence, to_neighbour)) return std::nullopt;
  const std::string neighbour = to_neighbour == 1 ? "next" : "previous";
  return fact_and_guess(
      fmt::format("{}, {} of them hold what the {} element should, {}", share_wrong(evidence),
                  grouped(fitting), neighbour, first_wrong_text(evidence)),
      "an index that is off by one");
}

Found shifted_down(const Evidence& evidence) {
  const bool last_is_wrong = evidence.wrong_at.last() + 1 == evidence.checked();
  return shifted(evidence, evidence.equal_to_next, last_is_wrong, 1);
}

Found shifted_up(const Evidence& evidence) {
  const bool first_is_wrong = evidence.wrong_at.first() == 0;
  constexpr auto one_back = static_cast<std::size_t>(-1);  // modulo 2^64
  return shifted(evidence, evidence.equal_to_previous, first_is_wrong, one_back);
}

Found doubled(const Evidence& evidence) {
  if (evidence.doubled < min_for_a_rule || evidence.doubled != evidence.wrong()) return std::nullopt;
  return fact_and_guess(
      share_wrong(evidence) + ", each twice what is expected, " + first_wrong_text(evidence),
      "counting every contribution twice");
}

Found zero_everywhere(const Evidence& evidence) {
  if (evidence.zeros != evidence.checked()) return std::nullopt;
  return fact(share_wrong(evidence) + ", every element was set to 0, " + first_wrong_text(evidence));
}

Found not_a_number(const Evidence& evidence) {
  const Positions& nans = evidence.not_a_number;
  if (nans.count() == 0) return std::nullopt;
  return fact(fmt::format("{}, {} of them written as NaN, first {}", share_wrong(evidence),
                          grouped(nans.count()), element_in_full(evidence, nans.first())));
}

Found lost_updates(const Evidence& evidence) {
  const bool is_count = evidence.initial_contents == InitialContents::cleared && holds_integers(evidence);
  if (!is_count || evidence.too_small != evidence.wrong()) return std::nullopt;
  const Difference first = difference_at(evidence, evidence.wrong_at.first());
  const ElementType type = evidence.actual.type();
  const std::string verb = evidence.items.element_name == "element" ? " holds " : " counts ";
  const std::string counted = fmt::format("{}{}{} of {}: ", name_of_element(evidence, first.index), verb,
                                          value_text(first.actual, type), value_text(first.expected, type));
  std::string where = evidence.checked() > 1 ? ", in " + share_of_elements(evidence, evidence.wrong()) : "";
  const auto owner = owner_of(evidence.items, first.index);
  if (evidence.items.item_of && owner) where += "; " + text_of(*owner) + " was the first to count there";
  return Explanation{.fact = counted + "updates were lost" + where,
                     .fact_without_race = counted + "too few, and no race was seen" + where};
}

Found transposed(const Evidence& evidence) {
  if (evidence.equal_to_transposed < min_for_a_rule || evidence.equal_to_transposed != evidence.wrong())
    return std::nullopt;
  return fact_and_guess(share_wrong(evidence) +
                            ", each of them holds what the element at its mirrored place should, " +
                            first_wrong_text(evidence),
                        "row and column exchanged");
}

Found rounding_only(const Evidence& evidence) {
  if (holds_integers(evidence)) return std::nullopt;
  const bool is_short = evidence.wrong() >= min_for_a_rule && evidence.few_bits == evidence.wrong();
  if (is_short)
    return fact_and_guess(share_wrong(evidence) + ", each right to 11 bits, " + first_wrong_text(evidence),
                          "a number on the way that keeps fewer digits, such as a half");
  if (evidence.off_by_little != evidence.wrong()) return std::nullopt;
  return fact_and_guess(
      share_wrong(evidence) + ", none by more than rounding makes, " + first_wrong_text(evidence),
      "another order of operations, or a shorter type on the way");
}

// Returns whether so many elements, at any places, may all lie so near the border by chance.
bool may_lie_along_the_border(std::size_t count, std::size_t depth, const Extent& work) {
  const double inside = static_cast<double>(work.x - 2 * depth) * static_cast<double>(work.y - 2 * depth);
  const double share_of_border = 1 - inside / static_cast<double>(work.volume());
  constexpr double rare = 1e-3;
  return std::pow(share_of_border, static_cast<double>(count)) > rare;
}

// Detects errors along the border of all the data only, not along block edges inside it.
Found border_only(const Evidence& evidence) {
  const Extent& work = evidence.items.work;
  const std::size_t depth = evidence.farthest_from_border + 1;
  const bool has_inside = work.y > 1 && work.volume() == evidence.checked() &&
                          2 * depth < std::min(work.x, work.y) && evidence.blocks() > 4;
  if (has_inside && may_lie_along_the_border(evidence.wrong(), depth, work)) return std::nullopt;
  if (!has_inside || evidence.wrong() < min_for_a_rule || evidence.unwritten.count() > 0) return std::nullopt;
  return fact_and_guess(fmt::format("{}, none farther than {} from the border of the data, {}",
                                    share_wrong(evidence), depth, first_wrong_text(evidence)),
                        "another rule for what lies beyond it");
}

// Detects errors only close to block edges, and in most blocks: a single place does not indicate a halo.
Found tile_edges(const Evidence& evidence) {
  const std::size_t from_edge = evidence.farthest_from_block_edge;
  const Extent& block = evidence.items.launch.block;
  const unsigned shortest = block.y > 1 ? std::min(block.x, block.y) : block.x;
  const bool is_spread = evidence.wrong() >= min_for_a_rule && evidence.blocks_with_wrong >= 2 &&
                         2 * evidence.blocks_with_wrong >= evidence.blocks();
  if (evidence.items.is_elementwise || evidence.deepest_in_block <= from_edge) return std::nullopt;
  if (!is_spread || evidence.unwritten.count() > 0 || 4 * (from_edge + 1) > shortest) return std::nullopt;
  return fact_and_guess(fmt::format("{}, none farther than {} from the edge of its block, {}",
                                    share_wrong(evidence), from_edge + 1, first_wrong_text(evidence)),
                        "a halo that is missing or too small");
}

Found only_one_wrong(const Evidence& evidence) {
  if (evidence.wrong() != 1 || evidence.checked() < min_for_a_rule) return std::nullopt;
  const std::size_t only = evidence.wrong_at.first();
  const char* const last = only + 1 == evidence.checked() ? "the last, " : "";
  const char* const position = only == 0 ? "the first, " : last;
  return fact(share_wrong(evidence) + ", " + position + element_in_full(evidence, only));
}

Found anything_else(const Evidence& evidence) {
  std::string line = share_wrong(evidence);
  if (evidence.unwritten.count() > 0)
    line += ", " + grouped(evidence.unwritten.count()) + " of them unwritten";
  return fact(line + where_wrong(evidence) + ", " + first_wrong_text(evidence));
}

}  // namespace

std::span<const Pattern> value_patterns() {
  static constexpr std::array patterns = {
      Pattern{"shifted", shifted_down},
      Pattern{"shifted", shifted_up},
      Pattern{"doubled", doubled},
      Pattern{"zero-everywhere", zero_everywhere},
      Pattern{"not-a-number", not_a_number},
      Pattern{"lost-updates", lost_updates},
      Pattern{"transposed", transposed},
      Pattern{"rounding-only", rounding_only},
      Pattern{"repeated", repeated_value},
      Pattern{"misplaced", misplaced_values},
      Pattern{"border", border_only},
      Pattern{"tile-edges", tile_edges},
      Pattern{"one-wrong-value", only_one_wrong},
      Pattern{"wrong-values", anything_else},
  };
  return patterns;
}

}  // namespace gpulab::run::validate
