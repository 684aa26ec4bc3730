#pragma once

#include <string>

namespace gpulab {

// How many seconds a launch may go on without a single thread returning: 60, or what the environment variable
// GPULAB_TIME_LIMIT says. Throws UsageError when that is no number above 0.
double time_limit();

// "no thread returned for 60 s: test.cu:7, block 3 thread 17 is still running", and how to wait longer.
std::string time_limit_explanation(const std::string& running);

}  // namespace gpulab
