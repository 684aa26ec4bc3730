#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/bench_result.hpp"
#include "core/comparison.hpp"

namespace gpulab::report {

// What a report is made of: documents of gpulab bench, and how they compare.
struct BenchReport {
  std::vector<std::string> files;  // their names, in the order of the results
  std::vector<BenchResult> results;
  std::size_t before = 1;                     // so many of them come before the others
  std::optional<Comparison> comparison = {};  // these with the others; then figures are of the others
  std::string not_compared = {};              // why there are several results and no comparison
};

// Whether the program was built with the library that draws; bench_html() throws without.
bool has_chart_library();

// One page that needs nothing else: texts, figures with a table for each, and the documents themselves. It
// loads nothing from anywhere. Throws Error (4) when the program was built without Chart.js.
std::string bench_html(const BenchReport& report);

}  // namespace gpulab::report
