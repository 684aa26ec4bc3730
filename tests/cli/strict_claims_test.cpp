#include "cli/lesson_reports.hpp"

#include "program_fixture.hpp"
#include "run/lesson_fixtures.hpp"
#include "text_contains.hpp"

namespace gpulab::cli {
namespace {

LessonResult with_claim(ClaimVerdict verdict, LessonResult result = fixtures::measured_lesson()) {
  result.claims.at(0).verdict = verdict;
  return result;
}

TEST(StrictClaims, EndWithFiveWhereAClaimDoesNotHold) {
  EXPECT_EQ(strict_exit_code_of(with_claim(ClaimVerdict::does_not_hold)), ExitCode::regression);
  EXPECT_EQ(static_cast<int>(ExitCode::regression), 5);
}

TEST(StrictClaims, TakeNothingElseForAFailure) {
  for (const ClaimVerdict verdict : {ClaimVerdict::holds, ClaimVerdict::inconclusive, ClaimVerdict::needs_gpu,
                                     ClaimVerdict::needs_simulator, ClaimVerdict::not_measured}) {
    EXPECT_EQ(strict_exit_code_of(with_claim(verdict)), ExitCode::ok);
    EXPECT_EQ(broken_claims_text(with_claim(verdict)), "");
  }
}

TEST(StrictClaims, GiveWayToAResultThatIsNotRight) {
  EXPECT_EQ(strict_exit_code_of(with_claim(ClaimVerdict::does_not_hold, fixtures::failing_lesson())),
            ExitCode::compilation);
}

TEST(StrictClaims, NameTheClaimAndWhatWasMeasured) {
  LessonResult result = with_claim(ClaimVerdict::does_not_hold);
  result.claims[0].ratio = 1.25;
  EXPECT_EQ(broken_claims_text(result),
            "gpulab: shared-histogram, size 33 554 432: does not hold: shared is at least 2x as fast as "
            "global-atomic (1.2x)\n");
}

class StrictClaimsOfALesson : public ProgramTest {
 protected:
  // The kernel for the structure of arrays strides as the one for the array of structures does.
  std::vector<std::string> broken_lesson() const {
    write("coalescing.cu",
          "__global__ void scale_array_of_structs(const float4* points, float* output, int size) {\n"
          "  const int item = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (item < size) output[item] = 2 * points[item].x;\n"
          "}\n"
          "__global__ void scale_struct_of_arrays(const float* x, float* output, int size) {\n"
          "  const int thread = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  const int item = thread % 32 * (size / 32) + thread / 32;\n"
          "  if (thread < size) output[item] = 2 * x[item];\n"
          "}\n");
    return simulated({"coalescing", "--size", "65536", "--kernels", ".", "--variant", "array-of-structs",
                      "--variant", "struct-of-arrays", "--quiet"});
  }
};

TEST_F(StrictClaimsOfALesson, EndItWithFiveAfterTheReport) {
  std::vector<std::string> words = broken_lesson();
  words.emplace_back("--strict-claims");
  const ProgramRun ended = run(words);
  EXPECT_EQ(ended.exit_code, 5);
  EXPECT_TRUE(contains(ended.out, "does not hold: struct-of-arrays has at least 4x fewer sectors per load"))
      << ended.out;
  EXPECT_TRUE(ended.err.starts_with("gpulab: coalescing, size 65 536: does not hold: struct-of-arrays has "))
      << ended.err;
}

TEST_F(StrictClaimsOfALesson, AreWhatMakesItFail) {
  const ProgramRun ended = run(broken_lesson());
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(contains(ended.out, "does not hold: "));
  EXPECT_EQ(ended.err, "");
}

}  // namespace
}  // namespace gpulab::cli
