#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "core/text.hpp"
#include "validate/explanation.hpp"

namespace gpulab::validate {
namespace {

// "12 of 256 bins wrong, each of them holds"
std::string share_held(const Evidence& evidence) {
  std::string text = share_wrong(evidence);
  if (evidence.unwritten.count() > 0)
    text += ", " + grouped(evidence.unwritten.count()) + " of them unwritten";
  return text + ", " + (evidence.unwritten.count() > 0 ? "the others hold" : "each of them holds");
}

// Fewer elements than this can hold others' values by chance.
constexpr std::size_t min_for_a_rule = 3;
// Longer arrays are not sorted: they would take seconds.
constexpr std::size_t max_elements = std::size_t{1} << 20;
// The part of all values between the smallest and the largest that may be taken for one of the right ones.
constexpr double max_by_chance = 0.1;
// Another element's value is the same but for its last digits, however much the lesson allows.
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

  // Whether a wrong value that is one of these is so because it was computed as one of these.
  bool are_telling() const {
    if (sorted_.size() < min_for_a_rule || sorted_.size() < evidence_.checked()) return false;
    const double range = sorted_.back().value - sorted_.front().value;
    // Whole numbers are often right for others: then every one of them counts for what lies around it.
    const auto is_whole = [](const Value& value) { return value.value == std::floor(value.value); };
    const double around = std::ranges::all_of(sorted_, is_whole) ? 1 : 0;
    double covered = 0;
    std::size_t distinct = 1;
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      covered += 2 * tolerance_.relative * std::abs(sorted_[i].value) + around;
      if (i > 0 && sorted_[i].value != sorted_[i - 1].value) ++distinct;
    }
    return covered <= max_by_chance * range && 10 * distinct >= 9 * sorted_.size();
  }

  std::optional<std::size_t> element_with(double value) const {
    const auto after = std::ranges::lower_bound(sorted_, value, {}, &Value::value);
    if (after != sorted_.end() && is_close(value, after->value, tolerance_)) return after->element;
    if (after != sorted_.begin() && is_close(value, (after - 1)->value, tolerance_))
      return (after - 1)->element;
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

// What the wrong elements hold that were written, in ascending order.
std::vector<Value> wrong_values(const Evidence& evidence) {
  std::vector<Value> values;
  for (std::size_t i = evidence.wrong_at.first(); i <= evidence.wrong_at.last(); ++i) {
    const double actual = value_of(evidence.actual, i), expected = value_of(evidence.expected, i);
    if (is_close(actual, expected, evidence.comparison.tolerance) || evidence.is_untouched(i)) continue;
    values.push_back({actual, i});
  }
  return values;
}

// The elements whose values the wrong ones hold; empty unless each of them holds one.
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

std::string first_difference(const Evidence& evidence, const Value& first, std::size_t source) {
  return "first " + element_in_full(evidence, first.element) + ", which is right for " +
         name_of_element(evidence, source);
}

// A rule that leads from a place to the one whose value is there, and what it is consistent with.
struct Rule {
  std::string whose;  // "the element as far from the other end"
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

// Whether all that is wrong in a block is the value of one element of that block.
bool is_one_for_each_block(const Evidence& evidence, const std::vector<Value>& wrong,
                           const std::vector<std::size_t>& sources) {
  std::map<std::size_t, double> value_of_block;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    const std::size_t block = evidence.block_of(wrong[i].element);
    if (evidence.block_of(sources[i]) != block) return false;
    if (value_of_block.emplace(block, wrong[i].value).first->second != wrong[i].value) return false;
  }
  return wrong.size() >= value_of_block.size() + min_for_a_rule;
}

}  // namespace

std::optional<std::string> repeated_value(const Evidence& evidence) {
  if (!can_be_misplaced(evidence)) return std::nullopt;
  const std::vector<Value> wrong = wrong_values(evidence);
  const auto is_first = [&](const Value& value) { return value.value == wrong.front().value; };
  if (wrong.empty() || !std::ranges::all_of(wrong, is_first)) return std::nullopt;
  const RightValues right(evidence);
  const auto source = right.element_with(wrong.front().value);
  if (!source || !right.are_telling()) return std::nullopt;
  return share_held(evidence) + " what " + name_of_element(evidence, *source) + " should, " +
         first_difference(evidence, wrong.front(), *source) +
         "; consistent with threads that all compute the same element";
}

std::optional<std::string> misplaced_values(const Evidence& evidence) {
  if (!can_be_misplaced(evidence)) return std::nullopt;
  const RightValues right(evidence);
  if (!right.are_telling()) return std::nullopt;
  const std::vector<Value> wrong = wrong_values(evidence);
  const std::vector<std::size_t> sources = sources_of(wrong, right);
  if (sources.empty()) return std::nullopt;
  const std::string first = first_difference(evidence, wrong.front(), sources.front());
  for (const Rule& rule : rules(evidence, wrong.front(), sources.front()))
    if (std::ranges::all_of(
            wrong, [&](const Value& value) { return right.fits(value.value, rule.source(value.element)); }))
      return share_held(evidence) + " what " + rule.whose + " should, " + first + "; consistent with " +
             rule.cause;
  if (is_one_for_each_block(evidence, wrong, sources))
    return share_held(evidence) + " what one and the same element of its block should, " + first +
           "; consistent with threads of a block that overwrite each other's value";
  return share_held(evidence) + " what another element should, " + first +
         "; consistent with an input's index that is not the output's";
}

}  // namespace gpulab::validate
