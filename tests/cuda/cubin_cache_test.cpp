#include "cuda/nvrtc.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "cuda/device.hpp"
#include "source_files.hpp"

namespace gpulab::cuda {
namespace {

namespace fs = std::filesystem;

const device::KernelSource source{"set.cu", "__global__ void set(int* out) { *out = 1; }\n"};

// The cache of every test is empty at first.
class CubinCache : public testing::Test {
 protected:
  CubinCache() {
    std::string pattern = (fs::path(testing::TempDir()) / "cubin_cache-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    if (const char* value = std::getenv("XDG_CACHE_HOME")) before_ = value;
    ::setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    cache_ = std::make_unique<device::CompileCache>();
    before_.empty() ? ::unsetenv("XDG_CACHE_HOME") : ::setenv("XDG_CACHE_HOME", before_.c_str(), 1);
  }
  ~CubinCache() override { fs::remove_all(folder_); }

  void SetUp() override {
    if (!cuda_status().nvrtc_found) GTEST_SKIP() << "NVRTC is not installed";
  }

  std::unique_ptr<device::CompileCache> cache_;

 private:
  fs::path folder_;
  std::string before_;
};

TEST_F(CubinCache, HoldsWhatNvrtcMakes) {
  EXPECT_EQ(content_of(cached_cubin(source, "sm_80", *cache_).code), compile_to_cubin(source, "sm_80"));
}

TEST_F(CubinCache, DoesNotCompileASecondTime) {
  const fs::path first = cached_cubin(source, "sm_80", *cache_).code;
  const fs::file_time_type written = fs::last_write_time(first) - std::chrono::hours(1);
  fs::last_write_time(first, written);
  EXPECT_EQ(cached_cubin(source, "sm_80", *cache_).code, first);
  EXPECT_EQ(fs::last_write_time(first), written);
}

TEST_F(CubinCache, CompilesAgainWhatWasCutShort) {
  const fs::path first = cached_cubin(source, "sm_80", *cache_).code;
  fs::resize_file(first, 100);
  EXPECT_GT(fs::file_size(cached_cubin(source, "sm_80", *cache_).code), 100u);
}

TEST_F(CubinCache, KeepsArchitecturesTextsAndNamesApart) {
  const fs::path first = cached_cubin(source, "sm_80", *cache_).code;
  EXPECT_NE(cached_cubin(source, "sm_90", *cache_).code, first);
  EXPECT_NE(cached_cubin({source.name, source.text + "\n"}, "sm_80", *cache_).code, first);
  EXPECT_NE(cached_cubin({"other.cu", source.text}, "sm_80", *cache_).code, first);
}

TEST_F(CubinCache, KeepsNothingOfATextThatDoesNotCompile) {
  EXPECT_THROW(cached_cubin({"bad.cu", "no kernel\n"}, "sm_80", *cache_), CompileError);
  EXPECT_TRUE(fs::is_empty(cache_->folder()));
}

}  // namespace
}  // namespace gpulab::cuda
