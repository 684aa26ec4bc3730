#pragma once

#include <string_view>
#include <vector>

#include "lesson/exercise.hpp"
#include "source/program_files.hpp"

namespace gpulab::source {

// Fills in the text of each line that the report names, and drops findings whose premise does not hold in the
// source (ProgramFinding::Premise). The compiler has seen that results are discarded at `discarded_results`.
void find_source_lines(const std::vector<SourceFile>& sources, ProgramReport& report,
                       const std::vector<SourcePlace>& discarded_results = {});

// Returns whether the text declares a std::vector of that name.
bool has_vector(const Code& code, std::string_view name);

}  // namespace gpulab::source
