#include "device/cuda/compiled_attributes.hpp"

#include <fstream>
#include <iterator>

#include "device/cuda/nvrtc.hpp"
#include "device/cuda/ptxas_report.hpp"
#include "device/elf_symbols.hpp"
#include "device/kernel_lookup.hpp"
#include "device/variable_lookup.hpp"

namespace gpulab {

std::optional<KernelAttributes> compiled_attributes(const CachedCubin& cubin, const std::string& symbol) {
  std::ifstream report(cubin.report);
  auto attributes = reported_attributes(std::string(std::istreambuf_iterator<char>(report), {}), symbol);
  if (attributes) attributes->constant_bytes = constant_bytes(elf_symbols(cubin.code));
  return attributes;
}

std::optional<KernelAttributes> compiled_attributes(const std::string& architecture,
                                                    const KernelSource& source, const std::string& kernel,
                                                    const Signature& signature, CompileCache& cache) {
  if (!has_nvrtc()) return std::nullopt;
  const CachedCubin cubin = cached_cubin(source, architecture, cache);
  return compiled_attributes(cubin,
                             find_kernel_symbol(elf_symbols(cubin.code), source.name, kernel, signature));
}

}  // namespace gpulab
