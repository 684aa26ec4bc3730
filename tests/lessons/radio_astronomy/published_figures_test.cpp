#include "radio_astronomy/published_figures.hpp"

#include <gtest/gtest.h>

#include "simulator/simulator_fixture.hpp"

namespace gpulab::lessons::radio_astronomy {
namespace radio_astronomy_published_figures_test {

TEST(PublishedFigures, TakeTheBrightestSource) {
  const Figures figures = figures_of(2.5, 0.013, {{.flux = 1}, {.flux = 7}, {.flux = 3}});
  EXPECT_EQ(figures.sources, 3);
  EXPECT_EQ(figures.brightest, 7);
  EXPECT_EQ(figures_of(2.5, 0.013, {}).brightest, 0);
}

TEST(PublishedFigures, AreConfirmedToTheDigitsThatTheCoursePrints) {
  EXPECT_EQ(compared_with_course(
                {.maximum = 2.50561, .sigma = 0.0133412, .sources = 185, .brightest = 363.5893777401}),
            "this is the course's own image; as the course publishes: sources 185, brightest flux "
            "363.58937774, sigma "
            "after clipping 0.01334, maximum 2.506");
}

TEST(PublishedFigures, AreSaidToDiffer) {
  const std::string text =
      compared_with_course({.maximum = 2.506, .sigma = 0.01335, .sources = 184, .brightest = 363.5893778});
  EXPECT_TRUE(simulator::contains(text, "as the course publishes: maximum 2.506; "));
  EXPECT_TRUE(simulator::contains(
      text,
      "other than it publishes: sources 184 (published: 185), brightest flux 363.58937780 "
      "(published: 363.58937774), sigma after clipping 0.01335 (published: 0.01334)"));
}

}  // namespace radio_astronomy_published_figures_test
}  // namespace gpulab::lessons::radio_astronomy
