#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/output.hpp"
#include "bench/bench_formats.hpp"
#include "bench/compare.hpp"
#include "bench/plan.hpp"
#include "bench/result.hpp"
#include "cli/options.hpp"

namespace gpulab::cli {

// A document of `gpulab bench`; "-" is stdin, where nothing at all is a result without rows. Throws
// UsageError, which names the file, for what is no such document.
bench::BenchResult read_bench_document(const std::filesystem::path& file);

// The documents of `gpulab bench` in these files or pipes, of at most 512 MiB each. Throws UsageError, which
// names the file, for what is no such document.
std::vector<bench::BenchResult> read_bench_documents(const std::vector<std::filesystem::path>& files);

// Rows are measured in random order. A reader expects the course's: lesson after lesson, then by size, then
// from the naive kernel to the fast one. What this gpulab does not know comes last, by name.
void sort_as_lessons_do(std::vector<bench::BenchRow>& rows);

// What is measured: the words of `gpulab bench` that a process which measures is given, too.
struct BenchWords {
  std::vector<std::string> lessons, variants;
  std::optional<std::string> size, block_size;
  std::map<std::string, std::string> own;  // options that only some lessons have, as typed: lists
  std::uint64_t seed = 42, order_seed = 1;
  bool one_thread = false;
  DeviceWords device;
  std::optional<std::filesystem::path> kernels;

  // Whether a GPU will do it, as far as can be told without opening it.
  bool is_for_gpu() const;
};

void add_bench_words(CLI::App& command, BenchWords& words);

// Every combination of the lessons' sizes and options. Where no size is asked for, a simulated device gets a
// smaller problem than the lesson's default, because counting takes longer than running. Throws UsageError,
// in one sentence, for what makes no sense.
bench::Request request_of(const BenchWords& words, bool simulated);

// The same as somebody types it: "bench", "histogram", "--size", "2^20", ...
std::vector<std::string> typed_words(const BenchWords& words);

// The rules of a comparison as they are typed.
struct ComparisonWords {
  std::optional<std::string> threshold;       // "5%" or "0.05"
  std::optional<std::string> min_difference;  // "1us"
  bool strict = false;
};

// --threshold, --min-difference and --strict. The words must outlive the parsing.
void add_comparison_options(CLI::App& command, ComparisonWords& words);

// Throws UsageError, which names the option, for what is no part or no time.
bench::ComparisonRules rules_of(const ComparisonWords& words);

// How a comparison is reported.
struct ComparisonReport {
  std::string format;
  std::optional<std::filesystem::path> output;
  bool all = false, quiet = false;

  // Writes it, and says what it comes to. Throws UsageError when the file cannot be written.
  ExitCode write(const bench::Comparison& comparison, const std::vector<std::string>& typed) const;
};

void add_comparison_report(CLI::App& command, ComparisonReport& report);

// A document of bench to go on with: rows that could not be run are left out, to be tried again. Throws
// UsageError where another gpulab wrote it.
bench::BenchResult resumable(const std::filesystem::path& file);

// Of the rows of one process.
std::set<std::string> ids_of(const bench::BenchResult& result, int process);

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
  BenchRun(bench::BenchResult begun, const std::optional<std::filesystem::path>& file, Narrator& narrator);

  // The words are those of a bench. See bench::measure_in_process().
  int measure(const std::string& program, std::vector<std::string> words, int process,
              const bench::ProcessLimits& limits);

  // Keeps it for the last time, and lets others write the file. Says what is missing. Throws UsageError when
  // the file cannot be written.
  void finish();
  void print(const std::string& format, bool with_plot) const;

  bench::BenchResult result;

 private:
  void keep();
  void show_progress(int process);

  std::optional<std::filesystem::path> file_;
  std::optional<FileLock> lock_;
  ReportOutput output_;
  Narrator& narrator_;
  bench::GrowingBenchJson json_;
  bool could_not_keep_ = false;
  double start_s_ = 0;
  std::size_t rows_at_start_ = 0;
};

}  // namespace gpulab::cli
