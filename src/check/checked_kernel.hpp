#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>

#include "check/settings.hpp"
#include "run/problems.hpp"

namespace gpulab::check {

// An order in which the simulator runs the threads of a block.
struct NamedOrder {
  const char* name;
  device::ThreadOrder order;
};

// Returns "forward", "reverse" and "preempted".
std::span<const NamedOrder> thread_orders();

// A learner's kernel in place of the lesson's solution: run watched, at any settings, and judged each time.
class CheckedKernel {
 public:
  // A run that was judged.
  struct Run {
    device::LaunchWork work = {};
    bool is_result_wrong = false;  // the run ended without a defect, but with a wrong result
    Explanation wrong = {};        // explanation of the last wrong result
    int line_of_store = 0;         // line that stored the first wrong element; 0 if unknown
  };

  CheckedKernel(const Lesson& lesson, const device::KernelSource& source, device::Device& device,
                const Trial& trial);
  CheckedKernel(const CheckedKernel&) = delete;
  CheckedKernel& operator=(const CheckedKernel&) = delete;
  ~CheckedKernel();

  const std::string& text() const { return source_.text; }
  unsigned block_size() const { return block_size_; }
  void set_block_size(unsigned threads) { block_size_ = threads; }
  double work_at(const Settings& settings) const { return work_of(lesson_, settings, block_size_); }

  // Prepares the problem of the next runs. `access_limit` replaces the usual limit of a launch.
  void prepare(const Settings& settings, std::optional<std::size_t> access_limit = std::nullopt);
  // Runs the kernel on the prepared problem. Returns whether it is right; if not, `result` says what is
  // wrong.
  bool passes(const NamedOrder& order, CheckResult& result);
  bool passes_at(const Settings& settings, const NamedOrder& order, CheckResult& result) {
    prepare(settings);
    return passes(order, result);
  }
  // Runs only the last blocks of a problem of that size, with the threads in order.
  bool passes_last_blocks(std::size_t size, CheckResult& result);
  // Counts the kernel's accesses; returns nothing if it is not right.
  std::optional<KernelRecord> counted(const Settings& settings);

  const Run& last() const { return last_; }
  const SpentWork& spent() const { return spent_; }
  // Returns what the compiler suspects: a sentence for each variable that is perhaps not set.
  const std::set<std::string>& notes() const { return notes_; }

 private:
  const Lesson& lesson_;
  const Variant& solution_;
  const device::KernelSource& source_;
  device::Device& device_;
  const bool is_block_size_chosen_;
  unsigned block_size_;
  run::KernelFiles files_;
  run::ProblemCache problems_;
  run::RunContext* context_ = nullptr;  // context of the prepared problem
  Run last_ = {};
  SpentWork spent_ = {};
  std::set<std::string> notes_;
};

// Tests the exercise's demands on a kernel that is right, by the counts of its accesses, and adds notes that
// a teacher would give. `unjudged` is the result before the first run.
void test_demands(const Lesson& lesson, const Trial& trial, device::Device& device, CheckedKernel& kernel,
                  const CheckResult& unjudged, CheckResult& result);

// Runs the kernel again for each bool that may be unset, with that bool set to true: in the other runs, the
// compiler's automatic initialisation has made it false. A right kernel has to stay right. If a wrong kernel
// becomes right, at the settings at which it was wrong, the unset bool is the cause.
void try_unset_bools(const Lesson& lesson, const Trial& trial, device::Device& device,
                     const device::KernelSource& source, const Settings& wrong_at,
                     const CheckResult& unjudged, CheckResult& result);

// Finds an operator that C++ reads in another way, if the kernel that was meant is right or fails elsewhere.
std::optional<CheckPlace> tried_misreading(const Lesson& lesson, const Trial& trial, device::Device& device,
                                           const device::KernelSource& source, const Settings& wrong_at,
                                           const CheckResult& unjudged, const CheckResult& result);

// Blames the place of a wrong kernel where another variable, sign or condition makes the kernel right, at all
// settings of a check. `wrong` explains a wrong result, and is null for other failures. Takes about as long
// as the check so far, `seconds_so_far`. Returns whether there is such a place.
bool blame_one_change(const Lesson& lesson, const Trial& trial, device::Device& device,
                      const device::KernelSource& source, const Settings& wrong_at, const Explanation* wrong,
                      double seconds_so_far, const CheckResult& unjudged, CheckResult& result);

}  // namespace gpulab::check
