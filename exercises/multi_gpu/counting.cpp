#include "multi_gpu/counting.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "multi_gpu/wrong_divisions.hpp"

namespace gpulab::lessons::multi_gpu {
namespace {

constexpr int ranks_on_one_gpu = 4;  // without --gpus

// Cost of a launch in a check, so that a check draws many ranks less often.
constexpr double accesses_per_launch = 3000;

std::string elements(const Share& share) {
  if (share.count == 0) return "no elements";
  return "elements " + grouped(share.first) + " to " + grouped(share.end() - 1);
}

Reference count_parts(std::size_t size, int ranks) {
  return [=](const Inputs& in, Outputs& out) {
    std::ranges::fill(out[counts], 0);
    for (int rank = 0; rank < ranks; ++rank) {
      if (!does_its_part(size, rank, ranks, /*only_some_ranks=*/true)) continue;
      const Share share = share_of(size, rank, ranks);
      for (const int value : in[input].subspan(share.first, share.count))
        ++out[counts][static_cast<std::size_t>(value)];
    }
  };
}

}  // namespace

Problem problem(const Settings& settings) {
  const std::size_t n = settings.size, gpus = settings.count("gpus");
  const int ranks = gpus == 0 ? ranks_on_one_gpu : static_cast<int>(gpus);
  return {.description = grouped(n) + " int32 in 256 bins, divided among " + std::to_string(ranks) + " GPUs",
          .arrays = {input(n), counts(bins), tables(static_cast<std::size_t>(ranks) * bins),
                     inbox(static_cast<std::size_t>(ranks) * bins), tiles_taken(1)},
          .scalars = {own_size(n), size(n), rank_of(0), ranks_of(ranks)},
          .fill = each_element(input,
                               [](std::uint64_t seed, std::size_t i) {
                                 return static_cast<int>(random_bits(seed, i) % bins);
                               }),
          .references =
              settings.only_some_ranks
                  ? References{.plain = count_parts(n, ranks)}
                  : References{.plain = [](const Inputs& in,
                                           Outputs& out) { shared_histogram::count(in[input], out[counts]); },
                               .openmp =
                                   [](const Inputs& in, Outputs& out) {
                                     shared_histogram::count_openmp(in[input], out[counts]);
                                   }},
          .work_to_check = accesses_per_launch * ranks,
          .element = "bin",
          .work = WorkOver{input, "every element counts in one bin"},
          .typically_wrong = wrong_divisions(n, ranks, settings.only_some_ranks),
          .part =
              [n](int rank, int ranks) {
                const Share share = share_of(n, rank, ranks);
                return PartOfProblem{.arrays = {{input, share}},
                                     .scalars = {own_size(share.count), rank_of(rank)},
                                     .description = elements(share)};
              },
          .ranks_in_turn = ranks,
          .copied = {input, counts}};
}

Option how_many_gpus() {
  return {.name = "gpus",
          .help = "number of GPUs; by default all of this machine, or 4 simulated ones",
          .kind = Count{.default_value = 0, .min = 1, .max = 1024}};
}

bool has_work(const Execution& run) {
  return run.request().size() > 0;
}

void count_own_part(Execution& run) {
  if (has_work(run))
    run.launch("histogram_private_copies", resident_blocks(run.request()),
               {input, tiles_taken, counts, own_size});
}

Variant with_private_copies(std::string name, std::string idea, OnEachRank steps) {
  return {.name = std::move(name),
          .kernel = "histogram_private_copies",
          .idea = std::move(idea),
          .block = only_blocks_of(1024),
          .source = "shared_histogram_private_copies.cu",
          .arguments = {input, tiles_taken, counts, own_size},
          .on_each_rank = steps};
}

void by_all_reduce(Execution& run, Rank& rank) {
  count_own_part(run);
  rank.all_reduce(counts);
}

}  // namespace gpulab::lessons::multi_gpu
