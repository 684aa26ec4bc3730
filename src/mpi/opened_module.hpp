#pragma once

#include "core/handles.hpp"
#include "mpi/module.hpp"

namespace gpulab::mpi {

// The module, opened when first asked for, and to the end of the process: MPI's own threads are in it. Throws
// std::runtime_error with the loader's words when it cannot be.
const GpulabMpi& opened_module();

// Throws Error of what a call of the module returns, unless it is null.
void check(const char* error);

GpulabMpiType type_of(ElementType type);

// Waits until all that send() and receive() have started is done. False when the seconds are over: for ranks
// to come, in all; for data, since the last message came. Data wants to be moved by this thread, which sleeps
// only while it waits for ranks. Throws Error.
enum class Waiting { for_ranks, for_data };
bool finish_transfers(Waiting waiting, double limit_s);

}  // namespace gpulab::mpi
