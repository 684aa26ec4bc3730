#include "device/cuda/cubin_cache.hpp"

#include <fstream>

#include "device/cuda/nvrtc.hpp"

namespace gpulab {

std::filesystem::path cached_cubin(const KernelSource& source, const std::string& architecture,
                                   CompileCache& cache) {
  // Lengths keep apart what is put one after the other.
  std::string key = "cubin, NVRTC " + nvrtc().version();
  for (const std::string& flag : nvrtc_flags(architecture)) key += ' ' + flag;
  for (const std::string& part : {source.name, source.text})
    key += '\n' + std::to_string(part.size()) + ' ' + part;

  const auto folder = cache.entry(key, [&](const std::filesystem::path& workspace) {
    const std::filesystem::path file = workspace / "kernel.cubin";
    std::ofstream stream(file, std::ios::binary);
    stream << nvrtc().compile(source, architecture);
    if (!stream.flush())
      throw Error(ExitCode::device, "cannot write " + file.string() + ": is the disk full?");
  });
  return folder / "kernel.cubin";
}

}  // namespace gpulab
