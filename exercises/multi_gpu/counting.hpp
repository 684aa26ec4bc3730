#pragma once

#include "lesson/lesson.hpp"
#include "shared_histogram/reference.hpp"

// Histogram that several GPUs divide among them.

namespace gpulab::lessons::multi_gpu {

using shared_histogram::bins;

const Input<int> input{"input"};
const Output<int> counts{"output", InitialContents::cleared};
const Scratch<int> tables{"tables", InitialContents::cleared};  // one for each rank
const Scratch<int> inbox{"inbox"};                              // counts of each rank, -1 until they arrive
const Scratch<int> tiles_taken{"tiles_taken", InitialContents::cleared};
const Scalar<int> own_size{"own_size"};  // elements of this rank
const Scalar<int> size{"size"}, rank_of{"rank"}, ranks_of{"ranks"};

Problem problem(const Settings& settings);

// Returns whether the rank does its part. Where only some do, they are the first, the last, a few between,
// and those where size * rank passes a multiple of 2^31.
constexpr bool does_its_part(std::size_t size, int rank, int ranks, bool only_some_ranks) {
  constexpr int at_each_end = 4, one_in = 37;
  const auto high_bits = [=](int r) { return size * static_cast<std::size_t>(r) >> 31; };
  const bool is_at_an_end = rank < at_each_end || rank >= ranks - at_each_end;
  return !only_some_ranks || is_at_an_end || rank % one_in == 0 || high_bits(rank) != high_bits(rank + 1);
}

// Returns the option --gpus, by default all that there are.
Option how_many_gpus();

// Returns whether the rank has elements: a grid of no blocks is refused.
bool has_work(const Execution& run);

// Counts the elements of this rank, with the fastest kernel of the lesson shared-histogram.
void count_own_part(Execution& run);

using OnEachRank = void (*)(Execution&, Rank&);

// Returns a variant that counts with the kernel histogram_private_copies.
Variant with_private_copies(std::string name, std::string idea, OnEachRank steps);

// Counts the part of every rank, and adds up the counts by NCCL.
void by_all_reduce(Execution& run, Rank& rank);

}  // namespace gpulab::lessons::multi_gpu
