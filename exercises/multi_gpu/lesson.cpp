#include "lesson/lesson.hpp"

#include "lesson/problem.hpp"
#include "multi_gpu/counting.hpp"

namespace gpulab::lessons::multi_gpu {

// Does the work of all ranks on one GPU, one after another.
void in_turn(Execution& run) {
  const LaunchRequest& request = run.request();
  const int ranks = request[ranks_of];
  for (int rank = 0; rank < ranks; ++rank) {
    const Share share = share_of(request.size(), rank, ranks);
    if (share.count == 0 || !does_its_part(request.size(), rank, ranks, request.settings.only_some_ranks))
      continue;
    const LaunchConfig one_thread_each{.grid = {ceil_div(share.count, request.block_size)},
                                       .block = {request.block_size}};
    run.launch("count_part", one_thread_each,
               {from(share.first, input), counts, size, rank_of(rank), ranks_of});
  }
}

void through_the_host(Execution& run, Rank& rank) {
  count_own_part(run);
  std::vector<int> sum = run.read(counts, bins);
  rank.all_reduce(sum);
  run.write(counts, sum);
}

constexpr int counted = 0;  // event: a rank has counted its elements

constexpr LaunchConfig one_thread_per_bin{.grid = {1}, .block = {bins}};

// Copies the counts of all to rank 0, which adds them up and sends the sums to all.
void by_copies(Execution& run, Rank& rank) {
  const std::size_t own_table = static_cast<std::size_t>(rank.rank()) * bins;
  if (has_work(run))
    run.launch("histogram_private_copies", resident_blocks(run.request()),
               {input, tiles_taken, from(own_table, tables), own_size});
  if (rank.rank() > 0)
    rank.copy_to_rank({.peer = 0, .array = tables, .first = own_table, .count = bins}, own_table);
  run.record(counted, 0);
  rank.barrier();
  if (rank.rank() > 0) return;
  for (int other = 1; other < rank.ranks(); ++other) rank.wait_for_rank(0, other, counted);
  run.launch("add_tables", one_thread_per_bin, {reads(tables), counts, ranks_of});
  for (int other = 1; other < rank.ranks(); ++other)
    rank.copy_to_rank({.peer = other, .array = counts, .first = 0, .count = bins}, 0);
}

void by_atomics_on_one_gpu(Execution& run, Rank& rank) {
  if (has_work(run))
    run.launch("count_into_rank_0", one_thread_per_element(run.request()),
               {input, rank.of_rank(0, 0, counts), size, rank_of, ranks_of});
  run.record(counted, 0);
  rank.barrier();
  if (rank.rank() > 0) return;
  for (int other = 1; other < rank.ranks(); ++other) rank.wait_for_rank(0, other, counted);
  for (int other = 1; other < rank.ranks(); ++other)
    rank.copy_to_rank({.peer = other, .array = counts, .first = 0, .count = bins}, 0);
}

// Stores the counts of each rank in the memory of all others, and lets each add them up.
void by_peer_stores(Execution& run, Rank& rank) {
  const std::size_t own_offset = static_cast<std::size_t>(rank.rank()) * bins;
  count_own_part(run);
  for (int other = 0; other < rank.ranks(); ++other)
    if (other != rank.rank())
      run.launch("send_counts", one_thread_per_bin, {reads(counts), rank.of_rank(other, own_offset, inbox)});
  run.launch("add_arriving", one_thread_per_bin, {reads(inbox), counts, rank_of, ranks_of});
}

void without_the_remainder(Execution& run, Rank& rank) {
  if (has_work(run))
    run.launch("count_equal_part", one_thread_per_element(run.request()),
               {input, counts, size, rank_of, ranks_of});
  rank.all_reduce(counts);
}

// Adds up the counts of all ranks once more, though each has the sum already.
void added_up_again(Execution& run, Rank& rank) {
  count_own_part(run);
  rank.all_reduce(counts);
  std::vector<int> sum = run.read(counts, bins);
  rank.all_reduce(sum);
  run.write(counts, sum);
}

// Reduces in a separate stream, which does not wait for the kernel.
void all_reduce_too_early(Execution& run, Rank& rank) {
  constexpr int other_stream = 1;
  count_own_part(run);
  rank.all_reduce(counts, other_stream);
}

Outcome wrong_if_something_is_left_over(const LaunchContext& at) {
  return at.size() % static_cast<std::size_t>(at[ranks_of]) == 0 ? Outcome::right : Outcome::wrong;
}

Outcome wrong_on_several(const LaunchContext& at) {
  return at[ranks_of] > 1 ? Outcome::wrong : Outcome::right;
}

Outcome race_on_several(const LaunchContext& at) {
  return at[ranks_of] > 1 ? Outcome::race : Outcome::right;
}

std::vector<Variant> variants() {
  Variant one_gpu = with_private_copies("one-gpu", "everything on one GPU, to compare with", nullptr);
  one_gpu.steps = count_own_part;
  Variant copies =
      with_private_copies("peer-copies", "peer copies to one GPU, which adds up the counts", by_copies);
  copies.reaches_ranks = true;
  Variant stores = with_private_copies(
      "peer-stores", "peer stores to all GPUs, each of which adds up what arrives", by_peer_stores);
  stores.reaches_ranks = true;
  stores.needs = GpuNeed{.major = 7};  // simulated GPUs run their kernels in turn
  Variant graph =
      with_private_copies("graph", "the same, with kernel and all-reduce in one CUDA graph", by_all_reduce);
  graph.in_graph = true;
  Variant again =
      with_private_copies("added-again", "the total of all, added up again on every rank", added_up_again);
  again.expects = wrong_on_several;
  Variant early = with_private_copies(
      "too-early", "the all-reduce in another stream, with no event after the kernel", all_reduce_too_early);
  early.expects = race_on_several;
  return {
      std::move(one_gpu),
      {.name = "in-turn",
       .kernel = "count_part",
       .idea = "one GPU counts the part of each rank in turn",
       .steps = in_turn},
      with_private_copies("through-host", "the host adds up the counts of all GPUs, and sends the sums back",
                          through_the_host),
      std::move(copies),
      {.name = "peer-atomics",
       .kernel = "count_into_rank_0",
       .idea = "peer atomics: all GPUs add to the counts of one",
       .arguments = {input, counts, size, rank_of, ranks_of},
       .on_each_rank = by_atomics_on_one_gpu,
       .reaches_ranks = true,
       .max_size = std::size_t{1} << 26},
      with_private_copies("all-reduce", "all-reduce by NCCL: every GPU gets the sums of the counts",
                          by_all_reduce),
      std::move(graph),
      std::move(stores),
      {.name = "remainder",
       .kernel = "count_equal_part",
       .idea = "every rank counts size / ranks elements, and nobody the rest",
       .expects = wrong_if_something_is_left_over,
       .on_each_rank = without_the_remainder},
      std::move(again),
      std::move(early)};
}

bool has_several(const LaunchContext& at) {
  return at[ranks_of] > 1;
}

Lesson lesson() {
  return {.name = "multi-gpu",
          .title = "Divide a histogram among several GPUs",
          .place = {.episode = 10, .step = 3},
          .page = "Concurrent access to the GPU",
          .default_size = std::size_t{1} << 25,
          .largest_size = (std::size_t{1} << 31) - 1,
          .options = {how_many_gpus()},
          .problem = problem,
          .arguments = {input, counts, size, rank_of, ranks_of},
          .variants = variants(),
          // Measured on two H200: 1.77 times at 2^28, 1.93 times at 2^30.
          .claims = {only_where(has_several,
                                from_size(std::size_t{1} << 28, at_least(1.6, "all-reduce", "one-gpu")))},
          .solution = "in-turn",
          // The product of the size and a rank is more than an int or an unsigned int holds.
          .checked_at = {{{"size", std::uint64_t{4'300'003}}, {"gpus", std::uint64_t{1024}}}}};
}

}  // namespace gpulab::lessons::multi_gpu
