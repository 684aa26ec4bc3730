#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "lesson/exercise.hpp"
#include "program/compiler.hpp"
#include "program/nvcc.hpp"
#include "sandbox/sandbox.hpp"
#include "simulator/remote/channel.hpp"

namespace gpulab::program {

// Options of a program whose input is empty and whose output is captured. More than 1 MiB of
// output ends the program.
struct CapturedRun {
  // True for a solution that is judged: it has a time limit, and can reach no file and no other process.
  // False for a program that its author runs: it has no time limit, and may use the files of its folder.
  bool is_judged = true;
  double time_limit_s = 10;  // of CPU time, for a program that is judged
  StopToken stop = {};
  bool reports_copied_data = false;  // adds the data copied to and from the device to the report
  // Fault injection: the number, on the timeline from 1 on, of the runtime call that does its work but
  // returns an error; 0 for none.
  std::size_t failing_call = 0;
};

constexpr int max_devices = 16;

struct RunOptions {
  ProgramWatch watch = ProgramWatch::defects;
  std::string name;                    // argv[0] of the program
  std::vector<std::string> arguments;  // argv[1] and on
  sandbox::Mode sandbox = sandbox::Mode::automatic;
  std::optional<CapturedRun> captured = {};  // none: input and output are this process's
  std::vector<std::string> debugger = {};    // the command that starts the process: "gdb", "-q"
  std::string gpu = {};   // text of the file of the GPU that launches are predicted on; empty: no predictions
  GpuCode gpu_code = {};  // for `gpu`
  int gpus = 1;           // simulated devices, at most max_devices
  bool samples_blocks = true;  // looks for races in only some blocks of large launches
  std::string remark = {};     // shown on a terminal while the program computes for long
};

// Returns why programs may not use the current folder: the home folder is in it, for example. Returns none if
// they may.
std::optional<std::string> why_folder_is_refused();

// Runs main() in a separate process, looks up the source lines that the program's report names, and drops
// findings whose premise is false. The process is confined before the program is loaded: it may read the
// system's files, read and write the current folder's, and reach no network and no other process. Input and
// output are this process's unless `captured` is set; the environment is this process's. Escape sequences
// that a confined program writes to a terminal are filtered. Throws WorkStopped, and Error if this machine
// must confine the program but cannot.
ProgramResult run(const CompiledProgram& program, const RunOptions& options);

// Does the work of the program's process, if `words` (this process's argv) begin with program_word, and
// returns the exit code; none for any other words.
std::optional<int> run_program_if_asked(const std::vector<std::string>& words);

// Messages between the process of a program and the process that started it.

constexpr int programs_socket = 200;  // above the descriptors of files that the program opens
constexpr const char* program_word = "--simulated-program";

// First byte of a message from the program's process.
enum class FromProgram : unsigned char { asks_for_lines, reports };
constexpr FromProgram last_of(FromProgram) {
  return FromProgram::reports;
}

// The first message, to the program's process: what it runs, and how.
struct ProgramRequest {
  std::string sandbox;  // the mode's name
  std::string shared_object, main_file;
  std::string text;  // of all source files
  std::vector<std::string> kernels;
  ProgramWatch watch = ProgramWatch::nothing;
  std::string name;
  std::vector<std::string> arguments;
  bool is_judged = false;
  double time_limit_s = 0;           // of a program that is judged
  bool may_use_folder = false;       // the current one
  bool is_output_shown = false;      // on a terminal, through a pipe
  bool reports_copied_data = false;  // see CapturedRun
  std::size_t failing_call = 0;
  std::string gpu;
  GpuCode gpu_code;
  unsigned warp_size = 32;
  int gpus = 1;
  bool samples_blocks = true;
};

std::string written_request(const ProgramRequest& request);
ProgramRequest read_request(simulator::remote::Reader message);

std::string written_report(const ProgramReport& report);
// Throws BadMessage if the message is malformed.
ProgramReport read_report(simulator::remote::Reader& message);

}  // namespace gpulab::program
