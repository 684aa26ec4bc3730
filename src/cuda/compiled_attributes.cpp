#include "cuda/compiled_attributes.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>

#include "cuda/nvrtc.hpp"
#include "device/kernel_library.hpp"
#include "device/symbols.hpp"

namespace gpulab::cuda {
namespace {

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream << bytes;
  if (!stream.flush()) throw Error(ExitCode::device, "cannot write " + path.string() + ": is the disk full?");
}

}  // namespace

CachedCubin cached_cubin(const device::KernelSource& source, const std::string& architecture,
                         device::CompileCache& cache) {
  // Lengths keep apart what is put one after the other.
  std::string key = "cubin, NVRTC " + nvrtc().version();
  for (const std::string& flag : nvrtc().flags(architecture)) key += ' ' + flag;
  key += "\n" + device::library_for(source.text);
  for (const std::string& part : {source.name, source.text})
    key += '\n' + std::to_string(part.size()) + ' ' + part;

  const auto folder = cache.entry(key, [&](const std::filesystem::path& workspace) {
    const CompiledCubin compiled = nvrtc().compile(source, architecture);
    write(workspace / "kernel.cubin", compiled.code);
    write(workspace / "report.txt", compiled.report);
  });
  return {.code = folder / "kernel.cubin", .report = folder / "report.txt"};
}

bool compile_for(const std::string& architecture, const device::KernelSource& source,
                 device::CompileCache& cache) {
  if (!has_nvrtc()) return false;
  cached_cubin(source, architecture, cache);
  return true;
}

namespace {

// What is said of one kernel and then of the functions that it calls, up to the next kernel.
std::string part_about(const std::string& report, const std::string& symbol) {
  const std::string kernel = "Compiling entry function '";
  const std::size_t start = report.find(kernel + symbol + "'");
  if (start == std::string::npos) return {};
  return report.substr(start, report.find(kernel, start + 1) - start);
}

// The number before these words where they are said first; 0 where they are not.
std::size_t number_before(const std::string& words, const std::string& text) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(R"((\d+) )" + words)) ? std::stoull(match[1]) : 0;
}

}  // namespace

std::optional<device::KernelAttributes> reported_attributes(const std::string& report,
                                                            const std::string& symbol) {
  const std::string part = part_about(report, symbol);
  if (part.empty()) return std::nullopt;
  device::KernelAttributes attributes;
  attributes.registers_per_thread = static_cast<int>(number_before("registers", part));
  attributes.static_shared_bytes = number_before("bytes smem", part);
  // The second, of the kernel and what it calls together, is only said where it is not 0 and known.
  attributes.local_bytes_per_thread =
      std::max(number_before("bytes stack frame", part), number_before("bytes cumulative stack size", part));

  static const std::regex spills(R"((\d+) bytes spill stores, (\d+) bytes spill loads)");
  std::size_t stored = 0, loaded = 0;
  for (std::sregex_iterator at(part.begin(), part.end(), spills), end; at != end; ++at) {
    stored += std::stoull((*at)[1]);
    loaded += std::stoull((*at)[2]);
  }
  attributes.spill_store_bytes = stored;
  attributes.spill_load_bytes = loaded;
  return attributes;
}

std::optional<device::KernelAttributes> compiled_attributes(const CachedCubin& cubin,
                                                            const std::string& symbol) {
  std::ifstream report(cubin.report);
  auto attributes = reported_attributes(std::string(std::istreambuf_iterator<char>(report), {}), symbol);
  if (attributes) attributes->constant_bytes = device::constant_bytes(device::elf_symbols(cubin.code));
  return attributes;
}

std::optional<device::KernelAttributes> compiled_attributes(const std::string& architecture,
                                                            const device::KernelSource& source,
                                                            const std::string& kernel,
                                                            const Signature& signature,
                                                            device::CompileCache& cache) {
  if (!has_nvrtc()) return std::nullopt;
  const CachedCubin cubin = cached_cubin(source, architecture, cache);
  return compiled_attributes(
      cubin, device::find_kernel_symbol(device::elf_symbols(cubin.code), source.name, kernel, signature));
}

}  // namespace gpulab::cuda
