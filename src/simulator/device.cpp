#include "simulator/device.hpp"

#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <cstring>
#include <ctime>

#include "device/host.hpp"
#include "simulator/compile/compiler.hpp"
#include "simulator/compile/module.hpp"
#include "simulator/machine.hpp"

namespace gpulab::simulator {
namespace {

class SimulatorDevice : public device::Device, public device::Instruments {
 public:
  // A function that returns the module maker of the device with that index.
  using MakerOfDevice = std::function<ModuleMaker(int index)>;

  SimulatorDevice(std::shared_ptr<Machine> machine, int index, MakerOfDevice maker_of, std::string compiler,
                  WarpSize warp_size = {})
      : machine_(std::move(machine)),
        maker_of_(std::move(maker_of)),
        make_module_(maker_of_(index)),
        properties_(simulator_properties(warp_size)) {
    machine_->add_device(index);
    properties_.index = index;
    properties_.compiler_version = std::move(compiler);
  }

  const DeviceProperties& properties() const override { return properties_; }

  std::unique_ptr<device::Module> compile(const device::KernelSource& source,
                                          const device::CompileOptions& options) override {
    return make_module_(source, options.instrumentation);
  }

  unsigned resident_blocks(const device::Kernel& kernel, unsigned,
                           std::size_t dynamic_shared_bytes) override {
    const std::size_t shared_bytes = kernel.attributes().static_shared_bytes + dynamic_shared_bytes;
    if (shared_bytes > machine_->max_shared_bytes) return 0;
    // A kernel with this much dynamic shared memory may be persistent, with blocks that wait for each other.
    if (dynamic_shared_bytes > 0 && shared_bytes > schedule::simulated_shared_bytes / 2)
      return blocks_at_once(kernel);
    // Results and counts must not depend on the number of CPUs.
    if (machine_->in_order || is_checked(kernel) || is_counted(kernel)) return small_gpu_blocks;
    // A worker runs one block at a time; more blocks than workers balance the load.
    return 4 * machine_->workers();
  }

  device::DevicePointer allocate(std::size_t bytes) override {
    return machine_->allocate(bytes, properties_.index);
  }
  void free(device::DevicePointer pointer) noexcept override { machine_->free(pointer); }

  void pin(std::span<std::byte>) override {}
  void unpin(std::span<std::byte>) noexcept override {}

  std::unique_ptr<device::Stream> create_stream() override {
    return std::make_unique<SimulatedStream>(machine_->order());
  }
  void synchronize(device::Stream& stream) override { of(stream).drain(); }

  void copy_to_device(device::DevicePointer to, std::span<const std::byte> from,
                      device::Stream& stream) override {
    require_access(to, "cuMemcpyHtoDAsync");
    of(stream).put([=, this](const StreamOp& op) {
      begin_work(op, "copy from the host", {reads(from.data(), from.size()), writes(to, from.size())});
      machine_->copy(to, from.data(), from.size());
    });
  }
  void copy_to_host(std::span<std::byte> to, device::DevicePointer from, device::Stream& stream) override {
    require_access(from, "cuMemcpyDtoHAsync");
    of(stream).put([=, this](const StreamOp& op) {
      begin_work(op, "copy to the host",
                 {reads(at(from), to.size()), writes(address_of(to.data()), to.size())});
      std::memcpy(to.data(), at(from), to.size());
    });
  }
  void copy_within(device::DevicePointer to, device::DevicePointer from, std::size_t bytes,
                   device::Stream& stream) override {
    require_access(to, "cuMemcpyDtoDAsync");
    require_access(from, "cuMemcpyDtoDAsync");
    copy_between_devices(to, from, bytes, stream);
  }
  void set(device::DevicePointer to, unsigned char value, std::size_t bytes,
           device::Stream& stream) override {
    require_access(to, "cuMemsetD8Async");
    of(stream).put([=, this](const StreamOp& op) {
      begin_work(op, "memset", {writes(to, bytes)});
      machine_->set(to, value, bytes);
    });
  }

  int device_count() const override { return 4; }  // by default; more must be requested
  std::unique_ptr<device::Device> open_peer(int index) override {
    constexpr int max_devices = 64;
    const int peer = properties_.index + index;
    if (peer >= max_devices)
      throw device::DeviceError("opening simulated GPU " + std::to_string(peer), "CUDA_ERROR_INVALID_DEVICE",
                                "one process simulates at most " + std::to_string(max_devices));
    return std::make_unique<SimulatorDevice>(machine_, peer, maker_of_, properties_.compiler_version,
                                             WarpSize(properties_.warp_size));
  }
  std::unique_ptr<device::Communicator> connect(const device::Membership& membership) override {
    return membership.is_one_process() ? simulator::connect(membership.devices) : nullptr;
  }

