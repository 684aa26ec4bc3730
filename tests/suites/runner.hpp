#pragma once

#include <vector>

#include "suites/judgement.hpp"
#include "suites/manifest.hpp"

namespace gpulab::suites {

// Runs each case of the manifest, `jobs` at once. Every launch has a process of its own: variables of the
// kernel file start as they are written, and a kernel that crashes or hangs ends with its process.
std::vector<Judged> run_cases(const Manifest& manifest, unsigned jobs);

}  // namespace gpulab::suites
