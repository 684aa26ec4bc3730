#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"
#include "base/process.hpp"
#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "lesson/exercise.hpp"
#include "lesson/lesson.hpp"
#include "sandbox/sandbox.hpp"
#include "simulator/remote/channel.hpp"
#include "source/program_files.hpp"

namespace gpulab::program {

// Returns the CUDA headers that programs include, and the list of missing names, embedded at build time.
const std::vector<EmbeddedFile>& program_headers();
std::string header_text(std::string_view name);

// A program compiled to a shared object, with its main(), its kernels and everything else of its own.
struct CompiledProgram {
  std::filesystem::path shared_object;
  std::string main_file;             // its bare name, as in the debug lines
  std::vector<std::string> kernels;  // names declared __global__
  std::vector<source::SourceFile> sources;
  WarpSize warp_size = {};
  std::vector<ProgramFinding> findings = {};     // by the compiler
  std::vector<SourcePlace> dropped_values = {};  // of calls whose value nothing uses
};

// Returns the instrumentation that kernels need to be watched like that.
device::Instrumentation instrumentation_for(ProgramWatch watch);

// Errors in the text of a program. The exception's sentence names the first.
class TextErrors : public CompileError {
 public:
  struct TextError {
    std::string file;  // empty for the main file
    int line = 0, column = 0;
    std::string text;
  };
  TextErrors(const CompileError& error, std::vector<TextError> all)
      : CompileError(error), all_(std::move(all)) {}
  const std::vector<TextError>& all() const { return all_; }

 private:
  std::vector<TextError> all_;
};

// A function or a variable is used that none of the files defines.
class UndefinedName : public CompileError {
 public:
  UndefinedName(const CompileError& error, std::string name) : CompileError(error), name_(std::move(name)) {}
  const std::string& name() const { return name_; }  // demangled

 private:
  std::string name_;
};

// Compiles host and device code in one piece, in a confined process. The shared object stays in the cache.
// Throws CompileError with lines and columns of the program's files, or with the missing names of CUDA;
// DeviceError if there is no C++ compiler.
CompiledProgram compile(const std::vector<source::SourceFile>& sources, const source::BuildOptions& options,
                        ProgramWatch watch, sandbox::Mode mode, device::CompileCache& cache);

// Returns whether the program is one for AMD's HIP: its first file is .hip, or it includes hip/hip_runtime.h.
// All its files are then device code, as for hipcc. HIP is CUDA's runtime API under other names, so it runs
// as CUDA; only what is printed has HIP's names.
bool is_hip(const std::vector<source::SourceFile>& sources);
// Returns HIP's API, as macros and functions on the given text of CUDA's.
std::string hip_api(const std::string& runtime_api, WarpSize warp_size);
// Returns the header of a library with HIP's names: hipBLAS for cuBLAS.
std::string header_in_hip(std::string header);
// Returns "cudaMalloc" for "hipMalloc", and "cuda_fp16.h" for "hip_fp16.h".
std::string cuda_name(const std::string& hip);
// Returns the sentence with HIP's names in place of CUDA's.
std::string in_hip(std::string_view sentence);
// Does so in everything of a report that is printed.
void translate_to_hip(ProgramReport& report);

// Adds a note for each line that keeps 32 bits of a mask of 64 lanes, and to races and wrong masks the line
// that assumes 32 lanes.
void add_what_64_lanes_break(const std::vector<source::SourceFile>& sources, ProgramReport& report);

// Libraries that programs use with the CUDA Toolkit's own headers, where these are installed: Thrust, whose
// algorithms run on the host (headers/thrust.cuh), libcu++'s part of the C++ library (cuda::std), and cuRAND's
// functions for kernels.
class ToolkitHeaders {
 public:
  // Finds the headers of the libraries that the program includes, if it may use them.
  ToolkitHeaders(const std::vector<std::string>& included, bool may_use);