  bool can_reach(const device::Device& peer) const override { return shares_machine_with(peer); }
  void enable_peer_access(device::Device& peer) override {
    if (!shares_machine_with(peer)) return Device::enable_peer_access(peer);
    machine_->enable_peer_access(properties_.index, peer.properties().index);
  }
  void copy_to_peer(device::Device& peer, device::DevicePointer to, device::DevicePointer from,
                    std::size_t bytes, device::Stream& stream) override {
    if (!shares_machine_with(peer)) return Device::copy_to_peer(peer, to, from, bytes, stream);
    copy_between_devices(to, from, bytes, stream);
  }

  void mark_uninitialised(device::DevicePointer from, std::size_t bytes, device::Stream& stream) override {
    of(stream).put([=, this](const StreamOp&) { checked().memory().mark_uninitialised({from, bytes}); });
  }
  void mark_guard(device::DevicePointer from, std::size_t bytes, device::Stream& stream) override {
    of(stream).put([=, this](const StreamOp&) { checked().memory().mark_guard({from, bytes}); });
  }

  void launch(const device::Kernel& kernel, const LaunchConfig& config, void* const* arguments,
              device::Stream& stream) override {
    const auto& simulated = dynamic_cast<const compile::SimulatedKernel&>(kernel);
    machine_->notes.insert(simulated.notes.begin(), simulated.notes.end());
    if (const auto broken = device::broken_launch_limit(config, simulated.attributes().static_shared_bytes,
                                                        machine_->max_shared_bytes))
      throw device::LaunchError("cuLaunchKernel", "CUDA_ERROR_INVALID_VALUE", broken->text);
    if (config.cooperative) require_residency(config);
    const auto queued = queued_launch(simulated, config, arguments);
    queued->launch.device = properties_.index;
    if (simulated.instrumentation == device::Instrumentation::checked)
      queued->watch_token = checked().watch_token();
    of(stream).put([this, queued](const StreamOp& op) { machine_->run(*queued, op); });
  }

  std::unique_ptr<device::Event> create_event() override { return std::make_unique<SimulatedEvent>(); }
  void record(device::Event& event, device::Stream& stream) override { of(stream).record(of(event)); }
  void wait(device::Stream& stream, device::Event& event) override { of(stream).wait(of(event)); }
  double elapsed(device::Event& start, device::Event& stop) override {
    const auto& from = of(start).latest;
    const auto& to = of(stop).latest;
    if (!from || !to || !from->has_happened || !to->has_happened)
      throw device::DeviceError("cuEventElapsedTime", "CUDA_ERROR_NOT_READY",
                                "an event has not happened yet");
    return std::chrono::duration<double>(to->happened_at - from->happened_at).count();
  }

  void evict_caches(device::Stream&) override {}

  device::Instruments* instruments() override { return this; }

  std::vector<std::string> take_notes() override {
    const std::set<std::string> notes = std::exchange(machine_->notes, {});
    return {notes.begin(), notes.end()};
  }

  AccessCounts take_access_counts() override { return std::exchange(machine_->access_counts, {}); }
  std::string take_output() override { return std::exchange(machine_->output, {}); }
  std::vector<Defect> take_defects() override { return checked().take_defects(); }
  std::vector<device::PeerTraffic> take_peer_traffic() override { return machine_->take_peer_traffic(); }
  std::uint64_t take_fiber_switches() override { return std::exchange(machine_->fiber_switches, 0); }
  int line_of_store(device::DevicePointer element) override { return checked().line_of_store(element); }
  device::LaunchWork take_work() override {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    const double cpu_s = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    return {std::exchange(machine_->steps, 0), cpu_s - std::exchange(cpu_s_, cpu_s)};
  }
  void begin_run(const device::ThreadOrder& order) override {
    machine_->thread_order = order;
    machine_->clear_heap();
  }
  void set_in_order(bool in_order) override { machine_->in_order = in_order; }
  void set_sampled_accesses(std::uint64_t accesses) override { machine_->sampled_accesses = accesses; }
  void set_max_accesses(std::size_t accesses) override { checked().set_max_accesses(accesses); }

 private:
  static constexpr unsigned small_gpu_blocks = 8;  // resident at once, whatever this machine has
  static bool is_checked(const device::Kernel& kernel) {
    return static_cast<const compile::SimulatedKernel&>(kernel).instrumentation ==
           device::Instrumentation::checked;
  }
  static bool is_counted(const device::Kernel& kernel) {
    return static_cast<const compile::SimulatedKernel&>(kernel).instrumentation ==
           device::Instrumentation::counted;
  }

  // Returns the number of blocks that can wait for each other. A checked launch switches between its blocks.
  // Otherwise a worker runs a block to its end, and a counted or ordered launch has one worker.
  unsigned blocks_at_once(const device::Kernel& kernel) const {
    if (is_checked(kernel)) return small_gpu_blocks;
    return machine_->in_order || is_counted(kernel) ? 1 : machine_->workers();
  }
  static void require_residency(const LaunchConfig& config) {
    const std::size_t max_blocks = schedule::WorkerPool::most_resident_blocks(config.block.volume());
    if (config.grid.volume() <= max_blocks) return;
    throw device::LaunchError(
        "cuLaunchCooperativeKernel", "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
        fmt::format(
            "blocks that wait for each other all have to run at once: the simulated GPU holds {}, not {}",
            max_blocks, config.grid.volume()));
  }

