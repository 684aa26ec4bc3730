#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "lesson/exercise.hpp"
#include "lesson/lesson.hpp"
#include "sandbox/sandbox.hpp"
#include "simulator/remote/channel.hpp"
#include "source/program_files.hpp"

namespace gpulab::program {

// The headers of CUDA as programs include them, and the list of names that are missing. Embedded at build
// time.
const std::vector<EmbeddedFile>& program_headers();

// A program as a shared object, with its main(), its kernels and all else that is its own.
struct CompiledProgram {
  std::filesystem::path shared_object;
  std::string main_file;             // the bare name that its lines are known by
  std::vector<std::string> kernels;  // names declared __global__
  std::vector<source::SourceFile> sources;
};

// Compiles host and device code in one piece, in a confined process. The file stays in the cache. Throws
// CompileError: what the compiler refuses, with lines and columns of the program's files, and what of CUDA is
// missing, by its name; DeviceError when there is no C++ compiler. What its kernels are compiled with for
// that.
device::Instrumentation instrumentation_for(ProgramWatch watch);

CompiledProgram compile(const std::vector<source::SourceFile>& sources, const source::BuildOptions& options,
                        ProgramWatch watch, sandbox::Mode mode, device::CompileCache& cache);

// What of CUDA the program names and the simulated device does not have, as one sentence with the first of
// them, its line, and how many more there are; empty if there is nothing. The line of the first.
struct Missing {
  std::string sentence;
  std::string file;
  int line = 0;
};
Missing missing_in(const std::vector<source::SourceFile>& sources);

// What a program may be made of that an exercise judges. It runs in the process that sees what it does, so it
// has no machine code of its own, switches no watching off, and reaches the system by nothing but the
// functions of C and C++ that compute, print and take memory. A program that somebody runs is not asked.

// Throw CompileError with the line. All branches of the text are read, and the words that it defines; words
// that only come about when they are joined are refused with what joins them.
void require_exercise_text(const source::SourceFile& source);
void require_exercise_object(const source::SourceFile& source, const CompiledProgram& compiled);

// Compiles the files with nvcc for this machine's GPU and runs the program here, as if both had been typed.
// Returns its exit status, as a shell has it. Throws CompileError with nvcc's messages; DeviceError where
// there is no nvcc.
int run_with_nvcc(const source::BuildOptions& options, const std::vector<std::string>& arguments);

// The same of a program of one file, whose text is given. What it prints is kept.
sandbox::CommandResult run_kept_with_nvcc(const std::string& file, const std::string& text,
                                          const std::vector<std::string>& arguments);

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
