#include "run/shown_figures.hpp"

#include <gtest/gtest.h>

namespace gpulab::run {
namespace shown_figures_test {

Span copy(Span::Kind kind, double start_s, double end_s, double bytes) {
  return {.stream = 1, .kind = kind, .what = "A", .start_s = start_s, .end_s = end_s, .bytes = bytes};
}

TEST(CopyRates, AreOverTheTimeThatCopiesInThatDirectionTookTogether) {
  const auto rates =
      copy_rate_figures({copy(Span::Kind::to_device, 0, 1, 1e9), copy(Span::Kind::to_device, 0.5, 2, 3e9),
                         copy(Span::Kind::to_host, 5, 6, 7e9)});
  ASSERT_EQ(rates.size(), 2u);
  EXPECT_DOUBLE_EQ(rates[0].value, 2) << "4 GB in the two seconds in which one or the other was going on";
  EXPECT_DOUBLE_EQ(rates[1].value, 7);
}

TEST(CopyRates, ArePercentsOfTheMeasuredLink) {
  const TransferResult link{.bytes_to_device = 8e9,
                            .bytes_to_host = 10e9,
                            .to_device = {.median_s = 1},
                            .to_host = {.median_s = 1}};
  const auto rates =
      copy_rate_figures({copy(Span::Kind::to_device, 0, 1, 2e9), copy(Span::Kind::to_host, 1, 2, 5e9)});
  const auto percents = link_figures(rates, link);
  ASSERT_EQ(percents.size(), 2u);
  EXPECT_DOUBLE_EQ(percents[0].value, 25);
  EXPECT_DOUBLE_EQ(percents[1].value, 50);
}

}  // namespace shown_figures_test
}  // namespace gpulab::run
