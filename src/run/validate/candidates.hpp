#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "run/validate/evidence.hpp"

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

std::string its_right_value(const Candidates& of);

// The best of what is computed and compared. What a candidate is goes on from "each wrong element is", and
// may have a reason, which is no part of it: ": those of block 0".
class Best {
 public:
  Best(const Candidates& of, const Fit& fit) : of_(of), fit_(fit) {}

  enum class Fits { wrong_ones, nearly_all_wrong_ones, every_one };

  void add(const std::string& pattern, const std::string& what, const std::function<void(Outputs&)>& compute,
           Fits which = Fits::wrong_ones, const std::string& reason = "");
  void add_typical(const TypicalResult& typical);
  template <class ValueAt>
  void add_values(const std::string& pattern, const std::string& what, ValueAt value_at) {
    consider({pattern, subject(), what}, fit_.error(value_at));
  }
  std::optional<Explanation> found() const { return best_; }

 private:
  struct Candidate {
    std::string pattern, subject, what, reason = {};
  };

  std::string subject() const;
  // Fewer wrong elements than make a rule, or numbers that are often equal by chance.
  bool are_few() const;
  // The elements that are right are not so in the candidate.
  bool fits_wrong_ones_alone(const Array& candidate, Fits which) const;
  bool may_fit_them_alone(Fits which) const;
  void consider(const Candidate& candidate, double error);

  const Candidates& of_;
  const Fit& fit_;
  double least_ = std::numeric_limits<double>::infinity();
  bool has_other_ = false;  // that fits as well, and is told
  std::string what_;        // the best one is
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
