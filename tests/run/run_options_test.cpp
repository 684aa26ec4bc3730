#include "run/run_options.hpp"

#include "base/error.hpp"
#include "kernels_folder.hpp"
#include "run/problems.hpp"
#include "test.hpp"

namespace gpulab::run {
namespace run_options_test {

const Lesson lesson{
    .name = "sums",
    .kernels = "sums.cu",
    .default_size = 100,
    .largest_size = 1000,
    .variants = {{.name = "slow", .kernel = "slow"},
                 {.name = "warps", .kernel = "warps", .block = {.multiple_of = 32, .max = 512}}}};

// Returns the message that refuses the options, or an empty text.
std::string refusal(std::size_t size, std::optional<unsigned> block_size,
                    const std::vector<std::string>& variants) {
  RunOptions options;
  options.settings.size = size;
  options.block_size = block_size;
  options.variants = variants;
  return message_thrown<UsageError>([&] { check_options(lesson, options); });
}

TEST(RunOptions, TakeWhatTheLessonCanDo) {
  EXPECT_EQ(refusal(1, {}, {}), "");
  EXPECT_EQ(refusal(1000, 512, {"warps"}), "");
  EXPECT_EQ(refusal(1000, 1000, {"slow"}), "");
}

TEST(RunOptions, RefuseASizeAboveTheLargestOfTheLesson) {
  EXPECT_EQ(refusal(1001, {}, {}), "--size 1 001 is more than 1 000, the largest that sums takes");
}

TEST(RunOptions, RefuseABlockSizeThatAVariantCannotTake) {
  EXPECT_NE(refusal(1, 100, {})
                .find("variant 'warps' takes blocks of a multiple of 32, at most 512 threads, not 100"),
            std::string::npos);
  EXPECT_NE(refusal(1, 544, {"warps"}), "");
  EXPECT_NE(refusal(1, 0, {"slow"}), "");
}

TEST(RunOptions, RefuseASizeOfZero) {
  EXPECT_NE(refusal(0, {}, {}), "");
}

TEST(RunOptions, SuggestTheNearestVariant) {
  EXPECT_EQ(refusal(1, {}, {"wraps"}), "sums has no variant 'wraps'; did you mean 'warps'?");
  EXPECT_EQ(refusal(1, {}, {"something-else"}), "sums has no variant 'something-else'; it has slow, warps");
}

TEST(RunOptions, KeepTheOrderOfTheLesson) {
  RunOptions options;
  options.variants = {"warps", "slow", "warps"};
  const auto chosen = chosen_variants(lesson, options);
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_EQ(chosen[0].name, "slow");
}

Problem problem_of(std::size_t length) {
  return {.arrays = {Input<float>{"in"}(length), Output<float>{"out"}(length)}};
}

TEST(SizeCheck, RefusesWhatTheHostCannotHold) {
  const DeviceProperties simulator{.kind = "simulator"};
  EXPECT_NO_THROW(check_size(lesson, problem_of(1000), {.size = 1000}, simulator));
  const auto error = thrown<Error>([&] {
    check_size(lesson, problem_of(std::size_t{1} << 45), {.size = std::size_t{1} << 45}, simulator);
  });
  EXPECT_EQ(error.code(), ExitCode::usage);
  EXPECT_NE(std::string(error.what()).find("choose a smaller size"), std::string::npos);
}

TEST(SizeCheck, RefusesWhatTheDeviceCannotHoldWithADeviceError) {
  const DeviceProperties gpu{.kind = "cuda", .free_memory_bytes = 100 * 1024};
  EXPECT_NO_THROW(check_size(lesson, problem_of(100), {.size = 100}, gpu));
  const auto error = thrown<Error>([&] { check_size(lesson, problem_of(10000), {.size = 10000}, gpu); });
  EXPECT_EQ(error.code(), ExitCode::device);
  EXPECT_TRUE(std::string(error.what()).starts_with("CUDA_ERROR_OUT_OF_MEMORY: "));
}

class ReadKernelFile : public testing::Test {
 protected:
  std::string refusal(const std::filesystem::path& file) const try {
    read_text_file(file, kernel_file);
    return "none";
  } catch (const UsageError& error) {
    return error.what();
  }

  KernelsFolder folder_;
};

TEST_F(ReadKernelFile, ReturnsTheText) {
  folder_.write("scale.cu", "// as it is\r\n");
  EXPECT_EQ(read_text_file(folder_.path() / "scale.cu", kernel_file), "// as it is\r\n");
  folder_.write("large.cu", std::string(1'048'576, '\n'));
  EXPECT_EQ(read_text_file(folder_.path() / "large.cu", kernel_file).size(), 1'048'576u);
}

TEST_F(ReadKernelFile, RefusesWhatIsNoKernelFile) {
  folder_.write("binary.cu", std::string("ELF\0", 4));
  folder_.write("large.cu", std::string(1'048'577, '\n'));
  const std::string folder = folder_.path().string();
  EXPECT_EQ(refusal(folder), "cannot read " + folder + ": it is a folder, not a kernel file");
  EXPECT_EQ(refusal(folder + "/none.cu"), "cannot read " + folder + "/none.cu: No such file or directory");
  EXPECT_EQ(refusal(folder + "/binary.cu"),
            "cannot read " + folder + "/binary.cu: it is not a text; a kernel file is CUDA C++ source");
  EXPECT_EQ(refusal(folder + "/large.cu"),
            "cannot read " + folder + "/large.cu: a kernel file has at most 1 048 576 bytes");
}

TEST_F(ReadKernelFile, DoesNotReadWithoutEnd) {
  EXPECT_EQ(refusal("/dev/zero"), "cannot read /dev/zero: it is a device, not a file");
}

}  // namespace run_options_test
}  // namespace gpulab::run
