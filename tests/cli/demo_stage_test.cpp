#include "cli/demo_stage.hpp"

#include <gtest/gtest.h>

#include "lesson/lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "teach/demo.hpp"

namespace gpulab::cli {
namespace {

class Stage : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(simulator::simulator_with(""), nullptr); }

  Lesson lesson = find_lesson("matmul");
  DemoStage stage{lesson,
                  std::nullopt,
                  teach::parse_script("== small\nwith: --m 16 --n 16 --k 16\nshow: naive\nrun: nothing\n"
                                      "== large\nwith: --m 8192 --n 8192 --k 8192\nshow: naive\n",
                                      lesson, "demo.txt"),
                  {.device = "simulator"},
                  std::nullopt};
};

TEST_F(Stage, HasASmallestSizeAndGrowsAgainFromThere) {
  for (int halves = 0; halves < 4; ++halves) EXPECT_EQ(stage.scale(-1), "");
  for (int halves = 0; halves < 80; ++halves) EXPECT_EQ(stage.scale(-1), "this is the smallest size");
  EXPECT_TRUE(simulator::contains(stage.scene().problem, "1 x 1 times")) << stage.scene().problem;
  EXPECT_EQ(stage.scale(1), "");
  EXPECT_TRUE(simulator::contains(stage.scene().problem, "2 x 2 times")) << stage.scene().problem;
}

TEST_F(Stage, StartsAStepAtItsOwnSizeWhereSoManyTimesThatIsTooMuch) {
  for (int doublings = 0; doublings < 11; ++doublings) EXPECT_EQ(stage.scale(1), "");
  EXPECT_NE(stage.scale(1), "");
  EXPECT_TRUE(stage.go_on());
  EXPECT_TRUE(simulator::contains(stage.scene().problem, "8 192 x 8 192 times")) << stage.scene().problem;
  EXPECT_TRUE(stage.go_back());
  EXPECT_TRUE(simulator::contains(stage.scene().problem, "16 x 16 times")) << stage.scene().problem;
}

}  // namespace
}  // namespace gpulab::cli
