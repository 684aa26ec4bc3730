#pragma once

#include <string>

#include "core/result.hpp"
#include "core/run_facts.hpp"

namespace gpulab {

// One document that matches data/gpulab-run.schema.json. Quantities are in SI units, named in the field; what
// is unknown, was not measured or is not finite is null.
std::string lesson_json(const LessonResult& result, const RunFacts& facts);

}  // namespace gpulab
