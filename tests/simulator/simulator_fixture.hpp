#pragma once

#include "simulator/device.hpp"
#include "test.hpp"

namespace gpulab::simulator {

// Returns the folder of compiled kernels beside the test program, for all tests and all later runs.
inline std::filesystem::path kernel_cache_of_tests() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kernel_cache";
}

inline device::CompileCache& compile_cache_of_tests() {
  static std::unique_ptr<device::CompileCache> cache;
  if (!cache) {
    std::filesystem::create_directories(kernel_cache_of_tests());
    ::setenv("XDG_CACHE_HOME", kernel_cache_of_tests().c_str(), 1);
    cache = std::make_unique<device::CompileCache>();
  }
  return *cache;
}

// Returns the device with that compiler, or null if it is not installed. An empty name leaves the choice to
// the simulator. A device lives as long as the test program.
inline device::Device* simulator_with(const std::string& compiler, WarpSize warp_size = {}) {
  static std::map<std::pair<std::string, unsigned>, std::unique_ptr<device::Device>> devices;
  const auto [found, is_new] = devices.try_emplace({compiler, warp_size.lanes()});
  if (!is_new) return found->second.get();
  ::setenv("GPULAB_CXX", compiler.c_str(), 1);
  try {
    found->second = open_simulator(compile_cache_of_tests(), warp_size);
  } catch (const device::DeviceError&) {
  }
  ::unsetenv("GPULAB_CXX");
  return found->second.get();
}

// Skips its tests where no C++ compiler is installed.
template <class Base = testing::Test>
class NeedsCompiler : public Base {
 protected:
  void SetUp() override {
    if (!simulator_with("")) GTEST_SKIP() << "no C++ compiler is installed";
  }
};

// Skips its tests where g++ is not installed.
template <class Base = testing::Test>
class NeedsGcc : public Base {
 protected:
  void SetUp() override {
    if (!simulator_with("g++")) GTEST_SKIP() << "g++ is not installed";
  }
};

// An array in the device's memory.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer(device::Device& device, const std::vector<T>& values)
      : device_(device),
        count_(values.size()),
        address_(device.allocate(values.size() * sizeof(T))),
        stream_(device.create_stream()) {
    device_.copy_to_device(address_, std::as_bytes(std::span(values)), *stream_);
    device_.synchronize(*stream_);
  }
  ~DeviceBuffer() { device_.free(address_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  T* pointer() const { return reinterpret_cast<T*>(address_); }
  device::DevicePointer address() const { return address_; }

  std::vector<T> values() const {
    std::vector<T> values(count_);
    device_.copy_to_host(std::as_writable_bytes(std::span(values)), address_, *stream_);
    device_.synchronize(*stream_);
    return values;
  }

 private:
  device::Device& device_;
  std::size_t count_;
  device::DevicePointer address_;
  std::unique_ptr<device::Stream> stream_;
};

// Runs small kernels, given as text, on a simulator whose kernels the compiler GetParam() compiles.
class SimulatorTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    device_ = simulator_with(GetParam());
    if (!device_) GTEST_SKIP() << GetParam() << " is not installed";
    instruments().take_notes();
  }

  device::Device& device() { return *device_; }
  device::Instruments& instruments() { return *device_->instruments(); }

  template <class T>
  DeviceBuffer<T> buffer(const std::vector<T>& values) {
    return {*device_, values};
  }

  template <class... Ts>
  std::unique_ptr<device::Kernel> find(device::Module& module, const std::string& name) {
    return module.kernel(name, signature_of<Ts...>());
  }

  // Launches the kernel and waits for it.
  template <class... Ts>
  void launch(const std::string& text, const std::string& name, const LaunchConfig& config, Ts... arguments) {
    const auto module = device_->compile({"test.cu", text}, {.instrumentation = instrumentation_});
    launch(*module, name, config, arguments...);
  }

  template <class... Ts>
  void launch(device::Module& module, const std::string& name, const LaunchConfig& config, Ts... arguments) {
    const auto kernel = find<Ts...>(module, name);
    const auto stream = device_->create_stream();
    void* addresses[] = {&arguments..., nullptr};
    device_->launch(*kernel, config, addresses, *stream);
    device_->synchronize(*stream);
  }

  // Returns what a kernel (const In*, Out*) stores in an output of `count` elements, which are -1 before.
  template <class Out, class In>
  std::vector<Out> results(const std::string& text, const std::string& name, const LaunchConfig& config,
                           const std::vector<In>& inputs, std::size_t count) {
    const DeviceBuffer<In> input(*device_, inputs);
    const DeviceBuffer<Out> output(*device_, std::vector<Out>(count, static_cast<Out>(-1)));
    launch(text, name, config, static_cast<const In*>(input.pointer()), output.pointer());
    return output.values();
  }

  // Returns the error of a launch. The test fails if there is none.
  template <class... Ts>
  device::DeviceError failure(const std::string& text, const std::string& name, const LaunchConfig& config,
                              Ts... arguments) {
    return thrown<device::DeviceError>([&] { launch(text, name, config, arguments...); });
  }

  // Returns whether launches still work, as they must after a failure.
  testing::AssertionResult still_works() {
    const std::string text =
        "__global__ void mark(int* out) {\n"
        "  __syncthreads();\n"
        "  out[blockIdx.x * blockDim.x + threadIdx.x] = 7;\n"
        "}\n";
    const DeviceBuffer<int> marks(*device_, std::vector<int>(64 * 64));
    launch(text, "mark", {.grid = {64}, .block = {64}}, marks.pointer());
    if (marks.values() == std::vector<int>(64 * 64, 7)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "a launch after the failure went wrong";
  }

  device::Instrumentation instrumentation_ = device::Instrumentation::none;

 private:
  device::Device* device_ = nullptr;
};

inline const auto both_compilers = testing::Values(std::string("g++"), std::string("clang++"));

inline std::string name_of_compiler(const testing::TestParamInfo<std::string>& info) {
  return info.param == "g++" ? "Gcc" : "Clang";
}

}  // namespace gpulab::simulator
