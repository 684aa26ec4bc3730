#include "streams/questions.hpp"

#include <algorithm>

#include "streams/predicted_timeline.hpp"

namespace gpulab::lessons::streams {
namespace {

constexpr int stream_1 = 1, stream_2 = 2;
constexpr int primes_are_there = 0;  // event

double time_of_longest_kernel(const Facts& facts) {
  return std::max({facts.of("primes"), facts.of("count primes"), facts.of("histogram")});
}

double end_in_two_streams(const Facts& facts) {
  PredictedTimeline timeline(Kernels::side_by_side);
  timeline.kernel(stream_1, "primes", facts.of("primes"));
  timeline.kernel(stream_1, "count_primes", facts.of("count primes"));
  timeline.kernel(stream_2, "histogram", facts.of("histogram"));
  return timeline.end_s();
}

Question two_streams() {
  return {.name = "Two streams",
          .answer = end_in_two_streams,
          .errors = {{"nothing-overlaps", "that is the sum of all times, as if no kernel ran beside another",
                      [](const Facts& facts) {
                        return facts.of("primes") + facts.of("count primes") + facts.of("histogram");
                      }},
                     {"order-forgotten",
                      "that is the longest kernel alone, as if no kernel had to wait for one before it",
                      time_of_longest_kernel}}};
}

double end_with_an_event(const Facts& facts) {
  PredictedTimeline timeline(Kernels::side_by_side);
  timeline.kernel(stream_1, "primes", facts.of("primes"));
  timeline.record(primes_are_there, stream_1);
  timeline.wait(stream_2, primes_are_there);
  timeline.kernel(stream_2, "count_primes", facts.of("count primes"));
  timeline.kernel(stream_2, "histogram", facts.of("histogram"));
  return timeline.end_s();
}

Question an_event() {
  return {.name = "An event",
          .answer = end_with_an_event,
          .errors = {{"one-stream-waits",
                      "that is so if the wait holds up one kernel, and the histogram goes past it",
                      [](const Facts& facts) {
                        return std::max(facts.of("primes") + facts.of("count primes"), facts.of("histogram"));
                      }},
                     {"event-forgotten", "that is so without the event: stream 2 begins at once",
                      [](const Facts& facts) {
                        return std::max(facts.of("primes"), facts.of("count primes") + facts.of("histogram"));
                      }}}};
}

double time_of_one_chunk(const Facts& facts) {
  return facts.of("copy there") + facts.of("kernel") + facts.of("copy back");
}

double time_one_after_another(const Facts& facts) {
  return facts.of("chunks") * time_of_one_chunk(facts);
}

double time_of_busiest_engine(const Facts& facts) {
  return facts.of("chunks") * std::max({facts.of("copy there"), facts.of("kernel"), facts.of("copy back")});
}

double end_in_chunks(const Facts& facts, int streams) {
  PredictedTimeline timeline(Kernels::one_at_a_time);
  for (int chunk = 0; chunk < static_cast<int>(facts.of("chunks")); ++chunk) {
    const int stream = stream_1 + chunk % streams;
    timeline.copy_to_device(stream, "A", facts.of("copy there"));
    timeline.kernel(stream, "twice", facts.of("kernel"));
    timeline.copy_to_host(stream, "C", facts.of("copy back"));
  }
  return timeline.end_s();
}

double end_in_its_streams(const Facts& facts) {
  return end_in_chunks(facts, static_cast<int>(facts.of("streams")));
}

double end_in_a_stream_for_each(const Facts& facts) {
  return end_in_chunks(facts, static_cast<int>(facts.of("chunks")));
}

Question of_chunks(const std::string& name) {
  return {
      .name = name,
      .answer = end_in_its_streams,
      .errors = {
          {"nothing-overlaps", "that is the sum of all times, as if nothing ran beside anything",
           time_one_after_another},
          {"divided-by-streams",
           "that is the sum of all times divided by the streams, as if each stream had a GPU and a link of its own",
           [](const Facts& facts) { return time_one_after_another(facts) / facts.of("streams"); }},
          {"everything-overlaps", "that is one chunk alone, as if all chunks went at the same time",
           time_of_one_chunk},
          {"ends-forgotten",
           "that is how long the busiest engine works: something comes before it, or after it",
           time_of_busiest_engine},
          {"order-forgotten",
           "that is so with a stream for every chunk: here a chunk waits for the one before it in its own stream, to the end of its copy back",
           end_in_a_stream_for_each}}};
}

// Returns the gain with ever smaller chunks: the slowest of the three steps hides the other two.
double max_gain_of_chunks(const Facts& facts) {
  return time_of_one_chunk(facts) /
         std::max({facts.of("copy there"), facts.of("kernel"), facts.of("copy back")});
}

Question the_limit() {
  return {.name = "The limit",
          .answer = max_gain_of_chunks,
          .errors = {{"unequal-parts", "that is the number of engines, as if each had the same to do",
                      [](const Facts&) { return 3.0; }},
                     {"nothing-overlaps", "that is no gain at all, as if nothing ran beside anything",
                      [](const Facts&) { return 1.0; }},
                     {"one-way-link", "that is so if copies there and copies back had to take turns",
                      [](const Facts& facts) {
                        return time_of_one_chunk(facts) / (facts.of("copy there") + facts.of("copy back"));
                      }},
                     {"shortest-for-longest", "that is the whole divided by the shortest of the three",
                      [](const Facts& facts) {
                        return time_of_one_chunk(facts) /
                               std::min({facts.of("copy there"), facts.of("kernel"), facts.of("copy back")});
                      }}}};
}

}  // namespace

QuestionSheet questions() {
  return {
      .questions = {two_streams(), an_event(), of_chunks("Four chunks"), of_chunks("Six chunks"),
                    the_limit()},
      .shown_by =
          "on a GPU, gpulab streams runs and draws such timelines; --trace FILE writes them for Perfetto"};
}

}  // namespace gpulab::lessons::streams
