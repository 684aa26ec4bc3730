#include "simulator/device.hpp"

#include <sys/sysinfo.h>
#include <algorithm>
#include <cstring>
#include <set>

#include "device/host.hpp"
#include "device/launch_limits.hpp"
#include "simulator/check/checked_launches.hpp"
#include "simulator/compile/compiler.hpp"
#include "simulator/compile/module.hpp"
#include "simulator/count/access_recorder.hpp"
#include "simulator/memory.hpp"
#include "simulator/schedule/worker_pool.hpp"
#include "simulator/stream.hpp"

namespace gpulab::simulator {
namespace {

// A check of this many threads takes a tenth of a second.
bool is_large(const LaunchConfig& config) {
  constexpr std::size_t threads = std::size_t{1} << 19;
  return config.grid.volume() * config.block.volume() > threads;
}

template <class T>
T* at(device::DevicePointer pointer) {
  return reinterpret_cast<T*>(pointer);
}

class SimulatorDevice : public device::Device, public device::Instruments {
 public:
  SimulatorDevice(ModuleMaker maker, std::string compiler)
      : make_module_(std::move(maker)), properties_(simulator_properties()) {
    properties_.compiler_version = std::move(compiler);
  }

  const DeviceProperties& properties() const override { return properties_; }

  std::unique_ptr<device::Module> compile(const device::KernelSource& source,
                                          const device::CompileOptions& options) override {
    return make_module_(source, options.instrumentation);
  }

  unsigned resident_blocks(const device::Kernel& kernel, unsigned, std::size_t) override {
    // What is judged or counted must not depend on the machine that does it.
    constexpr unsigned of_a_small_gpu = 8;
    const device::Instrumentation instrumentation =
        static_cast<const compile::SimulatedKernel&>(kernel).instrumentation;
    if (in_order_ || instrumentation == device::Instrumentation::checked ||
        instrumentation == device::Instrumentation::counted)
      return of_a_small_gpu;
    // A worker runs one block at a time; a few more blocks than workers even out the work.
    return 4 * workers_.workers();
  }

  device::DevicePointer allocate(std::size_t bytes) override {
    const count::AddressRange allocation = memory_.allocate(bytes);
    checked_.memory().add(allocation);
    return allocation.begin;
  }

  void free(device::DevicePointer pointer) noexcept override {
    checked_.memory().remove(pointer);
    memory_.free(pointer);
  }

  void pin(std::span<std::byte>) override {}
  void unpin(std::span<std::byte>) noexcept override {}

  std::unique_ptr<device::Stream> create_stream() override { return std::make_unique<SimulatedStream>(); }
  void synchronize(device::Stream& stream) override { of(stream).drain(); }

  void copy_to_device(device::DevicePointer to, std::span<const std::byte> from,
                      device::Stream& stream) override {
    of(stream).put([=, this] {
      std::memcpy(at<void>(to), from.data(), from.size());
      checked_.memory().mark_written({to, from.size()});
    });
  }
  void copy_to_host(std::span<std::byte> to, device::DevicePointer from, device::Stream& stream) override {
    of(stream).put([=] { std::memcpy(to.data(), at<void>(from), to.size()); });
  }
  void copy_within(device::DevicePointer to, device::DevicePointer from, std::size_t bytes,
                   device::Stream& stream) override {
    of(stream).put([=, this] {
      std::memmove(at<void>(to), at<void>(from), bytes);
      checked_.memory().mark_written({to, bytes});
    });
  }
  void set(device::DevicePointer to, unsigned char value, std::size_t bytes,
           device::Stream& stream) override {
    of(stream).put([=, this] {
      std::memset(at<void>(to), value, bytes);
      checked_.memory().mark_written({to, bytes});
    });
  }
  void mark_uninitialised(device::DevicePointer from, std::size_t bytes, device::Stream& stream) override {
    of(stream).put([=, this] { checked_.memory().mark_uninitialised({from, bytes}); });
  }
  void mark_guard(device::DevicePointer from, std::size_t bytes, device::Stream& stream) override {
    of(stream).put([=, this] { checked_.memory().mark_guard({from, bytes}); });
  }

  void launch(const device::Kernel& kernel, const LaunchConfig& config, void* const* arguments,
              device::Stream& stream) override {
    const auto& simulated = dynamic_cast<const compile::SimulatedKernel&>(kernel);
    notes_.insert(simulated.notes.begin(), simulated.notes.end());
    if (config.cooperative)
      throw device::LaunchError(
          "cuLaunchCooperativeKernel", "CUDA_ERROR_NOT_SUPPORTED",
          "simulated blocks do not all run at once, so they cannot wait for each other");
    const std::string broken = device::broken_launch_limit(config, simulated.attributes().static_shared_bytes,
                                                           properties_.shared_bytes_per_block_optin);
    if (!broken.empty()) throw device::LaunchError("cuLaunchKernel", "CUDA_ERROR_INVALID_VALUE", broken);
    of(stream).put([this, queued = queued_launch(simulated, config, arguments)] { run(*queued); });
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
    return std::chrono::duration<double>(to->at - from->at).count();
  }

  void evict_caches(device::Stream&) override {}

