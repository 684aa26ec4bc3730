#pragma once

#include <string>
#include <vector>

#include "core/check_result.hpp"
#include "report/text_style.hpp"

namespace gpulab {

// What a check found, for people: the verdict first and, at the end, what to type next. Sentences are no
// longer than the style's width; sources, compilers' messages and commands stay whole, to be copied.
std::string check_text(const CheckResult& result, const TextStyle& style);

// The verdict alone, for one of many that have passed.
std::string check_line(const CheckResult& result, const TextStyle& style);

// How many of several have passed, in one line.
std::string checks_summary(const std::vector<CheckResult>& results);

}  // namespace gpulab
