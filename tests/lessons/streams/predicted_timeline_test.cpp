#include "streams/predicted_timeline.hpp"

#include "lesson/lesson.hpp"
#include "test.hpp"

namespace gpulab::lessons::streams {
namespace streams_predicted_timeline_test {

// Records the work that a variant puts into its streams, with a duration for each piece.
class PredictedExecution : public Execution {
 public:
  PredictedExecution(PredictedTimeline& timeline, const LaunchRequest& request,
                     std::map<std::string, double> durations_s)
      : timeline_(timeline), request_(request), durations_s_(std::move(durations_s)) {}

  const LaunchRequest& request() const override { return request_; }
  void launch(const std::string& kernel, const ChosenLaunch&, const Arguments&, int stream) override {
    timeline_.kernel(stream, kernel, durations_s_.at(kernel));
  }
  void copy_to_device(const AnyInput& array, std::size_t, std::size_t, int stream) override {
    timeline_.copy_to_device(stream, array.name, durations_s_.at(array.name));
  }
  void copy_to_host(const AnyOutput& array, std::size_t, std::size_t, int stream) override {
    timeline_.copy_to_host(stream, array.name, durations_s_.at(array.name));
  }
  void record(int event, int stream) override { timeline_.record(event, stream); }
  void wait(int stream, int event) override { timeline_.wait(stream, event); }

  unsigned resident_blocks(const std::string&, const Arguments&, unsigned, std::size_t) override { return 1; }
  void clear(const ArrayHandle&, int) override { refuse(); }
  void synchronize(int) override { refuse(); }
  int allocate(std::size_t) override { return refuse(); }
  void free(int) override { refuse(); }

 private:
  void read_bytes(const ArrayHandle&, std::size_t, std::span<std::byte>) override { refuse(); }
  void write_bytes(const ArrayHandle&, std::size_t, std::span<const std::byte>) override { refuse(); }
  static int refuse() { throw std::logic_error("the variants of streams do not do this"); }

