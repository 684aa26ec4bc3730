#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"
#include "bench/result.hpp"
#include "device/device.hpp"
#include "lesson/lesson.hpp"
#include "run/sampling.hpp"

namespace gpulab::bench {

// Lesson, with each combination of size and options to measure.
struct Sweep {
  Lesson lesson;
  std::vector<Settings> settings;
};

struct Request {
  std::vector<Sweep> sweeps;
  bool names_lessons = false;              // whether each lesson was asked for, so that none may be left out
  std::vector<std::string> variants = {};  // if empty, all that are expected to be right
  std::optional<unsigned> block_size = {};
  bool one_thread = false;  // whether to time the plain loop on one CPU thread, which takes long
  std::uint64_t order_seed = 1;
  int process = 0;                          // number of this process; each measures in its own order
  std::set<std::string> done = {};          // ids of cases that need not be measured
  std::set<std::string> absent_files = {};  // kernel files that the folder of --kernels lacks
  // Kernels that its files lack, as file and name, with a sentence about each.
  std::map<std::pair<std::string, std::string>, std::string> absent_kernels = {};
  std::map<std::string, std::string> unknown_kernels = {};  // files there of no lesson; a sentence about each
  std::vector<std::string> added_kernels = {};  // a sentence about each kernel there that no lesson launches
  std::map<std::string, std::string> absent_lessons =
      {};  // those named that it has no file of; a sentence each

  // Returns why the folder has no kernel of the variant; empty if it has, or if the variant was asked for.
  std::string absence_of(const Lesson& lesson, const Variant& variant) const;
};

// Problem, with the variants and references to measure.
struct PlannedProblem {
  const Lesson* lesson = nullptr;
  Settings settings;
  std::size_t work_items = 0;
  double work = 0;  // a number that grows like the time of a simulation
  Traffic traffic;
  std::vector<std::string> variants;    // in the order of the lesson
  std::vector<std::string> references;  // on the CPU
  std::uint64_t order_seed = 0;         // of the order in which the variants are measured

  // Returns the names of all rows in the order in which they are measured; the references first.
  std::vector<std::string> in_order() const;
};

// Part of a request that a device can measure. The order is random, so that drift, such as a clock's, does
// not look like an effect of the size.
struct Plan {
  std::vector<PlannedProblem> problems;
  std::vector<std::string> remarks;  // variants and lessons that were left out, and why
  std::map<std::string, std::vector<std::string>> lesson_remarks = {};  // those about one lesson, by lesson
  std::vector<std::string> ruled_out = {};  // remarks about variants that the request itself rules out
  std::string why_incomplete;               // a named lesson without a row; empty if each has one

  // Returns all cases, and their ids, in the order in which they are measured.
  std::vector<BenchCase> cases(const Request& request) const;
  std::vector<std::string> ids(const Request& request) const;

  // Removes the cases that need not be measured.
  void leave_out_done(const Request& request);
};

// Returns settings for a size of --size, in elements. A lesson whose own options determine its size gets a
// square problem with about this number of work items, if it has sides (Lesson::sides).
Settings settings_of_size(const Lesson& lesson, Settings settings, std::uint64_t size);

// Plans a request. Leaves out variants that are wrong on purpose; variants that are right at some sizes only
// must be asked for by name. Throws UsageError for an unknown variant, or when nothing is left to measure.
Plan make_plan(const Request& request, device::Device& device);

struct MeasureOptions {
  std::optional<double> time_budget_s;  // for all rows together
  std::optional<std::filesystem::path> kernels;
  bool with_ceilings = true;  // whether to measure a GPU's ceilings, too
  std::function<void(const std::string&)> remark = [](const std::string&) {};
};

// Measures the cases of the plan that are not yet done, in this process, and calls on_row after each. A row
// says what is wrong with its variant, or why its problem could not be run. Returns everything but the rows.
// Ends when a kernel has made a GPU unusable: another process has to continue.
BenchResult measure(const Request& request, const Plan& plan, const MeasureOptions& options,
                    device::Device& device, const std::function<void(const BenchRow&)>& on_row);

// Tries each lesson of the plan at two small sizes, in this process. Returns about how many seconds one
// process takes for the whole plan. Compiles all kernels into the cache first. Calls on_row after each try.
double estimated_s(const Request& request, const Plan& plan, const MeasureOptions& options,
                   device::Device& device, const std::function<void(const BenchRow&)>& on_row);

// Reasons for an early end.
inline constexpr const char* device_was_lost = "a kernel left the GPU unusable";
inline constexpr const char* budget_used_up = "the time budget was used up";

struct ProcessLimits {
  StopToken stop;
  std::optional<double> time_budget_s = {};  // the process also gets it as an option
  std::function<void()> on_wait = [] {};     // called once a second while no row comes
  bool resumes = false;                      // whether rows of an earlier bench were there at the start
};

// Throws UsageError if what a process is about to measure does not continue `known`: another device,
// compiler, kernel, or a case that is not asked for now.
void require_same_measurement(const BenchResult& planned, int process, bool resumes,
                              const BenchResult& known);

// Measures in another process, whose command line is `words`: `gpulab bench ... --process N --resume -`. That
// process reads the finished rows from stdin and skips them. Adds each row that it measures to the result,
// and then calls on_row. If a kernel makes the GPU unusable, a new process continues. A process that still
// runs some seconds after its time budget is killed. Returns the exit status of a process that failed and has
// printed why, or 0. Throws WorkStopped; what was measured until then is in the result. Throws UsageError if
// the result has cases that are not asked for now, or is of another device.
int measure_in_process(const std::vector<std::string>& words, int process, const ProcessLimits& limits,
                       const std::function<void()>& on_row, BenchResult& result);

using run::steady_now_s;

}  // namespace gpulab::bench
