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

// Reads a document of `gpulab bench`; "-" is stdin. An empty stdin is a result without rows, where that may
// be. Throws UsageError, which names the file, for anything else.
bench::BenchResult read_bench_document(const std::filesystem::path& file, bool may_be_empty = false);

// Reads the documents of `gpulab bench` in these files or pipes, of at most 512 MiB each. Throws UsageError,
// which names the file, for anything else, and for a copy of an earlier one.
std::vector<bench::BenchResult> read_bench_documents(const std::vector<std::filesystem::path>& files);

// Returns whether two documents have the same content.
bool is_copy(const bench::BenchResult& first, const bench::BenchResult& second);

// Sorts rows, which are measured in random order, by lesson in teaching order, then by size, then from the
// naive kernel to the fast one. Names that this gpulab does not know come last, sorted.
void sort_in_course_order(std::vector<bench::BenchRow>& rows);

// Options of `gpulab bench` that it also gives to its measuring processes.
struct BenchOptions {
  std::vector<std::string> lessons, variants;
  std::optional<std::string> size, block_size;
  std::map<std::string, std::string> own;  // options that only some lessons have, as typed: lists
  std::uint64_t seed = 42, order_seed = 1;
  bool one_thread = false;
  DeviceOptions device;
  std::optional<std::filesystem::path> kernels;
};

void add_bench_options(CLI::App& command, BenchOptions& options);

// Returns the request for every combination of the lessons' sizes and options. Without --size, a simulated
// device gets a smaller problem than the lesson's default, because counting takes longer than running. Throws
// UsageError, in one sentence, for what makes no sense.
bench::Request request_of(const BenchOptions& options, bool simulated);

// Returns the lessons that are not named although a file of theirs in the folder of --kernels differs from
// the course's, each with a hash of its files.
std::map<std::string, std::string> edited_but_not_named(const BenchOptions& options);

// Returns the options as words of a command line: "bench", "histogram", "--size=2^20", ...
std::vector<std::string> typed_words(const BenchOptions& options);

// Rules of a comparison, as typed.
struct ComparisonOptions {
  std::optional<std::string> threshold;       // "5%" or "0.05"
  std::optional<std::string> min_difference;  // "1us"
  std::vector<std::string> allowed;           // words of --allow
  bool strict = false;

  bool is_any() const { return threshold || min_difference || strict || !allowed.empty(); }
};

// Adds --threshold, --min-difference, --allow and --strict. The options must outlive the parsing.
void add_comparison_options(CLI::App& command, ComparisonOptions& options);

// Parses the rules. Throws UsageError, which names the option, for a wrong fraction or time.
bench::ComparisonRules rules_of(const ComparisonOptions& options);

// Default sizes of --crossover.
constexpr const char* crossover_sizes = "2^10..2^28:x4";
constexpr const char* crossover_areas = "2^8..2^22:x4";  // for lessons that do much for each element

// Sets options that ask for many sizes and for the plain loop on one CPU thread. Throws Error if there is no
// GPU, and UsageError if no lesson is named.
void prepare_for_crossover(BenchOptions& options);

struct CrossoverFormat {
  bool is_json = false, with_plot = false;
};

// Writes from which size on the GPU was worth it, for each lesson of a document. Throws UsageError, which
// calls the document `name`, if it lacks the times.
void show_crossovers(const bench::BenchResult& measured, const std::string& name,
                     const CrossoverFormat& format, ReportOutput& output);

// Reads a document of bench to continue. Leaves out rows that could not be run, so that they are tried again.
// Throws UsageError if another version of gpulab wrote it.
bench::BenchResult read_for_resume(const std::filesystem::path& file);

// Return the ids of the rows of one process, and of those that each of the processes has.
std::set<std::string> ids_of(const bench::BenchResult& result, int process);
std::set<std::string> ids_in_all_processes(const bench::BenchResult& result, int processes);

// Returns a line for each variant that was wrong or not run and each reason, for stderr where no table is
// printed; one for all variants with the same compile error. It names the sizes, unless the variant was so at
// all of them.
std::string wrong_results_text(const bench::BenchResult& result);

// Returns the rows that --dry-run prints.
std::string plan_text(const bench::Plan& plan, const bench::Request& request);
// Returns the last line of --dry-run; `process_s` is the time of one process without a budget.
std::string plan_duration_text(std::size_t rows, int processes, double process_s,
                               std::optional<double> time_budget_s);

// Result that grows while other processes measure: kept in a file after every row, and shown as progress.
class BenchRun {
 public:
  // Throws UsageError when the file cannot be written, or another process is writing it.
  BenchRun(bench::BenchResult begun, const std::optional<std::filesystem::path>& file, Narrator& narrator,
           bool can_be_resumed = true);

  // Measures in another process, with the words of a bench command. See bench::measure_in_process().
  int measure(const std::string& program, std::vector<std::string> words, int process,
              bench::ProcessLimits limits);

  // Writes the document for the last time, unlocks its file and says what is missing. Throws UsageError.
  void finish();
  void print(const std::string& format, bool with_plot) const;

  bench::BenchResult result;

 private:
  void write_so_far();
  void keep_previous();
  void show_progress(int process);

  std::optional<std::filesystem::path> file_;
  std::filesystem::path previous_;  // second name of the earlier file, until this one is complete
  std::optional<FileLock> lock_;
  ReportOutput output_;
  Narrator& narrator_;
  bench::GrowingBenchJson json_;
  bool is_written_ = false, has_previous_ = false, could_not_keep_ = false;
  bool can_be_resumed_ = true;
  double start_s_ = 0;
  double last_row_s_ = 0;
  std::size_t rows_at_start_ = 0;
};

}  // namespace gpulab::cli
