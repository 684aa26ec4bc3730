#include <cmath>
#include <stdexcept>

#include "learn/answers.hpp"

namespace gpulab::learn {
namespace {

// What can go wrong with any answer on the way from the head into the file.
struct Slip {
  const char* pattern;
  double factor;  // answer / what is right
  bool (*applies)(const Unit& unit);
  const char* explanation;
};

bool has_prefixes(const Unit& unit) {
  return unit.dimension != Dimension::number;
}

bool is_percent(const Unit& unit) {
  return std::string(unit.name) == "%";
}

bool is_ratio(const Unit& unit) {
  return std::string(unit.name) == "x";
}

constexpr const char* prefix_explanation = "the digits are right, but the unit is off by a power of 1000";
constexpr const char* bits_explanation = "that is off by 8, as if bits were bytes or bytes bits";

constexpr Slip slips[] = {
    {"bits-for-bytes", 8, has_prefixes, bits_explanation},
    {"bits-for-bytes", 0.125, has_prefixes, bits_explanation},
    {"wrong-prefix", 1e3, has_prefixes, prefix_explanation},
    {"wrong-prefix", 1e-3, has_prefixes, prefix_explanation},
    {"wrong-prefix", 1e6, has_prefixes, prefix_explanation},
    {"wrong-prefix", 1e-6, has_prefixes, prefix_explanation},
    {"fraction-for-percent", 1e-2, is_percent,
     "a number alone is taken for percent here, and that is a fraction"},
};

const Unit& unit_of(const AskedQuestion& asked) {
  const Unit* unit = unit_called(asked.unit);
  if (!unit) throw std::logic_error(asked.heading + ": an answer has no unit '" + asked.unit + "'");
  return *unit;
}

// Up to the rounding of a double, also where it is to be exact.
bool is_near(double value, double truth, double tolerance) {
  return std::abs(value - truth) <= (tolerance + 1e-9) * std::abs(truth);
}

}  // namespace

AnswerJudgement judge_answer(const std::string& answer, const AskedQuestion& asked,
                             const Question& question) {
  const Unit& unit = unit_of(asked);
  if (answer.empty()) return {unanswered, "there is no answer yet"};
  const auto given = quantity(answer, unit);
  if (!given)
    return {"unreadable-answer",
            std::string("that is no number with a unit; write it like 1.5 ") + unit.name};
  const double truth = question.answer(asked.facts);
  const bool has_right_number = is_in_some_unit(given->number, unit.dimension, truth);
  if (given->dimension != unit.dimension)
    return {"wrong-unit", "that is another kind of quantity than the one that is asked for, in " +
                              std::string(unit.name) +
                              (has_right_number ? "; the number would be right in a unit of that kind" : "")};
  if (is_near(given->value, truth, asked.tolerance)) return {};
  for (const TypicalError& error : question.errors)
    if (is_near(given->value, error.answer(asked.facts), asked.tolerance))
      return {error.pattern, error.explanation};
  for (const Slip& slip : slips)
    if (slip.applies(unit) && is_near(given->value, slip.factor * truth, asked.tolerance))
      return {slip.pattern, slip.explanation};
  if (is_ratio(unit) && is_near(given->value, 1 / truth, asked.tolerance))
    return {"upside-down", "that is the one divided by the other the wrong way round"};
  if (has_right_number) return {"wrong-unit", "the number would be right in another unit"};
  return {"wrong-number", "that is not what comes out, and it is none of the usual mistakes"};
}

}  // namespace gpulab::learn
