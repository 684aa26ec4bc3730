#pragma once

#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator {

// Several simulated devices, opened again for each test, since peer access stays enabled.
class PeerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!simulator_with("")) GTEST_SKIP() << "no C++ compiler is installed";
    open(2);
  }

  void open(int count) {
    devices_.clear();
    devices_.push_back(open_simulator(compile_cache_of_tests()));
    for (int i = 1; i < count; ++i) devices_.push_back(devices_.front()->open_peer(i));
  }
  device::Device& device(int index) { return *devices_[static_cast<std::size_t>(index)]; }
  device::Instruments& instruments() { return *device(0).instruments(); }

  template <class T>
  DeviceBuffer<T> buffer(int gpu, const std::vector<T>& values) {
    return {device(gpu), values};
  }

  device::Module& module(int gpu, const std::string& text,
                         device::Instrumentation instrumentation = device::Instrumentation::none) {
    modules_.push_back(device(gpu).compile({"test.cu", text}, {.instrumentation = instrumentation}));
    return *modules_.back();
  }

  // Puts a launch into the stream.
  template <class... Ts>
  void put(int gpu, device::Module& module, const std::string& name, const LaunchConfig& config,
           device::Stream& stream, Ts... arguments) {
    const auto kernel = module.kernel(name, signature_of<Ts...>());
    void* addresses[] = {&arguments..., nullptr};
    device(gpu).launch(*kernel, config, addresses, stream);
  }

  // Launches the kernel and waits for it.
  template <class... Ts>
  void launch(int gpu, device::Module& module, const std::string& name, const LaunchConfig& config,
              Ts... arguments) {
    const auto stream = device(gpu).create_stream();
    put(gpu, module, name, config, *stream, arguments...);
    device(gpu).synchronize(*stream);
  }

 private:
  std::vector<std::unique_ptr<device::Device>> devices_;
  std::vector<std::unique_ptr<device::Module>> modules_;
};

}  // namespace gpulab::simulator
