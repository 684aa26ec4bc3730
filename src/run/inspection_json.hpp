#pragma once

#include "lesson/json_fields.hpp"

namespace gpulab::run {

// Lists the accesses of a kernel's lines, and the worst of them.
Json lines_with_accesses_json(const VariantInspection& variant);
Json worst_json(const VariantInspection& variant);

}  // namespace gpulab::run
