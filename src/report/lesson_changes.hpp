#pragma once

#include <string>

#include "core/result.hpp"
#include "report/table.hpp"

namespace gpulab::report {

// What the rows of a result say beside those of an earlier one: '~' marks a variant with another outcome,
// count or time, and the old value stands before the new one. Times have changed where their confidence
// intervals have nothing in common; the CPU time of a simulation is not compared. Without an earlier result
// the cells are as they are.
class LessonChanges {
 public:
  explicit LessonChanges(const LessonResult* before = nullptr) : before_(before) {}

  Cell name(const std::string& reference) const;
  Cell name(const VariantResult& variant) const;
  Cell result(const VariantResult& variant) const;
  // What stands in place of figures: in short, if it is as expected and has not changed.
  std::string story(const VariantResult& variant, std::size_t asked_size) const;
  Cell time(const VariantResult& variant, Cell now) const;  // of the kernel, cold
  Cell figure(const VariantResult& variant, const Figure& figure) const;

 private:
  const VariantResult* earlier(const VariantResult& variant) const;
  bool has_changed(const VariantResult& variant) const;

  const LessonResult* before_;
};

}  // namespace gpulab::report
