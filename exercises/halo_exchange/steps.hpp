#pragma once

#include <functional>

#include "lesson/launch.hpp"
#include "lesson/problem.hpp"

// Steps of the variants.

namespace gpulab::lessons::halo_exchange {

// Run on one device: all rows at once, or the rows of each rank in turn.
void on_one_gpu(Execution& run);
void in_turn(Execution& run);

// Functions that fill the halos of a rank after a step.
using Exchange = void (*)(Execution& run, Rank& rank, int step);
void nothing(Execution& run, Rank& rank, int step);
void through_the_host(Execution& run, Rank& rank, int step);
void by_copies(Execution& run, Rank& rank, int step);
void by_loads(Execution& run, Rank& rank, int step);
void by_messages(Execution& run, Rank& rank, int step);
void to_the_wrong_side(Execution& run, Rank& rank, int step);
void too_early(Execution& run, Rank& rank, int step);

// Computes all rows of a rank in every step, with the exchange after each step but the last.
std::function<void(Execution&, Rank&)> with_exchange(Exchange exchange);

// Computes the rows that neighbours need first, and exchanges them while the interior is computed.
void overlapped_exchange(Execution& run, Rank& rank);

}  // namespace gpulab::lessons::halo_exchange
