#pragma once

#include <cstddef>

// The program's interface to MPI, in a separate shared object, libgpulab_mpi.so, that is opened only if a
// launcher started the program: so the program starts without MPI. Only C types cross the boundary. Functions
// that can fail return null, or a sentence that says what went wrong.

struct GpulabMpiWorld {
  int rank, count;              // among all processes
  int local_rank, local_count;  // among those that share this machine's memory
  char node[256];               // machine name
};

enum GpulabMpiType {
  gpulab_mpi_int32,
  gpulab_mpi_uint32,
  gpulab_mpi_uint8,
  gpulab_mpi_float32,
  gpulab_mpi_float64,
};

struct GpulabMpi {
  const char* library;  // with its version: "Open MPI 4.1.4"
  // Finds the other processes, once. MPI itself ends the process if it cannot start.
  const char* (*join)(GpulabMpiWorld* world);
  // Start to move bytes, which must stay in place until advance() reports that nothing is left. Messages with
  // the same tag arrive in the order sent. A receiver must ask for as many bytes as are sent.
  const char* (*send)(int peer, int tag, const void* data, std::size_t bytes);
  const char* (*receive)(int peer, int tag, void* data, std::size_t bytes);
  // Moves what can be moved now. `pending` becomes the number of transfers that are started but not done.
  const char* (*advance)(int* pending);
  // Replaces the values by their sum over all processes.
  const char* (*all_reduce)(void* values, std::size_t count, GpulabMpiType type);
  // The last call: leave() waits for all processes, abort() ends them all at once.
  void (*leave)();
  void (*abort)(int exit_code);
};

// The type of the only exported function: gpulab_mpi.
using GpulabMpiOf = const GpulabMpi*();
