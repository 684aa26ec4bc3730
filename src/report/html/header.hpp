#pragma once

#include <string>
#include <vector>

#include "report/bench_html.hpp"

// What stands above the figures, and in the page's title.

namespace gpulab::report::html {

// "matmul, reduction on NVIDIA H200"
std::string page_title(const BenchReport& report);

// Where, when and by what it was measured: a column for each document.
std::string facts_markup(const BenchReport& report);

// What must be known before any figure is read: what is missing, wrong or to be taken with care, and what
// regressed.
std::string findings_markup(const BenchReport& report);

}  // namespace gpulab::report::html
