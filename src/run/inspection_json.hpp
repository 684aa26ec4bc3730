#pragma once

#include "lesson/json_fields.hpp"

namespace gpulab::run {

// What the lines of a kernel ask of memory, and where that is worst.
Json lines_with_accesses_json(const VariantInspection& variant);
Json worst_json(const VariantInspection& variant);

}  // namespace gpulab::run
