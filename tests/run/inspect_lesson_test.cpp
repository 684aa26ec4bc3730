#include "run/watched_run.hpp"

#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::run {
namespace inspect_lesson_test {

const std::string first_lines_of_kernel =
    "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {\n"
    "  const int item = blockIdx.x * blockDim.x + threadIdx.x;\n";

class InspectLesson : public simulator::NeedsCompiler<> {
 protected:
  static RunOptions options_at(const Lesson& lesson, std::size_t size) {
    RunOptions options{.settings = lesson.default_settings()};
    options.settings.size = size;
    return options;
  }
  static Inspection inspect(const std::string& name, const std::vector<std::string>& variants = {}) {
    const Lesson lesson = cli::find_lesson(name);
    RunOptions options = options_at(lesson, 4096);
    options.variants = variants;
    return inspect_lesson(lesson, options, KernelFiles(lesson, std::nullopt), *simulator::simulator_with(""));
  }
  // Inspects first-kernel with this text in place of its file.
  static VariantInspection inspect_learners_file(const std::string& text) {
    const Lesson lesson = cli::find_lesson("first-kernel");
    const Inspection inspection =
        inspect_replaced(lesson, options_at(lesson, 2048), {"mine.cu", text}, *simulator::simulator_with(""));
    EXPECT_EQ(inspection.variants.size(), 1u);
    return inspection.variants.at(0);
  }
};

TEST_F(InspectLesson, CountsTheLinesOfEveryVariant) {
  const Inspection inspection = inspect("coalescing");
  EXPECT_EQ(inspection.variants.size(), cli::find_lesson("coalescing").variants.size());
  EXPECT_EQ(exit_code_of(inspection), ExitCode::ok);
  for (const VariantInspection& variant : inspection.variants) {
    EXPECT_EQ(variant.counts.lines.size(), 2u) << variant.result.name;
    EXPECT_EQ(variant.file, "coalescing.cu");
  }
}

TEST_F(InspectLesson, FindsTheStrideOfWhatIsNotCoalesced) {
  const auto costly = costliest_access(inspect("coalescing", {"stride-32"}).variants.at(0).counts);
  ASSERT_TRUE(costly);
  EXPECT_EQ(costly->accesses.sums.sectors, 32 * costly->accesses.sums.requests);
  EXPECT_EQ(costly->accesses.pattern.min_sectors, 4 * costly->accesses.sums.requests);
  EXPECT_EQ(stride_of(*costly), 128);
}

TEST_F(InspectLesson, CountsAllLaunchesOfAVariant) {
  const VariantInspection variant = inspect("normalize", {"shared"}).variants.at(0);
  EXPECT_EQ(variant.result.launches, 2u);
  EXPECT_EQ(sums_of(variant.counts, AccessKind::global_store).active_lanes, 4096u) << "of the second kernel";
  EXPECT_GT(sums_of(variant.counts, AccessKind::shared_store).requests, 0u) << "of the first";
}

TEST_F(InspectLesson, TakesARaceOnPurposeAsItIsStated) {
  const Inspection inspection = inspect("shared-histogram", {"lost-updates", "shared-unsynchronised"});
  EXPECT_EQ(exit_code_of(inspection), ExitCode::ok);
  for (const VariantInspection& variant : inspection.variants) EXPECT_FALSE(variant.counts.lines.empty());
}

TEST_F(InspectLesson, GoesOnAfterAVariantThatFaultsAsStated) {
  const Inspection inspection = inspect("shared-memory");
  EXPECT_EQ(exit_code_of(inspection), ExitCode::ok);
  EXPECT_EQ(inspection.variants.back().result.observed, Outcome::faults);
  EXPECT_FALSE(is_counted(inspection.variants.back()));
}

TEST_F(InspectLesson, RefusesAVariantThatTheLessonLacks) {
  EXPECT_THROW(inspect("coalescing", {"stride-3"}), UsageError);
}

TEST_F(InspectLesson, PutsALearnersFileInThePlaceOfTheSolution) {
  const VariantInspection variant =
      inspect_learners_file(first_lines_of_kernel + "  if (item < size) C[item] = A[item] + B[item];\n}\n");
  EXPECT_EQ(variant.result.observed, Outcome::right);
  EXPECT_EQ(variant.file, "mine.cu");
  ASSERT_EQ(variant.counts.lines.size(), 2u);
  EXPECT_EQ(variant.counts.lines[0].line, 3);
  EXPECT_EQ(variant.counts.lines[0].sums.requests, 128u) << "two loads in each of 64 warps";
}

TEST_F(InspectLesson, FindsALearnersRaceAlthoughTheResultIsRight) {
  const VariantInspection variant =
      inspect_learners_file(first_lines_of_kernel +
                            "  __shared__ float sums[1024];\n  sums[(threadIdx.x + 32) % 1024] = item;\n"
                            "  const float unused = sums[threadIdx.x];\n"
                            "  if (item < size) C[item] = A[item] + B[item] + (unused < 0 ? 1 : 0);\n}\n");
  EXPECT_EQ(variant.result.observed, Outcome::wrong);
  EXPECT_NE(variant.result.explanation.find("race"), std::string::npos) << variant.result.explanation;
  EXPECT_FALSE(variant.counts.lines.empty());
}

TEST_F(InspectLesson, SaysWhyALearnersKernelDoesNotRun) {
  const VariantInspection broken = inspect_learners_file("garbage");
  EXPECT_EQ(broken.result.observed, Outcome::fails_to_compile);
  EXPECT_FALSE(broken.result.compiler_log.empty());
  const VariantInspection wild = inspect_learners_file(first_lines_of_kernel + "  *(int*)16 = item;\n}\n");
  EXPECT_EQ(wild.result.observed, Outcome::faults);
  EXPECT_TRUE(wild.counts.lines.empty());
}

}  // namespace inspect_lesson_test
}  // namespace gpulab::run
