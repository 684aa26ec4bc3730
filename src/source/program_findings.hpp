#pragma once

#include <vector>

#include "lesson/exercise.hpp"
#include "source/program_files.hpp"

namespace gpulab::source {

// Fills in the text of each line that the report names, and drops findings whose premise does not hold in the
// source (ProgramFinding::Premise). `discarded_results` are the places of calls whose result is not used, as
// the compiler has seen.
void find_source_lines(const std::vector<SourceFile>& sources, ProgramReport& report,
                       const std::vector<SourcePlace>& discarded_results = {});

}  // namespace gpulab::source
