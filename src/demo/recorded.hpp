#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/findings.hpp"

namespace gpulab::demo {

// Figures that a GPU once measured, for machines without one: each lesson at its default size, and some with
// other options: "seconds at --size 1048576". They stand in data/recorded-figures.csv, whose first line says
// which GPU and when; script/record-figures writes it.
class Recorded {
 public:
  // Throws std::logic_error for a text that is none.
  explicit Recorded(const std::string& csv);

  // "NVIDIA H200, 2026-11-22"
  const std::string& source() const { return source_; }

  // None where it was not recorded. A kernel's time, cold, is called "seconds". The name of the figure is
  // that of the variant. What was recorded with the options of the step, as its script has them, comes first.
  std::optional<Figure> of(const std::string& lesson, const std::string& variant, const std::string& figure,
                           const std::string& with = {}) const;

 private:
  struct Row {
    std::string lesson, variant, figure, unit;
    double value = 0;
  };

  std::optional<Figure> row(const std::string& lesson, const std::string& variant,
                            const std::string& figure) const;

  std::string source_;
  std::vector<Row> rows_;
};

constexpr const char* recorded_seconds = "seconds";

}  // namespace gpulab::demo
