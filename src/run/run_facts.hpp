#pragma once

#include <string>
#include <vector>

#include "core/run_facts.hpp"

namespace gpulab::run {

// Looks up who runs this, where and when.
RunFacts run_facts(const std::vector<std::string>& typed);

}  // namespace gpulab::run
