#include "program/nvcc.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>

#include "base/files.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "lesson/finding.hpp"
#include "program/compiler.hpp"
#include "program/hip.hpp"
#include "sandbox/sandbox.hpp"
#include "simulator/compile/compiler.hpp"
#include "simulator/remote/channel.hpp"
#include "source/cuda_text.hpp"

namespace gpulab::program {

namespace fs = std::filesystem;

std::optional<fs::path> find_nvcc() {
  const auto in_path = simulator::compile::find_program("nvcc");
  return in_path ? in_path : simulator::compile::find_program("/usr/local/cuda/bin/nvcc");
}

namespace {

constexpr sandbox::CommandLimits limits_of_nvcc{.cpu_s = 600, .output_bytes = std::size_t{4} << 20};

bool any_begins_with(const std::vector<std::string>& words, std::initializer_list<std::string_view> begins) {
  return std::ranges::any_of(words,
                             [&](const std::string& word) { return begins_with_one_of(word, begins); });
}

void add_macros(const source::BuildOptions& options, std::vector<std::string>& command) {
  for (const std::string& definition : options.definitions) command.push_back("-D" + definition);
  for (const std::string& name : options.undefined) command.push_back("-U" + name);
}

// Returns whether files may call each other's device functions only with a further option.
bool lacks_linking(const source::BuildOptions& options) {
  return options.files.size() > 1 &&
         !any_begins_with(options.nvcc_options, {"-rdc", "--relocatable-device-code", "-dc"});
}

[[noreturn]] void refuse(const std::string& file, const sandbox::CommandResult& result) {
  if (result.exit_status == 127)
    throw device::DeviceError("running " + file + " with --device cuda", "CUDA_ERROR_NOT_FOUND",
                              "there is no nvcc; install the CUDA Toolkit, or leave --device cuda out");
  for (const std::string& line : lines_of(result.output)) {
    source::Scanner scanner(line);
    std::string name(scanner.up_to_one_of("(: \t"));
    if (fs::path(name).filename() == fs::path(file).filename())
      name = file;                                       // "0/sum.cu", as it was compiled
    const bool is_of_host_compiler = scanner.take(":");  // "sum.cu:2:2: error: #error ..."
    const std::optional<int> number =
        is_of_host_compiler || scanner.take("(") ? scanner.take_number() : std::nullopt;
    if (name.empty() || !number || !(is_of_host_compiler ? scanner.skip_past(": ") : scanner.take("): ")))
      continue;
    if (!scanner.take("catastrophic ")) scanner.take("fatal ");
    if (!scanner.take("error")) continue;
    scanner.take(":");
    scanner.skip_blanks();
    const std::string words(scanner.rest());
    throw CompileError(fmt::format("{} does not compile: line {}: {}", name, *number, words), result.output,
                       {.kind = DefectKind::does_not_compile,
                        .line = *number,
                        .complaint = name == file ? words : std::string()});
  }
  for (const std::string library : {"cublas", "cufft", "curand"})
    if (result.output.find("undefined reference to `" + library) != std::string::npos)
      throw CompileError(
          fmt::format("{} does not link: it calls the library {}; add -l{}", file, library, library),
          result.output, {.kind = DefectKind::does_not_compile});
  const std::vector<std::string> lines =
      lines_of(result.output);  // of ptxas, which tells no line of the text
  const auto reason =
      std::ranges::find_if(lines, [](const auto& line) { return line.find("fatal") != line.npos; });
  throw CompileError(file + " does not compile" + (reason == lines.end() ? "" : ": " + *reason),
                     result.output, {.kind = DefectKind::does_not_compile});
}

int run_program(const fs::path& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Child child({.error_prefix = "cannot run the program",
               .program = words,
               .has_all_files = true,
               .lifetime = ChildLifetime::independent});
  return child.wait().code();
}

// A folder to compile a program in, removed once the program has run.
class BuildFolder {
 public:
  BuildFolder() {
    const device::CompileCache cache;
    std::string name = (cache.folder() / "nvcc.XXXXXX").string();
    if (!::mkdtemp(name.data())) throw Error(ExitCode::usage, "cannot write to " + cache.folder().string());
    path_ = name;
  }
  ~BuildFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;

