#include "device/simulator/simulator_device.hpp"

#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <cstring>
#include <fstream>
#include <map>
#include <set>

#include "device/host_machine.hpp"
#include "device/launch_limits.hpp"
#include "device/simulator/compile/simulated_module.hpp"
#include "device/simulator/compile/simulator_compiler.hpp"
#include "device/simulator/count/access_lines.hpp"
#include "device/simulator/schedule/worker_pool.hpp"
#include "device/simulator/simulated_stream.hpp"

namespace gpulab {
namespace {

template <class T>
T* at(DevicePointer pointer) {
  return reinterpret_cast<T*>(pointer);
}

// On both sides of every allocation, so that a wild index faults instead of reaching somebody else's array.
constexpr std::size_t no_mans_land = std::size_t{64} << 20;

void unmap(DevicePointer pointer, std::size_t bytes) {
  ::munmap(at<char>(pointer) - no_mans_land, bytes + 2 * no_mans_land);
}

// What a launch needs after the call that asked for it has returned: its own copy of the arguments.
struct QueuedLaunch {
  SimulatedLaunch launch;
  std::vector<std::uint64_t> values;
  std::vector<std::size_t> sizes;
  std::vector<void*> arguments;
};

std::shared_ptr<QueuedLaunch> queued(const SimulatedKernel& kernel, const LaunchConfig& config,
                                     void* const* arguments) {
  auto queued = std::make_shared<QueuedLaunch>();
  const std::size_t count = kernel.argument_sizes.size();
  queued->values.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(&queued->values[i], arguments[i], kernel.argument_sizes[i]);
    queued->arguments.push_back(&queued->values[i]);
  }
  queued->sizes = kernel.argument_sizes;
  queued->launch = {kernel.call, kernel.function, queued->arguments.data(), &queued->sizes,
                    config,      kernel.shared,   kernel.schedule,          kernel.variables};
  queued->launch.shared.dynamic_bytes = config.dynamic_shared_bytes;
  return queued;
}

class SimulatorDevice : public Device {
 public:
  explicit SimulatorDevice(CompileCache& cache) : compiler_(cache), properties_(simulator_properties()) {
    properties_.compiler_version = compiler_.name();
  }
  ~SimulatorDevice() override {
    for (const auto& [address, bytes] : allocations_) unmap(address, bytes);
  }

  const DeviceProperties& properties() const override { return properties_; }

  std::unique_ptr<Module> compile(const KernelSource& source, const CompileOptions& options) override {
    return compiler_.compile(source, options.schedule);
  }

  unsigned resident_blocks(const Kernel&, unsigned, std::size_t) override {
    // A worker runs one block at a time; a few more blocks than workers even out the work.
    return 4 * workers_.workers();
  }

