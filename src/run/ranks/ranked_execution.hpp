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

// Runs the ranks of one process, each in a thread of its own, of which only one goes on at a time. A rank
// gives way where it waits for others, to the next one that can go on. So what they do comes in the same
// order on every machine, and it shows at once when nobody can go on any more.
class Turns {
 public:
  explicit Turns(int first_rank) : first_rank_(first_rank) {}

  // Runs work(k) for k from 0 to count - 1, and returns when all have ended. Throws what the first of them
  // threw; the others then end where they wait.
  void run(int count, const std::function<void(int)>& work);

  // Of rank k: waits until the condition, which others bring about, is true. `where` is what it tells the
  // others when nobody can go on: "the all-reduce of output". Throws Error then.
  void wait(int k, const std::string& where, const std::function<bool()>& is_over);

 private:
  struct Place {
    bool has_ended = false;
    std::string where;
    std::function<bool()> is_over;  // none while it can go on

    bool can_go_on() const { return !has_ended && (!is_over || is_over()); }
  };

  void end(int k, const std::exception_ptr& error);
  void give_way(int k);
  std::string who_waits_where() const;

  int first_rank_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Place> places_;
  int turn_ = 0;
  std::exception_ptr error_;  // the first; all end
};

class LocalRank;

// Does on the ranks of this process what a variant does on each. It can be run again and again, as
// VariantExecution.
class RankedExecution {
 public:
  // Throws CompileError, LaunchError.
  RankedExecution(Ranks& ranks, DividedProblem& problem, const Variant& variant, unsigned block_size,
                  device::Instrumentation instrumentation);
  ~RankedExecution();

  // Runs the steps of all ranks. Each begins with `before` and ends with `after`, in its turn. Throws Error
  // when ranks wait for each other for ever.
  using OfRank = std::function<void(int k)>;
  void run(const OfRank& before = {}, const OfRank& after = {});

  // Captures the steps, of a variant that wants to be a graph and where it can be one. Runs them once before
  // that.
  void capture();

  // With what ranks send and receive compared among the processes, before it is done: slower, and never a
  // hang.
  void set_is_careful(bool is_careful) { is_careful_ = is_careful; }

  // Makes the stream of a rank wait for what is in those of all others by now.
  void line_up(int k);
  // Waits for all of this process. Throws DeviceError.
  void synchronize();

  VariantExecution& of(int k);

 private:
  friend class LocalRank;

  // Of all ranks of this process together: waits until all are there; the last one does it for all.
  void meet(int k, const std::string& where, const std::string& brought,
            const std::function<void()>& together);
  void line_up_processes();
  void compare_messages(const std::vector<std::string>& brought) const;

  Ranks& ranks_;
  DividedProblem& problem_;
  Turns turns_;
  std::vector<Variant> variants_;  // with the steps of each rank
  std::vector<std::unique_ptr<VariantExecution>> executions_;
  std::vector<std::unique_ptr<LocalRank>> locals_;
  std::vector<std::unique_ptr<device::Event>> lined_up_;
  device::DeviceMemory number_;                         // to line up processes with; none of one alone
  std::vector<std::unique_ptr<device::Graph>> graphs_;  // of a captured variant
  bool is_careful_ = true;

  // Of the meeting that is to come.
  struct Meeting {
    std::vector<std::string> where, brought;
    int have_come = 0;
    std::uint64_t number = 0;
    std::vector<device::RankBuffer> buffers;
    std::vector<device::RankMessage> messages;
    std::vector<std::span<int>> values;
  };
  Meeting meeting_;
  std::map<std::pair<int, int>, std::vector<std::vector<float>>> mail_;  // from, to
};

// Samples of all ranks together, cold: each is the time of the slowest rank, from the moment at which all
// were ready. The caches are evicted several times, which takes a GPU longer than the host needs to hand all
// ranks their work.
class RanksStopwatch : public Stopwatch {
 public:
  RanksStopwatch(const Ranks& ranks, RankedExecution& execution);

  void take(std::size_t count, std::vector<double>& samples_s) override;
  // The same in every process, so that all take as many samples.
  double now_s() override;

  // Of the k-th rank of this process, in seconds.
  double median_of(int k) const;

 private:
  double take_one();
  std::vector<double> slowest_of_processes(std::vector<double> samples) const;

  const Ranks& ranks_;
  RankedExecution& execution_;
  std::vector<std::unique_ptr<device::Event>> starts_, stops_;
  std::vector<std::vector<double>> of_ranks_;
};

}  // namespace gpulab::run::ranks
