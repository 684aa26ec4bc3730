#include "lesson/lesson.hpp"

#include "lesson/words.hpp"
#include "test.hpp"

namespace gpulab {
namespace lesson_test {

DeviceProperties gpu(int major, int minor, std::size_t shared_bytes) {
  return {.kind = "cuda",
          .compute_capability_major = major,
          .compute_capability_minor = minor,
          .shared_bytes_per_block_optin = shared_bytes};
}

TEST(GpuNeed, IsMetFromItsComputeCapabilityOn) {
  const GpuNeed need{.major = 8};
  EXPECT_FALSE(need.is_met_by(gpu(7, 5, 65536)));
  EXPECT_TRUE(need.is_met_by(gpu(8, 0, 65536)));
  EXPECT_TRUE(need.is_met_by(gpu(9, 0, 65536)));
}

TEST(GpuNeed, IsMetByOneComputeCapabilityAloneIfItIsNeededExactly) {
  const GpuNeed need{.major = 9, .exactly = true};
  EXPECT_FALSE(need.is_met_by(gpu(8, 9, 65536)));
  EXPECT_TRUE(need.is_met_by(gpu(9, 0, 65536)));
  EXPECT_FALSE(need.is_met_by(gpu(10, 0, 65536)));
}

TEST(GpuNeed, CountsTheSharedMemoryOfABlock) {
  const GpuNeed need{.major = 8, .shared_bytes = 107520};
  EXPECT_FALSE(need.is_met_by(gpu(8, 6, 101376)));
  EXPECT_TRUE(need.is_met_by(gpu(8, 0, 166912)));
  EXPECT_EQ(need.text(),
            "a GPU of compute capability 8.0 or later with 107 520 bytes of shared memory for a block");
}

TEST(GpuNeed, IsNeverMetByTheSimulator) {
  EXPECT_FALSE(GpuNeed{}.is_met_by({.kind = "simulator"}));
}

TEST(TeachingOrder, BeginsWithTheFirstKernelAndEndsWithRadioAstronomy) {
  const auto lessons = all_lessons();
  EXPECT_EQ(lessons.front().name, "first-kernel");
  EXPECT_EQ(lessons.back().name, "radio-astronomy");
  EXPECT_TRUE((Place{6, 1} < Place{6, 2}));
  EXPECT_TRUE((Place{10, 2} < Place{2, 1})) << "episode 2 comes before the course writes kernels";
}

TEST(TeachingOrder, HasNoTwoLessonsInOnePlace) {
  const auto lessons = all_lessons();
  for (std::size_t i = 1; i < lessons.size(); ++i)
    EXPECT_NE(lessons[i - 1].place, lessons[i].place) << lessons[i - 1].name << " and " << lessons[i].name;
}

TEST(TeachingOrder, IsThatOfTheExercisesToo) {
  std::vector<std::string> lessons, exercises;
  for (const Exercise& exercise : all_exercises())
    if (exercise.name == exercise.lesson) exercises.push_back(exercise.lesson);  // a lesson may have two
  for (const Lesson& lesson : all_lessons())
    if (std::ranges::find(exercises, lesson.name) != exercises.end()) lessons.push_back(lesson.name);
  EXPECT_EQ(exercises, lessons);
}

TEST(ClaimText, SaysWhatIsClaimedInWords) {
  EXPECT_EQ(claim_text(at_least(2, "shared", "global")), "shared is at least 2x as fast as global");
  EXPECT_EQ(claim_text(no_faster("shared", "registers")), "shared is no faster than registers");
  EXPECT_EQ(claim_text(at_least_fewer(8, "sectors per load", "stride-1", "stride-32")),
            "stride-1 has at least 8x fewer sectors per load than stride-32");
}

}  // namespace lesson_test
}  // namespace gpulab
