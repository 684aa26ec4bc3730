#include "cuda/compiled_attributes.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <iterator>

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

// The sum of the numbers before these words, as often as they are said, or of the first alone.
std::size_t numbers_before(const std::string& words, const std::string& text, bool first_alone = true) {
  std::size_t sum = 0;
  for (std::size_t at = text.find(" " + words); at != std::string::npos;
       at = text.find(" " + words, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1]))) --begin;
    std::size_t number = 0;
    std::from_chars(text.data() + begin, text.data() + at, number);
    sum += number;
    if (first_alone && begin < at) break;
  }
  return sum;
}

}  // namespace

std::optional<device::KernelAttributes> reported_attributes(const std::string& report,
                                                            const std::string& symbol) {
  const std::string part = part_about(report, symbol);
  if (part.empty()) return std::nullopt;
  device::KernelAttributes attributes;
  attributes.registers_per_thread = static_cast<int>(numbers_before("registers", part));
  attributes.static_shared_bytes = numbers_before("bytes smem", part);
  // The second, of the kernel and what it calls together, is only said where it is not 0 and known.
  attributes.local_bytes_per_thread = std::max(numbers_before("bytes stack frame", part),
                                               numbers_before("bytes cumulative stack size", part));

  attributes.spill_store_bytes = numbers_before("bytes spill stores", part, false);
  attributes.spill_load_bytes = numbers_before("bytes spill loads", part, false);
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
