#include "core/text.hpp"
#include "learn/explain_defect.hpp"

namespace gpulab::learn {

std::string line_of(const std::string& text, int number) {
  const std::vector<std::string> lines = lines_of(text);
  if (number < 1 || static_cast<std::size_t>(number) > lines.size()) return "";
  const std::string& line = lines[static_cast<std::size_t>(number) - 1];
  const std::size_t start = line.find_first_not_of(" \t");
  return start == std::string::npos ? "" : line.substr(start);
}

int column_of(const std::string& text, int number) {
  const std::vector<std::string> lines = lines_of(text);
  if (number < 1 || static_cast<std::size_t>(number) > lines.size()) return 1;
  const std::size_t start = lines[static_cast<std::size_t>(number) - 1].find_first_not_of(" \t");
  return start == std::string::npos ? 1 : static_cast<int>(start) + 1;
}

namespace {

std::string out_of_bounds(const Defect& defect) {
  return defect.party.access == DefectAccess::load ? "out-of-bounds-read" : "out-of-bounds-write";
}

}  // namespace

std::string pattern_of(const Defect& defect) {
  switch (defect.kind) {
    case DefectKind::missed_barrier:
      return std::string(name_of(DefectKind::divergent_barrier));
    case DefectKind::too_many_accesses:
      return std::string(name_of(DefectKind::time_limit));
    case DefectKind::shared_out_of_bounds:
      if (defect.memory.variable == "extern __shared__")
        return std::string(name_of(DefectKind::not_enough_shared));
      return out_of_bounds(defect);
    case DefectKind::out_of_bounds:
    case DefectKind::array_index:
    case DefectKind::misaligned:
    case DefectKind::host_pointer:
    case DefectKind::constant_write:
      return out_of_bounds(defect);
    default:
      return std::string(name_of(defect.kind));
  }
}

}  // namespace gpulab::learn
