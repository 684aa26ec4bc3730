#include "cuda/nvrtc.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "base/files.hpp"
#include "base/text.hpp"
#include "device/device.hpp"
#include "device/libraries.hpp"
#include "device/ptxas_report.hpp"
#include "device/symbols.hpp"
#include "source/cuda_text.hpp"

namespace gpulab::cuda {

std::vector<std::string> nvrtc_candidates() {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(variable); root && *root)
      for (const char* folder : {"/lib64/", "/lib/"}) folders.push_back(std::string(root) + folder);
  folders.push_back("");  // no folder: the loader searches
  folders.push_back("/usr/local/cuda/lib64/");

  std::vector<std::string> candidates;
  for (const std::string& folder : folders)
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"})
      candidates.push_back(folder + name);
  return candidates;
}

Nvrtc::Nvrtc() : library_(nvrtc_candidates()) {
  library_.find(error_string_, "nvrtcGetErrorString");
  library_.find(get_version_, "nvrtcVersion");
  library_.find(architecture_count_, "nvrtcGetNumSupportedArchs");
  library_.find(architectures_, "nvrtcGetSupportedArchs");
  library_.find(create_program_, "nvrtcCreateProgram");
  library_.find(destroy_program_, "nvrtcDestroyProgram");
  library_.find(compile_program_, "nvrtcCompileProgram");
  library_.find(log_size_, "nvrtcGetProgramLogSize");
  library_.find(log_, "nvrtcGetProgramLog");
  library_.find(cubin_size_, "nvrtcGetCUBINSize");
  library_.find(cubin_, "nvrtcGetCUBIN");
  library_.find(ptx_size_, "nvrtcGetPTXSize");
  library_.find(ptx_, "nvrtcGetPTX");
  int major = 0, minor = 0;
  check(get_version_(&major, &minor), "nvrtcVersion");
  version_ = std::to_string(major) + "." + std::to_string(minor);
  has_cache_ = major > 12 || (major == 12 && minor >= 9);  // of its own, since 12.9
}

namespace {

constexpr const char* prelude_file = "gpulab_library.cuh";

// Returns the folders of CUDA's headers: in the toolkit that NVRTC was found in, and in /usr/local/cuda.
std::vector<std::string> header_folders(const std::string& nvrtc_path) {
  std::vector<std::filesystem::path> toolkits{"/usr/local/cuda"};
  if (nvrtc_path.find('/') != std::string::npos)
    toolkits.insert(toolkits.begin(), std::filesystem::path(nvrtc_path).parent_path().parent_path());
  std::vector<std::string> folders;
  std::error_code ignored;
  for (const std::filesystem::path& toolkit : toolkits)
    for (const char* folder : {"include", "include/cccl"})
      if (std::filesystem::is_directory(toolkit / folder, ignored)) folders.push_back(toolkit / folder);
  return folders;
}

// Returns whether NVRTC refuses only generic lambdas. nvcc compiles a lambda in a kernel as device code;
// NVRTC compiles one with auto parameters as host code, unless -default-device makes every unmarked function
// device code. Before any other function the learner has to write __device__.
bool refuses_only_generic_lambdas(const std::string& log, const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  const auto has_generic_lambda = [&](std::size_t line) {
    source::Scanner scanner(lines[line - 1]);
    while (scanner.skip_past("]")) {
      source::Scanner parameters = scanner;
      parameters.skip_blanks();
      if (!parameters.take("(")) continue;
      for (const source::Token& token : source::cuda_tokens(parameters.up_to_one_of(")")))
        if (token.text == "auto") return true;
    }
    return false;
  };
  bool found_generic_lambda = false;
  for (const std::string& message : lines_of(log)) {
    for (source::Scanner scanner(message); scanner.skip_past("(");) {
      const auto line = static_cast<std::size_t>(scanner.take_number().value_or(0));
      if (!scanner.take("): error: ")) continue;
      if (!scanner.take("A function without execution space") || line == 0 || line > lines.size())
        return false;
      if (!has_generic_lambda(line)) return false;
      found_generic_lambda = true;
    }
  }
  return found_generic_lambda;
}

// Throws DeviceError if CUDA's headers are missing, as with NVRTC alone: that is not the learner's error.
void throw_if_toolkit_lacks_header(const std::string& log) {
  for (const std::string& header : device::cuda_headers())
    if (log.find("open source file \"" + header + "\"") != std::string::npos)
      throw device::DeviceError("nvrtcCompileProgram", "NVRTC_ERROR_COMPILATION",
                                "NVRTC did not find " + header +
                                    "; set CUDA_HOME to the folder of a CUDA Toolkit that has its headers");
}

}  // namespace

