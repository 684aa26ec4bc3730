#include "cuda/nvrtc.hpp"

#include "cuda/device.hpp"
#include "cuda/support.hpp"
#include "test.hpp"

// NVRTC compiles without a GPU. Where it is not installed these tests are skipped.

namespace gpulab::cuda {
namespace {

class NvrtcTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_status().nvrtc_found) GTEST_SKIP() << "NVRTC is not installed";
  }
};

const device::KernelSource scale{"scale.cu",
                                 "__global__ void scale(float* data, int size) { data[0] *= size; }\n"};

template <class Exception>
Exception failure_of(const device::KernelSource& source, const std::string& architecture) {
  return thrown<Exception>([&] { nvrtc().compile(source, architecture); });
}

TEST_F(NvrtcTest, KnowsItsVersionAndItsPath) {
  EXPECT_GE(std::stoi(nvrtc().version()), 12);
  EXPECT_TRUE(contains(nvrtc().path(), "libnvrtc.so"));
}

TEST_F(NvrtcTest, MakesAnElfFileForEveryArchitectureOfTheCourse) {
  for (const char* architecture : {"sm_75", "sm_80", "sm_90"})
    EXPECT_TRUE(nvrtc().compile(scale, architecture).code.starts_with("\177ELF")) << architecture;
}

TEST_F(NvrtcTest, MakesDifferentCodeForDifferentArchitectures) {
  EXPECT_NE(nvrtc().compile(scale, "sm_80").code, nvrtc().compile(scale, "sm_90").code);
}

TEST_F(NvrtcTest, ShowsTheFileAndTheLineOfAnError) {
  const auto error = failure_of<CompileError>(
      {"mine.cu", "// first line\n__global__ void scale(float* data) { data[0] = 1 }\n"}, "sm_90");
  EXPECT_EQ(error.code(), ExitCode::compilation);
  EXPECT_EQ(std::string(error.what()), "mine.cu does not compile: line 2: expected a \";\"");
  EXPECT_TRUE(error.log().starts_with("mine.cu(2): error: ")) << error.log();
}

TEST_F(NvrtcTest, RefusesVariableLengthArrays) {
  const auto error =
      failure_of<CompileError>({"mine.cu", "__global__ void f(int n) { float a[n]; a[0] = 1; }\n"}, "sm_90");
  EXPECT_TRUE(contains(error.log(), "mine.cu(1): error"));
}

TEST_F(NvrtcTest, RefusesAVariableThatIsReadBeforeItIsSet) {
  const auto error = failure_of<CompileError>(
      {"mine.cu", "__global__ void f(float* p) {\n  float x;\n  p[0] = x;\n}\n"}, "sm_90");
  EXPECT_STREQ(error.what(),
               "mine.cu does not compile: line 3: variable \"x\" is used before its value is set");
}

TEST_F(NvrtcTest, TakesLambdasInKernelsForDeviceCodeAndNoOtherFunction) {
  const std::string kernel =
      "__global__ void f(int* p) {\n  auto more = [](auto x) { return x + 1; };\n  p[0] = more(p[1]);\n}\n";
  EXPECT_NO_THROW(nvrtc().compile({"mine.cu", kernel}, "sm_90"));
  failure_of<CompileError>({"mine.cu", "int host(int x) { return x; }\n" + kernel}, "sm_90");
}

TEST_F(NvrtcTest, HasTheHeadersAndNamesThatTheSimulatorHas) {
  for (const char* text :
       {"#include <cmath>\n#include <cuda_runtime.h>\n__global__ void f(uint32_t* p) { p[0] = "
        "std::sqrt(4.0f); }\n",
        "__global__ void f(float* p) { p[0] = M_PI + INT_MAX + floor(7 / 2) + pow(2, 3); }\n",
        "#include <limits>\n#include <type_traits>\n__global__ void f(float* p) {\n"
        "  static_assert(std::is_same<int, int>::value && std::is_signed_v<float>);\n"
        "  p[0] = std::min(std::numeric_limits<float>::max(), std::numeric_limits<float>::infinity());\n}\n"})
    EXPECT_NO_THROW(nvrtc().compile({"mine.cu", text}, "sm_90")) << text;
  const auto error = failure_of<CompileError>({"mine.cu", "\n#include <vector>\n"}, "sm_90");
  EXPECT_TRUE(contains(error.what(), "line 2: there is no vector for device code"));
}

TEST_F(NvrtcTest, SaysHowMuchConstantMemoryIsTooMuch) {
  const auto error = failure_of<CompileError>(
      {"mine.cu", "__constant__ float f[16385];\n__global__ void g(float* A) { A[0] = f[threadIdx.x]; }\n"},
      "sm_90");
  EXPECT_STREQ(error.what(), "mine.cu has 65540 bytes of constant memory, a module has at most 65536");
  EXPECT_TRUE(contains(error.log(), "ptxas error"));
}

TEST_F(NvrtcTest, SaysHowMuchStaticSharedMemoryIsTooMuch) {
  const auto error = failure_of<CompileError>(
      {"mine.cu",
       "__global__ void g(float* A) {\n  __shared__ float t[12289];\n  t[threadIdx.x] = A[threadIdx.x];\n"
       "  __syncthreads();\n  A[threadIdx.x] = t[threadIdx.x ^ 1];\n}\n"},
      "sm_90");
  EXPECT_STREQ(error.what(),
               "mine.cu: g has 49156 bytes of static shared memory, and a block has at most 49152");
}