  DevicePointer allocate(std::size_t bytes) override {
    if (bytes > free_host_memory_bytes())
      throw DeviceError("cuMemAlloc", "CUDA_ERROR_OUT_OF_MEMORY",
                        std::to_string(bytes) + " bytes are more than this machine has free");
    void* reserved = ::mmap(nullptr, bytes + 2 * no_mans_land, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char* memory = static_cast<char*>(reserved) + no_mans_land;
    if (reserved == MAP_FAILED || ::mprotect(memory, bytes, PROT_READ | PROT_WRITE) != 0)
      throw DeviceError("cuMemAlloc", "CUDA_ERROR_OUT_OF_MEMORY", std::to_string(bytes) + " bytes");
    const auto pointer = reinterpret_cast<DevicePointer>(memory);
    allocations_[pointer] = bytes;
    return pointer;
  }

  void free(DevicePointer pointer) noexcept override {
    const auto found = allocations_.find(pointer);
    if (found == allocations_.end()) return;
    unmap(pointer, found->second);
    allocations_.erase(found);
  }

  void pin(std::span<std::byte>) override {}
  void unpin(std::span<std::byte>) noexcept override {}

  std::unique_ptr<Stream> create_stream() override { return std::make_unique<SimulatedStream>(); }
  void synchronize(Stream& stream) override { of(stream).drain(); }

  void copy_to_device(DevicePointer to, std::span<const std::byte> from, Stream& stream) override {
    of(stream).put([=] { std::memcpy(at<void>(to), from.data(), from.size()); });
  }
  void copy_to_host(std::span<std::byte> to, DevicePointer from, Stream& stream) override {
    of(stream).put([=] { std::memcpy(to.data(), at<void>(from), to.size()); });
  }
  void copy_within(DevicePointer to, DevicePointer from, std::size_t bytes, Stream& stream) override {
    of(stream).put([=] { std::memmove(at<void>(to), at<void>(from), bytes); });
  }
  void set(DevicePointer to, unsigned char value, std::size_t bytes, Stream& stream) override {
    of(stream).put([=] { std::memset(at<void>(to), value, bytes); });
  }

  void launch(const Kernel& kernel, const LaunchConfig& config, void* const* arguments,
              Stream& stream) override {
    const auto& simulated = dynamic_cast<const SimulatedKernel&>(kernel);
    const std::string broken = broken_launch_limit(config, simulated.attributes().static_shared_bytes,
                                                   properties_.shared_bytes_per_block_optin);
    if (!broken.empty()) throw LaunchError("cuLaunchKernel", "CUDA_ERROR_INVALID_VALUE", broken);
    of(stream).put([this, queued = queued(simulated, config, arguments)] { run(queued->launch); });
  }

  std::unique_ptr<Event> create_event() override { return std::make_unique<SimulatedEvent>(); }
  void record(Event& event, Stream& stream) override { of(stream).record(of(event)); }
  void wait(Stream& stream, Event& event) override { of(stream).wait(of(event)); }
  double elapsed(Event& start, Event& stop) override {
    const auto& from = of(start).latest;
    const auto& to = of(stop).latest;
    if (!from || !to || !from->has_happened || !to->has_happened)
      throw DeviceError("cuEventElapsedTime", "CUDA_ERROR_NOT_READY", "an event has not happened yet");
    return std::chrono::duration<double>(to->at - from->at).count();
  }

  void evict_caches(Stream&) override {}

  std::vector<std::string> take_notes() override {
    const std::set<std::string> notes = std::exchange(notes_, {});
    return {notes.begin(), notes.end()};
  }

  AccessCounts take_access_counts() override { return std::exchange(access_counts_, {}); }

 private:
  static SimulatedStream& of(Stream& stream) { return dynamic_cast<SimulatedStream&>(stream); }
  static SimulatedEvent& of(Event& event) { return dynamic_cast<SimulatedEvent&>(event); }

  void run(SimulatedLaunch& launch) {
    if (launch.schedule == Schedule::counted)
      for (const auto& [address, bytes] : allocations_) launch.global_memory.push_back({address, bytes});
    const WorkerPool::Outcome outcome = workers_.run(launch);
    for (const auto& [line, threads] : outcome.missed_barriers)
      notes_.insert(
          "not all threads of a block reached the barrier in line " + std::to_string(line) +
          ": others had returned or gone another way; CUDA does not define that, though hardware since "
          "Volta lets it pass");
    if (outcome.failure)
      throw DeviceError("cuStreamSynchronize", outcome.failure->name, outcome.failure->explanation);
    for (const LineAccesses& accesses : accesses_by_line(outcome.accesses).lines)
      access_counts_.add(accesses);
  }

  SimulatorCompiler compiler_;
  DeviceProperties properties_;
  WorkerPool workers_;
  std::map<DevicePointer, std::size_t> allocations_;
  std::set<std::string> notes_;
  AccessCounts access_counts_;
};

}  // namespace

DeviceProperties simulator_properties() {
  struct sysinfo memory {};
  ::sysinfo(&memory);
  DeviceProperties properties;
  properties.kind = "simulator";
  properties.name = "simulated on the CPU, " + cpu_name();
  properties.multiprocessors = static_cast<int>(usable_cpus());
  properties.max_threads_per_block = max_threads_per_block;
  properties.max_threads_per_multiprocessor = max_threads_per_block;
  properties.shared_bytes_per_block = max_static_shared_bytes;
  properties.shared_bytes_per_block_optin = simulated_shared_bytes;
  properties.shared_bytes_per_multiprocessor = simulated_shared_bytes;
  properties.memory_bytes = memory.totalram * memory.mem_unit;
  properties.free_memory_bytes = free_host_memory_bytes();
  return properties;
}

std::unique_ptr<Device> open_simulator(CompileCache& cache) {
  return std::make_unique<SimulatorDevice>(cache);
}

}  // namespace gpulab