  bool may_be_used() const { return may_use_; }
  // Returns whether the toolkit's header is used, and no empty file stands for it.
  bool has(const std::string& header) const;
  // Returns whether the library runs: "Thrust", "cuRAND".
  bool offers(std::string_view library) const;
  // Returns #includes that precede the prelude, as those of the C++ library do.
  std::string includes() const;
  // Returns words by which parts of the prelude are chosen.
  std::vector<std::string> words() const;
  std::vector<std::string> options() const;             // of the compiler
  std::vector<std::filesystem::path> readable() const;  // in the sandbox
  // Returns a text that changes when other headers are installed.
  std::string version() const;
  // Writes what the headers need into a folder to compile in.
  void write_to(const std::filesystem::path& folder) const;

 private:
  const char* version_header() const;

  std::vector<std::string> included_;
  bool may_use_ = false;
  bool uses_thrust_ = false;
  std::optional<std::filesystem::path> cccl_, curand_;  // folders; none where the libraries are not used
};

// Names from CUDA that the program uses and the simulated device lacks: one sentence, and the place of the
// first of them; empty if there are none.
struct Missing {
  std::string sentence;
  std::string file;
  int line = 0;
};
Missing missing_in(const std::vector<source::SourceFile>& sources, const ToolkitHeaders& toolkit);
// Throws NotOffered if the preprocessor leaves such names in the sources: an #include alone, a macro that
// nobody uses and what conditions leave out do no harm.
void refuse_missing(const std::vector<source::SourceFile>& sources, const std::string& preprocessed,
                    const ToolkitHeaders& toolkit);
// Returns whether an empty file stands for a header: the prelude has its names, or the device lacks them.
bool is_left_empty(std::string_view header);

// Returns nvcc as found in PATH, or else in the toolkit's folder; none if there is none.
std::optional<std::filesystem::path> find_nvcc();

// A program that an exercise judges runs in the process that watches it. So it may contain no machine code of
// its own, may not switch off watching, and may call only functions of the C and C++ libraries that compute,
// print or allocate memory. A program that a user runs is not restricted like this.

// Refuses text that an exercise's program may not contain. Reads all preprocessor branches and the text of
// macros. A ## that joins tokens is refused, since the joined word could not be checked. Throws CompileError
// with the line.
void require_exercise_text(const source::SourceFile& source);
// Refuses a function that an exercise's program may not call. Throws CompileError with the line.
[[noreturn]] void refuse_exercise_function(const source::SourceFile& source, std::string name);
// Refuses calls of functions that an exercise's program may not call. Throws CompileError with the line.
void require_exercise_object(const source::SourceFile& source, const CompiledProgram& compiled);

// A program as nvcc compiled it for a GPU that may not be here.
struct GpuCode {
  InstructionOrigin origin = InstructionOrigin::no_nvcc;
  std::vector<std::string> files;         // of the program, the main file first, as the PTX names them
  std::vector<std::string> ptx, reports;  // of each file with device code; reports are those of ptxas
};

// Compiles a program with nvcc in a confined process of its own, while this process does something else.
class GpuCompilation {
 public:
  // Call it before this process starts threads.
  GpuCompilation(const std::vector<source::SourceFile>& sources, const source::BuildOptions& options,
                 const std::string& architecture, sandbox::Mode mode);
  // Call it once. If there is nvcc and it refuses the program, its messages are lost.
  GpuCode wait();

 private:
  bool has_nvcc_;
  ChildWork work_;
};

// Compiles the files with nvcc for this machine's GPU and runs the program here, as if a user had typed both
// commands. Returns its exit status as a shell reports it. Throws CompileError with nvcc's messages, and
// DeviceError if there is no nvcc.
int run_with_nvcc(const source::BuildOptions& options, const std::vector<std::string>& arguments);

// Does the same for a program of one file, given as text, and keeps its output.
sandbox::CommandResult run_kept_with_nvcc(const std::string& file, const std::string& text,
                                          const std::vector<std::string>& arguments);

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
