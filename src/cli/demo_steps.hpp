#pragma once

#include <optional>
#include <string>
#include <vector>

#include "teach/demo.hpp"

namespace gpulab::cli {

// Returns the index of the step with that number or name; none if there is no such step.
std::optional<std::size_t> find_step(const teach::Demo& demo, const std::string& word);

// Returns the index of the step with that number or name. Throws UsageError if there is no such step.
std::size_t step_named(const teach::Demo& demo, const std::string& word);

// Returns the steps that the words name, in their order: by a number, a range such as 2-4, a name or a
// mistake's pattern.
teach::Demo with_only(teach::Demo demo, const std::vector<std::string>& words);

// Returns the main mistakes alone. The screen says that there are more.
teach::Demo with_main_mistakes(teach::Demo demo);

}  // namespace gpulab::cli
