#include "cuda/driver_api.hpp"

#include "cuda/device.hpp"
#include "cuda/nvrtc.hpp"
#include "device/symbols.hpp"
#include "test.hpp"

namespace gpulab::cuda {
namespace {

constexpr std::size_t l2_bytes = 1 << 20;
constexpr device::DevicePointer address = 4096;

// A module of real machine code, in which kernels are looked up but never run.
class ModuleWithoutGpu : public device::Module {
 public:
  ModuleWithoutGpu(std::string name, const std::filesystem::path& cubin)
      : name_(std::move(name)), symbols_(device::elf_symbols(cubin)) {}
  std::unique_ptr<device::Kernel> kernel(const std::string& name, const Signature& signature) override {
    struct NoKernel : device::Kernel {
      device::KernelAttributes attributes() const override { return {}; }
    };
    device::find_kernel_symbol(symbols_, name_, name, signature);
    return std::make_unique<NoKernel>();
  }
  device::DeviceSymbol symbol(const std::string&) override { return {}; }

 private:
  std::string name_;
  std::vector<device::ElfSymbol> symbols_;
};

// Compiles as the cuda device does, and only records allocations, sets and launches.
class DeviceWithoutGpu : public device::Device {
 public:
  DeviceWithoutGpu() { properties_.l2_bytes = l2_bytes; }

  const DeviceProperties& properties() const override { return properties_; }
  std::unique_ptr<device::Module> compile(const device::KernelSource& source,
                                          const device::CompileOptions&) override {
    return std::make_unique<ModuleWithoutGpu>(source.name, cached_cubin(source, "sm_75", cache_).code);
  }
  unsigned resident_blocks(const device::Kernel&, unsigned, std::size_t) override { return 320; }
  device::DevicePointer allocate(std::size_t bytes) override {
    allocated_bytes = bytes;
    return address;
  }
  void free(device::DevicePointer pointer) noexcept override { freed = pointer; }
  void set(device::DevicePointer, unsigned char, std::size_t, device::Stream&) override { ++sets; }
  void launch(const device::Kernel&, const LaunchConfig& config, void* const* arguments,
              device::Stream&) override {
    launched_blocks = config.grid.x;
    argument_address = *static_cast<const device::DevicePointer*>(arguments[0]);
    argument_quads = *static_cast<const unsigned long*>(arguments[1]);
  }
  void synchronize(device::Stream&) override {}

  void pin(std::span<std::byte>) override {}
  void unpin(std::span<std::byte>) noexcept override {}
  std::unique_ptr<device::Stream> create_stream() override { return std::make_unique<device::Stream>(); }
  void copy_to_device(device::DevicePointer, std::span<const std::byte>, device::Stream&) override {}
  void copy_to_host(std::span<std::byte>, device::DevicePointer, device::Stream&) override {}
  void copy_within(device::DevicePointer, device::DevicePointer, std::size_t, device::Stream&) override {}
  std::unique_ptr<device::Event> create_event() override { return std::make_unique<device::Event>(); }
  void record(device::Event&, device::Stream&) override {}
  void wait(device::Stream&, device::Event&) override {}
  double elapsed(device::Event&, device::Event&) override { return 0; }
  void evict_caches(device::Stream&) override {}

  std::size_t allocated_bytes = 0;
  device::DevicePointer freed = 0, argument_address = 0;
  unsigned long argument_quads = 0;  // of 16 bytes
  unsigned launched_blocks = 0;
  int sets = 0;

 private:
  DeviceProperties properties_;
  device::CompileCache cache_;
};

class CacheEvictionTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_status().nvrtc_found) GTEST_SKIP() << "NVRTC is not installed";
  }
  DeviceWithoutGpu device_;
  device::Stream stream_;
};

TEST_F(CacheEvictionTest, ReadsTwiceWhatTheL2CacheHolds) {
  CacheEviction eviction(device_);
  eviction.run(stream_);
  EXPECT_EQ(device_.allocated_bytes, 2 * l2_bytes);
  EXPECT_EQ(device_.argument_quads * 16, 2 * l2_bytes);
  EXPECT_EQ(device_.argument_address, address);
  EXPECT_EQ(device_.launched_blocks, 320u);
}

TEST_F(CacheEvictionTest, WritesToItsBufferOnlyBeforeTheFirstRun) {
  CacheEviction eviction(device_);
  eviction.run(stream_);
  eviction.run(stream_);
  EXPECT_EQ(device_.sets, 1);
}

TEST_F(CacheEvictionTest, FreesItsBuffer) {
  { CacheEviction eviction(device_); }
  EXPECT_EQ(device_.freed, address);
}

}  // namespace
}  // namespace gpulab::cuda
