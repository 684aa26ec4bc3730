#pragma once

#include <functional>

#include "lesson/launch.hpp"
#include "lesson/problem.hpp"

// What the variants of the lesson do.

namespace gpulab::lessons::halo_exchange {

// On one device: all rows at once, and the rows of each rank, one rank after another.
void on_one_gpu(Execution& run);
void in_turn(Execution& run);

// What fills the halos of a rank after a step.
using Exchange = void (*)(Execution& run, Rank& rank, int step);
void nothing(Execution& run, Rank& rank, int step);
void through_the_host(Execution& run, Rank& rank, int step);
void by_copies(Execution& run, Rank& rank, int step);
void by_loads(Execution& run, Rank& rank, int step);
void by_messages(Execution& run, Rank& rank, int step);
void to_the_wrong_side(Execution& run, Rank& rank, int step);
void too_early(Execution& run, Rank& rank, int step);

// On each rank: all its rows in every step, and the exchange after each but the last.
std::function<void(Execution&, Rank&)> with_exchange(Exchange exchange);

// The rows that neighbours need come first, and are sent while the others are computed.
void behind_the_interior(Execution& run, Rank& rank);

}  // namespace gpulab::lessons::halo_exchange
