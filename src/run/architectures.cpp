#include "run/architectures.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "cuda/support.hpp"
#include "hip/hiprtc.hpp"
#include "hip/resources_json.hpp"

namespace gpulab::run {

void check_architectures(const Lesson& lesson, const std::vector<std::string>& architectures) {
  const auto has_kernel = [](const Variant& variant) { return !variant.kernel.empty(); };
  if (std::ranges::none_of(lesson.variants, has_kernel))
    throw UsageError("--arch shows what a variant's kernel takes, and no variant of " + lesson.name +
                     " is one kernel");
  device::CompileCache cache;
  const device::KernelSource nothing{"nothing.cu", "__global__ void nothing() {}\n"};
  for (const std::string& name : architectures) {
    if (!name.starts_with("sm_") && !hip::is_architecture(name))
      throw UsageError(
          "--arch: '" + name +
          "' is no GPU architecture; write sm_90 (NVIDIA) or gfx90a (AMD), with commas between several");
    if (!compiled_figures(name, nothing, "nothing", signature_of<>(), cache).empty()) continue;
    throw device::DeviceError("compiling for " + name, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED",
                              "there is no NVRTC here, NVIDIA's run-time compiler; gpulab doctor says more");
  }
}

std::vector<Figure> attribute_figures(const device::KernelAttributes& kernel, const std::string& where) {
  std::vector<Figure> figures{{"registers" + where, static_cast<double>(kernel.registers_per_thread)},
                              {"local" + where, static_cast<double>(kernel.local_bytes_per_thread), "bytes"}};
  if (kernel.spill_store_bytes && kernel.spill_load_bytes)
    figures.push_back({"spilled" + where,
                       static_cast<double>(*kernel.spill_store_bytes + *kernel.spill_load_bytes), "bytes"});
  return figures;
}

std::vector<Figure> compiled_figures(const std::string& architecture, const device::KernelSource& source,
                                     const std::string& kernel, const Signature& signature,
                                     device::CompileCache& cache) {
  const std::string where = " on " + architecture;
  if (hip::is_architecture(architecture)) {
    const hip::Resources needs = hip::resources_for(architecture, source, kernel, signature, cache);
    return {{"VGPRs" + where, static_cast<double>(needs.vgprs)},
            {"spilled VGPRs" + where, static_cast<double>(needs.spilled_vgprs)},
            {"scratch" + where, static_cast<double>(needs.scratch_bytes), "bytes"},
            {"LDS" + where, static_cast<double>(needs.lds_bytes), "bytes"}};
  }
  const auto compiled = cuda::support().kernel_for(architecture, source, kernel, signature, cache);
  return compiled ? attribute_figures(compiled->attributes, where) : std::vector<Figure>{};
}

}  // namespace gpulab::run
