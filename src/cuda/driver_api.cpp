#include "cuda/driver_api.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "cuda/device.hpp"
#include "cuda/nvrtc.hpp"
#include "cuda/properties.hpp"
#include "device/symbols.hpp"
#include "hip/hiprtc.hpp"

namespace gpulab::cuda {
namespace {

const DriverApi* open_driver(Vendor vendor) {
  try {
    // Never closed: threads of the driver run in it until the process ends.
    return new DriverApi(vendor);
  } catch (const std::runtime_error& problem) {
    const std::string missing =
        vendor == Vendor::amd ? "there is no HIP, AMD's library," : "there is no NVIDIA driver";
    throw device::DeviceError(
        missing + " on this machine (--device simulator needs none): opening it",
        vendor == Vendor::amd ? "hipErrorSharedObjectInitFailed" : "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED",
        problem.what());
  }
}

// HIP's names of functions of CUDA's driver, unless a function cuX is called hipX.
constexpr std::pair<std::string_view, const char*> names_in_hip[] = {
    {"cuDeviceGetCount", "hipGetDeviceCount"},
    {"cuMemAlloc", "hipMalloc"},
    {"cuMemFree", "hipFree"},
    {"cuMemHostRegister", "hipHostRegister"},
    {"cuMemHostUnregister", "hipHostUnregister"},
    {"cuStreamCreate", "hipStreamCreateWithFlags"},
    {"cuEventCreate", "hipEventCreateWithFlags"},
    {"cuOccupancyMaxActiveBlocksPerMultiprocessor", "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor"},
    {"cuLaunchKernel", "hipModuleLaunchKernel"},
    {"cuLaunchCooperativeKernel", "hipModuleLaunchCooperativeKernel"}};

std::atomic<bool> abandoned{false};

// Ends the process at once: at its normal end the driver would wait for the kernel as well.
void end_at_once(int status, void*) {
  std::fflush(nullptr);
  ::_exit(status);
}

}  // namespace

void abandon_driver() {
  if (!abandoned.exchange(true)) skip_cleanup_at_exit();
}

void skip_cleanup_at_exit() {
  static const int registered_once = ::on_exit(end_at_once, nullptr);
  static_cast<void>(registered_once);
}

bool driver_is_abandoned() noexcept {
  return abandoned.load(std::memory_order_relaxed);
}

std::string hip_name(const std::string& cuda_name) {
  const std::string name = cuda_name.substr(0, cuda_name.find("_v2"));
  for (const auto& [cuda, hip] : names_in_hip)
    if (cuda == name) return hip;
  return "hip" + name.substr(2);
}

DriverApi::DriverApi(Vendor maker)
    : vendor(maker),
      library(maker == Vendor::amd
                  ? hip::candidates({"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"})
                  : std::vector<std::string>{"libcuda.so.1"}) {}

const DriverApi& driver_api(Vendor vendor) {
  if (vendor == Vendor::amd) {
    static const DriverApi* const amd = open_driver(Vendor::amd);
    return *amd;
  }
  static const DriverApi* const nvidia = open_driver(Vendor::nvidia);
  return *nvidia;
}

namespace {

// Returns the text of an error: HIP's two functions return it, where the driver's take an out-parameter.
std::string hip_error_text(const DriverApi& driver, const char* cuda_name, CUresult result) {
  const char* (*function)(CUresult) = nullptr;
  driver.find(function, cuda_name);
  const char* const text = function ? function(result) : nullptr;
  return text ? text : "HIP error " + std::to_string(result);
}

}  // namespace

// The CUDA Toolkit's stub library, made for linkers, answers every call with this error, even cuGetErrorName.
std::string DriverApi::name_of(CUresult result) const {
  if (vendor == Vendor::amd) return hip_error_text(*this, "cuGetErrorName", result);
  if (result == CUDA_ERROR_STUB_LIBRARY) return "CUDA_ERROR_STUB_LIBRARY";
  const char* name = nullptr;
  if (error_name.attempt(result, &name) == CUDA_SUCCESS && name) return name;
  return "CUDA error " + std::to_string(result);
}

std::string DriverApi::text_of(CUresult result) const {
  if (vendor == Vendor::amd) return hip_error_text(*this, "cuGetErrorString", result);
  if (result == CUDA_ERROR_STUB_LIBRARY)
    return library.path() + " is the CUDA Toolkit's stub, not a driver: take its folder out of " +
           "LD_LIBRARY_PATH, or use the simulator (--device simulator)";
  const char* text = nullptr;
  if (error_string.attempt(result, &text) == CUDA_SUCCESS && text) return text;
  return "an error that this driver does not describe";
}

Status cuda_status() {
  Status status;
  try {
    driver_api();
    status.driver_found = true;
    status.driver_version = installed_driver_version();
    status.devices = count_devices(driver_api());
    if (status.devices == 0) status.driver_problem = "the driver offers no GPU";
  } catch (const device::DeviceError& problem) {
    status.driver_problem = problem.what();
  }
  try {
    status.nvrtc_version = nvrtc().version();
    status.nvrtc_path = nvrtc().path();
    status.nvrtc_found = true;
  } catch (const device::DeviceError&) {
    // nvrtc_found stays false; opening a device says why.
  }
  return status;
}

Status amd_status() {
  Status status;
  try {
    status.driver_version = supported_version(driver_api(Vendor::amd));
    status.driver_found = true;
    status.devices = count_devices(driver_api(Vendor::amd));
  } catch (const device::DeviceError& problem) {
    status.driver_problem = problem.what();
  }
  return status;
}

std::vector<DeviceProperties> cuda_devices() {
  std::vector<DeviceProperties> devices;
  const Status status = cuda_status();
  for (int index = 0; index < status.devices; ++index) {
    try {
      devices.push_back(read_properties(CudaContext(index), index));
      if (status.nvrtc_found) devices.back().compiler_version = "NVRTC " + status.nvrtc_version;
    } catch (const device::DeviceError&) {
      continue;
    }
  }
  return devices;
}

namespace {

constexpr unsigned block_size = 256;
constexpr std::size_t bytes_of_quad = 16;  // a uint4
constexpr std::size_t bytes_when_l2_is_unknown = std::size_t{64} << 20;

// The buffer holds zeros, so nothing is stored. The condition keeps the compiler from removing the reads.
const device::KernelSource read_all_source{"cache_eviction.cu", R"(
__global__ void read_all(uint4* buffer, unsigned long quads) {
  const unsigned long stride = (unsigned long)gridDim.x * blockDim.x;
  unsigned int seen = 0;
  for (unsigned long i = (unsigned long)blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += stride) {
    const uint4 quad = buffer[i];
    seen |= quad.x | quad.y | quad.z | quad.w;
  }
  if (seen != 0) buffer[0].x = 0;
}
)"};

Signature read_all_signature() {
  Signature signature;
  signature.types = {"uint4*", "unsigned long"};
  signature.sizes = {sizeof(device::DevicePointer), sizeof(unsigned long)};
  return signature;
}

std::size_t bytes_to_read(const DeviceProperties& properties) {
  return properties.l2_bytes ? 2 * properties.l2_bytes : bytes_when_l2_is_unknown;
}

}  // namespace

CacheEviction::CacheEviction(device::Device& device)
    : device_(device),
      module_(device.compile(read_all_source, {})),
      kernel_(module_->kernel("read_all", read_all_signature())),
      quads_(bytes_to_read(device.properties()) / bytes_of_quad) {
  config_.grid.x = device.resident_blocks(*kernel_, block_size, 0);
  config_.block.x = block_size;
  buffer_ = device::DeviceMemory(device, quads_ * bytes_of_quad);
}

void CacheEviction::run(device::Stream& stream) {
  if (!buffer_is_filled_) {
    device_.set(buffer_.address(), 0, quads_ * bytes_of_quad, stream);
    device_.synchronize(stream);  // other streams read it too
    buffer_is_filled_ = true;
  }
  device::DevicePointer buffer = buffer_.address();
  void* const arguments[] = {&buffer, &quads_};
  device_.launch(*kernel_, config_, arguments, stream);
}

int count_devices(const DriverApi& driver) {
  if (driver.vendor == Vendor::amd) {
    // Without a GPU both calls fail.
    int count = 0;
    const CUresult result =
        driver.init.attempt(0) == CUDA_SUCCESS ? driver.device_count.attempt(&count) : CUDA_ERROR_NO_DEVICE;
    if (result == CUDA_SUCCESS && count > 0) return count;
    throw device::DeviceError(driver.device_count.name(), driver.name_of(result),
                              "this machine has no AMD GPU that HIP can use");
  }
  driver.init(0);
  int count = 0;
  driver.device_count(&count);
  return count;
}

CudaContext::CudaContext(int index, Vendor vendor) : driver_(driver_api(vendor)) {
  const int count = count_devices(driver_);
  if (count == 0)
    throw device::DeviceError("cuDeviceGetCount", "CUDA_ERROR_NO_DEVICE", "this machine offers no GPU");
  if (index < 0 || index >= count)
    throw device::DeviceError(driver_.device_at.name(), driver_.name_of(CUDA_ERROR_INVALID_DEVICE),
                              fmt::format("there is no GPU {}, only 0 to {}", index, count - 1));
  driver_.device_at(&device_, index);
  driver_.retain_context(&context_, device_);
}

CudaContext::~CudaContext() {
  driver_.release_context.attempt(device_);
}

const DriverApi& CudaContext::enter() const noexcept {
  driver_.set_current_context.attempt(context_);
  return driver_;
}

CudaStream::CudaStream(std::shared_ptr<const CudaContext> context) : context_(std::move(context)) {
  context_->enter().create_stream(&stream_, CU_STREAM_NON_BLOCKING);
}

CudaStream::~CudaStream() {
  context_->enter().destroy_stream.attempt(stream_);
}

CudaEvent::CudaEvent(std::shared_ptr<const CudaContext> context) : context_(std::move(context)) {
  context_->enter().create_event(&event_, CU_EVENT_DEFAULT);
}

CudaEvent::~CudaEvent() {
  context_->enter().destroy_event.attempt(event_);
}

// Instantiates the graph. While the thread captures another device's stream too, calls that could wait for
// that stream are forbidden. This call cannot wait, so relaxed mode allows it.
CudaGraph::CudaGraph(std::shared_ptr<const CudaContext> context, CUstream stream)
    : context_(std::move(context)) {
  const DriverApi& driver = context_->enter();
  CUgraph captured = nullptr;
  driver.end_capture(stream, &captured);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  driver.exchange_capture_mode.attempt(&mode);
  const CUresult result = driver.instantiate_graph.attempt(&executable_, captured, 0);
  driver.exchange_capture_mode.attempt(&mode);
  driver.destroy_graph.attempt(captured);
  if (result != CUDA_SUCCESS) driver.instantiate_graph.fail(result);
}

CudaGraph::~CudaGraph() {
  context_->enter().destroy_graph_exec.attempt(executable_);
}

device::KernelAttributes CudaKernel::attributes() const {
  const DriverApi& driver = context_->enter();
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    driver.function_attribute(&value, which, function_);
    return value;
  };
  return {.registers_per_thread = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS),
          .local_bytes_per_thread = static_cast<std::size_t>(attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)),
          .spill_store_bytes = reported_.spill_store_bytes,
          .spill_load_bytes = reported_.spill_load_bytes,
          .static_shared_bytes = static_cast<std::size_t>(attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)),
          .constant_bytes = reported_.constant_bytes,
          .max_threads_per_block = static_cast<unsigned>(attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK))};
}

