#include "base/plot.hpp"

#include "base/text.hpp"
#include "test.hpp"

namespace gpulab {
namespace {

const PlotAxis sizes{.title = "work items", .tick_text = size_tick_text};
const PlotAxis rates{.title = "GB/s"};
constexpr TextStyle narrow{.width = 60};

TEST(Plot, PutsSmallValuesOnTheLeftBelowAndLargeOnTheRightAbove) {
  const std::string text = plot({{"rising", {{1024, 1}, {4096, 100}}}}, sizes, rates, narrow, 12);
  const std::vector<std::string> lines = lines_of(text);
  EXPECT_EQ(lines[0], "GB/s");
  EXPECT_EQ(lines[1].back(), 'a') << text;
  EXPECT_TRUE(contains(lines[1], "100 ┤"));
  EXPECT_TRUE(contains(lines[8], "┤a")) << text;
  EXPECT_TRUE(contains(lines[10], "2^10")) << text;
  EXPECT_TRUE(lines[10].ends_with("2^12"));
}

TEST(Plot, NamesEachCurveInALegend) {
  const std::string text = plot({{"naive", {{1, 1}}}, {"tiled", {{2, 2}}}}, sizes, rates, narrow);
  EXPECT_TRUE(contains(text, "a naive   b tiled\n"));
}

TEST(Plot, SaysWhereSeveralCurvesMeet) {
  const std::string text =
      plot({{"one", {{1, 5}, {2, 6}}}, {"other", {{1, 5}, {2, 7}}}}, sizes, rates, narrow);
  EXPECT_TRUE(contains(text, "#"));
  EXPECT_TRUE(contains(text, "# several"));
  EXPECT_FALSE(contains(plot({{"one", {{1, 5}}}}, sizes, rates, narrow), "several"));
}

TEST(Plot, IsNeverWiderThanTheStyleNorHigherThanAsked) {
  std::vector<Series> many;
  for (int i = 0; i < 30; ++i)
    many.push_back({"a variant with a long name", {{1e3 + i, 3.7}, {1e9, 1e6 + i}}});
  for (const unsigned width : {40u, 80u, 200u}) {
    const std::vector<std::string> lines = lines_of(plot(many, sizes, rates, {.width = width}, 18));
    for (const std::string& line : lines) EXPECT_LE(display_width(line), width) << line;
  }
  EXPECT_EQ(lines_of(plot({{"one", {{1, 5}, {9, 6}}}}, sizes, rates, {.width = 80}, 18)).size(), 18 + 1)
      << "a legend, too";
}

TEST(Plot, LeavesOutWhatCannotBeDrawn) {
  const std::string text =
      plot({{"one", {{0, 5}, {8, NAN}, {4, -1}, {2, INFINITY}}}, {"other", {{3, 7}}}}, sizes, rates, narrow);
  EXPECT_TRUE(contains(text, "a other"));
  EXPECT_EQ(plot({{"one", {{0, 5}}}}, sizes, rates, narrow), "");
  EXPECT_EQ(plot({}, sizes, rates, narrow), "");
}

TEST(Plot, StartsAtZeroOnAnAxisThatIsNotLogarithmic) {
  const std::string text = plot({{"one", {{10, 50}, {20, 100}}}}, {.title = "n", .logarithmic = false},
                                {.title = "s", .logarithmic = false}, narrow, 12);
  EXPECT_TRUE(contains(text, "  0 ┤"));
}

TEST(Plot, UsesColoursOnlyWhereTheStyleHasThem) {
  EXPECT_FALSE(contains(plot({{"one", {{1, 5}}}}, sizes, rates, narrow), "\x1b"));
  EXPECT_TRUE(contains(plot({{"one", {{1, 5}}}}, sizes, rates, {.colour = true, .width = 60}), "\x1b"));
}

TEST(Sizes, AreShortBelowAPlot) {
  EXPECT_EQ(size_tick_text(1048576), "2^20");
  EXPECT_EQ(size_tick_text(512), "512");
  EXPECT_EQ(size_tick_text(3e6), "3M");
  EXPECT_EQ(size_tick_text(50000), "50k");
  EXPECT_EQ(size_tick_text(33333), "33 333");
}

}  // namespace
}  // namespace gpulab
