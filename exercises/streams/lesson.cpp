#include "lesson/lesson.hpp"

#include <algorithm>

#include "streams/arrays.hpp"
#include "streams/program.hpp"
#include "streams/questions.hpp"

namespace gpulab::lessons::streams {

constexpr int stream_1 = 1, stream_2 = 2;  // streams besides the first, which is 0
constexpr int primes_are_there = 0;        // event

// Number of chunks: so many that nearly every copy overlaps another one.
constexpr std::size_t chunks = 16;

ChosenLaunch one_thread_each(std::size_t items, unsigned block_size) {
  return {{.grid = {ceil_div(items, block_size)}, .block = {block_size}}, Ownership::one_item};
}

void find_primes(Execution& run, int stream) {
  const LaunchRequest& request = run.request();
  run.launch("primes", one_thread_each(request.length(is_prime), request.block_size), {is_prime, upper},
             stream);
}

void count_primes(Execution& run, int stream) {
  const LaunchRequest& request = run.request();
  run.launch("count_primes", one_thread_each(request.length(is_prime), request.block_size),
             {reads(is_prime), prime_count, upper}, stream);
}

void histogram(Execution& run, int stream) {
  const LaunchRequest& request = run.request();
  run.launch("histogram", one_thread_each(request.size(), request.block_size), {input, counts, size}, stream);
}

void in_one_stream(Execution& run) {
  find_primes(run, stream_1);
  count_primes(run, stream_1);
  histogram(run, stream_1);
}

void in_two_streams(Execution& run) {
  find_primes(run, stream_1);
  count_primes(run, stream_1);
  histogram(run, stream_2);
}

void with_an_event(Execution& run) {
  find_primes(run, stream_1);
  run.record(primes_are_there, stream_1);
  run.wait(stream_2, primes_are_there);
  count_primes(run, stream_2);
  histogram(run, stream_2);
}

void without_the_event(Execution& run) {
  find_primes(run, stream_1);
  count_primes(run, stream_2);
  histogram(run, stream_2);
}

// Copies a chunk there, doubles it, and copies it back, all in the order of one stream.
void double_chunk(Execution& run, std::size_t first, std::size_t count, int stream) {
  run.copy_to_device(A, first, count, stream);
  run.launch("twice", one_thread_each(count, run.request().block_size),
             {from(first, A), from(first, C), size(count)}, stream);
  run.copy_to_host(C, first, count, stream);
}

void copies_one_after_another(Execution& run) {
  double_chunk(run, 0, run.request().size(), stream_1);
}

// Copies in both directions at once: while one stream copies its chunk there, another copies its own back.
// Four streams keep a copy waiting in either direction.
void copies_overlapped(Execution& run) {
  const std::size_t n = run.request().size();
  const std::size_t count = ceil_div(n, chunks);
  for (std::size_t chunk = 0; chunk * count < n; ++chunk) {
    const std::size_t first = chunk * count;
    double_chunk(run, first, std::min(count, n - first), stream_1 + static_cast<int>(chunk % 4));
  }
}

const std::vector<AnyOutput> all_but_the_vector{is_prime, prime_count, counts};

Variant of_kernels(std::string name, std::string idea, void (*steps)(Execution&),
                   Outcome expects = Outcome::right) {
  return {.name = std::move(name),
          .kernel = "primes",
          .idea = std::move(idea),
          .expects = expects,
          .steps = steps,
          .computes = all_but_the_vector};
}

Variant with_copies(std::string name, std::string idea, void (*steps)(Execution&)) {
  return {.name = std::move(name),
          .kernel = "twice",
          .idea = std::move(idea),
          .arguments = {A, C, size},
          .steps = steps,
          .computes = {C},
          .copies_inputs_from = HostMemory::pinned};
}

Lesson lesson() {
  return {
      .name = "streams",
      .title = "Streams and events: what may overlap, and what must wait",
      .place = {.episode = 10, .step = 1},
      .page = "Concurrent access to the GPU",
      .default_size = std::size_t{1} << 23,
      .options = {{.name = "upper",
                   .help = "primes below this number are found",
                   .kind = Count{.default_value = 100000, .min = 1, .max = 10'000'000}}},
      .problem = independent_tasks,
      .arguments = {is_prime, upper},
      .variants = {of_kernels("one-stream", "one after the other", in_one_stream),
                   of_kernels("two-streams", "the histogram in a stream of its own", in_two_streams),
                   of_kernels("event", "the second stream waits for the primes, then counts them",
                              with_an_event),
                   of_kernels("missing-event", "the second stream counts primes without waiting for them",
                              without_the_event, Outcome::race),
                   with_copies("serial-copies", "copy there, double, copy back", copies_one_after_another),
                   with_copies("overlapped", "the same in chunks, in four streams", copies_overlapped)},
      // Held on an H200 at 2^23 and 2^24, and not at 2^20; measured 1.5 times on an H100 at 2^24.
      .claims = {from_size(std::size_t{1} << 23, at_least(1.3, "overlapped", "serial-copies"))},
      .limits = {{.label = "2^24",
                  .size = std::size_t{1} << 24,
                  .variant = "overlapped",
                  .yardstick = "serial-copies",
                  .min_fraction_of_ceiling = 0.8,
                  .limited_by = LimitedBy::host_link,
                  .bytes_copied = 0x1p24 * sizeof(float)}},
      .solution = "event",
      .shows = {.timeline = true},
      .sheet = questions(),
      .program = program()};
}

}  // namespace gpulab::lessons::streams
