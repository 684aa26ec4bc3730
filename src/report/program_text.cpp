#include <fmt/format.h>

#include "core/text.hpp"
#include "report/program.hpp"

namespace gpulab::report {
namespace {

std::string place_text(const ProgramResult& result, const SourcePlace& place) {
  const std::string file = place.file.empty() ? result.file : place.file;
  return place.line > 0 ? fmt::format("{}:{}", file, place.line) : file;
}

std::string source_line(const ProgramResult& result, const SourcePlace& place, const TextStyle& style) {
  if (place.line <= 0 || place.source.empty()) return "";
  const std::string where = place_text(result, place) + ":";
  const std::size_t room = style.width - std::min<std::size_t>(style.width - 1, display_width(where) + 3);
  return "  " + painted(where, Ink::bold, style) + " " + cut(without_controls(place.source), room) + "\n";
}

std::string finding_text(const ProgramResult& result, const ProgramFinding& finding, const TextStyle& style) {
  const std::string word = finding.is_note ? "note" : "DEFECT";
  std::string text = painted(word, finding.is_note ? Ink::blue : Ink::red, style) + "  " + finding.pattern +
                     (finding.count > 1 ? fmt::format(" ({} times)", grouped(finding.count)) : "") + "\n";
  text += paragraph(printable_lines(finding.text), Ink::plain, style);
  text += source_line(result, finding.place, style);
  for (const ProgramFinding::Other& other : finding.others)
    if (other.place.line > 0)
      text += source_line(result, other.place, style) + paragraph("    " + printable_lines(other.text), Ink::faint, style);
  if (!finding.instead.empty()) text += labelled("write", Ink::green, finding.instead, style);
  return text;
}

std::string count_of(std::size_t number, const std::string& what, const std::string& several = "") {
  return grouped(number) + " " + (number == 1 ? what : several.empty() ? what + "s" : several);
}

}  // namespace

std::string program_text(const ProgramResult& result, const TextStyle& style) {
  std::string text;
  std::size_t defects = 0;
  for (const ProgramFinding& finding : result.report.findings) defects += !finding.is_note;
  for (const ProgramFinding& finding : result.report.findings) text += finding_text(result, finding, style) + "\n";
  if (!result.has_report)
    return text + paragraph(result.file + " ended " +
                                (result.signal ? fmt::format("by signal {}", result.signal)
                                               : std::string("without running what it does at its end")) +
                                ", so gpulab does not know what was wrong",
                            Ink::yellow, style);
  if (result.watch == ProgramWatch::nothing && result.report.findings.empty()) return text;
  return text + paragraph(fmt::format("{}: {} in {} and {} of the runtime ({:.1f} s)", result.file,
                                      defects == 0 ? "no defect" : count_of(defects, "defect"),
                                      count_of(result.report.launches, "launch", "launches"),
                                      count_of(result.report.calls, "call"), result.seconds),
                          defects == 0 ? Ink::green : Ink::red, style);
}

}  // namespace gpulab::report
