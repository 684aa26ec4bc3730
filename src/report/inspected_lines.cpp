#include "report/inspected_lines.hpp"

#include <algorithm>

#include "report/source_lines.hpp"
#include "report/source_parts.hpp"

namespace gpulab {
namespace {

std::vector<PartLines> inspected_parts(const VariantInspection& variant) {
  std::vector<PartLines> parts = lines_of_parts(variant.source);
  std::erase_if(parts, [&](const PartLines& part) {
    return part.name != variant.result.kernel &&
           std::ranges::none_of(variant.counts.lines, [&](const LineAccesses& accesses) {
             return accesses.line >= part.first && accesses.line <= part.last;
           });
  });
  return parts;
}

}  // namespace

std::vector<InspectedLine> inspected_lines(const VariantInspection& variant) {
  std::vector<InspectedLine> lines;
  for (const LineAccesses& accesses : variant.counts.lines) {
    if (lines.empty() || lines.back().number != accesses.line) lines.push_back({accesses.line, {}});
    lines.back().accesses.push_back(accesses);
  }
  return lines;
}

std::vector<InspectedLine> inspected_functions(const VariantInspection& variant) {
  const std::vector<InspectedLine> accessing = inspected_lines(variant);
  const int last = static_cast<int>(source_lines(variant.source).size());
  std::vector<InspectedLine> lines;
  for (const PartLines& part : inspected_parts(variant))
    for (int number = part.first; number <= std::min(part.last, last); ++number) {
      const auto found = std::ranges::find(accessing, number, &InspectedLine::number);
      lines.push_back(found == accessing.end() ? InspectedLine{number, {}} : *found);
    }
  return lines;
}

std::vector<std::string> inspected_kernels(const VariantInspection& variant) {
  std::vector<std::string> names;
  for (const PartLines& part : inspected_parts(variant))
    if (part.is_kernel) names.push_back(part.name);
  return names;
}

}  // namespace gpulab
