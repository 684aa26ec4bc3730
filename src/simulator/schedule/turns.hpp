#pragma once

#include "simulator/schedule/fiber.hpp"

// What a kernel's own code and the scheduler share while threads take turns without it: thread-local
// variables of the program, which prelude/device_calls.cuh declares in the same way.

namespace gpulab::simulator::schedule {

struct Index {
  unsigned x, y, z;
};

// One thread of a block: its place in the ring of those that have not returned.
struct Seat {
  Fiber place;  // where it goes on
  Seat *next = nullptr, *previous = nullptr;
  Index index = {};
};

// Threads that meet at barriers, and at nothing else. Whoever has to wait goes on with the next one.
struct Ring {
  Seat* running;
  int line;          // of the barrier that some have come to; 0 when there is none, or there is no ring
  unsigned missing;  // that have not come to it
};

// Threads that run one after another, in a loop of the kernel's own object.
struct LoopTurn {
  unsigned number;   // of the thread that runs
  unsigned is_over;  // whether the scheduler has taken over
};

}  // namespace gpulab::simulator::schedule

#pragma GCC visibility push(default)
extern "C" {
extern __thread gpulab::simulator::schedule::Index threadIdx, blockIdx, blockDim, gridDim;
extern __thread gpulab::simulator::schedule::Ring gpulab_ring;
extern __thread gpulab::simulator::schedule::LoopTurn gpulab_loop_turn;
}
#pragma GCC visibility pop