void CudaKernel::allow_dynamic_shared(std::size_t dynamic_bytes, const DeviceProperties& device) const {
  if (context_->driver().vendor == Vendor::amd) return;  // allows all that a block can have
  if (dynamic_bytes <= allowed_dynamic_bytes_) return;   // allowed before, or none asked for
  const DriverApi& driver = context_->enter();
  int static_bytes = 0;
  driver.function_attribute(&static_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function_);
  const std::size_t bytes = static_cast<std::size_t>(static_bytes) + dynamic_bytes;
  if (bytes > device.shared_bytes_per_block_optin) return;
  allowed_dynamic_bytes_ = dynamic_bytes;
  if (bytes <= device.shared_bytes_per_block) return;
  driver.set_function_attribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                static_cast<int>(dynamic_bytes));
}

CudaModule::CudaModule(std::shared_ptr<const CudaContext> context, std::string file, CachedCubin cubin)
    : context_(std::move(context)), file_(std::move(file)), cubin_(std::move(cubin)) {
  const DriverApi& driver = context_->enter();
  const CUresult result = driver.load_module.attempt(&module_, cubin_.code.c_str());
  if (result == CUDA_SUCCESS) return;
  const std::string compiler =
      driver.vendor == Vendor::amd
          ? "hipRTC of HIP " + hip::hiprtc().version
          : fmt::format(
                "NVRTC {}, the driver supports CUDA {}: if that is older, set CUDA_HOME to an older CUDA Toolkit",
                nvrtc().version(), supported_version(driver));
  driver.load_module.fail(result, fmt::format(" ({} was compiled by {})", file_, compiler));
}

