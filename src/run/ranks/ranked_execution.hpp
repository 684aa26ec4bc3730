#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "run/ranks/ranks.hpp"
#include "run/sampling.hpp"
#include "run/variant_execution.hpp"

namespace gpulab::run::ranks {

// Runs the ranks of one process in a thread each, one at a time. A rank that waits for others yields to the
// next one that can go on. So the order is the same on every machine, and deadlocks show at once.
class RankScheduler {
 public:
  explicit RankScheduler(int first_rank) : first_rank_(first_rank) {}

  // Runs work(k) for k from 0 to count - 1, and returns when all have ended. Rethrows the first error; the
  // other ranks then end where they wait.
  void run(int count, const std::function<void(int)>& work);

  // Lets rank k wait until others make `is_over` true. `where` describes the wait if nobody can go on:
  // "the all-reduce of output". Throws Error then.
  void wait(int k, const std::string& where, const std::function<bool()>& is_over);

 private:
  struct RankState {
    bool has_ended = false;
    std::string where;
    std::function<bool()> is_over;  // none while it can go on

    bool can_go_on() const { return !has_ended && (!is_over || is_over()); }
  };

  void end(int k, const std::exception_ptr& error);
  void yield_turn(int k);
  std::string who_waits_where() const;

  int first_rank_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<RankState> states_;
  int turn_ = 0;
  std::exception_ptr error_;  // the first error; it ends all
};

class LocalRank;

// Executes a variant on each rank of this process. Can be run repeatedly, like VariantExecution.
class RankedExecution {
 public:
  // Throws CompileError, LaunchError.
  RankedExecution(Ranks& ranks, DividedProblem& problem, const Variant& variant, unsigned block_size,
                  device::Instrumentation instrumentation);
  ~RankedExecution();

  // Runs the steps of all ranks, each between `before` and `after`, in turn. Throws Error for a deadlock.
  using RankFunction = std::function<void(int k)>;
  void run(const RankFunction& before = {}, const RankFunction& after = {});

  // Captures the steps as a graph, if the variant asks for one and that is possible. Runs them once before
  // that.
  void capture();

  // Chooses whether sends and receives are compared before data moves. That is slower, but a
  // mismatch is then an error and hangs nothing.
  void set_checks_messages(bool checks_messages) { checks_messages_ = checks_messages; }

  // Makes a rank's stream wait for all work queued so far by the others.
  void synchronize_streams(int k);
  // Waits for all streams of this process. Throws DeviceError.
  void synchronize();

  VariantExecution& of(int k);

 private:
  friend class LocalRank;

  // Waits for all ranks of this process. The last to arrive compares the messages that all contributed, and
  // calls `complete`.
  void rendezvous(int k, const std::string& where, const std::string& contribution,
                  const std::function<void()>& complete);
  void synchronize_processes();
  void compare_messages(const std::vector<std::string>& contributions) const;

  Ranks& ranks_;
  DividedProblem& problem_;
  RankScheduler scheduler_;
  std::vector<Variant> variants_;  // with the steps of each rank
  std::vector<std::unique_ptr<VariantExecution>> executions_;
  std::vector<std::unique_ptr<LocalRank>> locals_;
  std::vector<std::unique_ptr<device::Event>> barrier_events_;
  device::DeviceMemory barrier_sum_;                    // to line up processes; none for a single one
  std::vector<std::unique_ptr<device::Graph>> graphs_;  // for a captured variant
  bool checks_messages_ = true;

  // State of the next rendezvous: what each rank brings to it.
  struct Rendezvous {
    std::vector<std::string> where, contributions;
    int arrived = 0;
    std::uint64_t number = 0;
    std::vector<device::RankBuffer> buffers;
    std::vector<device::RankMessage> messages;
    std::vector<std::span<int>> values;
  };
  Rendezvous rendezvous_;
  // By sending and receiving rank.
  std::map<std::pair<int, int>, std::vector<std::vector<float>>> pending_messages_;
};

// Takes cold samples of all ranks together: each is the time of the slowest rank since all were ready. Evicts
// the caches several times, long enough to hide the time in which the host launches the work of all ranks.
class RanksStopwatch : public Stopwatch {
 public:
  RanksStopwatch(const Ranks& ranks, RankedExecution& execution);

  void take(std::size_t count, std::vector<double>& samples_s) override;
  // Returns the same time in every process, so that all take as many samples.
  double now_s() override;

  // Returns the median of this process's k-th rank, in seconds.
  double median_of(int k) const;

 private:
  double take_sample();
  std::vector<double> slowest_of_processes(std::vector<double> samples) const;

  const Ranks& ranks_;
  RankedExecution& execution_;
  std::vector<std::unique_ptr<device::Event>> starts_, stops_;
  std::vector<std::vector<double>> samples_of_ranks_;
};

}  // namespace gpulab::run::ranks
