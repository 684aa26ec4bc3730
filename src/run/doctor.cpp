#include "run/doctor.hpp"

#include <cstdlib>

#include "cuda/support.hpp"
#include "device/compile_cache.hpp"
#include "device/yardstick_library.hpp"
#include "mpi/processes.hpp"
#include "run/devices.hpp"
#include "sandbox/command.hpp"
#include "simulator/compile/compiler.hpp"

namespace gpulab::run {
namespace {

Finding examine_compiler() {
  const char* what = "C++ compiler (simulator)";
  try {
    device::CompileCache cache;
    simulator::compile::SimulatorCompiler compiler(cache);
    compiler.compile({"empty.cu", "__global__ void empty() {}\n"}, device::Instrumentation::none);
    return {.what = what, .found = true, .detail = compiler.name()};
  } catch (const Error& error) {
    const char* wanted = std::getenv("GPULAB_CXX");
    return {.what = what,
            .detail = error.what(),
            .fix = wanted && *wanted ? "unset GPULAB_CXX" : "apt-get install g++"};
  }
}

Finding examine_cache() {
  const device::CompileCache cache;
  const char* what = "cache of compiled kernels";
  if (!cache.is_temporary()) return {.what = what, .found = true, .detail = cache.folder().string()};
  return {
      .what = what,
      .detail =
          "$XDG_CACHE_HOME/gpulab or ~/.cache/gpulab cannot be made, or others may write there, so every run "
          "compiles anew",
      .fix = "export XDG_CACHE_HOME=/a/folder/of/yours"};
}

Finding examine_addr2line() {
  const char* what = "addr2line (lines of faults)";
  if (sandbox::run_command({"addr2line", "--version"}, "/").exit_status == 0)
    return {.what = what, .found = true, .detail = "in PATH"};
  return {.what = what,
          .detail = "not in PATH, so a fault is shown without its line",
          .fix = "apt-get install binutils"};
}

// Kernels of learners run in a process that has nothing but memory.
Finding examine_sandbox() {
  const char* what = "sandbox (learners' kernels)";
  const sandbox::Support here = sandbox::support();
  return {.what = what,
          .found = here.is_whole(),
          .is_optional = true,
          .detail = sandbox::described(here) + "; not on a GPU"};
}

Finding examine_driver(const cuda::Status& cuda) {
  const char* what = "NVIDIA GPU and driver";
  const std::string version = cuda.driver_version.empty() ? "" : ", driver " + cuda.driver_version;
  if (cuda.devices > 0)
    return {.what = what,
            .found = true,
            .detail = std::to_string(cuda.devices) + " GPU" + (cuda.devices > 1 ? "s" : "") + version};
  if (!cuda.driver_found)
    return {.what = what,
            .is_optional = true,
            .detail = "there is no libcuda.so.1 here, as on any machine without a GPU"};
  return {.what = what, .detail = cuda.driver_problem, .fix = "see whether nvidia-smi shows the GPU"};
}

Finding examine_nvrtc(const cuda::Status& cuda) {
  const char* what = "NVRTC (compiles for GPUs)";
  if (cuda.nvrtc_found)
    return {.what = what, .found = true, .detail = cuda.nvrtc_path + ", version " + cuda.nvrtc_version};
  return {.what = what,
          .is_optional = cuda.devices == 0,
          .detail = "libnvrtc is not in the loader's path, CUDA_HOME, CUDA_PATH or /usr/local/cuda",
          .fix = "install the CUDA Toolkit 12 or 13, or export CUDA_HOME=/where/it/is"};
}

// Connects several GPUs.
Finding examine_nccl(const cuda::Status& cuda) {
  const char* what = "NCCL (connects GPUs)";
  const device::LibraryStatus nccl = cuda::support().nccl();
  if (nccl.problem.empty()) return {.what = what, .found = true, .detail = nccl.version};
  return {.what = what, .is_optional = cuda.devices < 2, .detail = nccl.problem};
}

// What is not built or not found takes rows from tables, and nothing else.
Finding examine_yardstick(const device::LibraryStatus& library) {
  const std::string what = "yardsticks of " + library.name;
  if (library.problem.empty()) return {.what = what, .found = true, .detail = library.version};
  return {.what = what, .is_optional = true, .detail = library.problem};
}

void add_yardsticks(const std::vector<std::string>& names, Diagnosis& diagnosis) {
  for (const device::LibraryStatus& library : device::yardstick_status(names))
    diagnosis.findings.push_back(examine_yardstick(library));
}

// It is needed only by those who start several processes.
Finding examine_mpi() {
  const char* what = "MPI (for mpirun and srun)";
  const mpi::Status here = mpi::status();
  const std::string launcher = here.launcher.empty() ? "" : "; started by " + here.launcher;
  if (here.problem.empty()) return {.what = what, .found = true, .detail = here.library + launcher};
  return {
      .what = what,
      .is_optional = here.launcher.empty(),
      .detail = here.problem + launcher,
      .fix = launcher.empty() ? "" : "apt-get install libopenmpi-dev openmpi-bin, and build gpulab again"};
}

}  // namespace

Diagnosis examine_machine() {
  Diagnosis diagnosis;
  const Finding compiler = examine_compiler();
  diagnosis.can_simulate = compiler.found;
  diagnosis.findings = {compiler, examine_addr2line(), examine_cache(), examine_sandbox(), examine_mpi()};
  add_yardsticks(device::host_yardsticks, diagnosis);
  if (!cuda::support().built) {
    diagnosis.findings.push_back({.what = "NVIDIA GPUs",
                                  .is_optional = true,
                                  .detail = cuda::support().status().driver_problem,
                                  .fix = "for GPUs, install the CUDA Toolkit 12 or 13 and build again"});
    return diagnosis;
  }
  const cuda::Status cuda = cuda::support().status();
  diagnosis.can_use_gpu = cuda.devices > 0 && cuda.nvrtc_found;
  diagnosis.findings.push_back(examine_driver(cuda));
  diagnosis.findings.push_back(examine_nvrtc(cuda));
  diagnosis.findings.push_back(examine_nccl(cuda));
  add_yardsticks(device::gpu_yardsticks, diagnosis);
  return diagnosis;
}

}  // namespace gpulab::run
