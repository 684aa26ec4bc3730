#include "cuda/driver_api.hpp"

#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "cuda/device.hpp"
#include "cuda/nvrtc.hpp"
#include "cuda/properties.hpp"
#include "device/symbols.hpp"

namespace gpulab::cuda {
namespace {

const DriverApi* open_driver() {
  try {
    // Never closed: threads of the driver run in it until the process ends.
    return new DriverApi;
  } catch (const std::runtime_error& problem) {
    throw device::DeviceError(
        "there is no NVIDIA driver on this machine (--device simulator needs none): opening it",
        "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", problem.what());
  }
}

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
  static const int is_registered = ::on_exit(end_at_once, nullptr);
  static_cast<void>(is_registered);
}

bool driver_is_abandoned() noexcept {
  return abandoned.load(std::memory_order_relaxed);
}

const DriverApi& driver_api() {
  static const DriverApi* const api = open_driver();
  return *api;
}

// The CUDA Toolkit's stub for linkers answers every call with this error, even a call for its name.
std::string error_name(CUresult result) {
  if (result == CUDA_ERROR_STUB_LIBRARY) return "CUDA_ERROR_STUB_LIBRARY";
  const char* name = nullptr;
  if (driver_api().error_name.attempt(result, &name) == CUDA_SUCCESS && name) return name;
  return "CUDA error " + std::to_string(result);
}

std::string error_text(CUresult result) {
  if (result == CUDA_ERROR_STUB_LIBRARY)
    return driver_api().library.path() +
           " is the CUDA Toolkit's stub, not a driver: take its folder out of " +
           "LD_LIBRARY_PATH, or use the simulator (--device simulator)";
  const char* text = nullptr;
  if (driver_api().error_string.attempt(result, &text) == CUDA_SUCCESS && text) return text;
  return "an error that this driver does not describe";
}

void throw_device_error(CUresult result, std::string exported_name) {
  if (exported_name.ends_with("_v2")) exported_name.resize(exported_name.size() - 3);
  throw device::DeviceError(exported_name, error_name(result), error_text(result));
}

Status cuda_status() {
  Status status;
  try {
    driver_api();
    status.driver_found = true;
    status.driver_version = installed_driver_version();
    status.devices = count_cuda_devices();
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

std::vector<DeviceProperties> cuda_devices() {
  std::vector<DeviceProperties> devices;
  const Status status = cuda_status();
  for (int index = 0; index < status.devices; ++index) {
    try {
      devices.push_back(read_cuda_properties(CudaContext(index), index));
      if (status.nvrtc_found) devices.back().compiler_version = "NVRTC " + status.nvrtc_version;
    } catch (const device::DeviceError&) {
      continue;
    }
  }
  return devices;
}

std::string compile_to_cubin(const device::KernelSource& source, const std::string& architecture) {
  return nvrtc().compile(source, architecture).code;
}

namespace {

constexpr unsigned block_size = 256;
constexpr std::size_t bytes_of_quad = 16;
constexpr std::size_t bytes_when_l2_is_unknown = std::size_t{64} << 20;

// The buffer holds zeros, so nothing is ever stored. The condition keeps the compiler from removing the
// reads.
const device::KernelSource source{"cache_eviction.cu", R"(
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

Signature signature() {
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
      module_(device.compile(source, {})),
      kernel_(module_->kernel("read_all", signature())),
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

int count_cuda_devices() {
  driver_api().init(0);
  int count = 0;
  driver_api().device_count(&count);
  return count;
}

CudaContext::CudaContext(int index) : driver_(driver_api()) {
  const int count = count_cuda_devices();
  if (count == 0)
    throw device::DeviceError("cuDeviceGetCount", "CUDA_ERROR_NO_DEVICE", "this machine offers no GPU");
  if (index < 0 || index >= count)
    throw device::DeviceError(
        "cuDeviceGet", "CUDA_ERROR_INVALID_DEVICE",
        "there is no GPU " + std::to_string(index) + ", only 0 to " + std::to_string(count - 1));
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

// Instantiates the graph. While the thread captures another device's stream too, calls that could wait for it
// are forbidden; this one cannot wait, so relaxed mode allows it.
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
  if (result != CUDA_SUCCESS) throw_device_error(result, "cuGraphInstantiateWithFlags");
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
  if (dynamic_bytes <= allowed_dynamic_bytes_) return;  // static shared memory has a fixed limit
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

CudaModule::CudaModule(std::shared_ptr<const CudaContext> context, std::string source, CachedCubin cubin)
    : context_(std::move(context)), source_(std::move(source)), cubin_(std::move(cubin)) {
  const CUresult result = context_->enter().load_module.attempt(&module_, cubin_.code.c_str());
  if (result != CUDA_SUCCESS)
    throw device::DeviceError("cuModuleLoad", error_name(result),
                              error_text(result) + " (" + source_ + " was compiled by NVRTC " +
                                  nvrtc().version() + ", the driver supports CUDA " +
                                  supported_cuda_version() +
                                  ": if that is older, set CUDA_HOME to an older CUDA Toolkit)");
}

CudaModule::~CudaModule() {
  context_->enter().unload_module.attempt(module_);
}

std::unique_ptr<device::Kernel> CudaModule::kernel(const std::string& name, const Signature& signature) {
  const std::string symbol =
      device::find_kernel_symbol(device::elf_symbols(cubin_.code), source_, name, signature);
  CUfunction function = nullptr;
  context_->enter().module_function(&function, module_, symbol.c_str());
  return std::make_unique<CudaKernel>(
      context_, function, compiled_attributes(cubin_, symbol).value_or(device::KernelAttributes{}));
}

device::DeviceSymbol CudaModule::symbol(const std::string& name) {
  const device::ElfSymbol variable = device::find_variable(device::elf_symbols(cubin_.code), source_, name);
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
    // The driver does not know what ptxas has added.
    if (context_->enter().module_variable.attempt(&address, &bytes, module_, variable.name.c_str()) ==
        CUDA_SUCCESS)
      variables.push_back({.address = address, .bytes = bytes});
  }
  return variables;
}

}  // namespace gpulab::cuda
