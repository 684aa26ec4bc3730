#pragma once

#include "device/device.hpp"
#include "test.hpp"

namespace gpulab::run {

// A GPU that is scripted throughout: kernels are functions of the test, and the test sets how long each
// launch and each copy takes by the device's clock. Work that is put into a stream runs at once.
class FakeDevice : public device::Device {
 public:
  // The work of a kernel on its arguments; it may throw, as a launch or a faulting kernel does.
  using Work = std::function<void(void* const* arguments, const LaunchConfig& config)>;

  struct FakeKernel : device::Kernel {
    explicit FakeKernel(std::string its_name) : name(std::move(its_name)) {}
    device::KernelAttributes attributes() const override { return {}; }
    std::string name;
  };
  struct FakeModule : device::Module {
    FakeModule(FakeDevice& its_device, bool is_of_a_lesson)
        : device(its_device), has_variables(is_of_a_lesson) {}
    std::unique_ptr<device::Kernel> kernel(const std::string& name, const Signature&) override {
      return std::make_unique<FakeKernel>(name);
    }
    device::DeviceSymbol symbol(const std::string& name) override {
      std::vector<std::byte>& variable = device.variables.at(name);
      return {.address = reinterpret_cast<device::DevicePointer>(variable.data()), .bytes = variable.size()};
    }
    std::vector<device::DeviceSymbol> writable_variables() override {
      std::vector<device::DeviceSymbol> all;
      for (const auto& [name, bytes] : device.variables)
        if (has_variables) all.push_back(symbol(name));
      return all;
    }
    FakeDevice& device;
    bool has_variables;
  };
  struct FakeEvent : device::Event {
    double at_s = 0;
  };
  struct FakeGraph : device::Graph {
    std::vector<std::function<void()>> launches;
  };

  FakeDevice() {
    properties_.kind = "cuda";
    properties_.name = "scripted GPU";
    properties_.compute_capability_major = 9;
    properties_.free_memory_bytes = std::size_t{1} << 30;
    properties_.peak_bytes_per_s = 1e12;
  }

  std::map<std::string, Work> kernels;                      // by name
  std::map<std::string, double> seconds;                    // of one launch, by name
  std::map<std::string, std::size_t> launches;              // so far, by name
  std::map<std::string, std::vector<std::byte>> variables;  // of the lessons' modules, by name
  double copy_s = 0;
  bool has_graphs = false;  // it can capture launches of kernels that have two arguments of 8 bytes
  std::size_t evictions = 0;
  std::set<std::byte*> pinned;
  std::map<device::DevicePointer, std::unique_ptr<std::byte[]>> allocations;

  const DeviceProperties& properties() const override { return properties_; }
  std::unique_ptr<device::Module> compile(const device::KernelSource& source,
                                          const device::CompileOptions&) override {
    return std::make_unique<FakeModule>(*this, source.name != "timed_results.cu");
  }
  unsigned resident_blocks(const device::Kernel&, unsigned, std::size_t) override { return 4; }

  device::DevicePointer allocate(std::size_t bytes) override {
    auto memory = std::make_unique<std::byte[]>(bytes);
    const auto address = reinterpret_cast<device::DevicePointer>(memory.get());
    allocations[address] = std::move(memory);
    return address;
  }
  void free(device::DevicePointer pointer) noexcept override { allocations.erase(pointer); }
  void pin(std::span<std::byte> host) override { pinned.insert(host.data()); }
  void unpin(std::span<std::byte> host) noexcept override { pinned.erase(host.data()); }

  std::unique_ptr<device::Stream> create_stream() override { return std::make_unique<device::Stream>(); }
  void synchronize(device::Stream&) override {}
  void copy_to_device(device::DevicePointer to, std::span<const std::byte> from, device::Stream&) override {
    std::memcpy(reinterpret_cast<void*>(to), from.data(), from.size());
    now_s_ += copy_s;
  }
  void copy_to_host(std::span<std::byte> to, device::DevicePointer from, device::Stream&) override {
    std::memcpy(to.data(), reinterpret_cast<const void*>(from), to.size());
    now_s_ += copy_s;
  }
  void copy_within(device::DevicePointer to, device::DevicePointer from, std::size_t bytes,
                   device::Stream&) override {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    now_s_ += copy_s;
  }
  void set(device::DevicePointer to, unsigned char value, std::size_t bytes, device::Stream&) override {
    std::memset(reinterpret_cast<void*>(to), value, bytes);
  }
  void launch(const device::Kernel& kernel, const LaunchConfig& config, void* const* arguments,
              device::Stream&) override {
    const std::string& name = dynamic_cast<const FakeKernel&>(kernel).name;
    if (name == "hide_words") return;  // count_wrong below compares the words themselves
    if (name == "count_wrong") return count_wrong(arguments);
    const auto run = [this, name, config](void* const* kernel_arguments) {
      ++launches[name];
      kernels.at(name)(kernel_arguments, config);
      now_s_ += seconds[name];
    };
    if (!captured_) return run(arguments);
    std::array<std::uint64_t, 2> values{*static_cast<std::uint64_t*>(arguments[0]),
                                        *static_cast<std::uint64_t*>(arguments[1])};
    captured_->launches.push_back([run, values]() mutable {
      void* const captured[] = {&values[0], &values[1]};
      run(captured);
    });
  }
  bool begin_capture(device::Stream&) override {
    if (has_graphs) captured_ = std::make_unique<FakeGraph>();
    return has_graphs;
  }
  std::unique_ptr<device::Graph> end_capture(device::Stream&) override { return std::move(captured_); }
  void launch(device::Graph& graph, device::Stream&) override {
    for (const auto& run : dynamic_cast<FakeGraph&>(graph).launches) run();
  }

  std::unique_ptr<device::Event> create_event() override { return std::make_unique<FakeEvent>(); }
  void record(device::Event& event, device::Stream&) override {
    dynamic_cast<FakeEvent&>(event).at_s = now_s_;
  }
  void wait(device::Stream&, device::Event&) override {}
  double elapsed(device::Event& start, device::Event& stop) override {
    return dynamic_cast<FakeEvent&>(stop).at_s - dynamic_cast<FakeEvent&>(start).at_s;
  }
  void evict_caches(device::Stream&) override {
    ++evictions;
    now_s_ += 0.5;  // no sample may contain this time
  }

 private:
  // Does the work of count_wrong in kernels/timed_results.cu, whose parameters it has, on ints that are not
  // hidden.
  static void count_wrong(void* const* arguments) {
    const int *const actual = *static_cast<const int*const*>(arguments[0]),
                     *const expected = *static_cast<const int*const*>(arguments[1]);
    const std::uint32_t size = *static_cast<const std::uint32_t*>(arguments[3]);
    std::uint32_t& wrong = **static_cast<std::uint32_t* const*>(arguments[7]);
    for (std::size_t i = 0; i < size; ++i) wrong += actual[i] != expected[i];
  }

  DeviceProperties properties_;
  std::unique_ptr<FakeGraph> captured_;  // while there is a capture
  double now_s_ = 0;
};

}  // namespace gpulab::run
