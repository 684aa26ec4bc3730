#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "run/validate/explanation.hpp"

namespace gpulab::run::validate {

// What may have come out instead of the right result is computed, and compared with what came out.

// Two results that are this near to each other are the same for somebody who looks at rounding.
constexpr double same = 2e-6;

using Indices = std::vector<std::size_t>;

// How far elements are from a candidate's, relative to it.
class Fit {
 public:
  explicit Fit(const Candidates& of);

  // Of the wrong elements; infinite if one does not fit. Of many, the last part of an array may differ.
  template <class ValueAt>
  double error(ValueAt value_at, bool nearly_all_will_do = false) const {
    const std::size_t may_differ = nearly_all_will_do && wrong_.size() >= 100 ? wrong_.size() / 12 : 0;
    std::size_t differ = 0;
    double error = 0;
    for (const std::size_t i : wrong_) {
      const double actual = value_of(of_.actual, i), value = value_at(i);
      if (!fits(i, actual, value)) {
        if (++differ > may_differ) return std::numeric_limits<double>::infinity();
      } else if (value != 0) {
        error += std::abs(actual - value) / std::abs(value);
      }
    }
    return error + static_cast<double>(differ);
  }

  // Whether the elements that are right are so in the candidate, too.
  template <class ValueAt>
  bool fits_right_ones(ValueAt value_at) const {
    for (std::size_t i = 0, next = 0; i < of_.actual.length(); ++i) {
      if (next < wrong_.size() && wrong_[next] == i)
        ++next;
      else if (!is_close(value_of(of_.actual, i), value_at(i), of_.comparison.tolerance))
        return false;
    }
    return true;
  }
  const Indices& wrong() const { return wrong_; }
  bool most() const { return 2 * wrong_.size() >= of_.actual.length(); }
  bool nearly_all() const { return 10 * wrong_.size() >= 9 * of_.actual.length(); }

 private:
  // As near as rounding allows, and much nearer than what is right.
  bool fits(std::size_t i, double actual, double value) const;

  const Candidates& of_;
  const Indices wrong_;
};

bool holds_whole_numbers(const Candidates& of);
Inputs copied(const Candidates& of);

// How a sentence about a candidate begins: "it is ", "each wrong element is ".
std::string subject(const Candidates& of);
std::string its_right_value(const Candidates& of);

// The best of what is computed and compared.
class Best {
 public:
  Best(const Candidates& of, const Fit& fit) : of_(of), fit_(fit) {}

  enum class Fits { wrong_ones, nearly_all_wrong_ones, every_one };

  void add(const std::string& pattern, const std::string& text, const std::function<void(Outputs&)>& compute,
           Fits which = Fits::wrong_ones);
  template <class ValueAt>
  void add_values(const std::string& pattern, const std::string& text, ValueAt value_at,
                  bool nearly_all_will_do = false) {
    const double error = fit_.error(value_at, nearly_all_will_do);
    const bool is_said = best_ && best_->text.find(text.substr(0, text.find(':'))) != std::string::npos;
    if (best_ && error == least_ && pattern == "left-out" && best_->pattern == pattern && !is_said &&
        !has_other_) {
      best_->text += ", or " + text.substr(text.starts_with(subject(of_)) ? subject(of_).size() : 0);
      has_other_ = true;
    }
    if (error < least_) take(pattern, text, error);
  }
  std::optional<Explanation> found() const { return best_; }

 private:
  void take(const std::string& pattern, const std::string& text, double error);

  const Candidates& of_;
  const Fit& fit_;
  double least_ = std::numeric_limits<double>::infinity();
  bool has_other_ = false;  // that fits as well, and is told
  std::optional<Explanation> best_;
};

// A sum without some of its terms, or with some of them twice.
void add_terms(const Candidates& of, Best& best);
// What comes out when the inputs, or the result, go through a shorter type.
void add_shorter_types(const Candidates& of, Best& best);
// What comes out when one input is read at another index.
void add_other_indices(const Candidates& of, Best& best);
// What a simpler formula makes of the same inputs.
void add_formulas(const Candidates& of, Best& best);

}  // namespace gpulab::run::validate
