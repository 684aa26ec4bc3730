#include "kernels/kernel_files.hpp"
#include "cuda/device.hpp"
#include "cuda/nvrtc.hpp"
#include "device/compile_cache.hpp"
#include "lesson/launch.hpp"
#include "test.hpp"

namespace gpulab::cuda {
namespace {

// NVRTC takes a second for each file and architecture. The oldest one has the fewest instructions and as many
// registers as the others; the newer ones are tried where GPULAB_EVERY_ARCHITECTURE is set.
std::vector<std::string> architectures() {
  if (!std::getenv("GPULAB_EVERY_ARCHITECTURE")) return {"sm_75"};
  return {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"};
}

class KernelFileForNvrtc : public testing::TestWithParam<std::tuple<KernelFileCase, std::string>> {
 protected:
  device::CompileCache cache_;
};

// NVRTC needs no GPU to compile for one.
TEST_P(KernelFileForNvrtc, CompilesUnlessALessonSaysItDoesNot) {
  if (!cuda_status().nvrtc_found) GTEST_SKIP() << "this machine has no NVRTC";
  const auto& [file, architecture] = GetParam();
  if (file.needs) GTEST_SKIP() << "for " << file.needs->text();
  if (file.must_compile) {
    EXPECT_TRUE(compile_for(architecture, file.source, cache_));
  } else {
    EXPECT_THROW(compile_for(architecture, file.source, cache_), CompileError);
  }
}

// Returns the registers that a block takes of the 65 536 that every GPU has for one. They are allocated to
// whole warps, in steps of eight for a thread.
unsigned registers_of_a_block(int per_thread, unsigned threads) {
  return ceil_div(static_cast<unsigned>(per_thread), 8u) * 8 * ceil_div(threads, 32u) * 32;
}

// The compiler's report shows what a GPU would refuse to launch, even a GPU that is not here.
TEST_P(KernelFileForNvrtc, FitsTheRegistersOfAMultiprocessor) {
  if (!cuda_status().nvrtc_found) GTEST_SKIP() << "this machine has no NVRTC";
  const auto& [file, architecture] = GetParam();
  if (file.needs || !file.must_compile) GTEST_SKIP() << "it is not for every GPU";
  for (const Lesson& lesson : all_lessons())
    for (const Variant& variant : lesson.variants) {
      if (variant.source != file.source.name || variant.kernel.empty() || variant.is_program) continue;
      const Arguments& arguments = variant.arguments.empty() ? lesson.arguments : variant.arguments;
      const auto compiled =
          support().kernel_for(architecture, file.source, variant.kernel, arguments.signature(), cache_);
      ASSERT_TRUE(compiled) << variant.kernel;
      const device::KernelAttributes* const needed = &compiled->attributes;
      EXPECT_LE(registers_of_a_block(needed->registers_per_thread, variant.block.threads), 65536u)
          << variant.kernel << " has " << needed->registers_per_thread << " registers a thread";
      EXPECT_LE(needed->static_shared_bytes, 48u * 1024) << variant.kernel;
    }
}

INSTANTIATE_TEST_SUITE_P(Every, KernelFileForNvrtc,
                         testing::Combine(testing::ValuesIn(all_kernel_files()),
                                          testing::ValuesIn(architectures())),
                         [](const auto& instance) {
                           return test_name(std::get<0>(instance.param).source) + "_" +
                                  std::get<1>(instance.param);
                         });

// Kernels that only some GPUs can run compile for those, with instructions that no others have.
TEST(KernelFilesForSomeGpus, CompileForThem) {
  if (!cuda_status().nvrtc_found) GTEST_SKIP() << "this machine has no NVRTC";
  for (const KernelFileCase& file : all_kernel_files()) {
    if (!file.needs) continue;
    const std::string architecture = "sm_" + std::to_string(file.needs->major) +
                                     std::to_string(file.needs->minor) + (file.needs->exactly ? "a" : "");
    EXPECT_FALSE(nvrtc().compile(file.source, architecture).code.empty()) << file.source.name;
  }
}

}  // namespace
}  // namespace gpulab::cuda
