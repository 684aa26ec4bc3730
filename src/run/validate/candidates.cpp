#include "run/validate/candidates.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>

#include "base/text.hpp"

namespace gpulab::run::validate {
namespace {

// Most work of a result that is computed again for every candidate.
constexpr double max_work = 5e6;
// Fewest wrong elements that may match a typical result although the right ones do not.
constexpr std::size_t min_for_a_part = 8;
// Fewest elements for which any factor counts: a shorter result may be a multiple of the right one because a
// single factor of the inputs differs.
constexpr std::size_t min_for_any_factor = 5000;

Indices wrong_elements(const WrongResult& result) {
  Indices wrong;
  for (std::size_t i = 0; i < result.actual.length(); ++i)
    if (!is_close(value_of(result.actual, i), value_of(result.expected, i), result.comparison.tolerance))
      wrong.push_back(i);
  return wrong;
}

std::string share(const WrongResult& result) {
  constexpr std::size_t max_located = 100'000;  // finding where more are would take long
  const Comparison& comparison = result.comparison;
  return share_of_elements(result.items, comparison.wrong, comparison.checked) + " wrong" +
         (comparison.checked > max_located
              ? ""
              : where_wrong(collect_evidence(comparison, result.actual, result.expected, result.items))) +
         ", ";
}

std::string first_wrong(const WrongResult& result, std::size_t element) {
  return element_in_full(result.expected, result.actual, result.items, element);
}

// Returns whether an eighth of the elements has the same value, other than in very short results.
bool has_frequent_value(const Array& results) {
  constexpr std::size_t most_looked_at = 4096, least = 2;
  std::vector<double> values;
  for (std::size_t i = 0; i < std::min(results.length(), most_looked_at); ++i)
    values.push_back(value_of(results, i));
  std::ranges::sort(values);
  std::size_t longest = 0, run = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    run = i > 0 && values[i] == values[i - 1] ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  return longest >= least && 8 * longest >= values.size();
}

}  // namespace

bool holds_integers(const WrongResult& result) {
  return result.actual.type() != ElementType::float32 && result.actual.type() != ElementType::float64;
}

Inputs copied_inputs(const WrongResult& result) {
  Inputs inputs(result.problem.arrays);
  auto from = result.inputs.begin();
  for (Array& input : inputs)
    std::memcpy(input.bytes().data(), (from++)->bytes().data(), input.bytes().size());
  return inputs;
}

std::string its_right_value(const WrongResult& result) {
  return result.actual.length() == 1 ? "the result" : "its right value";
}

Fit::Fit(const WrongResult& result) : result_(result), wrong_(wrong_elements(result)) {}

// Compares one element. A candidate must be twice as near as the right value or, if the right value is so
// near that a shorter type could be the reason, 100 times: one of many candidates may be near by chance.
Fit::Match Fit::match_at(std::size_t i, double actual, double value) const {
  if (actual == value) return Match::better;
  const auto& [relative, absolute] = result_.comparison.tolerance;
  const double bound = std::max(max_rounding_error * std::abs(value), absolute + relative * std::abs(value));
  const double error = std::abs(actual - value), expected = value_of(result_.expected, i),
               wrong_by = std::abs(actual - expected);
  const double times_nearer = wrong_by <= 0x1p-10 * std::abs(expected) ? 100 : 2;
  if (!std::isfinite(value) || !(error <= bound)) return Match::none;
  if (times_nearer * error <= wrong_by) return Match::better;
  return wrong_by <= 16 * bound ? Match::no_better_than_right : Match::none;
}

std::string BestExplanation::subject() const {
  return result_.actual.length() == 1 ? "it is " : "each wrong " + result_.items.element_name + " is ";
}

BestExplanation::BestExplanation(const WrongResult& result, const Fit& fit)
    : result_(result),
      fit_(fit),
      may_fit_by_chance_(fit.wrong().size() < min_for_a_rule || holds_integers(result) ||
                         has_frequent_value(result.expected)) {}

bool BestExplanation::misses_right_ones(const Array& candidate, Scope which) const {
  if (!may_fit_by_chance() && which == Scope::wrong_ones) return false;  // the right ones do not matter
  return !fit_.fits_right_ones([&](std::size_t i) { return value_of(candidate, i); });
}

bool BestExplanation::may_miss_right_ones(Scope which) const {
  if (may_fit_by_chance() || fit_.wrong().size() < min_for_a_part) return false;
  // An index candidate may ignore the right elements only if most elements are wrong.
  return which != Scope::nearly_all_wrong_ones || fit_.most_are_wrong();
}

void BestExplanation::add(const std::string& pattern, const std::string& description,
                          const std::function<void(Outputs&)>& compute, Scope which,
                          const std::string& reason) {
  Outputs outputs(result_.problem.arrays);
  compute(outputs);
  const Array& candidate = outputs.at(result_.output);
  if (misses_right_ones(candidate, which) && !may_miss_right_ones(which)) return;
  const auto value_at = [&](std::size_t i) { return value_of(candidate, i); };
  consider({pattern, subject(), description, reason},
           fit_.error(value_at, which == Scope::nearly_all_wrong_ones));
}

void BestExplanation::add_typical(const TypicalResult& typical) {
  Outputs outputs(result_.problem.arrays);
  typical.result(result_.inputs, outputs);
  const Array& candidate = outputs.at(result_.output);
  const bool is_partly = misses_right_ones(candidate, Scope::every_element);
  if (is_partly && !may_miss_right_ones(Scope::every_element)) return;
  consider({typical.pattern, "", typical.text(is_partly ? "each wrong" : "every")},
           fit_.error([&](std::size_t i) { return value_of(candidate, i); }));
}

void BestExplanation::consider(Candidate candidate, double error) {
  if (!std::isfinite(error)) return;
  candidate.stage = stage_;
  candidate.error = error;
  fitting_.push_back(std::move(candidate));
}

namespace {

// Returns the words that are the same at every size: without numbers, and without the example after a colon.
std::string model_of(const std::string& pattern, const std::string& description, const std::string& reason) {
  std::string model = pattern + ": " + description.substr(0, description.find(": ")) + reason;
  std::erase_if(model, [](unsigned char letter) { return std::isdigit(letter) || letter == ' '; });
  return model;
}

}  // namespace

Explanation BestExplanation::explanation_of(const Candidate& candidate) const {
  return {.pattern = candidate.pattern,
          .fact = share(result_) + "first " + first_wrong(result_, fit_.wrong().front()),
          .computed = candidate.subject + candidate.description + candidate.reason,
          .model = model_of(candidate.pattern, candidate.description, candidate.reason)};
}

std::optional<Explanation> BestExplanation::found() const {
  if (fitting_.empty()) return std::nullopt;
  std::vector<Candidate> sorted = fitting_;
  std::ranges::stable_sort(sorted, [](const Candidate& a, const Candidate& b) {
    return std::pair(a.stage, a.error) < std::pair(b.stage, b.error);
  });
  Explanation best = explanation_of(sorted.front());
  for (const Candidate& other : sorted) {
    const Candidate& first = sorted.front();
    // Sums that leave out different terms may be equal. Then the description names both.
    const bool fits_as_well = other.stage == first.stage && other.error == first.error &&
                              other.description != first.description && other.pattern == "skipped-elements" &&
                              first.pattern == other.pattern;
    if (fits_as_well && best.others.empty()) {
      best.others.push_back(best);
      best.computed += ", or " + other.description + other.reason;
      best.model += "or" + model_of("", other.description, other.reason);
    }
    Explanation explanation = explanation_of(other);
    if (!best.allows(explanation.model)) best.others.push_back(std::move(explanation));
  }
  return best;
}

namespace {

// Returns "3 times", "1/2 of" or "-1 times".
std::string times_text(double factor) {
  const double inverse = 1 / factor;
  const auto is_whole = [](double value) {
    return std::abs(value - std::round(value)) < 1e-4 * std::abs(value);
  };
  if (is_whole(factor)) return value_text(std::round(factor), ElementType::float32) + " times ";
  if (is_whole(inverse)) return "1/" + value_text(std::round(inverse), ElementType::float32) + " of ";
  return value_text(static_cast<float>(factor), ElementType::float32) + " times ";
}

// Returns whether the factor is a whole number up to 4096 or one divided by that, and not 1.
bool is_simple_factor(double factor) {
  const double whole = std::max(std::abs(factor), 1 / std::abs(factor));
  const bool is_whole = std::abs(whole - std::round(whole)) < 1e-5 * whole;
  return is_whole && whole <= 4096 && (whole > 1 || factor < 0);
}

// The quotient and the difference of the actual and the expected value of one element.
struct Ratio {
  double factor = 0, offset = 0;
};

// Compares the wrong element that has the largest expected value.
Ratio ratio_of(const WrongResult& result, const Fit& fit) {
  const auto magnitude = [&](std::size_t i) {
    const double expected = value_of(result.expected, i);
    return std::isfinite(expected) ? std::abs(expected) : 0;
  };
  const std::size_t largest = *std::ranges::max_element(fit.wrong(), {}, magnitude);
  const double actual = value_of(result.actual, largest), expected = value_of(result.expected, largest);
  return {actual / expected, actual - expected};
}

bool is_finite_and_not_zero(double value) {
  return std::isfinite(value) && value != 0;
}

void add_factor(const WrongResult& result, const Fit& fit, BestExplanation& best) {
  const double factor = ratio_of(result, fit).factor;
  const bool may_be_chance = holds_integers(result) && !fit.nearly_all_are_wrong();
  const bool is_one = std::abs(factor - 1) < 1e-5;
  if (!is_finite_and_not_zero(factor) || is_one || may_be_chance) return;
  best.add_values(std::abs(factor + 1) < 1e-6 ? "wrong-sign" : "constant-factor",
                  times_text(factor) + its_right_value(result),
                  [&](std::size_t i) { return factor * value_of(result.expected, i); });
}

void add_offset(const WrongResult& result, const Fit& fit, BestExplanation& best) {
  const double offset = ratio_of(result, fit).offset;
  if (!is_finite_and_not_zero(offset) || !fit.nearly_all_are_wrong()) return;
  best.add_values("constant-offset",
                  value_text(static_cast<float>(std::abs(offset)), ElementType::float32) +
                      (offset > 0 ? " more than it should be" : " less than it should be"),
                  [&](std::size_t i) { return value_of(result.expected, i) + offset; });
}

// Adds remainders of a count in a type with few bits.
void add_remainders(const WrongResult& result, BestExplanation& best) {
  for (const int bits : {16, 8}) {
    const double range = std::exp2(bits);
    best.add_values(
        "type-limit",
        fmt::format("its right value modulo 2^{} = {}", bits, grouped(static_cast<std::size_t>(range))),
        [&](std::size_t i) { return std::fmod(value_of(result.expected, i), range); });
    best.add_values("type-limit",
                    "what is left of its right value in a signed number of " + std::to_string(bits) + " bits",
                    [&](std::size_t i) { return std::remainder(value_of(result.expected, i), range); });
  }
}

// Adds functions of the expected value: without the sign, without the fractional digits.
void add_functions(const WrongResult& result, const Fit& fit, BestExplanation& best) {
  const auto expected = [&](std::size_t i) { return value_of(result.expected, i); };
  if (holds_integers(result)) return;
  if (fit.wrong().size() < min_for_a_rule || !fit.nearly_all_are_wrong())
    best.add_values("wrong-sign", "its right value without the sign",
                    [&](std::size_t i) { return std::abs(expected(i)); });
  if (is_simple_factor(ratio_of(result, fit).factor)) add_factor(result, fit, best);
  if (fit.wrong().size() < min_for_a_rule) return;
  best.add_values("wrong-zeros", "0 where its right value is negative",
                  [&](std::size_t i) { return expected(i) < 0 ? 0.0 : expected(i); });
  best.add_values("wrong-zeros", "0", [](std::size_t) { return 0.0; });
  best.add_values("whole-numbers", "its right value without its fraction",
                  [&](std::size_t i) { return std::trunc(expected(i)); });
  best.add_values("whole-numbers", "its right value rounded to a whole number",
                  [&](std::size_t i) { return std::round(expected(i)); });
}

}  // namespace

std::optional<Explanation> explain_by_candidates(const WrongResult& result) {
  const Fit fit(result);
  if (fit.wrong().empty() || result.work > max_work) return std::nullopt;
  BestExplanation best(result, fit);
  if (holds_integers(result)) add_remainders(result, best);
  add_shorter_types(result, fit, best);
  best.begin_stage();
  add_terms(result, best);
  for (const TypicalResult& typical : result.problem.typically_wrong) best.add_typical(typical);
  best.begin_stage();
  for (const OtherResult& other : result.others)
    best.add("wrong-option", "what " + other.option + " asks for",
             [&](Outputs& outputs) { other.compute(result.inputs, outputs); });
  best.begin_stage();
  add_functions(result, fit, best);
  if (fit.wrong().size() >= min_for_a_rule) add_formulas(result, best);
  best.begin_stage();
  if (!best.may_fit_by_chance()) {
    add_other_values(result, best);
    add_other_indices(result, best);
    add_other_places(result, best);
  }
  if (best.found() || fit.wrong().size() < min_for_a_rule) return best.found();
  if (result.actual.length() >= min_for_any_factor || is_simple_factor(ratio_of(result, fit).factor))
    add_factor(result, fit, best);
  add_offset(result, fit, best);
  return best.found();
}

namespace {

// Rounds to a number of significand bits, as in half and tf32 (11) or bfloat16 (8).
float rounded_to(int bits, float value) {
  if (!std::isfinite(value) || value == 0) return value;
  constexpr int bits_of_half = 11, min_step_exponent_of_half = -24;  // subnormal numbers have fewer bits
  int exponent = 0;
  std::frexp(value, &exponent);
  const int step_exponent =
      bits == bits_of_half ? std::max(exponent - bits, min_step_exponent_of_half) : exponent - bits;
  return static_cast<float>(
      std::ldexp(std::nearbyint(std::ldexp(double{value}, -step_exponent)), step_exponent));
}

// Returns whether the wrong values have several exponents, so that fixed-point numbers round otherwise.
bool have_several_exponents(const WrongResult& result, const Indices& wrong) {
  return std::ranges::any_of(wrong, [&](std::size_t i) {
    return std::ilogb(value_of(result.expected, i)) != std::ilogb(value_of(result.expected, wrong.front()));
  });
}

}  // namespace

void add_shorter_types(const WrongResult& result, const Fit& fit, BestExplanation& best) {
  const Reference& reference =
      result.problem.references.plain ? result.problem.references.plain : result.problem.references.openmp;
  if (holds_integers(result)) return;
  for (const auto& [bits, type] : {std::pair{11, "half"}, std::pair{8, "bfloat16"}}) {
    const std::string text = fmt::format(" rounded to {} bits, as a {} has", bits, type);
    if (have_several_exponents(result, fit.wrong()))
      best.add_values("rounding-only", its_right_value(result) + text, [&](std::size_t i) {
        return rounded_to(bits, static_cast<float>(value_of(result.expected, i)));
      });
    const auto round = [bits](auto& arrays) {
      for (Array& array : arrays)
        if (array.type() == ElementType::float32)
          for (float& value : array.template as<float>()) value = rounded_to(bits, value);
    };
    for (const bool rounds_result : {false, true})
      best.add("rounding-only",
               std::string("what comes out of inputs") + (rounds_result ? ", and is itself," : "") + text,
               [&](Outputs& outputs) {
                 Inputs inputs = copied_inputs(result);
                 round(inputs);
                 reference(inputs, outputs);
                 if (rounds_result) round(outputs);
               });
  }
}

}  // namespace gpulab::run::validate
