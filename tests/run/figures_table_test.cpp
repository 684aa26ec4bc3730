#include "run/documents.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gpulab::run {
namespace {

LessonResult with_figures() {
  LessonResult result;
  result.size = 100;
  result.variants = {
      {.name = "plain", .size = 100}, {.name = "array", .size = 100}, {.name = "silent", .size = 100}};
  result.variants[0].findings.figures = {{"registers", 12}, {"local", 0, "bytes"}};
  result.variants[1].findings.figures = {{"registers", 14}, {"local", 32768, "bytes"}, {"error", 5.96e-8}};
  return result;
}

TEST(FiguresTable, HasARowForEachVariantWithFiguresAndAColumnForEachFigure) {
  EXPECT_EQ(figures_table(with_figures(), {.width = 100}),
            "variant  registers  local, bytes     error\n"
            "plain           12             0       n/a\n"
            "array           14        32 768  5.96e-08\n");
}

TEST(FiguresTable, LeavesOutVariantsOfAnotherSize) {
  LessonResult result = with_figures();
  result.variants[1].size = 10;
  EXPECT_EQ(figures_table(result, {.width = 100}),
            "variant  registers  local, bytes\n"
            "plain           12             0\n");
}

TEST(FiguresTable, GoesOnBelowWhereItIsTooWide) {
  EXPECT_EQ(figures_table(with_figures(), {.width = 40}),
            "variant  registers  local, bytes\n"
            "plain           12             0\n"
            "array           14        32 768\n"
            "\n"
            "variant     error\n"
            "plain         n/a\n"
            "array    5.96e-08\n");
}

TEST(FiguresTable, IsEmptyWithoutFigures) {
  LessonResult result = with_figures();
  for (VariantResult& variant : result.variants) variant.findings.figures.clear();
  EXPECT_EQ(figures_table(result, {}), "");
}

TEST(FiguresTable, WritesWhatIsNoNumberAsNotAvailable) {
  LessonResult result = with_figures();
  result.variants.resize(1);
  result.variants[0].findings.figures = {{"error", std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_EQ(figures_table(result, {}), "variant  error\nplain      n/a\n");
}

}  // namespace
}  // namespace gpulab::run
