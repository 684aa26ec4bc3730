#include "check/check_formats.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <span>

#include "base/table.hpp"
#include "base/test_report.hpp"
#include "base/text.hpp"
#include "lesson/words.hpp"
#include "run/documents.hpp"
#include "source/source_parts.hpp"

namespace gpulab::check {

namespace {

Annotation::Severity severity_of(const CheckProblem& problem) {
  return problem.is_note ? Annotation::Severity::note : Annotation::Severity::error;
}

// Returns the problem's line, and a line for each of its other places.
std::string gcc_text(const CheckResult& result, const CheckProblem& problem) {
  std::string text = gcc_line({.severity = severity_of(problem),
                               .file = result.file,
                               .line = problem.line,
                               .column = problem.column,
                               .message = fmt::format("{} [{}]", problem.text, problem.pattern)});
  for (const CheckPlace& place : problem.related)
    text += gcc_line({.severity = Annotation::Severity::note,
                      .file = place.file.empty() ? result.file : place.file,
                      .line = place.line,
                      .column = place.column,
                      .message = place.text});
  return text;
}

}  // namespace

std::string check_gcc(const std::vector<CheckResult>& results) {
  std::string text;
  for (const CheckResult& result : results) {
    const std::vector<CheckProblem> problems = problems_of(result);
    for (const CheckProblem& problem : problems) {
      text += gcc_text(result, problem);
      if (&problem != problems.data()) continue;
      std::vector<std::string> notes = result.notes;
      notes.insert(notes.begin(), result.where);
      if (!result.hint.empty()) notes.push_back("hint: " + result.hint);
      for (const std::string& note : notes)
        if (!note.empty())
          text += gcc_line({.severity = Annotation::Severity::note,
                            .file = result.file,
                            .line = problem.line,
                            .column = problem.column,
                            .message = note});
    }
  }
  return text;
}

namespace {

std::string message_of(const CheckResult& result, std::span<const CheckProblem> problems) {
  std::string text;
  for (const CheckProblem& problem : problems) {
    text += problem.text + "\n";
    for (const CheckPlace& place : problem.related)
      text += fmt::format("{}: {}\n", text_of(SourcePlace{place.file, place.line}), place.text);
  }
  if (!result.where.empty()) text += result.where + "\n";
  return text + (result.hint.empty() ? "" : "hint: " + result.hint);
}

// Returns one annotation at the first of the problems.
std::string github_text(const CheckResult& result, std::span<const CheckProblem> problems) {
  return github_line({.severity = severity_of(problems[0]),
                      .file = result.file,
                      .line = problems[0].line,
                      .column = problems[0].column,
                      .title = (result.exercise.empty() ? "" : result.exercise + ": ") + problems[0].pattern,
                      .message = message_of(result, problems)});
}

}  // namespace

std::string check_github(const std::vector<CheckResult>& results) {
  std::string text;
  bool has_exercise = false;
  for (const CheckResult& result : results) {
    const std::vector<CheckProblem> problems = problems_of(result);
    has_exercise |= !result.exercise.empty();
    if (result.exercise.empty())
      for (const CheckProblem& problem : problems) text += github_text(result, {&problem, 1});
    else if (!problems.empty())
      text += github_text(result, problems);
  }
  if (!has_exercise) return text;  // a program passes no test
  return text + github_line({.severity = Annotation::Severity::note,
                             .title = "gpulab check",
                             .message = checks_summary(results)});
}

namespace {

TestCase test_case(const CheckResult& result, const std::string& command) {
  TestCase test{.group = "gpulab." + (result.exercise.empty() ? command : result.exercise),
                .name = result.file,
                .seconds = fmt::format("{:.3f}", result.seconds),
                .file = result.file};
  const std::vector<CheckProblem> problems = problems_of(result);
  std::string notes, defects;
  for (const CheckProblem& problem : problems)
    (problem.is_note ? notes : defects) += gcc_text(result, problem);
  if (!notes.empty()) test.output = notes;
  if (result.verdict == Verdict::right) return test;
  test.line = result.line;
  test.result = result.verdict == Verdict::not_checked ||
                        (result.exercise.empty() && result.verdict == Verdict::does_not_compile)
                    ? TestCase::Result::broken
                    : TestCase::Result::failed;
  test.type = problems[0].pattern;
  test.message = problems[0].text;
  const bool is_of_program = result.exercise.empty() && result.verdict != Verdict::not_checked;
  test.text = is_of_program ? defects : check_text(result, {});
  return test;
}

TestSuite suite_of(const std::vector<CheckResult>& results, const std::string& command) {
  double seconds = 0;
  TestSuite suite{.name = "gpulab " + command};
  for (const CheckResult& result : results) {
    seconds += result.seconds;
    suite.cases.push_back(test_case(result, command));
  }
  suite.seconds = fmt::format("{:.3f}", seconds);
  return suite;
}

}  // namespace

std::string check_junit(const std::vector<CheckResult>& results, const std::string& command) {
  return junit_text(suite_of(results, command));
}

namespace {

// Returns the text without the file and line at its beginning, as these formats have fields for both.
std::string text_without_place(const CheckResult& result) {
  const bool has_place = result.verdict == Verdict::does_not_compile && result.line > 0;
  return has_place && !result.fact.empty() ? result.fact : result.summary;
}

// Returns the pattern or, without one, the verdict, as the name of a rule or a type.
std::string rule_of(const CheckResult& result) {
  if (!result.pattern.empty()) return result.pattern;
  return result.verdict == Verdict::not_checked ? "not-checked" : identifier(result.verdict);
}

}  // namespace

std::vector<CheckProblem> problems_of(const CheckResult& result) {
  std::vector<CheckProblem> problems;
  if (result.verdict != Verdict::right)
    problems.push_back({.line = std::max(result.line, 1),
                        .column = result.column,
                        .source = result.source,
                        .pattern = rule_of(result),
                        .text = text_without_place(result)});
  for (const CheckPlace& place : result.related)
    if (!place.pattern.empty())
      problems.push_back({.line = place.line,
                          .column = place.column,
                          .source = place.source,
                          .pattern = place.pattern,
                          .text = place.text,
                          .is_note = place.is_note,
                          .is_allowed = place.is_allowed});
    else if (!problems.empty())
      problems.back().related.push_back(place);
  return problems;
}

namespace {

std::string counted(std::size_t number, const char* singular, const char* plural) {
  return fmt::format("{} {}", grouped(number), number == 1 ? singular : plural);
}

// Returns "vector_add.cu:12: cudaMalloc(&a, bytes);".
std::string source_line(const ProgramResult& result, const SourcePlace& place, const TextStyle& style) {
  if (place.line <= 0) return "";
  constexpr std::size_t margin = 2;
  return place_text(printable(place.file.empty() ? result.file : place.file), place.line,
                    without_controls(place.source), style, margin);
}

constexpr const char* is_called_here = "called from here";

std::string callers_text(const ProgramResult& result, const SourcePlace& place, const TextStyle& style) {
  std::string text;
  for (const SourcePlace& caller : place.callers)
    text += source_line(result, caller, style) +
            paragraph(std::string("    ") + is_called_here, Ink::faint, style);
  return text;
}

std::string finding_text(const ProgramResult& result, const ProgramFinding& finding, const TextStyle& style) {
  const std::string word = finding.is_note ? "note" : "DEFECT";
  std::string text = painted(word, finding.is_note ? Ink::blue : Ink::red, style) + "  " + finding.pattern +
                     (finding.count > 1 ? fmt::format(", {} times", grouped(finding.count)) : "") + "\n";
  text += paragraph(printable_lines(finding.text), Ink::plain, style);
  std::vector<ProgramFinding::Other> places{{finding.place, ""}};
  places.insert(places.end(), finding.others.begin(), finding.others.end());
  // A line is shown once, with all that is said about it.
  for (auto first = places.begin(); first != places.end(); ++first) {
    const auto is_same = [&](const ProgramFinding::Other& other) { return other.place == first->place; };
    if (first->place.line <= 0 || std::any_of(places.begin(), first, is_same)) continue;
    text += source_line(result, first->place, style);
    for (const ProgramFinding::Other& other : places)
      if (is_same(other) && !other.text.empty())
        text += paragraph("    " + printable_lines(other.text), Ink::faint, style);
    text += callers_text(result, first->place, style);
  }
  if (!finding.correction.empty()) text += labelled("write", Ink::green, finding.correction, style);
  return text;
}

// Visits the defects and after them the notes.
template <class Visit>
void for_each_finding(const ProgramResult& result, const Visit& visit) {
  for (const bool is_note : {false, true})
    for (const ProgramFinding& finding : result.report.findings)
      if (finding.is_note == is_note) visit(finding);
}

std::string findings_text(const ProgramResult& result, const TextStyle& style) {
  std::string text;
  for_each_finding(
      result, [&](const ProgramFinding& finding) { text += finding_text(result, finding, style) + "\n"; });
  return text;
}

// Says whether the registers and instructions of the estimates are a compiler's or guessed.
std::string origin_text(const ProgramResult& result, const TextStyle& style) {
  bool has_guess = false, has_compiled = false;
  for (const KernelCounts& kernel : result.report.counts)
    for (const PredictedLaunches& launches : kernel.predicted) {
      has_guess = has_guess || launches.is_guessed;
      has_compiled = has_compiled || !launches.is_guessed;
    }
  const std::string why = result.instructions == InstructionOrigin::no_nvcc       ? "there is no nvcc"
                          : result.instructions == InstructionOrigin::nvcc_failed ? "nvcc did not compile it"
                          : has_compiled ? "nvcc's code of some kernels lacks the lines that access memory"
                                         : "nvcc's code lacks the lines that access memory";
  if (has_guess)
    return paragraph(
        "estimates: " + why +
            ", so registers and instructions are guessed, and a kernel that computes much may take far longer",
        Ink::yellow, style);
  return has_compiled
             ? paragraph("estimates: registers and instructions are those of nvcc", Ink::faint, style)
             : "";
}

std::string counts_text(const ProgramResult& result, const TextStyle& style) {
  AccessCounts all;
  for (const KernelCounts& kernel : result.report.counts)
    for (const LineAccesses& line : kernel.counts.lines) all.add(line);
  const run::AccessColumns columns(all);
  std::string text, legend;
  std::vector<std::string> names;
  for (const KernelCounts& kernel : result.report.counts) {
    names.push_back(kernel.kernel.substr(0, kernel.kernel.find('<')));
    text += fmt::format("{} · {}\n", painted(kernel.kernel, Ink::bold, style),
                        counted(kernel.launches, "launch", "launches"));
    const Table table = run::table_of_accesses(as_inspection(result, kernel), columns);
    if (!kernel.counts.lines.empty()) text += table.text(style);
    text +=
        kernel.counts.lines.empty()
            ? paragraph("it accesses no memory of the device; accesses to memory of the host are not counted",
                        Ink::plain, style)
            : run::worst_access_text(kernel.counts, style);
    constexpr std::size_t max_shapes = 8;
    for (std::size_t i = 0; i < std::min(max_shapes, kernel.predicted.size()); ++i)
      text += paragraph(run::predicted_text(kernel.predicted[i], result.gpu), Ink::plain, style);
    if (kernel.predicted.size() > max_shapes)
      text += paragraph(counted(kernel.predicted.size() - max_shapes, "further shape", "further shapes") +
                            " of launches: see --format json",
                        Ink::faint, style);
    text += "\n";
    if (std::string other = table.legend(style); other.size() > legend.size()) legend = std::move(other);
  }
  text += origin_text(result, style);
  text += paragraph("accesses were counted, and not watched: gpulab run without --inspect looks for defects",
                    Ink::faint, style);
  return text + (legend.empty() ? "" : "\n" + paragraph(legend, Ink::faint, style)) +
         run::uncounted_text(run::have_constants(source::source_with_used_parts(result.source, names)),
                             style);
}

// Returns ", in warps of 64 lanes": GPUs that run HIP have 32 or 64.
std::string warps_text(const ProgramResult& result) {
  const bool is_usual = !result.is_hip && result.warp_size != WarpSize::max_lanes;
  return is_usual ? "" : fmt::format(", in warps of {} lanes", result.warp_size);
}

std::string last_line(const ProgramResult& result, const TextStyle& style) {
  const auto count = [&](const auto& is_counted) {
    return static_cast<std::size_t>(std::ranges::count_if(result.report.findings, is_counted));
  };
  const std::size_t allowed = count(&ProgramFinding::is_allowed), notes = count(&ProgramFinding::is_note),
                    defects = result.report.findings.size() - notes;
  const std::string found = (defects > 0       ? counted(defects, "defect", "defects")
                             : allowed > 0     ? "no other defect"
                             : notes > allowed ? counted(notes, "note", "notes")
                                               : "no defect") +
                            " found" + (allowed > 0 ? fmt::format(", {} allowed", grouped(allowed)) : "");
  const bool has_other_code = result.signal == 0 && result.status != 0 && result.status != result.exit_code();
  const std::size_t recorded = result.report.recorded_blocks, sampled = result.report.sampled_blocks;
  const std::string sample =
      sampled == 0
          ? ""
          : fmt::format(
                "; races were looked for in {} of the {} blocks of large launches (--every-block: in all)",
                grouped(recorded), grouped(sampled));
  return paragraph(fmt::format("{}: {}{} in {} and {} of the runtime API{}{}{}", printable(result.file),
                               result.is_interrupted() ? "interrupted; so far " : "", found,
                               counted(result.report.launches, "launch", "launches"),
                               counted(result.report.calls, "call", "calls"), warps_text(result), sample,
                               has_other_code ? fmt::format("; its own exit code is {}", result.status) : ""),
                   defects > 0       ? Ink::red
                   : notes > allowed ? Ink::yellow
                                     : Ink::green,
                   style);
}

std::string missing_report_text(const ProgramResult& result, const TextStyle& style) {
  const bool is_not_loaded = result.signal == 0 && (result.status == static_cast<int>(ExitCode::device) ||
                                                    result.status == static_cast<int>(ExitCode::compilation));
  if ((result.watch == ProgramWatch::nothing && result.signal == 0) || is_not_loaded) return "";
  constexpr int bad_system_call = 31;  // SIGSYS
  const std::string how = result.signal == bad_system_call
                              ? "was ended by the sandbox, which forbids a system call that it made"
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
  if (!result.has_report) return findings_text(result, style) + missing_report_text(result, style);
  switch (result.watch) {
    case ProgramWatch::nothing:
      return result.status == 0 ? "" : findings_text(result, style);
    case ProgramWatch::accesses:
      return (result.status == 0 ? "" : findings_text(result, style)) + counts_text(result, style);
    default:
      return findings_text(result, style) + last_line(result, style);
  }
}

namespace {

std::string sentence_of(const ProgramFinding& finding) {
  return finding.text + (finding.correction.empty() ? "" : "; write " + finding.correction);
}

// Returns the other places of a finding, each followed by its callers.
std::vector<CheckPlace> others_of(const ProgramFinding& finding, const std::string& main_file) {
  std::vector<CheckPlace> places;
  const auto add = [&](const SourcePlace& place, const std::string& text) {
    if (place.line <= 0) return;
    const bool is_here = place.file == finding.place.file;
    places.push_back({.line = place.line,
                      .column = std::max(place.column, 1),
                      .source = place.source,
                      .text = text,
                      .file = is_here              ? ""
                              : place.file.empty() ? main_file
                                                   : place.file});
  };
  const auto add_callers = [&](const SourcePlace& place) {
    for (const SourcePlace& caller : place.callers) add(caller, is_called_here);
  };
  add_callers(finding.place);
  for (const ProgramFinding::Other& other : finding.others) {
    add(other.place, other.text);
    add_callers(other.place);
  }
  return places;
}

void add_finding(const ProgramFinding& finding, const std::string& main_file, CheckResult& check) {
  if (check.verdict == Verdict::right && !finding.is_note) {
    check.verdict = finding.pattern == does_not_compile ? Verdict::does_not_compile : Verdict::defect;
    check.pattern = finding.pattern;
    check.summary = sentence_of(finding);
    check.line = finding.place.line;
    check.column = std::max(finding.place.column, 1);
    check.source = finding.place.source;
  } else {
    check.related.push_back({.line = std::max(finding.place.line, 1),
                             .column = std::max(finding.place.column, 1),
                             .source = finding.place.source,
                             .pattern = finding.pattern,
                             .text = sentence_of(finding),
                             .is_note = finding.is_note,
                             .is_allowed = finding.is_allowed});
  }
  const std::vector<CheckPlace> others = others_of(finding, main_file);
  check.related.insert(check.related.end(), others.begin(), others.end());
}

}  // namespace

std::vector<CheckResult> as_checks(const ProgramResult& result) {
  std::vector<CheckResult> checks{{.file = result.file, .seconds = result.seconds}};
  for_each_finding(result, [&](const ProgramFinding& finding) {
    const std::string file = finding.place.file.empty() ? result.file : finding.place.file;
    auto found = std::ranges::find(checks, file, &CheckResult::file);
    if (found == checks.end()) found = checks.insert(checks.end(), {.file = file});
    add_finding(finding, result.file, *found);
  });
  return checks;
}

namespace {

std::string end_text(const ProgramResult& result) {
  return result.signal ? fmt::format("the program was ended by signal {}", result.signal)
                       : fmt::format("the program ended with exit code {}", result.status);
}

}  // namespace

// A program without findings has failed, too, if it ended by a signal or with another exit code than 0.
std::string program_junit(const ProgramResult& result) {
  TestSuite suite = suite_of(as_checks(result), "run");
  TestCase& program = suite.cases.front();
  if (result.status != 0 && program.result == TestCase::Result::passed) {
    program.result = TestCase::Result::failed;
    program.type = result.signal ? "signal" : "exit-code";
    program.message = program.text = end_text(result);
  }
  return junit_text(suite);
}

std::string program_github(const ProgramResult& result) {
  const std::string text = check_github(as_checks(result));
  if (result.status == 0 || result.has_defect()) return text;
  const bool was_watched = result.has_report && result.watch == ProgramWatch::defects;
  return text + github_line({.severity = Annotation::Severity::warning,
                             .title = "gpulab run",
                             .message = result.file + ": " + end_text(result) +
                                        (was_watched ? ", and gpulab found no defect in it" : "")});
}

}  // namespace gpulab::check
