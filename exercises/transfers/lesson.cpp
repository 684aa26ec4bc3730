#include "core/lesson.hpp"

#include <algorithm>

#include "core/number_text.hpp"
#include "core/random.hpp"
#include "transfers/questions.hpp"

namespace gpulab::lessons {
namespace {

// The exercise of the outline: so many bytes, one by one or in one piece.
constexpr std::size_t letters = 1000;

void fill(Arrays& inputs, std::uint64_t seed) {
  for (Array& array : inputs) {
    const auto bytes = array.as<std::uint8_t>();
#pragma omp parallel for
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(random_bits(seed, i));
  }
}

void reference(const Arrays& inputs, Arrays& outputs) {
  for (const auto& [from, to] : {std::pair("sent", "returned"), std::pair("letters", "letters returned")}) {
    const auto sent = inputs.get<std::uint8_t>(from);
    const auto returned = outputs.get<std::uint8_t>(to);
    for (std::size_t i = 0; i < sent.size(); ++i) returned[i] = static_cast<std::uint8_t>(sent[i] + 1);
  }
}

void reference_openmp(const Arrays& inputs, Arrays& outputs) {
  for (const auto& [from, to] : {std::pair("sent", "returned"), std::pair("letters", "letters returned")}) {
    const auto sent = inputs.get<std::uint8_t>(from);
    const auto returned = outputs.get<std::uint8_t>(to);
#pragma omp parallel for simd
    for (std::size_t i = 0; i < sent.size(); ++i) returned[i] = static_cast<std::uint8_t>(sent[i] + 1);
  }
}

Parameters bytes_through(const std::string& from, const std::string& to, std::size_t bytes) {
  return kernel_parameters(input<std::uint8_t>(from, bytes), output<std::uint8_t>(to, bytes),
                           scalar<int>("size", bytes));
}

Problem there_and_back(const Settings& settings) {
  const std::size_t n = settings.size;
  return {.description = grouped(n) + " bytes there and back",
          .parameters = bytes_through("sent", "returned", n),
          .others = other_arrays(input<std::uint8_t>("letters", letters),
                                 output<std::uint8_t>("letters returned", letters)),
          .fill = fill,
          .reference = reference,
          .reference_openmp = reference_openmp};
}

void add_one(Execution& run) {
  const std::size_t n = run.request().size();
  run.launch("add_one", one_thread_per_element(run.request()), bytes_through("sent", "returned", n));
}

// cudaMemcpy waits until the copy is done, and the kernel is waited for as well.
void one_after_another(Execution& run) {
  const std::size_t n = run.request().size();
  run.copy_to_device("sent", 0, n);
  run.synchronize();
  add_one(run);
  run.synchronize();
  run.copy_to_host("returned", 0, n);
  run.synchronize();
}

// cudaMemcpyAsync returns at once: the stream keeps the order, and the host waits once, at the end.
void wait_once(Execution& run) {
  const std::size_t n = run.request().size();
  run.copy_to_device("sent", 0, n);
  add_one(run);
  run.copy_to_host("returned", 0, n);
}

// The staging buffer is allocated in every run and never freed.
void forget_to_free(Execution& run) {
  run.allocate(run.request().size());
  wait_once(run);
}

void letters_in_pieces(Execution& run, std::size_t piece) {
  for (std::size_t first = 0; first < letters; first += piece) run.copy_to_device("letters", first, piece);
  run.launch("add_one", LaunchConfig{.grid = {ceil_div(letters, 256)}, .block = {256}},
             bytes_through("letters", "letters returned", letters));
  run.copy_to_host("letters returned", 0, letters);
}

void one_by_one(Execution& run) {
  letters_in_pieces(run, 1);
}

void in_one_piece(Execution& run) {
  letters_in_pieces(run, letters);
}

}  // namespace

Lesson transfers() {
  return {.name = "transfers",
          .title = "Copies between host and device: pinned, asynchronous, batched, freed",
          .place = {.episode = 10, .step = 2},
          .page = "section 4.6 of the outline of July 2025 (host-device transfers)",
          .text = R"(Data reach the GPU over a link that is far slower than either memory. The
driver can copy straight out of host memory only if that is page-locked
(pinned); from ordinary, pageable memory it has to copy once more. Pinned
memory is memory of the host that cannot be paged out; it is not memory that
"remains on the device". A copy that the host does not wait for lets it go on,
and the stream keeps the order. Every copy costs some microseconds, however
small it is: a thousand copies of one byte take about as much longer than one
copy of a thousand bytes as there are more of them, so collect small pieces
first. Memory that is allocated has to be freed: a program that forgets it in
a loop runs out.)",
          .kernels = "transfers.cu",
          .default_size = std::size_t{1} << 26,
          .largest_size = largest_int_index,
          .problem = there_and_back,
          .variants = {{.name = "pageable",
                        .kernel = "add_one",
                        .idea = "from and to ordinary memory, waiting for each step",
                        .steps = one_after_another,
                        .computes = {"returned"},
                        .copies_from = HostMemory::pageable},
                       {.name = "pinned",
                        .kernel = "add_one",
                        .idea = "from and to page-locked memory, waiting for each step",
                        .steps = one_after_another,
                        .computes = {"returned"},
                        .copies_from = HostMemory::pinned},
                       {.name = "async",
                        .kernel = "add_one",
                        .idea = "the same, and the host waits once",
                        .steps = wait_once,
                        .computes = {"returned"},
                        .copies_from = HostMemory::pinned},
                       {.name = "leak",
                        .kernel = "add_one",
                        .idea = "the same, with a buffer that is never freed",
                        .expects = Outcome::leaks,
                        .steps = forget_to_free,
                        .computes = {"returned"},
                        .copies_from = HostMemory::pinned},
                       {.name = "thousand-copies",
                        .kernel = "add_one",
                        .idea = "1 000 bytes, one by one",
                        .steps = one_by_one,
                        .computes = {"letters returned"},
                        .copies_from = HostMemory::pinned},
                       {.name = "one-copy",
                        .kernel = "add_one",
                        .idea = "the same 1 000 bytes in one piece",
                        .steps = in_one_piece,
                        .computes = {"letters returned"},
                        .copies_from = HostMemory::pinned}},
          .claims = {at_least(1.5, "pinned", "pageable"), at_least(10, "one-copy", "thousand-copies")},
          .solution = "async",
          .shows = {.copy_rates = true},
          .sheet = transfers_questions()};
}

}  // namespace gpulab::lessons
