#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "run/validate/evidence.hpp"

namespace gpulab::run::validate {

// Candidates for the wrong result are computed and compared with it.

// Relative distance up to which results are equal except for rounding.
constexpr double max_rounding_error = 2e-6;

using Indices = std::vector<std::size_t>;

// Distance of the wrong elements from those of a candidate.
class Fit {
 public:
  explicit Fit(const WrongResult& result);

  // Returns the sum of the wrong elements' relative errors; infinite if one does not fit. With outliers
  // tolerated, one in twelve may differ if a hundred or more are wrong.
  template <class ValueAt>
  double error(ValueAt value_at, bool tolerates_outliers = false) const {
    const std::size_t max_outliers = tolerates_outliers && wrong_.size() >= 100 ? wrong_.size() / 12 : 0;
    std::size_t outliers = 0, undecided = 0;
    double error = 0;
    for (const std::size_t i : wrong_) {
      const double actual = value_of(result_.actual, i), value = value_at(i);
      const Match match = match_at(i, actual, value);
      if (match == Match::none) ++outliers;
      if (outliers > max_outliers) return std::numeric_limits<double>::infinity();
      if (match == Match::no_better_than_right) ++undecided;
      const bool is_exact = actual == value;  // also two infinities
      if (match != Match::none && value != 0 && !is_exact)
        error += std::abs(actual - value) / std::abs(value);
    }
    if (2 * undecided >= wrong_.size()) return std::numeric_limits<double>::infinity();
    return error + static_cast<double>(outliers);
  }

  // Returns whether the right elements are right in the candidate, too.
  template <class ValueAt>
  bool fits_right_ones(ValueAt value_at) const {
    for (std::size_t i = 0, next = 0; i < result_.actual.length(); ++i) {
      if (next < wrong_.size() && wrong_[next] == i)
        ++next;
      else if (!is_close(value_of(result_.actual, i), value_at(i), result_.comparison.tolerance))
        return false;
    }
    return true;
  }
  const Indices& wrong() const { return wrong_; }
  bool most_are_wrong() const { return 2 * wrong_.size() >= result_.actual.length(); }
  bool nearly_all_are_wrong() const { return 10 * wrong_.size() >= 9 * result_.actual.length(); }

 private:
  enum class Match { none, no_better_than_right, better };

  // Requires rounding accuracy. An element that is hardly wrong fits the right value nearly as well.
  Match match_at(std::size_t i, double actual, double value) const;

  const WrongResult& result_;
  const Indices wrong_;
};

bool holds_integers(const WrongResult& result);
Inputs copied_inputs(const WrongResult& result);

std::string its_right_value(const WrongResult& result);

// Elements that a candidate has to explain.
enum class Scope { wrong_ones, nearly_all_wrong_ones, every_element };

// The candidates that fit. The description of one continues "each wrong element is", and may have a separate
// reason: ": those of block 0".
class BestExplanation {
 public:
  BestExplanation(const WrongResult& result, const Fit& fit);

  void add(const std::string& pattern, const std::string& description,
           const std::function<void(Outputs&)>& compute, Scope which = Scope::wrong_ones,
           const std::string& reason = "");
  void add_typical(const TypicalResult& typical);
  template <class ValueAt>
  void add_values(const std::string& pattern, const std::string& description, ValueAt value_at,
                  bool tolerates_outliers = false) {
    consider({pattern, subject(), description}, fit_.error(value_at, tolerates_outliers));
  }
  // Returns whether a rule may fit by chance: few elements are wrong, or many are equal, as integers and
  // clamped values are.
  bool may_fit_by_chance() const { return may_fit_by_chance_; }
  // Ranks all further candidates after those that were added before.
  void begin_stage() { ++stage_; }
  // Returns the best candidate that fits, with the others.
  std::optional<Explanation> found() const;

 private:
  struct Candidate {
    std::string pattern, subject, description, reason = {};
    std::size_t stage = 0;
    double error = 0;
  };

  Explanation explanation_of(const Candidate& candidate) const;

  std::string subject() const;
  // Returns whether the candidate differs from right elements, where these matter.
  bool misses_right_ones(const Array& candidate, Scope which) const;
  bool may_miss_right_ones(Scope which) const;
  void consider(Candidate candidate, double error);

  const WrongResult& result_;
  const Fit& fit_;
  bool may_fit_by_chance_;
  std::size_t stage_ = 0;
  std::vector<Candidate> fitting_;
};

// Adds sums without some of their terms, or with some of them twice.
void add_terms(const WrongResult& result, BestExplanation& best);
// Adds results with inputs or outputs rounded to a shorter type.
void add_shorter_types(const WrongResult& result, const Fit& fit, BestExplanation& best);
// Adds results with one input read at another index, or two exchanged.
void add_other_indices(const WrongResult& result, BestExplanation& best);
// Adds results with inputs cut, squared, or without their sign.
void add_other_values(const WrongResult& result, BestExplanation& best);
// Adds right values of an image in other places.
void add_other_places(const WrongResult& result, BestExplanation& best);
// Adds results of simpler formulas on the same inputs.
void add_formulas(const WrongResult& result, BestExplanation& best);

}  // namespace gpulab::run::validate