TEST_F(NvrtcTest, ReportsOnAKernelHoweverOftenItIsCompiled) {
  for (int turn = 0; turn < 2; ++turn)
    EXPECT_TRUE(contains(nvrtc().compile(scale, "sm_90").report, "'_Z5scalePfi' for 'sm_90'"));
}

TEST_F(NvrtcTest, NamesTheArchitecturesItKnowsWhenAskedForAnother) {
  const auto error = failure_of<device::DeviceError>(scale, "sm_11");
  EXPECT_EQ(error.code(), ExitCode::device);
  EXPECT_EQ(error.name(), "NVRTC_ERROR_INVALID_OPTION");
  EXPECT_TRUE(contains(error.explanation(), "does not compile for sm_11, only for sm_"));
  EXPECT_TRUE(contains(error.explanation(), "sm_90"));
}

TEST(NvrtcCandidates, PutTheToolkitThatTheUserNamedFirst) {
  const char* before = std::getenv("CUDA_HOME");
  const std::string kept = before ? before : "";
  ::setenv("CUDA_HOME", "/opt/my-cuda", 1);
  const auto candidates = nvrtc_candidates();
  before ? ::setenv("CUDA_HOME", kept.c_str(), 1) : ::unsetenv("CUDA_HOME");

  const auto place = [&](const char* name) { return std::find(candidates.begin(), candidates.end(), name); };
  EXPECT_EQ(candidates.front(), "/opt/my-cuda/lib64/libnvrtc.so.13");
  EXPECT_LT(place("/opt/my-cuda/lib64/libnvrtc.so"), place("libnvrtc.so.13"));
  EXPECT_LT(place("libnvrtc.so"), place("/usr/local/cuda/lib64/libnvrtc.so.13"));
  EXPECT_NE(place("/usr/local/cuda/lib64/libnvrtc.so.12"), candidates.end());
}

// Reports of NVRTC and its ptxas on real kernels, for which no GPU is needed.

const device::KernelSource kernels{"mine.cu", source_text("tests/cuda/compiled_attributes.cu")};

const Signature signature = signature_of<const float*, const float*, float*, int>();

class CompiledAttributes : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!support().status().nvrtc_found) GTEST_SKIP() << "NVRTC is not installed";
  }

  device::KernelAttributes attributes_of(const std::string& kernel) {
    return support().kernel_for(GetParam(), kernels, kernel, signature, cache_).value().attributes;
  }

  device::CompileCache cache_;
};

TEST_P(CompiledAttributes, CountAFewRegistersForAPlainVectorAdd) {
  const device::KernelAttributes attributes = attributes_of("vector_add");
  EXPECT_GE(attributes.registers_per_thread,
            8);  // three 64-bit addresses, and the values that they are computed from
  EXPECT_LE(attributes.registers_per_thread, 16);
  EXPECT_EQ(attributes.local_bytes_per_thread, 0u);
  EXPECT_EQ(attributes.spill_store_bytes, 0u);
  EXPECT_EQ(attributes.spill_load_bytes, 0u);
  EXPECT_EQ(attributes.static_shared_bytes, 0u);
}

TEST_P(CompiledAttributes, HaveAnArrayWithARunTimeIndexInLocalMemory) {
  const device::KernelAttributes attributes = attributes_of("indexed_at_run_time");
  EXPECT_EQ(attributes.local_bytes_per_thread, 64 * sizeof(float));
  EXPECT_EQ(attributes.spill_store_bytes, 0u);
}

TEST_P(CompiledAttributes, CountWhatIsSpilledWhenThereAreTooFewRegisters) {
  const device::KernelAttributes attributes = attributes_of("too_many_values");
  EXPECT_LE(attributes.registers_per_thread, 64);  // 65536 for 1024 threads
  EXPECT_GT(attributes.local_bytes_per_thread, 0u);
  EXPECT_GT(attributes.spill_store_bytes.value(), 0u);
  EXPECT_GT(attributes.spill_load_bytes.value(), 0u);
  EXPECT_EQ(attributes.static_shared_bytes, 10 * sizeof(float));
}

TEST_P(CompiledAttributes, HaveTheConstantMemoryOfTheFile) {
  EXPECT_EQ(attributes_of("indexed_at_run_time").constant_bytes, 100 * sizeof(float));
}

TEST_P(CompiledAttributes, AreTheSameFromTheCache) {
  const device::KernelAttributes first = attributes_of("too_many_values"),
                                 second = attributes_of("too_many_values");
  EXPECT_EQ(first.registers_per_thread, second.registers_per_thread);
  EXPECT_EQ(first.spill_load_bytes, second.spill_load_bytes);
}

TEST_P(CompiledAttributes, NeedAKernelThatIsThereAndCompiles) {
  EXPECT_THROW(attributes_of("vector_sub"), CompileError);
  const auto of_text = [&](const char* text) {
    return support().kernel_for(GetParam(), {"bad.cu", text}, "f", signature, cache_);
  };
  EXPECT_THROW(of_text("__global__ void f() { nonsense }"), CompileError);
}

INSTANTIATE_TEST_SUITE_P(For, CompiledAttributes, testing::Values("sm_75", "sm_80", "sm_90"),
                         [](const auto& instance) { return std::string(instance.param); });

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
  EXPECT_EQ(content_of(cached_cubin(source, "sm_80", *cache_).code), nvrtc().compile(source, "sm_80").code);
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
