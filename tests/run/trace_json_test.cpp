#include "run/documents.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gpulab::run {
namespace {

TEST(TraceJson, HasAProcessForEachVariantAndAThreadForEachStream) {
  LessonResult result;
  result.lesson = "streams";
  result.variants = {{.name = "silent"}, {.name = "chunked"}};
  result.variants[1].timeline = {
      {.stream = 1, .kind = Span::Kind::to_device, .what = "A", .start_s = 1e-6, .end_s = 3e-6, .bytes = 400},
      {.stream = 2, .kind = Span::Kind::kernel, .what = "add", .start_s = 3e-6, .end_s = 4e-6}};
  const auto trace = nlohmann::json::parse(trace_json(result));
  const auto& events = trace["traceEvents"];
  ASSERT_EQ(events.size(), 5u) << "names of the process and two threads, and two events";
  EXPECT_EQ(events[0]["args"]["name"], "chunked");
  EXPECT_EQ(events[1]["args"]["name"], "stream 1");
  EXPECT_EQ(events[2]["ph"], "X");
  EXPECT_EQ(events[2]["name"], "A");
  EXPECT_EQ(events[2]["cat"], "copy to device");
  EXPECT_DOUBLE_EQ(events[2]["ts"], 1.0) << "microseconds";
  EXPECT_DOUBLE_EQ(events[2]["dur"], 2.0);
  EXPECT_EQ(events[2]["args"]["bytes"], 400.0);
  EXPECT_EQ(events[4]["tid"], 2);
}

}  // namespace
}  // namespace gpulab::run