std::vector<std::string> Nvrtc::flags(const std::string& architecture) const {
  std::vector<std::string> flags{"--gpu-architecture=" + architecture,
                                 "-lineinfo",
                                 "-std=c++17",
                                 "--device-int128",  // the default of nvcc
                                 std::string("--pre-include=") + prelude_file,
                                 "-diag-error=549"};  // a variable is used before its value is set
  for (const std::string& folder : header_folders(library_.path()))
    flags.push_back("--include-path=" + folder);
  // Results from NVRTC's own cache have no report.
  if (has_cache_) flags.emplace_back("--no-cache");
  flags.emplace_back("--ptxas-options=-v");
  return flags;
}

void Nvrtc::check(nvrtcResult result, const char* call) const {
  if (result != NVRTC_SUCCESS) throw device::DeviceError(call, error_string_(result), "");
}

std::string Nvrtc::supported_architectures() const {
  int count = 0;
  check(architecture_count_(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> numbers(count);
  check(architectures_(numbers.data()), "nvrtcGetSupportedArchs");
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "sm_" : ", sm_") + std::to_string(number);
  return text;
}

std::string Nvrtc::log_of(nvrtcProgram program) const {
  std::size_t bytes = 0;
  check(log_size_(program, &bytes), "nvrtcGetProgramLogSize");
  std::string log(bytes, '\0');
  check(log_(program, log.data()), "nvrtcGetProgramLog");
  log.resize(log.find_last_not_of(std::string("\n \0", 3)) + 1);
  return log;
}

std::string Nvrtc::cubin_of(nvrtcProgram program) const {
  std::size_t bytes = 0;
  check(cubin_size_(program, &bytes), "nvrtcGetCUBINSize");
  std::string cubin(bytes, '\0');
  check(cubin_(program, cubin.data()), "nvrtcGetCUBIN");
  return cubin;
}

std::string Nvrtc::ptx_of(nvrtcProgram program) const {
  std::size_t bytes = 0;
  check(ptx_size_(program, &bytes), "nvrtcGetPTXSize");
  std::string ptx(bytes, '\0');
  check(ptx_(program, ptx.data()), "nvrtcGetPTX");
  ptx.resize(ptx.find_last_not_of('\0') + 1);
  return ptx;
}

CompiledCubin Nvrtc::compile(const device::KernelSource& source, const std::string& architecture) const {
  std::vector<std::string> options = flags(architecture);
  try {
    return compile(source, architecture, options);
  } catch (const CompileError& error) {
    if (refuses_only_generic_lambdas(error.log(), source.text)) {
      options.insert(options.begin(), "-default-device");
      return compile(source, architecture, options);
    }
    // If ptxas refuses the kernel, the log of NVRTC 13.0 has the report of ptxas instead of the error. So the
    // file is compiled again without a report: flags() has -v last.
    options.pop_back();
    return compile(source, architecture, options);
  }
}

CompiledCubin Nvrtc::compile(const device::KernelSource& source, const std::string& architecture,
                             const std::vector<std::string>& flags) const {
  const source::Code code(source.text);
  const std::string prelude = device::library_for(code);
  std::vector<const char*> names{prelude_file}, texts{prelude.c_str()};
  const std::vector<std::string> included = device::included_headers(code);
  for (const std::string& header : included)
    if (device::empty_headers().contains(header)) {
      names.push_back(header.c_str());
      texts.push_back("\n");
    }
  nvrtcProgram program = nullptr;
  check(create_program_(&program, source.text.c_str(), device::name_for_compilers(source.name).c_str(),
                        static_cast<int>(names.size()), texts.data(), names.data()),
        "nvrtcCreateProgram");
  const auto destroy = [this](nvrtcProgram* owned) { destroy_program_(owned); };
  const std::unique_ptr<nvrtcProgram, decltype(destroy)> owner(&program, destroy);

  std::vector<const char*> options;
  for (const std::string& flag : flags) options.push_back(flag.c_str());

  const nvrtcResult result = compile_program_(program, static_cast<int>(options.size()), options.data());
  if (result == NVRTC_ERROR_COMPILATION) throw_if_toolkit_lacks_header(log_of(program));
  if (result == NVRTC_ERROR_COMPILATION)
    if (const auto error = device::error_in_file(source.name, log_of(program))) throw *error;
  if (result == NVRTC_ERROR_INVALID_OPTION)
    throw device::DeviceError(
        "nvrtcCompileProgram", error_string_(result),
        fmt::format(
            "NVRTC {} does not compile for {}, only for {}; set CUDA_HOME to a CUDA Toolkit that does",
            version_, architecture, supported_architectures()));
  if (result != NVRTC_SUCCESS)
    throw device::DeviceError("nvrtcCompileProgram", error_string_(result), log_of(program));
  return {.code = cubin_of(program), .report = log_of(program), .ptx = ptx_of(program)};
}

namespace {

const Nvrtc* open_nvrtc() {
  try {
    return new Nvrtc;  // never closed, like the driver
  } catch (const std::runtime_error& problem) {
    throw device::DeviceError(
        "opening NVRTC (CUDA's run-time compiler)", "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED",
        std::string(problem.what()) +
            "; install the CUDA Toolkit 12 or 13, or set CUDA_HOME to the folder it is in");
  }
}

}  // namespace

const Nvrtc& nvrtc() {
  static const Nvrtc* const compiler = open_nvrtc();
  return *compiler;
}

bool has_nvrtc() try {
  nvrtc();
  return true;
} catch (const device::DeviceError&) {
  return false;
}

CachedCubin cached_cubin(const device::KernelSource& source, const std::string& architecture,
                         device::CompileCache& cache) {
  std::string key = "cubin and PTX, NVRTC " + nvrtc().version();
  for (const std::string& flag : nvrtc().flags(architecture)) key += ' ' + flag;
  key += "\n" + device::library_for(source.text);
  // The name and the text are the learner's: their lengths keep them apart. The prelude is gpulab's own.
  for (const std::string& part : {source.name, source.text})
    key += '\n' + std::to_string(part.size()) + ' ' + part;

  const auto folder = cache.entry(key, [&](const std::filesystem::path& workspace) {
    const CompiledCubin compiled = nvrtc().compile(source, architecture);
    replace_file(workspace / "kernel.cubin", compiled.code);
    replace_file(workspace / "report.txt", compiled.report);
    replace_file(workspace / "kernel.ptx", compiled.ptx);
  });
  return {.code = folder / "kernel.cubin", .report = folder / "report.txt", .ptx = folder / "kernel.ptx"};
}

bool compile_for(const std::string& architecture, const device::KernelSource& source,
                 device::CompileCache& cache) {
  if (!has_nvrtc()) return false;
  cached_cubin(source, architecture, cache);
  return true;
}

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return std::move(text).str();
}

}  // namespace

std::optional<device::KernelAttributes> compiled_attributes(const CachedCubin& cubin,
                                                            const std::string& symbol) {
  auto attributes = device::reported_attributes(text_of(cubin.report), symbol);
  if (attributes) attributes->constant_bytes = device::constant_bytes(device::elf_symbols(cubin.code));
  return attributes;
}

std::optional<CompiledKernel> compiled_kernel(const std::string& architecture,
                                              const device::KernelSource& source, const std::string& kernel,
                                              const Signature& signature, device::CompileCache& cache) {
  if (!has_nvrtc()) return std::nullopt;
  const CachedCubin cubin = cached_cubin(source, architecture, cache);
  const std::string symbol =
      device::find_kernel_symbol(device::elf_symbols(cubin.code), source.name, kernel, signature);
  const auto attributes = compiled_attributes(cubin, symbol);
  if (!attributes) return std::nullopt;
  return CompiledKernel{.attributes = *attributes, .symbol = symbol, .ptx = text_of(cubin.ptx)};
}

}  // namespace gpulab::cuda
