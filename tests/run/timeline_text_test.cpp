#include "run/documents.hpp"

#include <gtest/gtest.h>

#include "base/table.hpp"

namespace gpulab::run {
namespace {

LessonResult with_timeline(const Timeline& timeline) {
  LessonResult result;
  result.device.kind = "cuda";
  result.variants = {{.name = "chunked", .timeline = timeline}};
  return result;
}

const Timeline copy_and_kernel{
    {.stream = 1, .kind = Span::Kind::to_device, .what = "A", .start_s = 0, .end_s = 0.5, .bytes = 100},
    {.stream = 2, .kind = Span::Kind::kernel, .what = "add", .start_s = 0.5, .end_s = 1}};

TEST(TimelineText, DrawsEachStreamOnALineOfTheWidthThereIs) {
  const std::string text = timelines_text(with_timeline(copy_and_kernel), {.width = 52});
  EXPECT_TRUE(
      text.starts_with("chunked: 1.00 s\n"
                       "  stream 1  ▼▼▼▼▼▼▼▼▼▼▼▼▼▼▼▼▼▼▼▼····················\n"
                       "  stream 2  ····················████████████████████\n"))
      << text;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    EXPECT_LE(display_width(text.substr(at, text.find('\n', at) - at)), 52u) << text;
}

TEST(TimelineText, NamesEachPieceWithItsTimes) {
  const std::string text = timelines_text(with_timeline(copy_and_kernel), {.width = 200});
  EXPECT_NE(text.find("A in stream 1 from 0 ns to 500 ms; add in stream 2 from 500 ms to 1.00 s"),
            std::string::npos)
      << text;
}

TEST(TimelineText, GivesEvenTheShortestPieceAColumn) {
  Timeline timeline = copy_and_kernel;
  timeline.push_back({.stream = 1, .kind = Span::Kind::to_host, .what = "C", .start_s = 1, .end_s = 1});
  EXPECT_NE(timelines_text(with_timeline(timeline), {.width = 52}).find("▲\n"), std::string::npos);
}

TEST(TimelineText, SaysOnTheSimulatorThatTheTimeIsTheCpus) {
  LessonResult result = with_timeline(copy_and_kernel);
  result.device.kind = "simulator";
  EXPECT_NE(timelines_text(result, {.width = 200}).find("CPU time"), std::string::npos);
}

TEST(TimelineText, IsEmptyWithoutTimelines) {
  EXPECT_EQ(timelines_text(with_timeline({}), {}), "");
}

}  // namespace
}  // namespace gpulab::run
