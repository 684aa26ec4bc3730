#pragma once

#include <string>

#include "core/result.hpp"

namespace gpulab {

// The timelines of all variants in the Trace Event format, which Perfetto and Chromium's tracing open: a
// process for each variant, a thread for each stream.
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
std::string trace_json(const LessonResult& result);

}  // namespace gpulab
