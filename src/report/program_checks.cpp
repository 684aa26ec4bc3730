#include <algorithm>

#include "report/program.hpp"

namespace gpulab::report {
namespace {

std::string sentence_of(const ProgramFinding& finding) {
  return finding.text + (finding.instead.empty() ? "" : "; write " + finding.instead);
}

// The places of a finding in other files are told in words.
std::vector<CheckPlace> others_of(const ProgramFinding& finding) {
  std::vector<CheckPlace> places;
  for (const ProgramFinding::Other& other : finding.others) {
    if (other.place.line <= 0) continue;
    const bool is_here = other.place.file == finding.place.file;
    places.push_back({.line = is_here ? other.place.line : std::max(finding.place.line, 1),
                      .column = 1,
                      .source = is_here ? other.place.source : finding.place.source,
                      .text = other.text + (is_here ? "" : ", in " + text_of(other.place))});
  }
  return places;
}

void add(const ProgramFinding& finding, CheckResult& check) {
  if (finding.is_note) {
    check.notes.push_back(
        (finding.place.line > 0 ? text_of(SourcePlace{"", finding.place.line}) + ": " : "") +
        sentence_of(finding));
    return;
  }
  const std::vector<CheckPlace> others = others_of(finding);
  if (check.verdict == Verdict::right) {
    check.verdict = Verdict::defect;
    check.pattern = finding.pattern;
    check.summary = sentence_of(finding);
    check.line = finding.place.line;
    check.source = finding.place.source;
  } else {
    check.related.push_back({.line = std::max(finding.place.line, 1),
                             .column = 1,
                             .source = finding.place.source,
                             .pattern = finding.pattern,
                             .text = sentence_of(finding)});
  }
  check.related.insert(check.related.end(), others.begin(), others.end());
}

}  // namespace

std::vector<CheckResult> as_checks(const ProgramResult& result) {
  std::vector<CheckResult> checks{{.file = result.file, .seconds = result.seconds}};
  for (const ProgramFinding& finding : result.report.findings) {
    const std::string file = finding.place.file.empty() ? result.file : finding.place.file;
    auto found = std::ranges::find(checks, file, &CheckResult::file);
    if (found == checks.end()) found = checks.insert(checks.end(), {.file = file});
    add(finding, *found);
  }
  return checks;
}

ProgramResult that_does_not_compile(const std::string& file, const CompileError& error) {
  return {.file = file,
          .status = static_cast<int>(error.code()),
          .report = {.findings = {{.pattern = "does-not-compile",
                                   .place = {"", error.failure().line},
                                   .text = error.what()}}}};
}

CheckResult as_check(const std::string& file, const CompileError& error) {
  return {.file = file,
          .verdict = Verdict::does_not_compile,
          .pattern = "does-not-compile",
          .summary = error.what(),
          .line = error.failure().line,
          .compiler_log = error.log()};
}

}  // namespace gpulab::report