  device::Instruments* instruments() override { return this; }

  std::vector<std::string> take_notes() override {
    const std::set<std::string> notes = std::exchange(notes_, {});
    return {notes.begin(), notes.end()};
  }

  AccessCounts take_access_counts() override { return std::exchange(access_counts_, {}); }
  std::string take_output() override { return std::exchange(output_, {}); }
  std::vector<Defect> take_defects() override { return checked_.take_defects(); }
  std::uint64_t take_fiber_switches() override { return std::exchange(fiber_switches_, 0); }
  void set_order(const device::ThreadOrder& order) override { order_ = order; }
  void set_in_order(bool in_order) override { in_order_ = in_order; }
  void set_max_accesses(std::size_t accesses) override { checked_.set_max_accesses(accesses); }

 private:
  static SimulatedStream& of(device::Stream& stream) { return dynamic_cast<SimulatedStream&>(stream); }
  static SimulatedEvent& of(device::Event& event) { return dynamic_cast<SimulatedEvent&>(event); }

  void run(QueuedLaunch& queued) {
    schedule::SimulatedLaunch& launch = queued.launch;
    launch.order = order_;
    launch.in_order = in_order_;
    launch.heap = &heap_;
    if (launch.instrumentation == device::Instrumentation::checked) return run_checked(queued);
    if (launch.instrumentation == device::Instrumentation::counted) {
      launch.global_memory = memory_.allocations();
      for (const schedule::ModuleVariable& variable : queued.variables)
        if (!variable.is_constant) launch.global_memory.push_back(variable.range);
    }
    const schedule::WorkerPool::Outcome outcome = workers_.run(launch);
    fiber_switches_ += outcome.fiber_switches;
    checked_.memory().mark_all_written();
    for (const auto& [line, threads] : outcome.missed_barriers)
      notes_.insert("not all threads of a block reached the barrier in line " + std::to_string(line) +
                    ": others had returned or taken another path; CUDA does not define this, although GPUs "
                    "since Volta accept it");
    if (outcome.failure)
      throw device::DeviceError("cuStreamSynchronize", outcome.failure->name, outcome.failure->explanation,
                                outcome.failure->failure);
    for (const LineAccesses& accesses : count::accesses_by_line(outcome.accesses).lines)
      access_counts_.add(accesses);
  }

  // What is found must not depend on timing, so blocks go one after another. Only a large launch is tried
  // with all workers first: if it is right, it is in any order, and otherwise it is run again in order.
  schedule::WorkerPool::Outcome outcome_of_checked(QueuedLaunch& queued) {
    schedule::SimulatedLaunch& launch = queued.launch;
    if (workers_.workers() > 1 && is_large(launch.config)) {
      if (const auto memory = checked_.saved(queued.variables)) {
        launch.in_order = false;
        checked_.start(launch, queued.variables);
        schedule::WorkerPool::Outcome outcome = workers_.run(launch);
        const bool would_take_as_long =
            outcome.failure && outcome.failure->failure.kind == DefectKind::time_limit;
        if (would_take_as_long || (!outcome.failure && checked_.are_harmless(outcome.defects)))
          return outcome;
        checked_.restore(*memory);
      }
    }
    launch.in_order = true;
    checked_.start(launch, queued.variables);
    return workers_.run(launch);
  }

  void run_checked(QueuedLaunch& queued) {
    schedule::WorkerPool::Outcome outcome = outcome_of_checked(queued);
    std::ranges::stable_sort(outcome.output, {}, &schedule::BlockOutput::block);
    for (const schedule::BlockOutput& printed : outcome.output) output_ += printed.text;
    const std::string defect = checked_.finish(queued.launch, outcome.defects);
    if (!outcome.failure) return;
    const auto& [name, explanation, failure] = *outcome.failure;
    throw device::DeviceError("cuStreamSynchronize", name, explanation.empty() ? defect : explanation,
                              failure);
  }

  ModuleMaker make_module_;
  DeviceProperties properties_;
  schedule::WorkerPool workers_;
  SimulatedMemory memory_;
  DeviceHeap heap_;
  check::CheckedLaunches checked_;
  device::ThreadOrder order_;
  bool in_order_ = false;
  std::uint64_t fiber_switches_ = 0;
  std::set<std::string> notes_;
  std::string output_;
  AccessCounts access_counts_;
};

}  // namespace

DeviceProperties simulator_properties() {
  struct sysinfo memory {};
  ::sysinfo(&memory);
  DeviceProperties properties;
  properties.kind = "simulator";
  properties.name = "simulated on the CPU, " + device::cpu_name();
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

std::unique_ptr<device::Device> open_simulator(device::CompileCache& cache) {
  const auto compiler = std::make_shared<compile::SimulatorCompiler>(cache);
  return std::make_unique<SimulatorDevice>(
      [compiler](const device::KernelSource& source, device::Instrumentation instrumentation) {
        return compiler->compile(source, instrumentation);
      },
      compiler->name());
}

std::unique_ptr<device::Device> open_simulator(ModuleMaker maker) {
  return std::make_unique<SimulatorDevice>(std::move(maker), "");
}

}  // namespace gpulab::simulator
