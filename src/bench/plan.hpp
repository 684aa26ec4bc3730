#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "bench/result.hpp"
#include "device/device.hpp"
#include "lesson/lesson.hpp"
#include "run/sampling.hpp"

namespace gpulab::bench {

// A lesson, and every combination of a size and of its own options that was asked for.
struct Sweep {
  Lesson lesson;
  std::vector<Settings> settings;
};

struct Request {
  std::vector<Sweep> sweeps;
  std::vector<std::string> variants = {};  // all that come out right when empty
  std::optional<unsigned> block_size = {};
  bool one_thread = false;  // time the plain loop on one CPU thread, too, which takes long
  std::uint64_t order_seed = 1;
  int process = 0;                        // of several that measure the same, in orders of their own
  std::set<std::string> done = {};        // ids of cases that need not be measured
  std::vector<std::string> remarks = {};  // about what was asked for
};

// One problem, and what is to be measured of it.
struct PlannedProblem {
  const Lesson* lesson = nullptr;
  Settings settings;
  std::size_t work_items = 0;
  Traffic traffic;
  std::vector<std::string> variants;    // in the order of the lesson
  std::vector<std::string> references;  // on the CPU
  std::uint64_t order = 0;              // the seed of the order in which the variants are measured

  // The names of all rows, as they are measured; the references first.
  std::vector<std::string> in_order() const;
};

// What a device can measure of a request, in random order: what drifts, such as a clock, must not look like
// an effect of the size.
struct Plan {
  std::vector<PlannedProblem> problems;
  std::vector<std::string> remarks;  // what was left out, and why

  // Of all rows, in the order in which they are measured.
  std::vector<std::string> ids(const Request& request) const;
};

// A size that --size asks for, in elements. A lesson whose own options say how large its problem is gets a
// square one of about so many work items, where it has sides (Lesson::sides).
Settings settings_of_size(const Lesson& lesson, Settings settings, std::uint64_t size);

// Variants that are wrong on purpose are not measured; those that are right at some sizes only, where they
// are asked for by name. Throws UsageError when no lesson has a variant that was asked for, or when nothing
// is left to measure.
Plan make_plan(const Request& request, device::Device& device);

BenchCase case_of(const PlannedProblem& problem, const std::string& variant, const Request& request);

struct MeasureOptions {
  std::optional<double> time_budget_s;  // for all rows together
  std::optional<std::filesystem::path> kernels;
  bool with_ceilings = true;  // of a GPU
  std::function<void(const std::string&)> remark = [](const std::string&) {};
};

// Measures, in this process, what is planned and not yet done, and hands over each row as soon as it is
// measured. What a variant does wrong is in its row; so is why a problem could not be run. Returns what else
// there is to know, without rows. A GPU that a kernel made unusable ends it: another process has to go on.
BenchResult measure(const Request& request, const Plan& plan, const MeasureOptions& options,
                    device::Device& device, const std::function<void(const BenchRow&)>& on_row);

// Why measuring ended early when a kernel left the GPU unusable.
inline constexpr const char* device_was_lost = "a kernel left the GPU unusable";

// How a document of rows is written and a line of one is read; the formats are in report/.
struct Format {
  std::function<std::string(const BenchResult&)> document;
  // Adds the line to the result; whether it was the last.
  std::function<bool(const std::string& line, BenchResult& result)> read_line;
};

struct ProcessLimits {
  StopRequest stop;
  std::optional<double> time_budget_s = {};  // that the process knows of
};

// Measures in a process of its own: `WORDS... --format jsonl --resume -`, which reads from stdin what has
// been measured and need not be again. What it measures is added to the result, row by row, and on_row is
// called after each. A process that a kernel has left without a GPU is followed by another one. One that
// still runs some seconds after its time is killed. Returns the exit status of a process that failed and has
// said why, or 0. Throws WorkStopped; what was measured until then is in the result. Throws UsageError where
// the result has cases that are not asked for now, or another device.
int measure_in_process(const std::vector<std::string>& words, int process, const Format& format,
                       const ProcessLimits& limits, const std::function<void()>& on_row, BenchResult& result);

using run::steady_now_s;

}  // namespace gpulab::bench
