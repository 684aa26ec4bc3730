#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lesson/handles.hpp"
#include "run/ranks/mpi_module.hpp"

namespace gpulab::run::ranks {

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

// Where a rank ends that does nothing together with the others any more.
inline constexpr const char* at_the_end = "the end of the program";

// Who waits where, when not all ranks have come to the same place: one sentence. It is empty when they have.
// `places` has each rank's, "the all-reduce of output"; empty of one that has not come within the seconds.
std::string who_waits_where(std::span<const std::string> places, double seconds);

// The processes that a launcher (mpirun, srun) has started together, one for each rank. What all of them do
// together, each must come to in the same order. Throws Error, which says who waits where, when one has not
// come within the time limit (device::time_limit()).
class Processes {
 public:
  virtual ~Processes() = default;

  virtual int rank() const = 0;
  virtual int count() const = 0;
  // Among those on this machine: which of its GPUs to take.
  virtual int local_rank() const = 0;
  virtual int local_count() const = 0;
  virtual const std::string& node() const = 0;  // the machine's name
  virtual std::string library() const = 0;      // "Open MPI 4.1.4"

  // What each process brought, by rank, in every process. `where` says to the others what this one does:
  // "the all-reduce of output". They all end with an error if it is not the same everywhere.
  virtual std::vector<std::string> gather(const std::string& mine, const std::string& where) = 0;

  // Replaces the values by their sum over all processes. Waits as long as it takes: gather() comes first
  // where it is not sure that all will come.
  virtual void all_reduce(std::span<std::byte> values, ElementType type) = 0;

  // Sends to some and receives from some; returns when all of it is done. Throws Error when nothing has moved
  // for the time limit.
  struct Message {
    int peer = 0;
    std::span<std::byte> bytes;
  };
  virtual void exchange(std::span<const Message> sent, std::span<const Message> received) = 0;

  virtual void barrier() = 0;

  // The same, however long it takes: where some of them have something to do that others have not.
  virtual void wait_for_all(const std::string& where) = 0;

  // Ends all processes at once, after an error of this one.
  [[noreturn]] virtual void abort(int exit_code) = 0;
};

// The processes that this one was started with; null if no launcher started it. Throws Error where a launcher
// did, and they cannot find each other: no MPI, or not the launcher's. Afterwards the launcher's variables
// are gone, so that no process that this one starts takes itself for a rank: ask once.
//
// The last act of an object that ends normally is to wait for the others. A process that ends otherwise, by
// an exception or by exit(), ends all of them, with its exit code: after it has said why.
std::unique_ptr<Processes> join_processes();

// What this machine has of MPI, for gpulab doctor.
struct Status {
  std::string library;   // "Open MPI 4.1.4"; empty where it cannot be used
  std::string problem;   // why it cannot, in the loader's words
  std::string launcher;  // "mpirun (Open MPI)"; empty where none has started this process
};
Status status();

}  // namespace gpulab::run::ranks
