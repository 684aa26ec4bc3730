#include "run/doctor.hpp"

#include <cstdlib>

#include "device/compile_cache.hpp"
#include "device/cuda_support.hpp"
#include "device/simulator/child_process.hpp"
#include "device/simulator/host_compiler.hpp"

namespace gpulab {
namespace {

Finding examine_compiler() {
  const char* what = "C++ compiler (simulator)";
  if (const auto compiler = HostCompiler::find()) return {what, true, compiler->path().string(), ""};
  if (const char* wanted = std::getenv("GPULAB_CXX"); wanted && *wanted)
    return {what, false, std::string("GPULAB_CXX names ") + wanted + ", which is no program",
            "unset GPULAB_CXX"};
  return {what, false, "neither g++ nor clang++ is in PATH", "apt-get install g++"};
}

Finding examine_cache() {
  const CompileCache cache;
  if (!cache.is_temporary()) return {"cache of compiled kernels", true, cache.folder().string(), ""};
  return {
      "cache of compiled kernels", false,
      "neither XDG_CACHE_HOME nor ~/.cache is a folder of yours, so kernels are compiled anew in every run",
      "export XDG_CACHE_HOME=/a/folder/of/yours"};
}

Finding examine_addr2line() {
  const bool found = run_child({"addr2line", "--version"}, "/").exit_status == 0;
  return {"addr2line (lines of faults)", found,
          found ? "in PATH" : "not in PATH: a fault is shown without its line",
          found ? "" : "apt-get install binutils"};
}

Finding examine_driver(const CudaStatus& cuda) {
  const std::string version = cuda.driver_version.empty() ? "" : ", version " + cuda.driver_version;
  if (cuda.devices > 0)
    return {"NVIDIA driver (cuda)", true,
            std::to_string(cuda.devices) + " GPU" + (cuda.devices > 1 ? "s" : "") + version, ""};
  return {"NVIDIA driver (cuda)", false, cuda.driver_problem,
          "on a machine with an NVIDIA GPU, install its driver; elsewhere use --device simulator"};
}

Finding examine_nvrtc(const CudaStatus& cuda) {
  if (cuda.nvrtc_found)
    return {"NVRTC (cuda)", true, cuda.nvrtc_path + ", version " + cuda.nvrtc_version, ""};
  return {"NVRTC (cuda)", false,
          "libnvrtc is not in the loader's path, CUDA_HOME, CUDA_PATH or /usr/local/cuda",
          "install the CUDA Toolkit 12 or 13, or export CUDA_HOME=/where/it/is"};
}

}  // namespace

Diagnosis examine_machine() {
  Diagnosis diagnosis;
  const Finding compiler = examine_compiler();
  diagnosis.can_simulate = compiler.found;
  diagnosis.findings = {compiler, examine_addr2line(), examine_cache()};
  if (!cuda_support().built) {
    diagnosis.findings.push_back({"cuda device", false, "this gpulab was built without the CUDA Toolkit",
                                  "install the CUDA Toolkit 12 or 13 and build again"});
    return diagnosis;
  }
  const CudaStatus cuda = cuda_support().status();
  diagnosis.can_use_gpu = cuda.devices > 0 && cuda.nvrtc_found;
  diagnosis.findings.push_back(examine_driver(cuda));
  diagnosis.findings.push_back(examine_nvrtc(cuda));
  return diagnosis;
}

}  // namespace gpulab
