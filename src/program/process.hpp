#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "lesson/exercise.hpp"
#include "program/compiler.hpp"
#include "program/nvcc.hpp"
#include "sandbox/sandbox.hpp"
#include "simulator/remote/channel.hpp"

namespace gpulab::program {

// Options of a program whose output is kept: its input is empty, and it ends after 1 MiB of output. With a
// time limit it is judged, and can reach no file and no other process.
struct Kept {
  double time_limit_s = 10;  // of CPU time; 0 for none
  StopToken stop = {};
  bool keeps_copies = false;  // adds the data copied to and from the device to the report
  // The call of the runtime, counted from 1 on the timeline, that returns an error though it does its work.
  std::size_t failing_call = 0;
};

constexpr int most_devices = 16;

struct RunOptions {
  ProgramWatch watch = ProgramWatch::defects;
  std::string name;                    // argv[0] of the program
  std::vector<std::string> arguments;  // argv[1] and on
  sandbox::Mode sandbox = sandbox::Mode::automatic;
  std::optional<Kept> kept = {};
  std::vector<std::string> debugger = {};  // that starts the process: "gdb", "-q"
  std::string gpu = {};                    // text of its file, to predict launches on; empty: no predictions
  GpuCode gpu_code = {};                   // for that GPU
  int gpus = 1;                            // simulated devices, at most most_devices
  bool samples_blocks = true;              // looks for races in some blocks of large launches, not in all
  std::string remark = {};                 // shown on a terminal while the program computes for long
};

// Returns why a program may not use the current folder, such as the home folder in it; none if it may.
std::optional<std::string> folder_refused_to_programs();

// Runs main() in a separate process, looks up the source lines that its report names, and drops findings
// whose premise is false. The process is confined before it loads the program: it may read the system's
// files, read and write those of the current folder, and reach no network and no other process. Input, output
// and the environment are this process's, unless they are kept; escape sequences that a confined program
// writes to a terminal are filtered. Throws WorkStopped, and Error if this machine must confine the program
// but cannot.
ProgramResult run(const CompiledProgram& program, const RunOptions& options);

// Does the work of the program's process and returns its exit code; none if the words do not ask for it.
std::optional<int> run_program_if_asked(const std::vector<std::string>& words);

// Messages between the process of a program and the one that started it.

constexpr int programs_socket = 200;  // above the descriptors of files that the program opens
constexpr const char* programs_word = "--simulated-program";

// First byte of a message from the program's process.
enum class FromProgram : unsigned char { asks_for_lines, reports };
constexpr FromProgram last_of(FromProgram) {
  return FromProgram::reports;
}

std::string written_report(const ProgramReport& report);
// Throws BadMessage if it is malformed.
ProgramReport read_report(simulator::remote::Reader& message);

// A filter for a stranger's output to a terminal: text, colours and cursor movements pass. A "?" replaces
// other sequences, which make some terminals send input, or change the title or clipboard.
class TerminalText {
 public:
  // Returns as much of the output so far as is complete; the rest waits for the next piece.
  std::string shown(std::string_view piece);
  // Returns the part that waits.
  std::string rest();

 private:
  std::string waiting_;
};

}  // namespace gpulab::program
