#include "lesson/lesson.hpp"

#include <algorithm>
#include <cmath>

#include "halo_exchange/arrays.hpp"
#include "halo_exchange/steps.hpp"
#include "lesson/problem.hpp"

namespace gpulab::lessons::halo_exchange {
namespace {

bool has_seams(const LaunchContext& at) {
  const auto halo_rows = static_cast<std::size_t>(at[halo]);
  return at[steps] > 1 && halo_rows > 0 &&
         ranks_with_rows(at[ranks_of], static_cast<std::size_t>(at[height]), halo_rows) > 1;
}

// Returns whether the image is too dark to show a mistake: each step darkens one narrower than the filter.
bool has_faded(const LaunchContext& at) {
  return std::pow(std::min(1.0, static_cast<double>(at[width]) / at[side]), at[steps]) < 1e-30;
}

// Returns whether there are several ranks with far more work than a launch costs.
bool has_much_to_do(const LaunchContext& at) {
  return has_seams(at) && at.size() >= std::size_t{1} << 28 && at[side] >= 15;
}

Outcome wrong_with_seams(const LaunchContext& at) {
  return has_seams(at) && !has_faded(at) ? Outcome::wrong : Outcome::right;
}

// Returns wrong if a rank has two neighbours, which it can mix up.
Outcome wrong_with_two_seams(const LaunchContext& at) {
  const auto rows = static_cast<std::size_t>(at[height]), halo_rows = static_cast<std::size_t>(at[halo]);
  const bool has_two = has_seams(at) && ranks_with_rows(at[ranks_of], rows, halo_rows) > 2;
  return has_two && !has_faded(at) ? Outcome::wrong : Outcome::right;
}

Outcome race_with_seams(const LaunchContext& at) {
  return has_seams(at) ? Outcome::race : Outcome::right;
}

constexpr BlockSizes warps{.threads = 256, .multiple_of = 32};

Variant on_ranks(std::string name, std::string idea, std::function<void(Execution&, Rank&)> steps) {
  return {.name = std::move(name),
          .kernel = "convolve",
          .idea = std::move(idea),
          .block = warps,
          .on_each_rank = std::move(steps)};
}

Variant reaching_ranks(Variant variant) {
  variant.reaches_ranks = true;
  return variant;
}

Variant expecting(Variant variant, Outcome (*expects)(const LaunchContext&)) {
  variant.expects = expects;
  return variant;
}

Variant on_one(std::string name, std::string kernel, Arguments arguments, std::string idea,
               void (*steps)(Execution&)) {
  return {.name = std::move(name),
          .kernel = std::move(kernel),
          .idea = std::move(idea),
          .block = warps,
          .arguments = std::move(arguments),
          .steps = steps};
}

const Arguments arguments_of_convolve{image, filter, output, width, count, side};
// Results of one step on this rank, on the rank above and on the rank below.
const Arguments arguments_of_take_halos{even, reads(odd), reads(odd), width,   halo,
                                        own,  own_above,  rank_of,    ranks_of};

Variant taking_halos(Variant variant) {
  variant.kernel = "take_halos";
  variant.source = "halo_exchange_take_halos.cu";
  variant.arguments = arguments_of_take_halos;
  return variant;
}

std::vector<Option> options() {
  return {
      {.name = "width",
       .help = "columns of the image",
       .kind = Count{.default_value = 1024, .max = largest_int_index}},
      {.name = "height", .help = "rows of the image", .kind = Count{.default_value = 1024, .max = 1u << 19}},
      {.name = "filter-side",
       .help = "rows and columns of the filter, an odd number",
       .kind = Count{.default_value = 7, .max = 31}},
      {.name = "steps",
       .help = "how many times the image is convolved",
       .kind = Count{.default_value = 2, .max = 100}},
      {.name = "gpus",
       .help = "number of GPUs; by default all of this machine, or 4 simulated ones",
       .kind = Count{.default_value = 0, .min = 1, .max = 1024}}};
}

}  // namespace

Lesson lesson() {
  return {
      .name = "halo-exchange",
      .title = "Divide an image among GPUs, and exchange rows at the seams",
      .place = {.episode = 10, .step = 4},
      .page = "Concurrent access to the GPU",
      .options = options(),
      .sides = {"width", "height"},
      .problem = problem,
      .arguments = arguments_of_convolve,
      .variants =
          {on_one("one-gpu", "convolve", arguments_of_convolve, "everything on one GPU, to compare with",
                  on_one_gpu),
           taking_halos(on_one("in-turn", "take_halos", {}, "one GPU computes the rows of each rank in turn",
                               in_turn)),
           expecting(on_ranks("no-halo", "nothing is exchanged", with_exchange(nothing)), wrong_with_seams),
           on_ranks("through-host", "halo rows go through the host to the neighbours",
                    with_exchange(through_the_host)),
           reaching_ranks(on_ranks("peer-copies", "copies from GPU to GPU", with_exchange(by_copies))),
           taking_halos(reaching_ranks(
               on_ranks("peer-loads", "peer access: a kernel loads the halo rows", with_exchange(by_loads)))),
           on_ranks("send-receive", "NCCL sends and receives in one group", with_exchange(by_messages)),
           on_ranks("overlapped", "rows at the seams first, exchanged while the interior is computed",
                    overlapped_exchange),
           expecting(on_ranks("wrong-side", "every rank sends up what should go down, and the reverse",
                              with_exchange(to_the_wrong_side)),
                     wrong_with_two_seams),
           expecting(on_ranks("too-early", "the exchange in another stream, with no event after the kernel",
                              with_exchange(too_early)),
                     race_with_seams)},
      // Measured on two H200 at 16 384 x 16 384 with 15 x 15 weights: 1.96 times.
      .claims = {only_where(has_much_to_do, at_least(1.8, "overlapped", "one-gpu"))},
      .solution = "in-turn",
      .checked_at = {{{"width", std::uint64_t{40}},
                      {"height", std::uint64_t{37}},
                      {"gpus", std::uint64_t{3}},
                      {"filter-side", std::uint64_t{5}}}}};
}

}  // namespace gpulab::lessons::halo_exchange
