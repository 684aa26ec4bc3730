#include "simulator/compile/compiler.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "base/text.hpp"
#include "device/device.hpp"
#include "device/libraries.hpp"
#include "sandbox/sandbox.hpp"
#include "simulator/compile/kernel_loops.hpp"
#include "simulator/compile/module.hpp"
#include "source/cuda_text.hpp"
#include "source/device_code.hpp"

namespace gpulab::simulator::compile {
namespace {

namespace fs = std::filesystem;

constexpr const char* shared_object = "kernel.so";
constexpr const char* prelude_file = "prelude.cuh";
constexpr const char* warnings_file = "warnings";

// Returns a line of text for each variable of the file that may be read before it is set, as the compiler has
// warned.
std::string variables_perhaps_not_set(const std::string& log, const std::string& file) {
  std::string sentences;
  for (const device::Diagnostic& diagnostic : device::diagnostics(file, log)) {
    const bool is_about_unset = diagnostic.message.ends_with("[-Wmaybe-uninitialized]") ||
                                diagnostic.message.ends_with("[-Wsometimes-uninitialized]");
    if (diagnostic.kind != "warning" || !is_about_unset) continue;
    source::Scanner scanner(diagnostic.message);
    scanner.take("variable ");
    scanner.take_while([](char letter) { return !source::is_word_character(letter); });
    sentences +=
        fmt::format("line {}: {} may be used before it has a value\n", diagnostic.line, scanner.take_word());
  }
  return sentences;
}

// Writes an empty file for each header that the kernel file may include, so that no others are found.
void write_headers(const fs::path& folder, const source::Code& code) {
  fs::create_directory(folder);
  for (const std::string& name : device::included_headers(code)) {
    if (!device::empty_headers().contains(name) && !device::cuda_headers().contains(name)) continue;
    fs::create_directories((folder / name).parent_path());
    write(folder / name, "");
  }
}

// More than a handwritten kernel file needs; only templates or macros without end reach these limits.
constexpr sandbox::CommandLimits limits{.cpu_s = 20,
                                        .memory_bytes = std::size_t{4} << 30,
                                        .file_bytes = std::size_t{256} << 20,
                                        .output_bytes = std::size_t{1} << 20};

const char* message_about(sandbox::CommandResult::Limit limit) {
  switch (limit) {
    case sandbox::CommandResult::Limit::time:
      return "the compiler was stopped after 20 s: does a template or a macro grow without end?";
    case sandbox::CommandResult::Limit::memory:
      return "the compiler needs more than 4 GiB of memory for it: does a template or a macro grow without end?";
    case sandbox::CommandResult::Limit::file:
      return "its compiled form is larger than 256 MiB: is there an array with a very long list of initial values?";
    case sandbox::CommandResult::Limit::output:
      return "the compiler's messages are longer than 1 MiB: does a template or a macro grow without end?";
    default:
      return nullptr;
  }
}

// Blames the file only for an error with a line in it. Other failures, such as a full disk or a signal, say
// nothing about the file.
void check(const sandbox::CommandResult& compiled, const std::string& compiler,
           const device::KernelSource& source, bool has_output) {
  if (compiled.exit_status == 0 && has_output) return;
  if (const char* reason = message_about(compiled.limit); reason && compiled.exit_status != 0)
    throw CompileError(source.name + ": " + reason, "", {.kind = DefectKind::does_not_compile});
  if (compiled.exit_status != 0)
    if (const auto error = device::error_in_file(source.name, compiled.output)) throw *error;
  throw not_compiled(source.name, compiler, compiled);
}

void refuse(const device::KernelSource& source, const std::optional<source::Refusal>& refusal) {
  if (!refusal) return;
  const std::string in_line = refusal->line > 0 ? ", line " + std::to_string(refusal->line) : "";
  throw CompileError(source.name + in_line + ": " + refusal->why, "",
                     {.kind = refusal->kind, .line = refusal->line, .complaint = refusal->why});
}

// Returns the compiler's own files, and the folder where it works.
sandbox::Files files_for(const fs::path& compiler, const fs::path& folder) {
  return {.read = sandbox::files_of_a_compiler(compiler), .write = {folder, "/dev/null"}};
}

}  // namespace

Error not_compiled(const std::string& file, const std::string& compiler,
                   const sandbox::CommandResult& result) {
  if (result.output.find("No space left on device") != std::string::npos)
    return Error(ExitCode::device,
                 fmt::format("cannot write what {} makes of {}: the disk is full", compiler, file));
  std::string message;  // the first line with "Error" or "error", else the first line
  for (const std::string& line : lines_of(result.output))
    if (message.empty() ||
        (message.find("rror") == std::string::npos && line.find("rror") != std::string::npos))
      message = line;
  return Error(ExitCode::device,
               fmt::format("{} was not checked: the compiler {} failed without an error in it{}", file,
                           compiler, message.empty() ? "" : ": " + message));
}

// extern __shared__ arrays all begin at the same address, that of the block's dynamic shared memory. C++
// cannot express that, so the assembler defines the names, as labels of one region of thread-local storage.
std::string dynamic_shared_region(const std::vector<std::string>& names) {
  std::string text = "asm(\".pushsection .tbss,\\\"awT\\\",@nobits\\n.balign 128\\n";
  const auto label = [&](const std::string& name) {
    text += fmt::format(".globl {}\\n.hidden {}\\n{}:\\n", name, name, name);
  };
  label("gpulab_dynamic_shared");
  for (const std::string& name : names) label(name);
  return fmt::format("{}.zero {}\\n.popsection\");\n", text, schedule::largest_shared_bytes);
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw Error(ExitCode::device, "cannot write " + path.string() + ": is the disk full?");
}

std::string warp_size_definition(WarpSize warp_size) {
  const unsigned lanes = warp_size.lanes();
  return lanes == 32 ? "" : "#define GPULAB_WARP_SIZE " + std::to_string(lanes) + "\n";
}

std::string prelude_for(const source::Code& code, WarpSize warp_size) {
  auto words = device::words_of(code);
  for (const std::string& header : device::included_headers(code))
    words.insert(device::word_for_header(header));
  std::string prelude = warp_size_definition(warp_size);
  for (const EmbeddedFile& part : prelude_parts())
    if (device::is_needed_for(part.text, words)) prelude += std::string(part.text) + "\n";
  return prelude + device::library_for(code);
}

SimulatorCompiler::SimulatorCompiler(device::CompileCache& cache, WarpSize warp_size, sandbox::Mode mode,
                                     StopToken stop)
    : cache_(cache),
      warp_size_(warp_size),
      mode_(mode),
      stop_(std::move(stop)),
      compiler_(HostCompiler::find_or_error()) {}

std::string macros_that_stay(const source::Code& prelude) {
  std::string text;
  for (const source::CodeToken& token : prelude.tokens()) {
    const std::string_view kind =
        token.kind == source::TokenKind::directive ? source::directive_name(token.text) : std::string_view();
    if (kind != "define" && kind != "undef") continue;
    source::Scanner scanner(token.text);
    scanner.skip_past(kind);
    scanner.skip_blanks();
    const std::string name(scanner.take_word());
    scanner.skip_blanks();
    const std::string number(scanner.take_digits());
    text += "#undef " + name + "\n";
    if (kind == "define") text += fmt::format("#define {} {}\n", name, number.empty() ? name : number);
  }
  return text;
}

// Returns the preprocessed text.
std::string SimulatorCompiler::preprocessed(const device::KernelSource& source, const source::Code& code,
                                            const std::string& prelude, const fs::path& folder,
                                            const RunCommand& run) const {
  const std::string file = device::name_for_compilers(source.name);
  write(folder / prelude_file, macros_that_stay(prelude));
  write(folder / file, source.text);
  const sandbox::CommandResult result = run(compiler_.preprocess_command(prelude_file, file));
  constexpr bool has_output = true;  // on stdout
  check(result, compiler_.path().string(), source, has_output);
  std::set<std::string> others{prelude_file};
  for (const std::string& name : device::included_headers(code))
    if (device::empty_headers().contains(name) || device::cuda_headers().contains(name))
      others.insert((fs::path(HostCompiler::headers_folder) / name).string());
  source::OwnText judged = source::own_text_in(result.output, file, others);
  refuse(source, judged.refusal);
  return judged.text;
}

CompiledFile SimulatorCompiler::compiled(const device::KernelSource& source,
                                         device::Instrumentation instrumentation) {
  if (source.scope.empty()) return compiled_once(source, instrumentation);
  const std::lock_guard lock(mutex_);
  if (last_text_ != source.text || last_.file != source.name || last_.instrumentation != instrumentation) {
    last_ = compiled_once(source, instrumentation);
    last_text_ = source.text;
  }
  last_.scope = source.scope;
  return last_;
}

CompiledFile SimulatorCompiler::compiled_once(const device::KernelSource& source,
                                              device::Instrumentation instrumentation) {
  const source::Code code(source.text);
  const source::SourceScan scan = source::scan_source(code);
  if (!scan.why_refused.empty()) refuse(source, source::refused_include(code));
  if (!scan.why_refused.empty() && !source::needs_preprocessing(code))
    refuse(source, source::refused_main(code));  // before its launches are refused as launches from kernels
  if (!scan.why_refused.empty())
    throw source::NotOffered(
        fmt::format("{}, line {}: {}", source.name, scan.refused_line, scan.why_refused), "",
        {.kind = DefectKind::does_not_compile, .line = scan.refused_line, .complaint = scan.why_refused});

  const std::string prelude = prelude_for(code, warp_size_) + dynamic_shared_region(scan.dynamic_shared);
  const std::string file = device::name_for_compilers(source.name);
  const std::vector<std::string> command =
      compiler_.command(prelude_file, file, instrumentation, shared_object);

  const source::Code aligned = source::with_alignment_first(code);
  const KernelLoops loops = instrumentation == device::Instrumentation::none
                                ? loops_for(source::needs_preprocessing(code) ? code : aligned, file)
                                : KernelLoops();

  std::string key = compiler_.identity() + " " + source::rules_of_device_code;
  for (const std::string& word : command) key += " " + word;
  if (!loops.text.empty())
    for (const std::string& word : compiler_.options_for_loops()) key += " " + word;
  key += fmt::format("\n{}\n{}\n{}", prelude, loops.text, source.text);

  const fs::path entry = cache_.entry(key, [&](const fs::path& folder) {
    write_headers(folder / HostCompiler::headers_folder, code);
    const sandbox::Confinement confinement(mode_, files_for(compiler_.path(), folder),
                                           sandbox::SystemCalls::compiler);
    const auto run = [&](const std::vector<std::string>& command) {
      return sandbox::run_command(command, folder, limits, &confinement, stop_);
    };
    refuse(source, source::refused_name(code));
    const source::Code judged =
        source::needs_preprocessing(code) ? preprocessed(source, code, prelude, folder, run) : code;
    refuse(source, source::refused_in_text(judged));
    const std::string text = source::with_alignment_first(judged);
    write(folder / prelude_file, prelude);
    // Errors are reported for the file without loops.
    sandbox::CommandResult compiled{.exit_status = 1};
    if (!loops.text.empty()) {
      write(folder / file, loops.added_to(text));
      std::vector<std::string> with_loops = command;
      std::ranges::move(compiler_.options_for_loops(), std::back_inserter(with_loops));
      compiled = run(with_loops);
    }
    write(folder / file, text);
    if (compiled.exit_status != 0 && compiled.limit == sandbox::CommandResult::Limit::none)
      compiled = run(command);
    check(compiled, command.front(), source, fs::exists(folder / shared_object));
    refuse(source, refused_in_object(folder / shared_object, judged));
    fs::remove_all(folder / HostCompiler::headers_folder);
    write(folder / warnings_file, variables_perhaps_not_set(compiled.output, file));
  });
  std::ifstream warnings(entry / warnings_file);
  std::vector<std::string> notes;
  for (std::string note; std::getline(warnings, note);) notes.push_back(note);
  return {entry / shared_object, source.name, instrumentation, scan.kernels, notes};
}

std::unique_ptr<SimulatedModule> SimulatorCompiler::compile(const device::KernelSource& source,
                                                            device::Instrumentation instrumentation,
                                                            SimulatedModule::Load load) {
  return std::make_unique<SimulatedModule>(compiled(source, instrumentation), load);
}

}  // namespace gpulab::simulator::compile
