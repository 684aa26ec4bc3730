#include "hip/resources_json.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "device/symbols.hpp"
#include "hip/hiprtc.hpp"

namespace gpulab::hip {
namespace {

using nlohmann::json;

constexpr std::uint32_t amdgpu_metadata = 32;  // NT_AMDGPU_METADATA

}  // namespace

Resources resources_in(const std::string& note, const std::string& symbol) try {
  const json kernels = json::from_msgpack(note).at("amdhsa.kernels");
  for (const json& kernel : kernels)
    if (kernel.at(".name") == symbol)
      return {.vgprs = kernel.at(".vgpr_count"),
              .spilled_vgprs = kernel.value(".vgpr_spill_count", 0),
              .scratch_bytes = kernel.at(".private_segment_fixed_size"),
              .lds_bytes = kernel.at(".group_segment_fixed_size")};
  throw std::runtime_error("the code object's note has no kernel " + symbol);
} catch (const json::exception&) {
  throw std::runtime_error("the code object's note is not as LLVM describes it");
}

Resources resources_for(const std::string& architecture, const device::KernelSource& source,
                        const std::string& kernel, const Signature& signature, device::CompileCache& cache) {
  const std::filesystem::path code = code_object(source, architecture, cache);
  const std::string symbol =
      device::find_kernel_symbol(device::elf_symbols(code), source.name, kernel, signature);
  return resources_in(device::elf_note(code, "AMDGPU", amdgpu_metadata), symbol);
}

}  // namespace gpulab::hip
