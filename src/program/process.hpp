#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/waiting.hpp"
#include "lesson/exercise.hpp"
#include "program/compiler.hpp"
#include "sandbox/sandbox.hpp"
#include "simulator/remote/channel.hpp"

namespace gpulab::program {

// Of a program that is judged by what it prints: its input is empty, its output is kept, 1 MiB at most, and
// there is no file and no process that it could reach.
struct Kept {
  double time_limit_s = 10;
  StopRequest stop = {};
  bool keeps_copies = false;  // so that the report has what went to the device and came back
};

struct RunOptions {
  ProgramWatch watch = ProgramWatch::defects;
  std::string name;                    // of the program, its argv[0]
  std::vector<std::string> arguments;  // behind it
  sandbox::Mode sandbox = sandbox::Mode::automatic;
  std::optional<Kept> kept = {};
};

// Why a program may use no file of the current folder, which is more than a program's. None where it may.
std::optional<std::string> folder_refused_to_programs();

// Runs main() in a process of its own, and looks up in the sources what its report names: findings whose
// premise is false are left out. The process is confined before it loads the program: it may read the
// system's files, read and write those of the current folder, and reach no network and no other process.
// Input, output and the environment are this process's, unless they are kept; what a confined program writes
// to a terminal is shown without sequences that do more than that. Throws Error where this machine cannot
// confine and must, and WorkStopped.
ProgramResult run(const CompiledProgram& program, const RunOptions& options);

// What that process does instead of everything else; none if the words do not ask for it.
std::optional<int> run_program_if_asked(const std::vector<std::string>& words);

// What the process of a program and the one that started it tell each other.

constexpr int programs_socket = 200;  // out of the way of the files that the program opens
constexpr const char* programs_word = "--simulated-program";

// How a message of the program's process begins.
enum class FromProgram : unsigned char { asks_for_lines, reports };
constexpr FromProgram last_of(FromProgram) {
  return FromProgram::reports;
}

std::string written_report(const ProgramReport& report);
// Throws BadMessage for one that makes no sense.
ProgramReport read_report(simulator::remote::Reader& message);

// A stranger's output as a terminal may show it: text, colours and the cursor's moves. Other sequences make
// some terminals answer as if somebody typed, or change their title or the clipboard: a "?" is in their
// place.
class TerminalText {
 public:
  // As much of the output so far as is whole; the rest waits for the next piece.
  std::string shown(std::string_view piece);
  // What has waited.
  std::string rest();

 private:
  std::string waiting_;
};

}  // namespace gpulab::program
