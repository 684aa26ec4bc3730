#include "program/runtime/timeline.hpp"

#include "test.hpp"

namespace gpulab::program::runtime {
namespace {

using Kind = TimelineEntry::Kind;

constexpr std::size_t some_bytes = 24'000'000;  // 1 ms from page-locked memory, 3 ms from ordinary memory

// Returns the first entry of a call or of work with that name.
TimelineEntry entry(const Timeline& timeline, const std::string& name) {
  for (const TimelineEntry& entry : timeline.entries())
    if (entry.name == name) return entry;
  ADD_FAILURE() << name;
  return {};
}

double duration(const TimelineEntry& entry) {
  return entry.end_s - entry.start_s;
}

TEST(TimelineOfAProgram, TakesLongerFromOrdinaryMemory) {
  Timeline timeline;
  timeline.add_work({Kind::to_device, "pinned", 1, some_bytes}, {});
  timeline.add_work({Kind::to_device, "pageable", 1, some_bytes, /*is_pageable=*/true}, {});
  EXPECT_NEAR(duration(entry(timeline, "pinned")), 1e-3, 2e-6);
  EXPECT_NEAR(duration(entry(timeline, "pageable")), 3e-3, 2e-6);
}

TEST(TimelineOfAProgram, HasOneEngineForEachDirection) {
  Timeline timeline;
  timeline.add_work({Kind::to_device, "a", 1, some_bytes}, {});
  timeline.add_work({Kind::to_device, "b", 2, some_bytes}, {});
  timeline.add_work({Kind::to_host, "c", 3, some_bytes}, {});
  EXPECT_GE(entry(timeline, "b").start_s, entry(timeline, "a").end_s);
  EXPECT_LT(entry(timeline, "c").start_s, entry(timeline, "a").end_s);
}

TEST(TimelineOfAProgram, KeepsTheOrderOfAStream) {
  Timeline timeline;
  timeline.add_work({Kind::to_device, "copy", 1, some_bytes}, {});
  timeline.add_work({Kind::kernel, "kernel", 1, 1000}, {});
  timeline.add_work({Kind::kernel, "other", 2, 1000}, {});
  EXPECT_GE(entry(timeline, "kernel").start_s, entry(timeline, "copy").end_s);
  EXPECT_NEAR(duration(entry(timeline, "kernel")), 3e-6, 1e-9);
}

TEST(TimelineOfAProgram, WaitsForEventsAndStreams) {
  Timeline timeline;
  int event = 0;
  timeline.add_work({Kind::to_device, "copy", 1, some_bytes}, {});
  timeline.record(&event, 1);
  timeline.wait_for_event(2, &event);
  timeline.add_work({Kind::kernel, "after the event", 2, 1000}, {});
  timeline.wait_for_stream(0, 2);
  timeline.add_work({Kind::to_host, "after the stream", 0, 1000}, {});
  EXPECT_GE(entry(timeline, "after the event").start_s, entry(timeline, "copy").end_s);
  EXPECT_GE(entry(timeline, "after the stream").start_s, entry(timeline, "after the event").end_s);
}

TEST(TimelineOfAProgram, ShowsHowLongTheHostWaits) {
  Timeline timeline;
  timeline.add_call("cudaMemcpyAsync", {});
  timeline.add_work({Kind::to_device, "copy", 1, some_bytes}, {});
  timeline.add_call("cudaStreamSynchronize", {});
  timeline.host_waits_for_stream(1);
  timeline.add_call("cudaFree", {});
  EXPECT_NEAR(duration(entry(timeline, "cudaMemcpyAsync")), 2e-6, 1e-9);
  EXPECT_DOUBLE_EQ(entry(timeline, "cudaStreamSynchronize").end_s, entry(timeline, "copy").end_s);
  EXPECT_GE(entry(timeline, "cudaFree").start_s, entry(timeline, "copy").end_s);
}

TEST(TimelineOfAProgram, HasTheTimesBetweenEvents) {
  Timeline timeline;
  const int begin = 0, end = 0;
  timeline.add_work({Kind::to_device, "before", 1, some_bytes}, {});
  timeline.record(&begin, 1);
  timeline.add_work({Kind::to_device, "between", 1, some_bytes}, {});
  timeline.record(&end, 1);
  timeline.measure(&begin, &end, 7, {});
  const MeasuredTime measured = timeline.measured().at(0);
  EXPECT_DOUBLE_EQ(measured.start_s, entry(timeline, "before").end_s);
  EXPECT_DOUBLE_EQ(measured.end_s, entry(timeline, "between").end_s);
  EXPECT_EQ(measured.milliseconds, 7);
}

TEST(TimelineOfAProgram, RecordsAnEventNoEarlierThanTheHostAsksForIt) {
  Timeline timeline;
  const int begin = 0;
  timeline.add_work({Kind::to_device, "pageable", 1, some_bytes, /*is_pageable=*/true}, {});
  timeline.record(&begin, 2);
  timeline.measure(&begin, &begin, 0, {});
  EXPECT_GE(timeline.measured().at(0).start_s, entry(timeline, "pageable").end_s);
}

TEST(TimelineOfAProgram, MarksACallThatWaitsImplicitly) {
  Timeline timeline;
  timeline.add_call("cudaDeviceSynchronize", {});
  timeline.add_call("cudaFree", {});
  timeline.host_waits_implicitly();
  EXPECT_FALSE(entry(timeline, "cudaDeviceSynchronize").is_implicit_wait);
  EXPECT_TRUE(entry(timeline, "cudaFree").is_implicit_wait);
}

TEST(TimelineOfAProgram, HasAtMost20000Entries) {
  Timeline timeline;
  for (int i = 0; i < 100'000; ++i) timeline.add_call("cudaGetLastError", {});
  EXPECT_LE(timeline.entries().size(), 20'000u);
}

}  // namespace
}  // namespace gpulab::program::runtime