  PredictedTimeline& timeline_;
  LaunchRequest request_;
  std::map<std::string, double> durations_s_;
};

Lesson lesson_on_streams() {
  for (const Lesson& lesson : all_lessons())
    if (lesson.name == "streams") return lesson;
  throw std::logic_error("there is no lesson on streams");
}

// Returns the predicted timeline of a variant of the lesson.
PredictedTimeline predicted(const std::string& variant_name, Kernels kernels,
                            const std::map<std::string, double>& durations_s) {
  const Lesson lesson = lesson_on_streams();
  const Settings settings{.size = 1600, .options = lesson.default_settings().options};
  const Problem problem = lesson.problem(settings);
  PredictedTimeline timeline(kernels);
  const LaunchRequest request{
      {.settings = settings, .work = problem.work_items(), .block_size = 256, .problem = &problem}};
  PredictedExecution execution(timeline, request, durations_s);
  for (const Variant& variant : lesson.variants)
    if (variant.name == variant_name) variant.steps(execution);
  return timeline;
}

const std::map<std::string, double> kernel_durations_s{{"primes", 6}, {"count_primes", 1}, {"histogram", 4}};

Span span_of(const PredictedTimeline& timeline, const std::string& what) {
  for (const Span& span : timeline.timeline())
    if (span.what == what) return span;
  ADD_FAILURE() << what << " is not in the timeline";
  return {};
}

TEST(PredictedTimeline, RunsOneStreamInItsOrder) {
  const PredictedTimeline timeline = predicted("one-stream", Kernels::side_by_side, kernel_durations_s);
  EXPECT_EQ(span_of(timeline, "count_primes").start_s, 6);
  EXPECT_EQ(span_of(timeline, "histogram").start_s, 7);
  EXPECT_EQ(timeline.end_s(), 11);
}

TEST(PredictedTimeline, RunsTwoStreamsBesideEachOther) {
  const PredictedTimeline timeline = predicted("two-streams", Kernels::side_by_side, kernel_durations_s);
  EXPECT_EQ(span_of(timeline, "histogram").start_s, 0);
  EXPECT_EQ(timeline.end_s(), 7);
}

TEST(PredictedTimeline, RunsKernelsThatFillTheGpuOneAfterTheOther) {
  EXPECT_EQ(predicted("two-streams", Kernels::one_at_a_time, kernel_durations_s).end_s(), 11);
}

TEST(PredictedTimeline, DelaysEverythingAfterAWait) {
  const PredictedTimeline timeline = predicted("event", Kernels::side_by_side, kernel_durations_s);
  EXPECT_EQ(span_of(timeline, "count_primes").start_s, 6);
  EXPECT_EQ(span_of(timeline, "histogram").start_s, 7);
  EXPECT_EQ(timeline.end_s(), 11);
}

TEST(PredictedTimeline, StartsAKernelTooEarlyWithoutTheEvent) {
  const PredictedTimeline timeline = predicted("missing-event", Kernels::side_by_side, kernel_durations_s);
  EXPECT_LT(span_of(timeline, "count_primes").start_s, span_of(timeline, "primes").end_s);
}

TEST(PredictedTimeline, WaitsForNothingWhereAnEventWasNotRecorded) {
  PredictedTimeline timeline(Kernels::side_by_side);
  timeline.wait(1, 7);
  timeline.kernel(1, "primes", 2);
  EXPECT_EQ(timeline.end_s(), 2);
}

TEST(PredictedTimeline, WaitsForTheEventAsItWasRecordedBeforeTheWait) {
  PredictedTimeline timeline(Kernels::side_by_side);
  timeline.kernel(1, "first", 2);
  timeline.record(0, 1);
  timeline.kernel(1, "second", 5);
  timeline.wait(2, 0);
  timeline.kernel(2, "third", 1);
  EXPECT_EQ(span_of(timeline, "third").start_s, 2);
}

TEST(PredictedTimeline, HasOneCopyEngineForEachDirection) {
  const PredictedTimeline timeline =
      predicted("overlapped", Kernels::one_at_a_time, {{"A", 4}, {"twice", 1}, {"C", 2}});
  EXPECT_EQ(timeline.end_s(), 16 * 4 + 1 + 2) << "16 copies of A, then the last kernel and copy of C";
  for (const Span& span : timeline.timeline())
    for (const Span& other : timeline.timeline()) {
      const bool are_different = span.start_s != other.start_s || span.stream != other.stream;
      const bool share_engine_or_stream = span.kind == other.kind || span.stream == other.stream;
      const bool overlap = span.start_s < other.end_s && other.start_s < span.end_s;
      EXPECT_FALSE(are_different && share_engine_or_stream && overlap);
    }
}

TEST(PredictedTimeline, GivesAnEngineToWhatCanBeginFirst) {
  PredictedTimeline timeline(Kernels::one_at_a_time);
  timeline.kernel(1, "slow", 5);
  timeline.copy_to_host(1, "late", 1);
  timeline.copy_to_host(2, "early", 1);
  EXPECT_EQ(span_of(timeline, "early").start_s, 0);
  EXPECT_EQ(span_of(timeline, "late").start_s, 5);
}

TEST(PredictedTimeline, ComesNearToTheSlowestEngineInManyChunks) {
  constexpr int chunks = 300;
  PredictedTimeline timeline(Kernels::one_at_a_time);
  for (int chunk = 0; chunk < chunks; ++chunk) {
    timeline.copy_to_device(chunk % 4, "A", 40.0 / chunks);
    timeline.kernel(chunk % 4, "twice", 10.0 / chunks);
    timeline.copy_to_host(chunk % 4, "C", 20.0 / chunks);
  }
  EXPECT_NEAR(timeline.end_s(), 40, 0.2);
}

TEST(PredictedTimeline, IsEmptyWithoutWork) {
  EXPECT_TRUE(PredictedTimeline(Kernels::one_at_a_time).timeline().empty());
  EXPECT_EQ(PredictedTimeline(Kernels::one_at_a_time).end_s(), 0);
}

}  // namespace streams_predicted_timeline_test
}  // namespace gpulab::lessons::streams
