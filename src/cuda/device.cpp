#include "cuda/device.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>

#include "base/descriptor.hpp"
#include "cuda/driver_api.hpp"
#include "cuda/nccl.hpp"
#include "cuda/nvrtc.hpp"
#include "cuda/properties.hpp"
#include "device/host.hpp"
#include "device/libraries.hpp"
#include "hip/hiprtc.hpp"

namespace gpulab::cuda {
namespace {

// These casts are safe: a device is only given streams, events and kernels that it made.
CUstream handle_of(device::Stream& stream) {
  return static_cast<CudaStream&>(stream).handle();
}
CUevent handle_of(device::Event& event) {
  return static_cast<CudaEvent&>(event).handle();
}
const CudaKernel& cuda_kernel(const device::Kernel& kernel) {
  return static_cast<const CudaKernel&>(kernel);
}

std::string why_refused(const LaunchConfig& config, const device::KernelAttributes& kernel,
                        const DeviceProperties& device, const std::string& driver_text) {
  const std::size_t max_shared_bytes =
      std::max(device.shared_bytes_per_block, device.shared_bytes_per_block_optin);
  if (const auto broken = device::broken_launch_limit(config, kernel.static_shared_bytes, max_shared_bytes))
    return broken->text;
  if (config.block.volume() > kernel.max_threads_per_block)
    return fmt::format(
        "a block of this kernel has at most {} threads, not {}: each thread takes {} registers",
        kernel.max_threads_per_block, config.block.volume(), kernel.registers_per_thread);
  return driver_text;
}

// Waits up to the time limit; the driver itself would wait for ever.
void wait_until_done(const DriverApi& driver, CUstream stream) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds busy_wait(2);
  const Clock::time_point start = Clock::now();
  const std::chrono::duration<double> limit(device::time_limit());
  while (driver.query_stream.attempt(stream) == CUDA_ERROR_NOT_READY) {
    const auto waited = Clock::now() - start;
    const bool is_long = waited >= std::chrono::duration<double>(seconds_between_stop_requests);
    if (waited >= limit || (is_long && must_kernel_stop())) {
      const std::string name = driver.name_of(CUDA_ERROR_LAUNCH_TIMEOUT);
      abandon_driver();
      throw device::DeviceError(
          driver.synchronize_stream.name(), name,
          device::seconds_text(limit.count()) +
              " after its launch the kernel still runs: look for an infinite loop, or threads that wait for each other (GPULAB_TIME_LIMIT sets another limit)",
          {.kind = DefectKind::time_limit});
    }
    if (waited >= busy_wait) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

// GPU of NVIDIA, or of AMD: HIP has the calls of the driver under other names (Vendor).
class CudaDevice : public device::Device {
 public:
  CudaDevice(int index, device::CompileCache& cache, Vendor vendor)
      : context_(std::make_shared<CudaContext>(index, vendor)),
        cache_(cache),
        properties_(read_properties(*context_, index)) {
    properties_.compiler_version =
        is_amd() ? "hipRTC of HIP " + hip::hiprtc().version : "NVRTC " + nvrtc().version();
    // Persisting L2 lines of an earlier program would not be evicted. Old GPUs have none and report an error.
    context_->enter().reset_persisting_l2.attempt();
  }

  const DeviceProperties& properties() const override { return properties_; }

  std::unique_ptr<device::Module> compile(const device::KernelSource& source,
                                          const device::CompileOptions& options) override {
    if (is_amd()) {
      const std::string gpu = amd_architecture(context_->enter(), properties_.index);
      return std::make_unique<CudaModule>(context_, source.name,
                                          CachedCubin{.code = hip::code_object(source, gpu, cache_)});
    }
    const std::string architecture = properties_.architecture() + (options.architecture_specific ? "a" : "");
    return std::make_unique<CudaModule>(context_, source.name, cached_cubin(source, architecture, cache_));
  }

  unsigned resident_blocks(const device::Kernel& kernel, unsigned block_size,
                           std::size_t dynamic_shared_bytes) override {
    cuda_kernel(kernel).allow_dynamic_shared(dynamic_shared_bytes, properties_);
    int blocks = 0;
    context_->enter().occupancy(&blocks, cuda_kernel(kernel).handle(), static_cast<int>(block_size),
                                dynamic_shared_bytes);
    return static_cast<unsigned>(blocks * properties_.multiprocessors);
  }

  device::DevicePointer allocate(std::size_t bytes) override {
    if (bytes == 0) return 0;
    CUdeviceptr address = 0;
    const DriverApi& driver = context_->enter();
    const CUresult result = driver.allocate.attempt(&address, bytes);
    if (result == CUDA_SUCCESS) return address;
    std::size_t free_bytes = 0, all_bytes = 0;
    driver.memory_info.attempt(&free_bytes, &all_bytes);
    driver.allocate.fail(result, fmt::format(" ({} bytes asked for, {} free)", bytes, free_bytes));
  }

  void free(device::DevicePointer pointer) noexcept override { context_->enter().free.attempt(pointer); }

  void pin(std::span<std::byte> host) override {
    if (!host.empty()) context_->enter().register_host(host.data(), host.size(), 0);
  }

  void unpin(std::span<std::byte> host) noexcept override {
    if (!host.empty()) context_->enter().unregister_host.attempt(host.data());
  }

  std::unique_ptr<device::Stream> create_stream() override { return std::make_unique<CudaStream>(context_); }

  void synchronize(device::Stream& stream) override {
    const DriverApi& driver = context_->enter();
    wait_until_done(driver, handle_of(stream));
    driver.synchronize_stream(handle_of(stream));
  }

  void copy_to_device(device::DevicePointer to, std::span<const std::byte> from,
                      device::Stream& stream) override {
    if (!from.empty()) context_->enter().copy_to_device(to, from.data(), from.size(), handle_of(stream));
  }

  void copy_to_host(std::span<std::byte> to, device::DevicePointer from, device::Stream& stream) override {
    if (!to.empty()) context_->enter().copy_to_host(to.data(), from, to.size(), handle_of(stream));
  }

  void copy_within(device::DevicePointer to, device::DevicePointer from, std::size_t bytes,
                   device::Stream& stream) override {
    if (bytes > 0) context_->enter().copy_within(to, from, bytes, handle_of(stream));
  }

  void set(device::DevicePointer to, unsigned char value, std::size_t bytes,
           device::Stream& stream) override {
    if (bytes > 0) context_->enter().set_bytes(to, value, bytes, handle_of(stream));
  }

  void launch(const device::Kernel& kernel, const LaunchConfig& config, void* const* arguments,
              device::Stream& stream) override;

  std::unique_ptr<device::Event> create_event() override { return std::make_unique<CudaEvent>(context_); }

  void record(device::Event& event, device::Stream& stream) override {
    context_->enter().record_event(handle_of(event), handle_of(stream));
  }

  void wait(device::Stream& stream, device::Event& event) override {
    context_->enter().wait_for_event(handle_of(stream), handle_of(event), CU_EVENT_WAIT_DEFAULT);
  }

  double elapsed(device::Event& start, device::Event& stop) override {
    float milliseconds = 0;
    context_->enter().elapsed_time(&milliseconds, handle_of(start), handle_of(stop));
    return milliseconds * 1e-3;
  }

  // Several AMD GPUs would need other calls: HIP's copies between them take numbers, not contexts.
  int device_count() const override { return is_amd() ? 1 : count_devices(context_->driver()); }

  // Opens the GPU of a rank: ranks take the GPUs in turn, from this one on.
  std::unique_ptr<device::Device> open_peer(int rank) override {
    const int count = device_count();
    if (rank >= count)
      throw device::DeviceError("cuDeviceGet", "CUDA_ERROR_INVALID_DEVICE",
                                fmt::format("there is no GPU for rank {}: this machine has {}{}", rank, count,
                                            count == 1 ? " GPU" : " GPUs"));
    return open_cuda_device((properties_.index + rank) % count, cache_);
  }
  std::unique_ptr<device::Communicator> connect(const device::Membership& membership) override {
    return is_amd() ? nullptr : connect_by_nccl(membership);
  }

  bool can_reach(const device::Device& peer) const override;
  void enable_peer_access(device::Device& peer) override;
  void copy_to_peer(device::Device& peer, device::DevicePointer to, device::DevicePointer from,
                    std::size_t bytes, device::Stream& stream) override {
    if (bytes == 0) return;
    const CUcontext peer_context = context_of(peer)->handle();
    context_->enter().copy_to_peer(to, peer_context, from, context_->handle(), bytes, handle_of(stream));
  }

  // Other threads, such as NCCL's, may allocate meanwhile; only this one must not make calls that wait.
  bool begin_capture(device::Stream& stream) override {
    context_->enter().begin_capture(handle_of(stream), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    return true;
  }

  std::unique_ptr<device::Graph> end_capture(device::Stream& stream) override {
    return std::make_unique<CudaGraph>(context_, handle_of(stream));
  }

  void launch(device::Graph& graph, device::Stream& stream) override {
    context_->enter().launch_graph(static_cast<CudaGraph&>(graph).handle(), handle_of(stream));
  }

  bool offers(const std::string& library_call) override {
    return !is_amd() && device::find_yardstick(library_call) != nullptr;
  }

  std::unique_ptr<device::LibraryCall> prepare(const std::string& library_call, const Signature& signature,
                                               void* const* arguments, device::Stream& stream) override {
    const GpulabYardstick* yardstick = device::find_yardstick(library_call);
    if (!yardstick) return device::Device::prepare(library_call, signature, arguments, stream);
    if (signature.text() != yardstick->signature)
      throw std::logic_error(
          fmt::format("{} takes {}, not {}", library_call, yardstick->signature, signature.text()));
    return std::make_unique<YardstickCall>(*yardstick, context_, arguments, handle_of(stream));
  }

  std::optional<double> current_clock_hz() override {
    const std::string bus_id = pci_bus_id();
    return nvml() && !bus_id.empty() ? nvml()->clock_hz(bus_id) : std::nullopt;
  }

  std::optional<double> energy_j() override {
    const std::string bus_id = pci_bus_id();
    return nvml() && !bus_id.empty() ? nvml()->energy_j(bus_id) : std::nullopt;
  }

  void evict_caches(device::Stream& stream) override {
    if (!eviction_) eviction_.emplace(*this);
    eviction_->run(stream);
  }

  const std::shared_ptr<const CudaContext>& context() const { return context_; }
  bool is_amd() const { return context_->driver().vendor == Vendor::amd; }

 private:
  // Returns the device's id for NVML; empty if the driver does not report it.
  std::string pci_bus_id() const {
    char id[32] = "";
    return context_->enter().pci_bus_id.attempt(id, sizeof id, context_->device()) == CUDA_SUCCESS ? id : "";
  }

  std::shared_ptr<const CudaContext> context_;
  device::CompileCache& cache_;
  DeviceProperties properties_;
  // The last member, so that it is destroyed first: it frees its buffer through the device.
  std::optional<CacheEviction> eviction_;
};

// Two devices that were opened on one GPU share its memory anyway.
bool CudaDevice::can_reach(const device::Device& peer) const {
  const auto* const gpu = dynamic_cast<const CudaDevice*>(&peer);
  if (!gpu) return false;
  if (gpu->context_->device() == context_->device()) return true;
  int reaches = 0;
  context_->enter().can_access_peer(&reaches, context_->device(), gpu->context_->device());
  return reaches != 0;
}

void CudaDevice::enable_peer_access(device::Device& peer) {
  const CudaContext& peer_context = *context_of(peer);
  if (peer_context.device() == context_->device()) return;
  const DriverApi& driver = context_->enter();
  const CUresult result = driver.enable_peer_access.attempt(peer_context.handle(), 0);
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) return;
  driver.enable_peer_access.fail(
      result, fmt::format(" (from GPU {} to GPU {}; gpulab doctor shows which GPUs reach each other)",
                          properties_.index, peer.properties().index));
}

void CudaDevice::launch(const device::Kernel& kernel, const LaunchConfig& config, void* const* arguments,
                        device::Stream& stream) {
  const Extent &grid = config.grid, &block = config.block;
  cuda_kernel(kernel).allow_dynamic_shared(config.dynamic_shared_bytes, properties_);
  const auto attempt = [&](const auto& call, auto... more) {
    return call.attempt(cuda_kernel(kernel).handle(), grid.x, grid.y, grid.z, block.x, block.y, block.z,
                        static_cast<unsigned>(config.dynamic_shared_bytes), handle_of(stream),
                        const_cast<void**>(arguments), more...);
  };
  const auto& driver = context_->enter();
  const CUresult result = config.cooperative ? attempt(driver.launch_cooperative)
                                             : attempt(driver.launch, /*extra=*/static_cast<void**>(nullptr));
  if (result == CUDA_SUCCESS) return;
  const std::string call = config.cooperative ? driver.launch_cooperative.name() : driver.launch.name();
  const std::string name = driver.name_of(result), driver_text = driver.text_of(result);
  if (result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
    throw device::LaunchError(
        call, name,
        fmt::format(
            "blocks that wait for each other all have to run at once: this GPU holds {} of this kernel, not {}",
            resident_blocks(kernel, static_cast<unsigned>(block.volume()), config.dynamic_shared_bytes),
            grid.volume()));
  if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
    throw device::LaunchError(call, name, why_refused(config, kernel.attributes(), properties_, driver_text));
  // Any other error comes from work that was queued before.
  throw device::DeviceError(call, name, driver_text);
}

}  // namespace

std::unique_ptr<device::Device> open_cuda_device(int index, device::CompileCache& cache) {
  return std::make_unique<CudaDevice>(index, cache, Vendor::nvidia);
}

std::unique_ptr<device::Device> open_amd_device(int index, device::CompileCache& cache) {
  return std::make_unique<CudaDevice>(index, cache, Vendor::amd);
}

const std::shared_ptr<const CudaContext>& context_of(const device::Device& device) {
  if (const auto* const gpu = dynamic_cast<const CudaDevice*>(&device)) return gpu->context();
  throw device::DeviceError("looking for a GPU", "CUDA_ERROR_INVALID_DEVICE",
                            device.properties().name + " is not a GPU");
}

YardstickCall::YardstickCall(const GpulabYardstick& yardstick, std::shared_ptr<const CudaContext> context,
                             void* const* arguments, CUstream stream)
    : yardstick_(yardstick), context_(std::move(context)) {
  context_->enter();
  const char* error = nullptr;
  prepared_ = yardstick_.prepare(arguments, stream, &error);
  if (!prepared_) throw device::LibraryRefusal(ExitCode::device, error ? error : "it gives no reason");
}

YardstickCall::~YardstickCall() {
  context_->enter();
  yardstick_.release(prepared_);
}

void YardstickCall::reset(device::Stream& stream) {
  context_->enter();
  if (const char* error = yardstick_.reset(prepared_, static_cast<CudaStream&>(stream).handle()))
    throw device::DeviceError(yardstick_.name, "CUDA_ERROR_UNKNOWN", error);
}

void YardstickCall::enqueue(device::Stream& stream) {
  context_->enter();
  if (const char* error = yardstick_.enqueue(prepared_, static_cast<CudaStream&>(stream).handle()))
    throw device::DeviceError(yardstick_.name, "CUDA_ERROR_UNKNOWN", error);
}

}  // namespace gpulab::cuda