CudaModule::~CudaModule() {
  context_->enter().unload_module.attempt(module_);
}

std::unique_ptr<device::Kernel> CudaModule::kernel(const std::string& name, const Signature& signature) {
  const std::string symbol =
      device::find_kernel_symbol(device::elf_symbols(cubin_.code), file_, name, signature);
  CUfunction function = nullptr;
  context_->enter().module_function(&function, module_, symbol.c_str());
  return std::make_unique<CudaKernel>(
      context_, function, compiled_attributes(cubin_, symbol).value_or(device::KernelAttributes{}));
}

device::DeviceSymbol CudaModule::symbol(const std::string& name) {
  const device::ElfSymbol variable = device::find_variable(device::elf_symbols(cubin_.code), file_, name);
  device::DeviceSymbol symbol;
  CUdeviceptr address = 0;
  context_->enter().module_variable(&address, &symbol.bytes, module_, variable.name.c_str());
  symbol.address = address;
  return symbol;
}

std::vector<device::DeviceSymbol> CudaModule::writable_variables() {
  std::vector<device::DeviceSymbol> variables;
  for (const device::ElfSymbol& variable : device::writable_variables(device::elf_symbols(cubin_.code))) {
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    // ptxas adds variables that the driver does not know.
    if (context_->enter().module_variable.attempt(&address, &bytes, module_, variable.name.c_str()) ==
        CUDA_SUCCESS)
      variables.push_back({.address = address, .bytes = bytes});
  }
  return variables;
}

}  // namespace gpulab::cuda
