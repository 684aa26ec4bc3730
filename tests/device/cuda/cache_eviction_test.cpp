#include "device/cuda/cache_eviction.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "device/cuda/cubin_cache.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/elf_symbols.hpp"
#include "device/kernel_lookup.hpp"

namespace gpulab {
namespace {

constexpr std::size_t l2_bytes = 1 << 20;
constexpr DevicePointer address = 4096;

// Code for a real architecture, in which the kernel is looked up but which never runs.
class ModuleWithoutGpu : public Module {
 public:
  ModuleWithoutGpu(std::string name, const std::filesystem::path& cubin)
      : name_(std::move(name)), symbols_(elf_symbols(cubin)) {}
  std::unique_ptr<Kernel> kernel(const std::string& name, const Signature& signature) override {
    struct NoKernel : Kernel {
      KernelAttributes attributes() const override { return {}; }
    };
    find_kernel_symbol(symbols_, name_, name, signature);
    return std::make_unique<NoKernel>();
  }
  DeviceSymbol symbol(const std::string&) override { return {}; }

 private:
  std::string name_;
  std::vector<ElfSymbol> symbols_;
};

// Compiles as the cuda device does, and notes what it is told to do instead of doing it.
class DeviceWithoutGpu : public Device {
 public:
  DeviceWithoutGpu() { properties_.l2_bytes = l2_bytes; }

  const DeviceProperties& properties() const override { return properties_; }
  std::unique_ptr<Module> compile(const KernelSource& source, const CompileOptions&) override {
    return std::make_unique<ModuleWithoutGpu>(source.name, cached_cubin(source, "sm_75", cache_).code);
  }
  unsigned resident_blocks(const Kernel&, unsigned, std::size_t) override { return 320; }
  DevicePointer allocate(std::size_t bytes) override {
    allocated_bytes = bytes;
    return address;
  }
  void free(DevicePointer pointer) noexcept override { freed = pointer; }
  void set(DevicePointer, unsigned char, std::size_t, Stream&) override { ++sets; }
  void launch(const Kernel&, const LaunchConfig& config, void* const* arguments, Stream&) override {
    launched_blocks = config.grid.x;
    argument_address = *static_cast<const DevicePointer*>(arguments[0]);
    argument_quads = *static_cast<const unsigned long*>(arguments[1]);
  }
  void synchronize(Stream&) override {}

  void pin(std::span<std::byte>) override {}
  void unpin(std::span<std::byte>) noexcept override {}
  std::unique_ptr<Stream> create_stream() override { return std::make_unique<Stream>(); }
  void copy_to_device(DevicePointer, std::span<const std::byte>, Stream&) override {}
  void copy_to_host(std::span<std::byte>, DevicePointer, Stream&) override {}
  void copy_within(DevicePointer, DevicePointer, std::size_t, Stream&) override {}
  std::unique_ptr<Event> create_event() override { return std::make_unique<Event>(); }
  void record(Event&, Stream&) override {}
  void wait(Stream&, Event&) override {}
  double elapsed(Event&, Event&) override { return 0; }
  void evict_caches(Stream&) override {}

  std::size_t allocated_bytes = 0;
  DevicePointer freed = 0, argument_address = 0;
  unsigned long argument_quads = 0;
  unsigned launched_blocks = 0;
  int sets = 0;

 private:
  DeviceProperties properties_;
  CompileCache cache_;
};

class CacheEvictionTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_status().nvrtc_found) GTEST_SKIP() << "NVRTC is not installed";
  }
  DeviceWithoutGpu device_;
  Stream stream_;
};

TEST_F(CacheEvictionTest, ReadsTwiceWhatTheL2CacheHolds) {
  CacheEviction eviction(device_);
  eviction.run(stream_);
  EXPECT_EQ(device_.allocated_bytes, 2 * l2_bytes);
  EXPECT_EQ(device_.argument_quads * 16, 2 * l2_bytes);
  EXPECT_EQ(device_.argument_address, address);
  EXPECT_EQ(device_.launched_blocks, 320u);
}

TEST_F(CacheEvictionTest, WritesToItsBufferOnlyBeforeTheFirstTime) {
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
}  // namespace gpulab
