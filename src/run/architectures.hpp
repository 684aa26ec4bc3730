#pragma once

#include <string>
#include <vector>

#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "lesson/lesson.hpp"

namespace gpulab::run {

// Architectures that kernels are compiled for: "sm_90" of NVIDIA by NVRTC, "gfx90a" of AMD by hipRTC.

// Throws UsageError for any other name and for a lesson without kernels to show, DeviceError if the compiler
// is not here or does not know the name.
void check_architectures(const Lesson& lesson, const std::vector<std::string>& architectures);

// Returns registers, memory and spills of a kernel, as the driver reports them. The figures' names end with
// `where`.
std::vector<Figure> attribute_figures(const device::KernelAttributes& kernel, const std::string& where);

// Compiles a kernel for that architecture and returns what it takes: these figures for NVIDIA; VGPRs, scratch
// and LDS for AMD. Empty if the architecture is NVIDIA's and NVRTC is not here. Throws CompileError and
// DeviceError.
std::vector<Figure> compiled_figures(const std::string& architecture, const device::KernelSource& source,
                                     const std::string& kernel, const Signature& signature,
                                     device::CompileCache& cache);

}  // namespace gpulab::run
