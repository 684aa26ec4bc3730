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

// Returns whether one of the finding's other places is this one.
bool names(const ProgramFinding& finding, const SourcePlace& place);

// Returns whether the name's last declaration before the token makes a vector in the memory of the host.
bool has_vector(const Code& code, std::string_view name, std::size_t before = std::string_view::npos);

// Returns whether the size that the first such call in the line is given counts elements, as far as the text
// shows it.
bool counts_elements(const Code& code, std::string_view call, int line);

}  // namespace gpulab::source
