#include "device/cuda/cubin_cache.hpp"

#include <fstream>

#include "device/cuda/nvrtc.hpp"

namespace gpulab {
namespace {

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream << bytes;
  if (!stream.flush()) throw Error(ExitCode::device, "cannot write " + path.string() + ": is the disk full?");
}

}  // namespace

CachedCubin cached_cubin(const KernelSource& source, const std::string& architecture, CompileCache& cache) {
  // Lengths keep apart what is put one after the other.
  std::string key = "cubin, NVRTC " + nvrtc().version();
  for (const std::string& flag : nvrtc().flags(architecture)) key += ' ' + flag;
  for (const std::string& part : {source.name, source.text})
    key += '\n' + std::to_string(part.size()) + ' ' + part;

  const auto folder = cache.entry(key, [&](const std::filesystem::path& workspace) {
    const CompiledCubin compiled = nvrtc().compile(source, architecture);
    write(workspace / "kernel.cubin", compiled.code);
    write(workspace / "report.txt", compiled.report);
  });
  return {.code = folder / "kernel.cubin", .report = folder / "report.txt"};
}

bool compile_for(const std::string& architecture, const KernelSource& source, CompileCache& cache) {
  if (!has_nvrtc()) return false;
  cached_cubin(source, architecture, cache);
  return true;
}

}  // namespace gpulab
