#pragma once

#include <optional>
#include <string>

namespace gpulab::mpi {

// What has started this process as one of several.
struct Launcher {
  std::string name;                 // "mpirun (Open MPI)", "srun"
  int rank = 0;                     // of this process
  int processes = 0;                // as it says; 0 where it does not
  bool leads_to_the_others = true;  // whether it has told the process how to find them
};

// From the variables that launchers leave to the processes that they start. None in a shell, in a batch
// script, and in the only task of `srun --pty bash`. What counts is rank and size as MPI says them; these are
// for messages where there is no MPI.
std::optional<Launcher> find_launcher();

// Takes these variables away: a process that this one starts is no rank.
void forget_launcher();

}  // namespace gpulab::mpi
