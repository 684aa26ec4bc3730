#pragma once

#include <cstddef>

// What the program asks of MPI. It is in a shared object of its own, libgpulab_mpi.so, that is opened only
// where a launcher has started the program: so the program needs no MPI to start. Only C types cross the
// border. What can fail returns null, or a sentence that says what went wrong.

struct GpulabMpiWorld {
  int rank, count;              // of all processes
  int local_rank, local_count;  // among those that share this machine's memory
  char node[256];               // the machine's name
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
  // Finds the other processes, once. MPI itself ends the process when it cannot start.
  const char* (*join)(GpulabMpiWorld* world);
  // Start to move bytes, which must stay where they are until advance() says that nothing is left. What has
  // the same tag arrives in the order in which it was sent. The receiver must expect as many bytes as come.
  const char* (*send)(int peer, int tag, const void* data, std::size_t bytes);
  const char* (*receive)(int peer, int tag, void* data, std::size_t bytes);
  // Moves what can be moved now. `left` counts what was started and is not done.
  const char* (*advance)(int* left);
  // Replaces the values by their sum over all processes.
  const char* (*all_reduce)(void* values, std::size_t count, GpulabMpiType type);
  // The last call: leave() when all processes come to it, abort() ends them all at once.
  void (*leave)();
  void (*abort)(int exit_code);
};

// The one function that the module exports: gpulab_mpi.
using GpulabMpiOf = const GpulabMpi*();