  const fs::path& path() const { return path_; }

  // Returns the path of the compiled program.
  fs::path compile(const source::BuildOptions& options) const {
    std::vector<std::string> command{find_nvcc().value_or("nvcc").string(), "-std=" + options.standard, "-o",
                                     (path_ / "program").string()};
    const auto& nvcc_options = options.nvcc_options;
    command.insert(command.end(), nvcc_options.begin(), nvcc_options.end());
    if (!any_begins_with(nvcc_options, {"-O", "--optimize", "-G"})) command.emplace_back("-O3");
    if (!any_begins_with(nvcc_options, {"-arch", "--gpu-arch", "-gencode", "--generate-code"}))
      command.emplace_back("-arch=native");
    for (const fs::path& folder : options.library_folders)
      command.push_back("-L" + fs::absolute(folder).string());
    for (const std::string& library : options.libraries) command.push_back("-l" + library);
    add_macros(options, command);
    if (lacks_linking(options)) command.emplace_back("-rdc=true");
    for (const fs::path& file : options.included_before)
      command.insert(command.end(), {"-include", (fs::exists(file) ? fs::absolute(file) : file).string()});
    for (const fs::path& include : options.include_folders)
      command.push_back("-I" + fs::absolute(include).string());
    for (const fs::path& file : options.files) command.push_back(fs::absolute(file).string());
    const sandbox::CommandResult result = sandbox::run_command(command, path_, limits_of_nvcc);
    if (result.exit_status != 0) refuse(options.files.front().string(), result);
    return path_ / "program";
  }

 private:
  fs::path path_;
};

// Returns whether an option of nvcc changes device code. It does not count the architecture, since times are
// predicted for another GPU.
bool is_for_device_code(const std::string& word) {
  return any_begins_with(
      {word}, {"-use_fast_math", "--use_fast_math", "-ftz", "-prec-", "-fmad", "--fmad", "-maxrregcount",
               "--maxrregcount", "-rdc", "--relocatable-device-code", "-extended-lambda", "--extended-lambda",
               "-expt-", "--expt-", "-G", "-restrict"});
}

bool has_device_code(const source::SourceFile& source) {
  return source.is_unit && source.path.extension() == ".cu";
}

// Compiles each file with device code to PTX and to ptxas's report, in a folder with all files.
void compile_for_gpu(const std::vector<std::string>& words, const std::vector<source::SourceFile>& sources,
                     sandbox::Mode mode, const fs::path& folder) {
  std::vector<fs::path> readable = sandbox::files_of_a_compiler(words.front());
  const fs::path toolkit = fs::canonical(words.front()).parent_path().parent_path();
  for (const char* part : {"nvvm", "targets"}) readable.push_back(toolkit / part);
  const sandbox::Confinement confinement(mode, {.read = readable, .write = {folder, "/dev/null"}},
                                         sandbox::SystemCalls::compiler);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    fs::create_directories((folder / source::build_path_of(sources, i)).parent_path());
    replace_file(folder / source::build_path_of(sources, i), sources[i].code.whole());
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!has_device_code(sources[i])) continue;
    const std::string place = source::build_path_of(sources, i);
    const auto run = [&](std::initializer_list<std::string> last_words) {
      std::vector<std::string> command = words;
      command.insert(command.end(), last_words);
      const auto result = sandbox::run_command(command, folder, limits_of_nvcc, &confinement);
      if (result.exit_status != 0) refuse(sources[i].name, result);
      return result.output;
    };
    run({"-ptx", "-o", place + ".ptx", place});
    replace_file(folder / (place + ".report"),
                 run({"-cubin", "-Xptxas=-v", "-o", "/dev/null", place + ".ptx"}));
  }
}

