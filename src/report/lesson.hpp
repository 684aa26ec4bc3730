#pragma once

#include <string>

#include "core/result.hpp"
#include "core/run_facts.hpp"
#include "report/layout.hpp"

namespace gpulab::report {

// A lesson's result for people: a heading, a table of references and variants, then what there is to say
// about them. No line is longer than the style's width.
std::string lesson_text(const LessonResult& result, const TextStyle& style);

// One document that matches data/gpulab-run.schema.json. Quantities are in SI units, named in the field; what
// is unknown, was not measured or is not finite is null.
std::string lesson_json(const LessonResult& result, const RunFacts& facts);

// The timelines of all variants in the Trace Event format, which Perfetto and Chromium's tracing open: a
// process for each variant, a thread for each stream.
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
std::string trace_json(const LessonResult& result);

}  // namespace gpulab::report
