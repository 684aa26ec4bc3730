#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/plan.hpp"
#include "bench/process.hpp"
#include "cli/output.hpp"
#include "core/bench_result.hpp"
#include "core/files.hpp"
#include "report/bench_json.hpp"

namespace gpulab::cli {

// A document of bench to go on with: rows that could not be run are left out, to be tried again. Throws
// UsageError where another gpulab wrote it.
BenchResult resumable(const std::filesystem::path& file);

// Of the rows of one process.
std::set<std::string> ids_of(const BenchResult& result, int process);

// The file that this process was started from.
std::string this_program();

// What --dry-run prints.
std::string plan_text(const bench::Plan& plan, const bench::Request& request, int processes,
                      std::optional<double> time_budget_s, const DeviceProperties& device);

// What is measured in processes of its own, while it grows: kept in a file after every row, shown as
// progress.
class BenchRun {
 public:
  // Throws UsageError when the file cannot be written, or another process is writing it.
  BenchRun(BenchResult begun, const std::optional<std::filesystem::path>& file, Narrator& narrator);

  // The words are those of a bench. See bench::measure_in_process().
  int measure(const std::string& program, std::vector<std::string> words, int process,
              const bench::ProcessLimits& limits);

  // Keeps it for the last time, and lets others write the file. Says what is missing. Throws UsageError when
  // the file cannot be written.
  void finish();
  void print(const std::string& format, bool with_plot) const;

  BenchResult result;

 private:
  void keep();
  void show_progress(int process);

  std::optional<std::filesystem::path> file_;
  std::optional<FileLock> lock_;
  Output output_;
  Narrator& narrator_;
  report::GrowingBenchJson json_;
  bool could_not_keep_ = false;
  double start_s_ = 0;
  std::size_t rows_at_start_ = 0;
};

}  // namespace gpulab::cli