GpuCode code_by_nvcc(const fs::path& nvcc, const std::vector<source::SourceFile>& sources,
                     const source::BuildOptions& options, const std::string& architecture,
                     sandbox::Mode mode) {
  constexpr std::size_t max_bytes = std::size_t{1} << 24;
  std::vector<std::string> words{nvcc.string(), "-std=" + std::max<std::string>(options.standard, "c++17"),
                                 "-arch=" + architecture, "-lineinfo", "-I."};
  std::ranges::copy_if(options.nvcc_options, std::back_inserter(words), is_for_device_code);
  add_macros(options, words);
  GpuCode code;
  const auto written_at = fs::last_write_time(nvcc).time_since_epoch();
  std::string key = "PTX by nvcc of " + std::to_string(written_at.count());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    code.files.push_back(source::build_path_of(sources, i));
    if (sources[i].is_pre_included) words.insert(words.end(), {"-include", code.files.back()});
    key += fmt::format("\n{}\n{}", code.files.back(), sources[i].code.whole());
  }
  for (const std::string& word : words) key += " " + word;
  device::CompileCache cache;
  const fs::path folder =
      cache.entry(key, [&](const fs::path& workspace) { compile_for_gpu(words, sources, mode, workspace); });
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!has_device_code(sources[i])) continue;
    code.ptx.push_back(read_file(folder / (code.files[i] + ".ptx"), max_bytes));
    code.reports.push_back(read_file(folder / (code.files[i] + ".report"), max_bytes));
  }
  return code;
}

}  // namespace

GpuCompilation::GpuCompilation(const std::vector<source::SourceFile>& sources,
                               const source::BuildOptions& options, const std::string& architecture,
                               sandbox::Mode mode)
    : has_nvcc_(find_nvcc().has_value()), work_([&] {
        if (!has_nvcc_ || is_hip(sources)) return std::string();
        GpuCode code;
        source::BuildOptions tried = options;
        for (bool is_last = false; !is_last;) try {
            code = code_by_nvcc(*find_nvcc(), sources, tried, architecture, mode);
            is_last = true;
          } catch (const CompileError& error) {
            code.error = error.what();
            is_last = !lacks_linking(tried);
            tried.nvcc_options.emplace_back(
                "-rdc=true");  // the second try: it gives static kernels other names
          }
        return simulator::remote::Writer()(code.files, code.ptx, code.reports, code.error).take();
      }) {}

GpuCode GpuCompilation::wait() try {
  const ChildEnd end = work_.wait(limits_of_nvcc.cpu_s);
  GpuCode code{.origin = has_nvcc_ ? InstructionOrigin::nvcc_failed : InstructionOrigin::no_nvcc};
  if (end.kind != ChildEnd::Kind::finished || end.output.empty()) return code;
  simulator::remote::Reader(end.output)(code.files, code.ptx, code.reports, code.error);
  if (code.error.empty()) code.origin = InstructionOrigin::nvcc;
  return code;
} catch (const Error&) {  // nvcc refuses the program, or cannot be confined
  return {.origin = InstructionOrigin::nvcc_failed};
}

int run_with_nvcc(const source::BuildOptions& options, const std::vector<std::string>& arguments) {
  source::read_sources(options);  // for the same errors as on the simulated device
  const BuildFolder folder;
  return run_program(folder.compile(options), arguments);
}

sandbox::CommandResult run_captured_with_nvcc(const std::string& file, const std::string& text,
                                              const std::vector<std::string>& arguments) {
  // A driver reserves much address space.
  constexpr sandbox::CommandLimits limits{.memory_bytes = std::size_t{1} << 46};
  const BuildFolder folder;
  replace_file(folder.path() / file, text);
  std::vector<std::string> command{folder.compile({.files = {folder.path() / file}}).string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return sandbox::run_command(command, folder.path(), limits);
}

}  // namespace gpulab::program
