#pragma once

#include <chrono>

#include "core/handles.hpp"
#include "mpi/module.hpp"

namespace gpulab::mpi {

using Clock = std::chrono::steady_clock;

// The module, opened when first asked for, and to the end of the process: MPI's own threads are in it. Throws
// std::runtime_error with the loader's words when it cannot be.
const GpulabMpi& opened_module();

// Throws Error of what a call of the module returns, unless it is null.
void check(const char* error);

GpulabMpiType type_of(ElementType type);

// Waits until all that send() and receive() have started is done. False when that is not so in time. Throws
// Error. It moves the data itself, and must not sleep meanwhile; whoever waits for another rank to come may.
enum class Waiting { for_data, for_ranks };
bool finish_transfers(Waiting waiting, Clock::time_point deadline = Clock::time_point::max());

}  // namespace gpulab::mpi
