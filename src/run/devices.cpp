#include "run/devices.hpp"

#include <fmt/format.h>
#include <cstdlib>
#include <utility>

#include "base/lists.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "cuda/support.hpp"
#include "device/compile_cache.hpp"
#include "device/libraries.hpp"
#include "hip/hiprtc.hpp"
#include "program/nvcc.hpp"
#include "program/toolkit_headers.hpp"
#include "run/documents.hpp"
#include "run/ranks/processes.hpp"
#include "sandbox/sandbox.hpp"
#include "simulator/compile/compiler.hpp"
#include "simulator/device.hpp"
#include "simulator/remote/remote_device.hpp"

namespace gpulab::run {
namespace {

std::unique_ptr<device::Device> open_simulator_number(int index, device::CompileCache& cache) {
  if (index == 0) return open_simulator(cache);
  throw device::DeviceError("opening simulator " + std::to_string(index), "CUDA_ERROR_INVALID_DEVICE",
                            "there is only simulator 0");
}

constexpr const char* untried_on_amd =
    "we have not tried it on an AMD GPU: results and counts only, no times; docs/install.md says how to report a run";

OpenedDevice open_gpu_or_simulator(int index, device::CompileCache& cache,
                                   const std::function<void(const std::string&)>& remark) {
  std::string why_not;
  try {
    auto device = cuda::support().open(index, cache);
    remark(fmt::format("running on {} ({})", device->properties().name, device->properties().architecture()));
    return {std::move(device), ""};
  } catch (const device::DeviceError& error) {
    why_not = cuda::support().status().driver_found ? error.name() : "no NVIDIA driver";
  }
  OpenedDevice opened{open_simulator(cache), "no GPU can be used (" + why_not + ")"};
  remark(opened.fallback + ", so kernels are simulated on the CPU; gpulab doctor says more");
  return opened;
}

}  // namespace

void require_usable_environment() {
  device::time_limit();
}

OpenedDevice open_or_fall_back(DeviceChoice choice, int index, device::CompileCache& cache,
                               const std::function<void(const std::string&)>& remark) {
  switch (choice) {
    case DeviceChoice::cuda:
      return {cuda::support().open(index, cache), ""};
    case DeviceChoice::hip: {
      OpenedDevice opened{cuda::support().open_amd(index, cache), ""};
      remark(untried_on_amd);
      return opened;
    }
    case DeviceChoice::simulator:
      return {open_simulator_number(index, cache), ""};
    default:
      return open_gpu_or_simulator(index, cache, remark);
  }
}

std::unique_ptr<device::Device> open_simulator(device::CompileCache& cache, WarpSize warp_size) {
  return simulator::open_simulator(cache, warp_size);
}

void require_gpu() {
  device::CompileCache cache;
  cuda::support().open(0, cache);
}

int index_of_local_rank(DeviceChoice choice, int local_rank) {
  if (choice == DeviceChoice::simulator || choice == DeviceChoice::hip || local_rank == 0) return 0;
  const int gpus = cuda::support().status().devices;
  return gpus > 0 ? local_rank % gpus : 0;
}

std::string compiler_of_simulator() {
  return simulator::compile::HostCompiler::find_or_error().name_and_version();
}

std::vector<DeviceProperties> all_devices() {
  std::vector<DeviceProperties> devices = cuda::support().devices();
  devices.push_back(simulator::simulator_properties());
  return devices;
}

std::optional<int> serve_device_if_asked(const std::vector<std::string>& words) {
  if (const auto compiled = hip::compile_if_asked(words)) return compiled;
  return simulator::remote::serve_if_asked(words);
}

namespace {

Component examine_compiler() {
  const char* what = "C++ compiler (simulator)";
  const auto unusable_compiler = [&](const Error& error) {
    const char* chosen_compiler = std::getenv("GPULAB_CXX");
    return Component{.what = what,
                     .detail = error.what(),
                     .fix = chosen_compiler && *chosen_compiler ? "unset GPULAB_CXX" : "apt-get install g++"};
  };
  try {
    device::CompileCache cache;
    simulator::compile::SimulatorCompiler compiler(cache);
    compiler.compile({"empty.cu", "__global__ void empty() {}\n"}, device::Instrumentation::none);
    return {.what = what, .found = true, .detail = compiler.name()};
  } catch (const device::DeviceError& error) {
    return unusable_compiler(error);
  } catch (const CompileError& error) {
    return unusable_compiler(error);
  } catch (const Error& error) {  // the cache cannot be written
    return {.what = what,
            .detail = error.what(),
            .fix = "free some space there, or export XDG_CACHE_HOME=/another/folder"};
  }
}

Component examine_cache() {
  const device::CompileCache cache;
  const char* what = "cache of compiled kernels";
  if (!cache.is_temporary()) return {.what = what, .found = true, .detail = cache.folder().string()};
  return {
      .what = what,
      .detail =
          "$XDG_CACHE_HOME/gpulab or ~/.cache/gpulab cannot be made, or others may write there, so every run compiles again",
      .fix = "export XDG_CACHE_HOME=/a/folder/of/yours"};
}

Component examine_addr2line() {
  const char* what = "addr2line (lines of faults)";
  if (sandbox::run_command({"addr2line", "--version"}, "/").exit_status == 0)
    return {.what = what, .found = true, .detail = "in PATH"};
  return {.what = what,
          .detail = "not in PATH, so a fault is shown without its line",
          .fix = "apt-get install binutils"};
}

// Examines the sandbox, which confines learners' kernels to a process that accesses only its own memory.
Component examine_sandbox() {
  const char* what = "sandbox (learners' kernels)";
  const sandbox::Support support = sandbox::support();
  return {.what = what,
          .found = support.is_complete(),
          .is_optional = true,
          .detail = sandbox::described(support) + "; not on a GPU"};
}

Component examine_driver(const cuda::Status& cuda) {
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

Component examine_nvrtc(const cuda::Status& cuda) {
  const char* what = "NVRTC (compiles for GPUs)";
  if (cuda.nvrtc_found)
    return {.what = what, .found = true, .detail = cuda.nvrtc_path + ", version " + cuda.nvrtc_version};
  return {.what = what,
          .is_optional = cuda.devices == 0,
          .detail = "libnvrtc is not in the loader's path, CUDA_HOME, CUDA_PATH or /usr/local/cuda",
          .fix = "install the CUDA Toolkit 12 or 13, or export CUDA_HOME=/where/it/is"};
}

// Examines what --arch gfx90a and --device hip need.
std::vector<Component> examine_amd() {
  const hip::Hiprtc& compiler = hip::hiprtc();
  const bool has_compiler = !compiler.path.empty();
  const cuda::Status status = cuda::support().amd_status();
  const std::string gpus =
      fmt::format("{}, HIP {}; {}", status.devices, status.driver_version, untried_on_amd);
  return {{.what = "hipRTC (compiles for AMD GPUs)",
           .found = has_compiler,
           .is_optional = true,
           .detail = has_compiler ? compiler.path + ", HIP " + compiler.version
                                  : "not here; only --arch gfx90a and --device hip need it",
           .fix = has_compiler ? "" : "apt-get install libamdhip64-5 libhiprtc-builtins5"},
          {.what = "AMD GPUs",
           .found = status.devices > 0,
           .is_optional = true,
           .detail = status.devices > 0 ? gpus : status.driver_problem}};
}

// Examines what gpulab run uses where it is there.
std::vector<Component> examine_tools() {
  const auto tool = [](const char* what, const std::string& place, const char* fix) {
    return Component{what, !place.empty(), true, place.empty() ? "not here" : place,
                     place.empty() ? fix : ""};
  };
  const bool has_thrust = program::ToolkitHeaders({"thrust/version.h"}, /*may_use=*/true).offers("Thrust");
  return {tool("nvcc (estimates of programs)", program::find_nvcc().value_or("").string(),
               "install the CUDA Toolkit 12 or 13"),
          tool("gdb (gpulab run --debug)", simulator::compile::find_program("gdb").value_or("").string(),
               "apt-get install gdb"),
          tool("Thrust's headers", has_thrust ? "found" : "", "apt-get install libthrust-dev")};
}

// Reports whether several GPUs can be connected.
Component examine_nccl(const cuda::Status& cuda) {
  const char* what = "NCCL (connects GPUs)";
  const device::LibraryStatus nccl = cuda::support().nccl();
  if (nccl.problem.empty()) return {.what = what, .found = true, .detail = nccl.version};
  return {.what = what, .is_optional = cuda.devices < 2, .detail = nccl.problem};
}

// Examines a library that only adds rows to tables.
Component examine_yardstick(const device::LibraryStatus& library) {
  const std::string what = "yardsticks of " + library.name;
  if (library.problem.empty()) return {.what = what, .found = true, .detail = library.version};
  return {.what = what, .is_optional = true, .detail = library.problem};
}

void add_yardsticks(const std::vector<std::string>& names, Diagnosis& diagnosis) {
  for (const device::LibraryStatus& library : device::yardstick_status(names))
    diagnosis.components.push_back(examine_yardstick(library));
}

// Examines MPI, which is needed only to start several processes.
Component examine_mpi() {
  const char* what = "MPI (for mpirun and srun)";
  const ranks::Status mpi = ranks::status();
  const std::string launcher = mpi.launcher.empty() ? "" : "; started by " + mpi.launcher;
  if (mpi.problem.empty()) return {.what = what, .found = true, .detail = mpi.library + launcher};
  return {
      .what = what,
      .is_optional = mpi.launcher.empty(),
      .detail = mpi.problem + launcher,
      .fix = launcher.empty() ? "" : "apt-get install libopenmpi-dev openmpi-bin, and build gpulab again"};
}

}  // namespace

Diagnosis examine_machine() {
  Diagnosis diagnosis;
  const Component compiler = examine_compiler();
  diagnosis.can_simulate = compiler.found;
  diagnosis.components = {compiler, examine_addr2line(), examine_cache(), examine_sandbox(), examine_mpi()};
  append(diagnosis.components, examine_tools());
  add_yardsticks(device::host_yardsticks, diagnosis);
  append(diagnosis.components, examine_amd());
  if (!cuda::support().built) {
    diagnosis.components.push_back({.what = "NVIDIA GPUs",
                                    .is_optional = true,
                                    .detail = cuda::support().status().driver_problem,
                                    .fix = "for GPUs, install the CUDA Toolkit 12 or 13 and build again"});
    return diagnosis;
  }
  const cuda::Status cuda = cuda::support().status();
  diagnosis.can_use_gpu = cuda.devices > 0 && cuda.nvrtc_found;
  diagnosis.components.push_back(examine_driver(cuda));
  diagnosis.components.push_back(examine_nvrtc(cuda));
  diagnosis.components.push_back(examine_nccl(cuda));
  add_yardsticks(device::gpu_yardsticks, diagnosis);
  return diagnosis;
}

namespace {

std::string name_and_aliases(const Lesson& lesson) {
  std::string result = lesson.name;
  for (const std::string& alias : lesson.aliases) result += ", " + alias;
  return result;
}

}  // namespace

std::string lesson_entry_text(const Lesson& lesson, const TextStyle& style) {
  Table table(
      {{"lesson"}, {"default size", Align::right, 1}, {"what it shows, and its variants", Align::left, 2}});
  table.add({{name_and_aliases(lesson), Ink::bold}, {lesson.has_size() ? grouped(lesson.default_size) : "-"}},
            lesson.title);
  table.add({{}, {}}, fmt::format("{}", fmt::join(transformed(lesson.variants, &Variant::name), ", ")));
  return table.text(style);
}

namespace {

std::string or_not_available(bool is_known, std::string text) {
  return is_known ? std::move(text) : not_available;
}

std::string or_not_available(const std::string& text) {
  return or_not_available(!text.empty(), text);
}

std::string capacity(std::size_t bytes) {
  return or_not_available(bytes > 0, capacity_text(static_cast<double>(bytes)));
}

std::string count(std::size_t number) {
  return or_not_available(number > 0, grouped(number));
}

std::string frequency(double hz) {
  return or_not_available(hz > 0, three_digits(hz * 1e-6) + " MHz");
}

// Returns labels and values in the order in which they are shown.
std::vector<std::pair<std::string, std::string>> facts_of(const DeviceProperties& device) {
  return {{"compute capability", or_not_available(device.compute_capability())},
          {"multiprocessors", count(static_cast<std::size_t>(device.multiprocessors)) +
                                  (device.simulated() ? ", one for each CPU; gpulab run: 8" : "")},
          {"threads per block, at most", count(device.max_threads_per_block)},
          {"threads per multiprocessor, at most",
           count(device.max_threads_per_multiprocessor) + (device.simulated() ? "; gpulab run: 2 048" : "")},
          {"memory", capacity(device.memory_bytes) + ", free " + capacity(device.free_memory_bytes)},
          {"L2 cache", capacity(device.l2_bytes)},
          {"shared memory per block", capacity(device.shared_bytes_per_block)},
          {"shared memory per multiprocessor", capacity(device.shared_bytes_per_multiprocessor)},
          {"clock", frequency(device.clock_hz)},
          {"memory clock", frequency(device.memory_clock_hz)},
          {"memory bus",
           or_not_available(device.memory_bus_bits > 0, fmt::format("{} bits", device.memory_bus_bits))},
          {"theoretical peak", or_not_available(device.peak_bytes_per_s > 0,
                                                three_digits(device.peak_bytes_per_s * 1e-9) + " GB/s")},
          {"driver", or_not_available(device.driver_version)},
          {"runtime", or_not_available(device.runtime_version)},
          {"kernel compiler", or_not_available(device.compiler_version)},
          {"as several GPUs", device.simulated() ? "with --gpus; all reach each other's memory" : ""}};
}

std::string device_text(const DeviceProperties& device, const TextStyle& style) {
  std::string result =
      paragraph(fmt::format("{} {}: {}", device.kind, device.index, device.name), Ink::bold, style);
  for (const auto& [label, value] : facts_of(device)) {
    if (value.empty() || (device.simulated() && value == not_available)) continue;  // not applicable
    for (const std::string& line : wrapped(fmt::format("  {:<36}{}", label, value), style.width, 4))
      result += line + "\n";
  }
  return result;
}

}  // namespace

std::string devices_text(const std::vector<DeviceProperties>& devices, const TextStyle& style) {
  if (devices.empty()) return "no devices\n";
  std::string result;
  for (const DeviceProperties& device : devices)
    result += (result.empty() ? "" : "\n") + device_text(device, style);
  return result;
}

}  // namespace gpulab::run
