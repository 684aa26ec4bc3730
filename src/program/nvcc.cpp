#include "program/compiler.hpp"

#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/files.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "lesson/finding.hpp"
#include "sandbox/sandbox.hpp"
#include "source/cuda_text.hpp"

namespace gpulab::program {
namespace {

namespace fs = std::filesystem;

constexpr sandbox::CommandLimits limits_of_nvcc{.cpu_s = 600, .output_bytes = std::size_t{4} << 20};

// Returns nvcc as found in PATH, or else its path in the toolkit's folder.
std::string nvcc() {
  const char* const toolkit = "/usr/local/cuda/bin/nvcc";
  const sandbox::CommandResult found = sandbox::run_command({"nvcc", "--version"}, fs::temp_directory_path());
  return found.exit_status != 127 || ::access(toolkit, X_OK) != 0 ? "nvcc" : toolkit;
}

bool has_one_of(const std::vector<std::string>& words, std::initializer_list<std::string_view> begins) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::any_of(begins, [&](std::string_view begin) { return word.starts_with(begin); });
  });
}

[[noreturn]] void refuse(const std::string& file, const sandbox::CommandResult& result) {
  if (result.exit_status == 127)
    throw device::DeviceError("running " + file + " with --device cuda", "CUDA_ERROR_NOT_FOUND",
                              "there is no nvcc; install the CUDA Toolkit, or leave --device cuda out");
  for (const std::string& line : lines_of(result.output)) {
    source::Scanner scanner(line);
    const std::string name(scanner.up_to_one_of("( \t"));
    const std::optional<int> number = scanner.take("(") ? scanner.number() : std::nullopt;
    if (name.empty() || !number || !scanner.take("): ")) continue;
    scanner.take("catastrophic ");
    if (!scanner.take("error")) continue;
    scanner.take(":");
    scanner.blanks();
    const std::string words(scanner.rest());
    throw CompileError(name + " does not compile: line " + std::to_string(*number) + ": " + words,
                       result.output,
                       {.kind = DefectKind::does_not_compile,
                        .line = *number,
                        .complaint = name == file ? words : std::string()});
  }
  throw CompileError(file + " does not compile", result.output, {.kind = DefectKind::does_not_compile});
}

int run_program(const fs::path& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Child child({.purpose = "cannot run the program",
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
    if (!::mkdtemp(name.data())) throw Error(ExitCode::device, "cannot write to " + cache.folder().string());
    path_ = name;
  }
  ~BuildFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;

  const fs::path& path() const { return path_; }

  // Returns the program.
  fs::path compile(const source::BuildOptions& options) const {
    std::vector<std::string> command{nvcc(), "-std=" + options.standard, "-o", (path_ / "program").string()};
    const auto& typed = options.of_nvcc;
    command.insert(command.end(), typed.begin(), typed.end());
    if (!has_one_of(typed, {"-O", "--optimize", "-G"})) command.emplace_back("-O3");
    if (!has_one_of(typed, {"-arch", "--gpu-arch", "-gencode", "--generate-code"}))
      command.emplace_back("-arch=native");
    for (const fs::path& folder : options.library_folders)
      command.push_back("-L" + fs::absolute(folder).string());
    for (const std::string& library : options.libraries) command.push_back("-l" + library);
    for (const std::string& definition : options.definitions) command.push_back("-D" + definition);
    for (const std::string& name : options.undefined) command.push_back("-U" + name);
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

}  // namespace

int run_with_nvcc(const source::BuildOptions& options, const std::vector<std::string>& arguments) {
  source::read_sources(options);  // for the same errors as on the simulated device
  const BuildFolder folder;
  return run_program(folder.compile(options), arguments);
}

sandbox::CommandResult run_kept_with_nvcc(const std::string& file, const std::string& text,
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
