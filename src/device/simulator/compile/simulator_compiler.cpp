#include "device/simulator/compile/simulator_compiler.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "device/compiler_message.hpp"
#include "device/simulator/compile/child_process.hpp"
#include "device/simulator/compile/prelude.hpp"
#include "device/simulator/compile/source_scan.hpp"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

constexpr const char* shared_object = "kernel.so";
constexpr const char* prelude_file = "prelude.cuh";

HostCompiler compiler_or_error() {
  if (auto compiler = HostCompiler::find()) return *compiler;
  const char* wanted = std::getenv("GPULAB_CXX");
  throw DeviceError(
      "compiling for the simulator", "CUDA_ERROR_NOT_FOUND",
      wanted && *wanted
          ? std::string("GPULAB_CXX names ") + wanted + ", which is no program"
          : "there is no C++ compiler in PATH; install one (apt-get install g++) or name one in GPULAB_CXX");
}

// extern __shared__ arrays all begin at the same address, the dynamic shared memory of the block. C++ has no
// way to say that, so the names are defined by the assembler, as labels of one region of thread-local
// storage.
std::string dynamic_shared_region(const std::vector<std::string>& names) {
  std::string text = "asm(\".pushsection .tbss,\\\"awT\\\",@nobits\\n.balign 128\\n";
  const auto label = [&](const std::string& name) {
    text += ".globl " + name + "\\n.hidden " + name + "\\n" + name + ":\\n";
  };
  label("gpulab_dynamic_shared");
  for (const std::string& name : names) label(name);
  return text + ".zero " + std::to_string(simulated_shared_bytes) + "\\n.popsection\");\n";
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw Error(ExitCode::device, "cannot write " + path.string() + ": is the disk full?");
}

// A compiler that fails without a word about the kernel file does not work: the kernel is not to blame.
void check(const ChildResult& compiled, const std::string& compiler, const std::string& file,
           const KernelSource& source, bool has_made_something) {
  const bool blames_the_file = compiled.output.find(file + ":") != std::string::npos;
  if (compiled.exit_status != 0 && blames_the_file) throw compile_error(source.name, compiled.output);
  if (compiled.exit_status == 0 && has_made_something) return;
  const std::string words = compiled.output.substr(0, compiled.output.find('\n'));
  throw DeviceError("compiling for the simulator", "CUDA_ERROR_NOT_FOUND",
                    "the compiler " + compiler + " does not work" + (words.empty() ? "" : ": " + words));
}

}  // namespace

SimulatorCompiler::SimulatorCompiler(CompileCache& cache) : cache_(cache), compiler_(compiler_or_error()) {}

std::unique_ptr<SimulatedModule> SimulatorCompiler::compile(const KernelSource& source, Schedule schedule) {
  const SourceScan scan = scan_source(source.text);
  if (!scan.refused.empty())
    throw CompileError(source.name + ", line " + std::to_string(scan.refused_line) + ": " + scan.refused, "",
                       {.kind = FailureKind::does_not_compile, .line = scan.refused_line});

  const std::string prelude = simulator_prelude() + dynamic_shared_region(scan.dynamic_shared);
  const std::string file = fs::path(source.name).filename();
  const std::vector<std::string> command = compiler_.command(prelude_file, file, schedule, shared_object);

  std::string key = compiler_.identity();
  for (const std::string& word : command) key += " " + word;
  key += "\n" + prelude + "\n" + source.text;

  const fs::path entry = cache_.entry(key, [&](const fs::path& folder) {
    write(folder / prelude_file, prelude);
    write(folder / file, source.text);
    const ChildResult compiled = run_child(command, folder);
    check(compiled, command.front(), file, source, fs::exists(folder / shared_object));
  });
  return std::make_unique<SimulatedModule>(entry / shared_object, source.name, schedule);
}

}  // namespace gpulab
