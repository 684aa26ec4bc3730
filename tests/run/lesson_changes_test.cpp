#include <gtest/gtest.h>

#include "lesson_fixtures.hpp"
#include "run/documents.hpp"
#include "text_contains.hpp"

namespace gpulab::run {
namespace {

// A right variant that takes so long on a GPU, beside one that is wrong on purpose.
LessonResult timed(double median_s, double relative_half_width) {
  LessonResult result = fixtures::lesson();
  VariantResult variant = fixtures::right_variant("shared", "histogram_shared", 4);
  variant.kernel_cold = fixtures::timing(median_s, relative_half_width);
  result.variants = {fixtures::race(fixtures::size, "256 of 256 bins lost updates"), variant};
  return result;
}

std::string changes(const LessonResult& before, const LessonResult& now) {
  return lesson_text(now, {.width = 100}, &before);
}

TEST(LessonChanges, ShowATimeWhoseIntervalIsAnotherOne) {
  const std::string text = changes(timed(2e-3, 0.01), timed(1e-3, 0.01));
  EXPECT_TRUE(contains(text, "\n~ shared  ")) << text;
  EXPECT_TRUE(contains(text, "2.00 ms -> 1.00 ms")) << text;
}

TEST(LessonChanges, TakeNoNoticeOfNoise) {
  const std::string text = changes(timed(1.00e-3, 0.01), timed(1.01e-3, 0.01));
  EXPECT_TRUE(contains(text, "\n  shared  ")) << text;
  EXPECT_FALSE(contains(text, "->")) << text;
}

TEST(LessonChanges, ShowTheOldResultBesideTheNewOne) {
  LessonResult broken = timed(1e-3, 0.01);
  broken.variants[1].observed = Outcome::defect;
  broken.variants[1].kernel_cold.reset();
  broken.variants[1].explanation = "a race in line 33";
  const std::string text = changes(timed(1e-3, 0.01), broken);
  EXPECT_TRUE(contains(text, "~ shared             right -> DEFECT  a race in line 33")) << text;
  EXPECT_TRUE(contains(changes(broken, timed(1e-3, 0.01)), "DEFECT -> right")) << text;
  broken.variants[1].failure = Failure{.kind = DefectKind::other, .line = 34};
  LessonResult elsewhere = broken;
  elsewhere.variants[1].failure->line = 35;
  EXPECT_TRUE(contains(changes(broken, elsewhere), "\n~ shared  ")) << "the same, in another line";
}

TEST(LessonChanges, TellAgainInShortWhatIsAsExpected) {
  LessonResult again = timed(1e-3, 0.01);
  again.variants[0].explanation = "255 of 256 bins lost updates";
  const std::string text = changes(timed(1e-3, 0.01), again);
  EXPECT_TRUE(contains(text, "\n  lost-updates  ")) << "a race comes out differently each time: " << text;
  EXPECT_FALSE(contains(text, "bins lost")) << text;
}

TEST(LessonChanges, ShowCountsThatHaveChanged) {
  LessonResult before = timed(1e-3, 0.01), now = before;
  before.variants[1].findings.figures = {{"sectors", 8192}, {"to device", 12.5, "GB/s"}};
  now.variants[1].findings.figures = {{"sectors", 4096}, {"to device", 12.6, "GB/s"}};
  const std::string text = changes(before, now);
  EXPECT_TRUE(contains(text, "8 192 -> 4 096")) << text;
  EXPECT_FALSE(contains(text, "12.5")) << "what is measured differs each time";
}

TEST(LessonChanges, AreNotMarkedWithoutAnEarlierResult) {
  EXPECT_EQ(lesson_text(timed(1e-3, 0.01), {}, nullptr), lesson_text(timed(1e-3, 0.01), {}));
  EXPECT_TRUE(contains(lesson_text(timed(1e-3, 0.01), {}), "\nshared  "));
}

}  // namespace
}  // namespace gpulab::run
