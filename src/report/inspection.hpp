#pragma once

#include <string>

#include "core/inspection.hpp"
#include "report/layout.hpp"

namespace gpulab::report {

// For each variant a table of its lines that access memory, and in words which is the worst.
std::string inspection_text(const Inspection& inspection, const TextStyle& style);

// For each variant the source of its kernels, with the same numbers beside the lines, and the same words. The
// sources have a style of their own, at whose width they are cut.
std::string annotated_text(const Inspection& inspection, const TextStyle& style, const TextStyle& of_sources);

// As one document with "schema": "gpulab.inspect"; null for what a kind of access has not. It has the lines
// that access memory.
std::string inspection_json(const Inspection& inspection);

// The same with every line of the kernels.
std::string annotated_json(const Inspection& inspection);

}  // namespace gpulab::report
