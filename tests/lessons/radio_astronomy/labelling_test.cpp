#include "radio_astronomy/labelling.hpp"

#include "lessons/radio_astronomy/every_steps.hpp"
#include "lessons/radio_astronomy/masks.hpp"
#include "test.hpp"

namespace gpulab::lessons::radio_astronomy {
namespace radio_astronomy_labelling_test {

class RadioLabelling : public OnCpu {
 protected:
  // Returns the labels as rows of digits, like the drawing of a mask.
  std::string labelled(const Mask& mask) const {
    std::vector<std::int32_t> labels(mask.pixels.size(), -7);
    count_ = steps().label(mask.pixels, mask.width, labels);
    return drawn(labels);
  }
  int count() const { return count_; }

 private:
  mutable int count_ = 0;
};

TEST_P(RadioLabelling, NumbersComponentsByTheirFirstPixels) {
  EXPECT_EQ(labelled(mask_of("..#.#"
                             "#.#.##....",
                             5)),
            "..1.2"
            "3.1.23....");
  EXPECT_EQ(count(), 3);
}

TEST_P(RadioLabelling, DoesNotConnectDiagonally) {
  EXPECT_EQ(labelled(mask_of("#.#"
                             ".#.#.#",
                             3)),
            "1.2"
            ".3.4.5");
}

TEST_P(RadioLabelling, JoinsBranchesThatMeetBelow) {
  EXPECT_EQ(labelled(mask_of("#.#.#"
                             "#.#.####.#....######",
                             5)),
            "1.1.2"
            "1.1.2111.2....222222");
  EXPECT_EQ(labelled(mask_of("...#.."
                             "...#.#.#.#.#######",
                             6)),
            "...1.."
            "...1.1.1.1.1111111");
}

TEST_P(RadioLabelling, FollowsASpiralAndAFrame) {
  EXPECT_EQ(labelled(spiral()),
            "1111111"
            "......111111.11...1.11.1.1.11.111.11.....11111111");
  EXPECT_EQ(labelled(mask_of("####"
                             "#..##.######",
                             4)),
            "1111"
            "1..11.111111");
}

// The end of a row is not a neighbour of the beginning of the next.
TEST_P(RadioLabelling, DoesNotConnectAroundTheEdges) {
  EXPECT_EQ(labelled(mask_of("..#"
                             "#..",
                             3)),
            "..1"
            "2..");
}

TEST_P(RadioLabelling, TakesImagesOfOneRowOneColumnOrOnePixel) {
  EXPECT_EQ(labelled(mask_of("##.#.##", 7)), "11.2.33");
  EXPECT_EQ(labelled(mask_of("##.#.##", 1)), "11.2.33");
  EXPECT_EQ(labelled(mask_of("#", 1)), "1");
  EXPECT_EQ(labelled(mask_of(".", 1)), ".");
  EXPECT_EQ(count(), 0);
}

TEST_P(RadioLabelling, CountsTheMostComponentsThatAnImageCanHave) {
  labelled(checkerboard(102, 77));
  EXPECT_EQ(count(), 102 * 77 / 2);
}

TEST_P(RadioLabelling, IsTheSameOnOneThreadAndOnAllForRandomMasks) {
  for (const unsigned percent : {5u, 40u, 59u, 80u, 100u}) {
    const Mask mask = random_mask(137, 91, percent, 11);
    std::vector<std::int32_t> plain(mask.pixels.size()), threads(mask.pixels.size());
    EXPECT_EQ(on_one_thread.label(mask.pixels, mask.width, plain),
              on_all_threads.label(mask.pixels, mask.width, threads));
    EXPECT_EQ(plain, threads) << percent << " %";
  }
}

INSTANTIATE_TEST_SUITE_P(Both, RadioLabelling, both_ways, name_of_way);

}  // namespace radio_astronomy_labelling_test
}  // namespace gpulab::lessons::radio_astronomy
