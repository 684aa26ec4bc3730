#pragma once

#include <vector>

#include "core/program.hpp"
#include "program/sources.hpp"

namespace gpulab::program {

// Fills in the text of each line that the report names.
// Also drops findings whose premise does not hold.
void find_source_lines(const std::vector<SourceFile>& sources, ProgramReport& report);

}  // namespace gpulab::program
