#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "run/ranks/ranks.hpp"
#include "run/ranks/turns.hpp"
#include "run/variant_execution.hpp"

namespace gpulab::run::ranks {

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

}  // namespace gpulab::run::ranks