  static SimulatedStream& of(device::Stream& stream) { return dynamic_cast<SimulatedStream&>(stream); }
  static SimulatedEvent& of(device::Event& event) { return dynamic_cast<SimulatedEvent&>(event); }
  static void* at(device::DevicePointer pointer) { return reinterpret_cast<void*>(pointer); }
  static device::DevicePointer address_of(const void* memory) {
    return reinterpret_cast<device::DevicePointer>(memory);
  }

  static watch::MemoryUse reads(const void* from, std::size_t bytes) {
    return {{address_of(from), bytes}, DefectAccess::load};
  }
  static watch::MemoryUse writes(device::DevicePointer to, std::size_t bytes) {
    return {{to, bytes}, DefectAccess::store};
  }
  void begin_work(const StreamOp& op, const std::string& what, std::vector<watch::MemoryUse> uses) {
    machine_->begin_work(op, machine_->name_of_work(properties_.index, what), std::move(uses));
  }

  watch::CheckedLaunches& checked() { return machine_->checked(); }

  bool shares_machine_with(const device::Device& peer) const {
    const auto* const simulated = dynamic_cast<const SimulatorDevice*>(&peer);
    return simulated && simulated != this && simulated->machine_ == machine_;
  }

  void require_access(device::DevicePointer address, const char* call) const {
    const int owner = machine_->owner_of(address).value_or(properties_.index);
    if (!machine_->can_access(properties_.index, owner))
      throw device::DeviceError(
          call, "CUDA_ERROR_INVALID_VALUE",
          fmt::format(
              "that is memory of GPU {}, which GPU {} may not access: cuCtxEnablePeerAccess comes first",
              owner, properties_.index));
  }

  void copy_between_devices(device::DevicePointer to, device::DevicePointer from, std::size_t bytes,
                            device::Stream& stream) {
    const int target = machine_->owner_of(to).value_or(properties_.index);
    const int source = machine_->owner_of(from).value_or(properties_.index);
    const std::string what = source == target              ? "copy"
                             : source == properties_.index ? "copy to GPU " + std::to_string(target)
                                                           : "copy from GPU " + std::to_string(source);
    of(stream).put([=, this](const StreamOp& op) {
      begin_work(op, what, {reads(at(from), bytes), writes(to, bytes)});
      machine_->copy(to, at(from), bytes);
      machine_->add_traffic({.from = source, .to = target, .copied = bytes});
    });
  }

  friend std::shared_ptr<Machine> simulator::machine_of(const device::Device& device);

  std::shared_ptr<Machine> machine_;
  MakerOfDevice maker_of_;
  ModuleMaker make_module_;
  DeviceProperties properties_;
  double cpu_s_ = 0;  // of this process, when its work was last taken
};

}  // namespace

std::shared_ptr<Machine> machine_of(const device::Device& device) {
  return dynamic_cast<const SimulatorDevice&>(device).machine_;
}

DeviceProperties simulator_properties(WarpSize warp_size) {
  struct sysinfo memory {};
  ::sysinfo(&memory);
  DeviceProperties properties;
  properties.kind = "simulator";
  properties.name = "simulated on the CPU, " + device::cpu_name();
  properties.warp_size = warp_size.lanes();
  if (properties.warp_size != 32)
    properties.name += ", warps of " + std::to_string(properties.warp_size) + " lanes";
  properties.multiprocessors = static_cast<int>(schedule::usable_cpus());
  properties.max_threads_per_block = max_threads_per_block;
  properties.max_threads_per_multiprocessor = max_threads_per_block;
  properties.shared_bytes_per_block = device::max_static_shared_bytes;
  properties.shared_bytes_per_block_optin = schedule::simulated_shared_bytes;
  properties.shared_bytes_per_multiprocessor = schedule::simulated_shared_bytes;
  properties.memory_bytes = memory.totalram * memory.mem_unit;
  properties.free_memory_bytes = device::free_host_memory_bytes();
  return properties;
}

std::unique_ptr<device::Device> open_simulator(device::CompileCache& cache, WarpSize warp_size) {
  const auto compiler = std::make_shared<compile::SimulatorCompiler>(cache, warp_size);
  const auto maker_of = [compiler](int index) -> ModuleMaker {
    using Load = compile::SimulatedModule::Load;
    return [compiler, load = index == 0 ? Load::original : Load::copy](
               const device::KernelSource& source, device::Instrumentation instrumentation) {
      return compiler->compile(source, instrumentation, load);
    };
  };
  return std::make_unique<SimulatorDevice>(std::make_shared<Machine>(), 0, maker_of, compiler->name(),
                                           warp_size);
}

std::unique_ptr<device::Device> open_simulator(ModuleMaker maker, WarpSize warp_size) {
  return std::make_unique<SimulatorDevice>(
      std::make_shared<Machine>(), 0, [maker](int) { return maker; }, "", warp_size);
}

}  // namespace gpulab::simulator
