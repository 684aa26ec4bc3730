#include "program/further_findings.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <csignal>
#include <iterator>
#include <string_view>
#include <vector>

#include "source/statements.hpp"

namespace gpulab::program {
namespace {

// Notes that no kernel ran, if the main file has one and nothing else was found.
void note_missing_launch(const CompiledProgram& program, ProgramResult& result) {
  const source::Code& code = program.sources.front().code;
  const auto kernel = std::ranges::find(code.tokens(), "__global__", &source::CodeToken::text);
  const bool has_ended = result.has_report && result.signal == 0 && result.status == 0;
  if (!has_ended || result.report.launches > 0 || kernel == code.tokens().end() ||
      !std::ranges::all_of(result.report.findings, &ProgramFinding::is_note))
    return;
  result.report.findings.insert(
      result.report.findings.begin(),
      {.pattern = "no-launch",
       .is_note = true,
       .place = {"", kernel->line},
       .text =
           "no kernel ran, though here is one: does the program come to kernel<<<blocks, threads>>>(...)?"});
}

// Adds a crash that has left no report, as when the program has damaged the memory of the runtime. It is a
// defect like any other, and so is the exit code.
void add_unreported_crash(ProgramResult& result) {
  constexpr int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  if (result.has_report || std::ranges::find(crashes, result.signal) == std::end(crashes)) return;
  result.report.findings.push_back(
      {.pattern = "host-crash",
       .text = "the program crashes (signal " + std::to_string(result.signal) +
               "): has it written past the end of memory of the host, or to memory that it has freed?"});
  result.status = 1;
}

// Puts the compiler's notes of variables without a value first. One is a defect if a defect comes to its
// line.
void add_unset_variables(std::vector<ProgramFinding> unset, ProgramReport& report) {
  const auto comes_to = [&](const SourcePlace& place) {
    const auto is_there = [&](const SourcePlace& other) {
      return other.line == place.line && other.file == place.file;
    };
    return std::ranges::any_of(report.findings, [&](const ProgramFinding& finding) {
      return !finding.is_note &&
             (is_there(finding.place) ||
              std::ranges::any_of(finding.others, is_there, &ProgramFinding::Other::place));
    });
  };
  for (ProgramFinding& variable : unset) variable.is_note = !comes_to(variable.place);
  report.findings.insert(report.findings.begin(), unset.begin(), unset.end());
}

// Notes a parameter that a kernel changes and never reads: the thread changes its copy of the argument.
void note_unread_parameters(const source::SourceFile& file, ProgramReport& report) {
  const source::Code& code = file.code;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code.text(at) != "__global__") continue;
    const std::size_t begin = source::start_of_parameters(code, at), body = code.after_bracket(begin);
    if (code.text(body) != "{") continue;
    for (std::size_t name = begin + 2; name < body; ++name) {
      const bool ends = code.text(name + 1) == "," || name + 1 == code.matching(begin);
      if (!ends || !code.is_word(name) || !code.is_word(name - 1))
        continue;  // no pointer, array or reference
      const std::vector<std::size_t> uses =
          source::uses_between(code, code.text(name), body, code.matching(body));
      const auto is_stored = [&](std::size_t use) {
        constexpr std::string_view before_statement = ";{})";
        const source::VariableUse kind = source::use_at(code, use);
        return before_statement.find(code.text(use - 1)) != before_statement.npos &&
               (kind == source::VariableUse::set || kind == source::VariableUse::changed);
      };
      if (uses.empty() || !std::ranges::all_of(uses, is_stored)) continue;
      report.findings.push_back(
          {.pattern = "unread-parameter",
           .is_note = true,
           .place = {"", code[uses.front()].line},
           .text = fmt::format("'{0}' is the thread's own copy of an argument: nothing reads what is stored "
                               "there, and the host's {0} stays as it is",
                               code.text(name)),
           .correction = fmt::format("{}* {} for the parameter, if the host needs the value, and *{} here",
                                     code.text(name - 1), code.text(name), code.text(name))});
    }
  }
}

// Puts a race between streams before the reads in its lines of memory that was not written yet.
void put_races_before_reads(std::vector<ProgramFinding>& findings) {
  for (auto race = findings.begin(); race != findings.end(); ++race) {
    const auto read = std::find_if(findings.begin(), race, [&](const ProgramFinding& finding) {
      return race->pattern == "race-streams" && finding.pattern == "uninitialised-global" &&
             std::ranges::find(race->others, finding.place, &ProgramFinding::Other::place) !=
                 race->others.end();
    });
    std::rotate(read, race, race + 1);
  }
}

// Notes launches that give a number with a fraction, in a literal or a variable, to an integer parameter.
void note_converted_arguments(const source::SourceFile& file, ProgramReport& report) {
  const source::Code& code = file.code;
  const auto has_type = [&](const std::vector<std::string_view>& types, std::size_t name,
                            std::size_t before) {
    const source::DeclaredType declared = source::declared_type(code, code.text(name), before);
    return !declared.is_pointer && std::ranges::find(types, declared.type) != types.end();
  };
  const auto note_in_launch = [&](std::size_t kernel, std::size_t launch) {
    const std::size_t end = source::end_of_configuration(code, launch + 4);
    for (std::size_t i = 0;; ++i) {
      const auto [parameter, parameter_end] = source::argument_tokens(code, kernel, i);
      const auto [argument, argument_end] = source::argument_tokens(code, end + 2, i);
      if (parameter == parameter_end || argument == argument_end) return;
      const bool is_literal = code[argument].kind == source::TokenKind::number,
                 has_fraction = is_literal ? code.text(argument).find('.') != std::string_view::npos
                                           : has_type({"float", "double"}, argument, argument);
      if (argument_end == argument + 1 && has_fraction &&
          has_type({"int", "unsigned", "unsigned int", "long", "size_t"}, parameter_end - 1, parameter_end))
        report.findings.push_back(
            {.pattern = "converted-argument",
             .is_note = true,
             .place = {"", code[launch].line},
             .text = fmt::format(
                 "{} loses its fraction, since the parameter is '{}': are two arguments exchanged?",
                 code.text(argument), source::in_one_line(code, parameter, parameter_end))});
    }
  };
  for (std::size_t at = 0; at < code.size(); ++at) {
    const std::size_t kernel =
        code.text(at) == "__global__" ? source::start_of_parameters(code, at) - 1 : code.size();
    for (std::size_t launch = kernel + 1; launch < code.size(); ++launch)
      if (code.text(launch) == code.text(kernel) && source::is_operation(code, launch + 1, "<<<"))
        note_in_launch(kernel, launch);
  }
}

}  // namespace

void add_further_findings(const CompiledProgram& program, const RunOptions& options, ProgramResult& result) {
  if (!options.captured) {
    note_missing_launch(program, result);
    add_unreported_crash(result);
  }
  add_unset_variables(program.findings, result.report);
  note_unread_parameters(program.sources.front(), result.report);
  note_converted_arguments(program.sources.front(), result.report);
  put_races_before_reads(result.report.findings);
}

}  // namespace gpulab::program
