#pragma once

#include <filesystem>
#include <string>

#include "device/compile_cache.hpp"
#include "device/device.hpp"

namespace gpulab::hip {

// A kernel's needs on an AMD GPU, from the note of its code object.
struct Resources {
  int vgprs = 0;                  // vector registers of each lane
  int spilled_vgprs = 0;          // vector registers that are kept in scratch instead
  std::size_t scratch_bytes = 0;  // of each lane, in global memory
  std::size_t lds_bytes = 0;      // of each block: static shared memory
};

// Returns the resources of the kernel with that symbol from the note (MessagePack, as LLVM's "User Guide for
// AMDGPU Backend" describes it). Throws std::runtime_error if the note does not have them.
Resources resources_in(const std::string& note, const std::string& symbol);

// Compiles a kernel for an architecture and returns its resources there. Throws like code_object(), and
// CompileError if the file has no such kernel.
Resources resources_for(const std::string& architecture, const device::KernelSource& source,
                        const std::string& kernel, const Signature& signature, device::CompileCache& cache);

}  // namespace gpulab::hip
