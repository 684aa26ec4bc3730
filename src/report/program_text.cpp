#include <fmt/format.h>
#include <algorithm>

#include "core/text.hpp"
#include "report/inspection_parts.hpp"
#include "report/program.hpp"

namespace gpulab::report {
namespace {

std::string counted(std::size_t number, const char* one, const char* several) {
  return fmt::format("{} {}", grouped(number), number == 1 ? one : several);
}

// "vector_add.cu:12: cudaMalloc(&a, bytes);"
std::string source_line(const ProgramResult& result, const SourcePlace& place, const TextStyle& style) {
  if (place.line <= 0) return "";
  const std::string where =
      fmt::format("  {}:{}:", printable(place.file.empty() ? result.file : place.file), place.line);
  const std::size_t room = style.width - std::min<std::size_t>(style.width - 1, display_width(where) + 1);
  return painted(where, Ink::bold, style) + " " + cut(without_controls(place.source), room) + "\n";
}

std::string finding_text(const ProgramResult& result, const ProgramFinding& finding, const TextStyle& style) {
  const std::string word = finding.is_note ? "note" : "DEFECT";
  std::string text = painted(word, finding.is_note ? Ink::blue : Ink::red, style) + "  " + finding.pattern +
                     (finding.count > 1 ? fmt::format(", {} times", grouped(finding.count)) : "") + "\n";
  text +=
      paragraph(printable_lines(finding.text), Ink::plain, style) + source_line(result, finding.place, style);
  for (const ProgramFinding::Other& other : finding.others)
    if (other.place.line > 0)
      text += source_line(result, other.place, style) +
              paragraph("    " + printable_lines(other.text), Ink::faint, style);
  if (!finding.instead.empty()) text += labelled("write", Ink::green, finding.instead, style);
  return text;
}

// Notes come after what is wrong.
std::string findings_text(const ProgramResult& result, const TextStyle& style) {
  std::string text;
  for (const bool is_note : {false, true})
    for (const ProgramFinding& finding : result.report.findings)
      if (finding.is_note == is_note) text += finding_text(result, finding, style) + "\n";
  return text;
}

std::string counts_text(const ProgramResult& result, const TextStyle& style) {
  AccessCounts all;
  for (const KernelCounts& kernel : result.report.counts)
    for (const LineAccesses& line : kernel.counts.lines) all.add(line);
  const AccessColumns columns(all);
  std::string text, legend;
  for (const KernelCounts& kernel : result.report.counts) {
    text += painted(kernel.kernel, Ink::bold, style) + " · " +
            counted(kernel.launches, "launch", "launches") + "\n";
    const Table table = table_of_accesses(as_inspection(result, kernel), columns);
    if (!kernel.counts.lines.empty()) text += table.text(style);
    text += worst_access_text(kernel.counts, style) + "\n";
    if (std::string other = table.legend(style); other.size() > legend.size()) legend = std::move(other);
  }
  return text + (legend.empty() ? "" : paragraph(legend, Ink::faint, style));
}

std::string last_line(const ProgramResult& result, const TextStyle& style) {
  const auto defects = std::ranges::count(result.report.findings, false, &ProgramFinding::is_note);
  const std::string found = defects == 0
                                ? "no defect found"
                                : counted(static_cast<std::size_t>(defects), "defect", "defects") + " found";
  return paragraph(fmt::format("{}: {} in {} and {} of the runtime API", printable(result.file), found,
                               counted(result.report.launches, "launch", "launches"),
                               counted(result.report.calls, "call", "calls")),
                   defects == 0 ? Ink::green : Ink::red, style);
}

std::string without_report(const ProgramResult& result, const TextStyle& style) {
  if (result.watch == ProgramWatch::nothing && result.signal == 0) return "";
  constexpr int bad_system_call = 31;
  const std::string how = result.signal == bad_system_call
                              ? "was ended by the sandbox: it asked the operating system for something that "
                                "programs have no business with"
                          : result.signal ? fmt::format("was ended by signal {}", result.signal)
                                          : std::string("ended by _exit(), which leaves no time to look");
  return paragraph(fmt::format("{} {}, so what was wrong with it is not known", printable(result.file), how),
                   Ink::yellow, style);
}

}  // namespace

VariantInspection as_inspection(const ProgramResult& result, const KernelCounts& counts) {
  return {.result = {.name = counts.kernel, .launches = counts.launches},
          .file = result.file,
          .source = result.source,
          .counts = counts.counts};
}

std::string program_text(const ProgramResult& result, const TextStyle& style) {
  if (!result.has_report) return findings_text(result, style) + without_report(result, style);
  switch (result.watch) {
    case ProgramWatch::nothing:
      return result.status == 0 ? "" : findings_text(result, style);
    case ProgramWatch::accesses:
      return (result.status == 0 ? "" : findings_text(result, style)) + counts_text(result, style);
    default:
      return findings_text(result, style) + last_line(result, style);
  }
}

}  // namespace gpulab::report
