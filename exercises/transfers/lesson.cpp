#include "lesson/lesson.hpp"

#include <algorithm>

#include "lesson/arrays.hpp"
#include "transfers/program.hpp"
#include "transfers/questions.hpp"

namespace gpulab::lessons::transfers {

// Number of bytes in the exercise of the outline, copied one by one or in one piece.
constexpr std::size_t few = 1000;

const Input<std::uint8_t> sent{"sent"}, few_sent{"sent_1000"};
const Output<std::uint8_t> returned{"returned"}, few_returned{"returned_1000"};
const Scalar<int> size{"size"};

void fill(Inputs& inputs, std::uint64_t seed) {
  const auto byte = [](std::uint64_t seed_of_array, std::size_t i) {
    return static_cast<std::uint8_t>(random_bits(seed_of_array, i));
  };
  for (const auto& array : {sent, few_sent}) each_element(array, byte)(inputs, seed);
}

Problem problem(const Settings& settings) {
  const std::size_t n = settings.size;
  const auto one_more = [](std::uint8_t byte) { return static_cast<std::uint8_t>(byte + 1); };
  return {.description = grouped(n) + " bytes there and back",
          .arrays = {sent(n), returned(n), few_sent(few), few_returned(few)},
          .scalars = {size(n)},
          .fill = fill,
          .references =
              both(elementwise(returned, one_more, sent), elementwise(few_returned, one_more, few_sent)),
          .traffic = no_traffic,
          .copied = {sent, returned}};
}

void add_one(Execution& run) {
  run.launch("add_one", one_thread_per_element(run.request()), {sent, returned, size});
}

// Waits for each copy, as cudaMemcpy does, and for the kernel.
void one_after_another(Execution& run) {
  const std::size_t n = run.request().size();
  run.copy_to_device(sent, 0, n);
  run.synchronize();
  add_one(run);
  run.synchronize();
  run.copy_to_host(returned, 0, n);
  run.synchronize();
}

// Copies as cudaMemcpyAsync does, which returns at once: the stream keeps the order, and the host waits once,
// at the end.
void wait_once(Execution& run) {
  const std::size_t n = run.request().size();
  run.copy_to_device(sent, 0, n);
  add_one(run);
  run.copy_to_host(returned, 0, n);
}

// Allocates the staging buffer in every run and never frees it.
void forget_to_free(Execution& run) {
  run.allocate(run.request().size());
  wait_once(run);
}

void few_in_pieces(Execution& run, std::size_t piece) {
  for (std::size_t first = 0; first < few; first += piece) run.copy_to_device(few_sent, first, piece);
  run.launch("add_one", LaunchConfig{.grid = {ceil_div(few, 256)}, .block = {256}},
             {few_sent, few_returned, size(few)});
  run.copy_to_host(few_returned, 0, few);
}

Lesson lesson() {
  return {.name = "transfers",
          .title = "Copies between host and device: pinned, overlapped, batched",
          .place = {.episode = 10, .step = 2},
          .page = "section 4.6 of the outline of July 2025 (host-device transfers)",
          .default_size = std::size_t{1} << 26,
          .problem = problem,
          .arguments = {sent, returned, size},
          .variants = {{.name = "pageable",
                        .kernel = "add_one",
                        .idea = "from and to pageable memory, waiting for each step",
                        .steps = one_after_another,
                        .computes = {returned},
                        .copies_inputs_from = HostMemory::pageable},
                       {.name = "pinned",
                        .kernel = "add_one",
                        .idea = "from and to page-locked memory, waiting for each step",
                        .steps = one_after_another,
                        .computes = {returned},
                        .copies_inputs_from = HostMemory::pinned},
                       {.name = "async",
                        .kernel = "add_one",
                        .idea = "asynchronous, the host waits once",
                        .steps = wait_once,
                        .computes = {returned},
                        .copies_inputs_from = HostMemory::pinned},
                       {.name = "leak",
                        .kernel = "add_one",
                        .idea = "the same, with a buffer that is never freed",
                        .expects = Outcome::leaks,
                        .steps = forget_to_free,
                        .computes = {returned},
                        .copies_inputs_from = HostMemory::pinned},
                       {.name = "thousand-copies",
                        .kernel = "add_one",
                        .idea = "1 000 bytes, one by one",
                        .steps = [](Execution& run) { few_in_pieces(run, 1); },
                        .computes = {few_returned},
                        .copies_inputs_from = HostMemory::pinned},
                       {.name = "one-copy",
                        .kernel = "add_one",
                        .idea = "batched: 1 000 bytes in one copy",
                        .steps = [](Execution& run) { few_in_pieces(run, few); },
                        .computes = {few_returned},
                        .copies_inputs_from = HostMemory::pinned}},
          // "pinned" held on an H200 from 2^18 on, and not at 2^14. The thousand bytes are the same at every
          // size.
          .claims = {from_size(std::size_t{1} << 22, at_least(1.5, "pinned", "pageable")),
                     at_least(10, "one-copy", "thousand-copies")},
          .solution = "async",
          .shows = {.copy_rates = true},
          .sheet = questions(),
          .program = program()};
}

}  // namespace gpulab::lessons::transfers
