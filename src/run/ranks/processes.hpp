#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lesson/handles.hpp"

namespace gpulab::run::ranks {

// The launcher that started this process as one of several.
struct Launcher {
  std::string name;                    // "mpirun (Open MPI)", "srun"
  int rank = 0;                        // rank of this process
  int processes = 0;                   // as the launcher says; 0 if it does not
  bool lets_processes_connect = true;  // by telling each how to find the others
};

// Detects the launcher from environment variables. None in a shell, in a batch script, and in the only task
// of `srun --pty bash`. MPI determines rank and size; the launcher's are for messages without MPI.
std::optional<Launcher> find_launcher();

// Removes the variables that find_launcher() reads: a child of this process is not a rank.
void forget_launcher();

// The place of a rank that has ended and joins no more collective operations.
inline constexpr const char* at_the_end = "the end of the program";

// Returns one sentence about who waits where if not all ranks have come to the same place, else "". `places`
// has each rank's place, "the all-reduce of output"; empty for a rank that has not come in time.
std::string who_waits_where(std::span<const std::string> places, double limit_s);

// The processes that a launcher (mpirun, srun) started together, one per rank. All of them must call
// collective operations in the same order. Throws Error, which says who waits where, if one does not come
// within the time limit (device::time_limit()).
class Processes {
 public:
  virtual ~Processes() = default;

  virtual int rank() const = 0;
  virtual int count() const = 0;
  // Returns the rank among the processes on this machine, to choose a GPU.
  virtual int local_rank() const = 0;
  virtual int local_count() const = 0;
  virtual const std::string& node() const = 0;  // machine name
  virtual std::string library() const = 0;      // "Open MPI 4.1.4"

  // Gathers a text of each process, in every process, by rank. `where` names this operation in messages:
  // "the all-reduce of output". If two processes name different ones, all end with an error.
  virtual std::vector<std::string> gather(const std::string& mine, const std::string& where) = 0;

  // Replaces the values by their sum over all processes. Has no time limit: call gather() first.
  virtual void all_reduce(std::span<std::byte> values, ElementType type) = 0;

  // Sends and receives all messages, then returns. Throws Error if nothing moves for the time limit.
  struct Message {
    int peer = 0;
    std::span<std::byte> bytes;
  };
  virtual void exchange(std::span<const Message> sent, std::span<const Message> received) = 0;

  virtual void barrier() = 0;

  // Waits for all, however long it takes: for places where one process works longer than others.
  virtual void wait_for_all(const std::string& where) = 0;

  // Ends all processes at once, after an error of this one.
  [[noreturn]] virtual void abort(int exit_code) = 0;
};

// Joins the processes that this one was started with; null if no launcher started it. Throws Error if these
// cannot find each other: there is no MPI, or it is not the launcher's. Then removes the launcher's
// variables, so that no child takes itself for a rank: call it once.
//
// An object that is destroyed normally waits for the others. A process that ends otherwise, by an exception
// or exit(), first prints its message and then ends all processes with its exit code.
std::unique_ptr<Processes> join_processes();

// The state of MPI on this machine, for gpulab doctor.
struct Status {
  std::string library;   // "Open MPI 4.1.4"; empty if unusable
  std::string problem;   // why it is unusable, in the loader's words
  std::string launcher;  // "mpirun (Open MPI)"; empty if none started this process
};
Status status();

}  // namespace gpulab::run::ranks
