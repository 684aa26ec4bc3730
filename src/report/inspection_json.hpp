#pragma once

#include <string>

#include "core/inspection.hpp"

namespace gpulab {

// As one document with "schema": "gpulab.inspect"; null for what a kind of access has not. It has the lines
// that access memory.
std::string inspection_json(const Inspection& inspection);

// The same with every line of the kernels.
std::string annotated_json(const Inspection& inspection);

}  // namespace gpulab
