#include "program/source_lines.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace gpulab::program {
namespace {

std::string trimmed(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

void find_source_lines(const std::vector<SourceFile>& sources, ProgramReport& report) {
  std::vector<std::vector<std::string>> lines;
  for (const SourceFile& source : sources) lines.push_back(lines_of(source.text));
  const auto fill = [&](SourcePlace& place) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const bool is_it = place.file.empty() ? i == 0 : sources[i].path.filename() == place.file;
      if (!is_it || place.line < 1 || static_cast<std::size_t>(place.line) > lines[i].size()) continue;
      place.source = trimmed(lines[i][static_cast<std::size_t>(place.line) - 1]);
      return;
    }
  };
  for (ProgramFinding& finding : report.findings) {
    fill(finding.place);
    for (ProgramFinding::Other& other : finding.others) fill(other.place);
  }
}

}  // namespace gpulab::program
