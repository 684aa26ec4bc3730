#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "device/compile_cache.hpp"
#include "device/device.hpp"

namespace gpulab::hip {

// hipRTC, AMD's run-time compiler. It needs no GPU and no driver. It ends its process for an architecture
// that it does not know, so it only runs in confined children: this program, started again.
struct Hiprtc {
  std::string path;                        // of the library; empty without one
  std::string version;                     // of HIP: "5.2"
  std::vector<std::string> architectures;  // that hipRTC knows: "gfx90a"; empty if hipRTC does not list them
  std::string problem;                     // the loader's message if there is no library
};

// Returns the hipRTC of this machine, found at the first call.
const Hiprtc& hiprtc();

// Returns where these libraries are looked for, in order: $ROCM_PATH, the loader's own path, /opt/rocm.
std::vector<std::string> candidates(const std::vector<std::string>& libraries);

// Returns whether this is how AMD names an architecture: "gfx90a", "gfx90a:sramecc+:xnack-".
bool is_architecture(const std::string& name);

// Returns the code object, an ELF file, for an architecture, compiled by hipRTC unless the cache has it.
// Throws CompileError with the compiler's log, and DeviceError if there is no hipRTC or it does not know the
// architecture.
std::filesystem::path code_object(const device::KernelSource& source, const std::string& architecture,
                                  device::CompileCache& cache);

// Compiles and ends the process, if it was started for that. Else returns none.
std::optional<int> compile_if_asked(const std::vector<std::string>& words);

}  // namespace gpulab::hip
