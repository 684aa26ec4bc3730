#include "core/program.hpp"

#include <algorithm>

namespace gpulab {

std::string text_of(const SourcePlace& place) {
  if (place.line <= 0) return "an unknown line";
  return "line " + std::to_string(place.line) + (place.file.empty() ? "" : " of " + place.file);
}

bool ProgramResult::has_defect() const {
  return std::ranges::any_of(report.findings, [](const ProgramFinding& finding) { return !finding.is_note; });
}

}  // namespace gpulab
