#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "bench/limits.hpp"
#include "lesson/fields.hpp"
#include "lesson/launch.hpp"
#include "lesson/lesson.hpp"
#include "lesson/problem.hpp"
#include "lesson/result.hpp"

namespace gpulab::bench {

// Results of `gpulab bench`: plain values in SI units, as its documents have them.

// Case that can be measured again: a variant, or a reference on the CPU, with all that its work depends on.
struct BenchCase {
  std::string lesson;
  std::string variant;   // or plain_reference, openmp_reference
  std::size_t size = 0;  // work items
  std::uint64_t seed = 42;
  std::map<std::string, OptionValue> options = {};  // all of the lesson's own
  unsigned block_size = 0;                          // threads; 0 for the variant's own

  friend bool operator==(const BenchCase&, const BenchCase&) = default;
};

// Returns "shared-histogram shared size=1048576 distribution=uniform seed=42 block=256": ids are unique,
// and the same in every version.
std::string id_of(const BenchCase& what);

// Returns a value as people type it: "uniform", "1024", "0.5"; "-" for a file that was not given.
std::string text_of(const OptionValue& value);

enum class BenchKind { kernel, library, cpu };
std::string identifier(BenchKind kind);  // "kernel"

// Kinds of a row's times. Not every row has all of them.
enum class BenchTime {
  cold,       // one launch on a GPU, its caches evicted
  steady,     // launches one after another, as a graph
  launch,     // wall-clock time from the call until the host knows that the launch is done
  to_device,  // the copies of all inputs that its problem needs
  to_host,    // the copies of all outputs
  cpu,        // wall-clock time of a reference
};
constexpr BenchTime all_bench_times[] = {BenchTime::cold,      BenchTime::steady,  BenchTime::launch,
                                         BenchTime::to_device, BenchTime::to_host, BenchTime::cpu};
std::string_view name_of(BenchTime time);  // "to_device"

// Case, measured in one process.
struct BenchRow {
  BenchCase what;
  BenchKind kind = BenchKind::kernel;
  int process = 0;   // from 0
  int position = 0;  // in the order in which that process measured
  Outcome expected = Outcome::right;
  Outcome observed = Outcome::not_run;
  bool valid = false;       // whether it was right before and after it was timed
  std::string explanation;  // reason why it is not valid; empty if it is
  int line = 0;             // line of the kernel's file that the explanation is about; 0 if unknown
  Traffic traffic;
  std::map<BenchTime, Timing> times;
  std::optional<Energy> energy;
  // Counts of one run on the simulator: "global_load_sectors", "fiber_switches". They are the same on every
  // machine with the same compiler, except that the switches may differ by one.
  std::map<std::string, std::uint64_t> counts;
  std::vector<std::string> warnings;
};

// The plan of a measurement: what was requested.
struct RunPlan {
  std::vector<std::string> order = {};      // ids of the rows of one process; in JSON Lines only
  std::vector<double> rough_s = {};         // of these rows, relative to each other; in JSON Lines only
  std::vector<std::string> ruled_out = {};  // remarks that --quiet shows, too; in JSON Lines only
  int processes = 1;
  std::uint64_t order_seed = 1;
  std::optional<double> time_budget_s;  // for all processes together; none for no limit
  std::size_t rows = 0;                 // rows that were asked for, in all processes
  std::string kernels = {};             // folder of --kernels; empty for the built-in kernels
  std::map<std::string, std::string> kernel_hashes = {};  // of each lesson's kernel files, by lesson
  std::vector<std::string> unknown_kernels = {};          // files there that no lesson has
  std::map<std::string, std::string> absent_lessons =
      {};  // those named that it has no file of; a sentence each
  std::map<std::string, std::string> unmeasured_edits =
      {};  // lessons not named, whose files there are edited; a hash of them each
};

// Returns "kernels has edited files of reduction, which is not measured: name it, too".
std::string unmeasured_edit_text(const RunPlan& plan, const std::string& lesson);

// Claim of a lesson about two of its variants, tested with what was measured at that size.
struct BenchClaim {
  std::string lesson;
  std::size_t size = 0;
  ClaimResult result;
};

struct BenchResult {
  RunFacts facts;
  DeviceProperties device;
  RunPlan plan;
  std::vector<Ceiling> ceilings;  // rates that the GPU was measured to allow: "copy", "multiply-add"
  std::vector<BenchClaim> claims = {};
  std::string stopped_by;                   // why not everything was measured; empty where all was
  std::optional<ExitCode> ended_with = {};  // the code of a bench that did not measure all
  std::vector<std::string> remarks;
  std::map<std::string, std::vector<std::string>> lesson_remarks = {};  // those about one lesson, by lesson
  std::vector<BenchRow> rows;

  bool complete() const { return stopped_by.empty(); }
  // Returns whether it has rows, or is complete without any, because the folder of --kernels has no file.
  bool is_measured() const { return !rows.empty() || (complete() && !plan.absent_lessons.empty()); }
};

// Returns whether the case could be run: its kernel compiles, and the device has what it needs.
bool was_run(const BenchRow& row);

// Return ok when every row is valid and none is missing; otherwise the code of the most severe failure.
ExitCode exit_code_of(const BenchRow& row);
ExitCode exit_code_of(const BenchResult& result);

// Figures of each case, over all processes: comparisons, tables and other tools' formats begin with them.

enum class FigureUnit { seconds, joules, count };
std::string_view name_of(FigureUnit unit);  // "s", "J", "count"

struct BenchFigure {
  std::string name;  // "cold", "steady", "energy", "global_load_sectors"
  FigureUnit unit = FigureUnit::seconds;
  int priority = 0;  // priority of its column in a text (see Column); 0 if it has no column
  std::string legend;
  double value = 0;  // median over the processes of their medians or, for a count, of their counts
  // Range in which the value lies. With one process, it is the 95 % interval of the median of its samples, if
  // these are at least six; with two to five processes, from the smallest median to the largest; with more,
  // the 95 % interval of the median of their medians. None for counts, which are exact, unless processes
  // counted differently.
  std::optional<Interval> range;
  std::size_t processes = 0;
  std::size_t samples = 0;  // in all processes; 1 for each that counted or measured energy
  // Clocks of the multiprocessors during the samples: the medians of the first and the last third of the
  // samples of each process. Empty if they are not known.
  std::vector<double> clocks_hz;
};

struct CaseFigures {
  BenchCase what;
  BenchKind kind = BenchKind::kernel;
  bool was_run = false;                                          // in some process
  bool valid = true;                                             // in every process
  Outcome expected = Outcome::right, observed = Outcome::right;  // those of the last invalid row
  std::string explanation;  // reason why it is wrong or was not run; empty where it is valid
  Traffic traffic;
  std::vector<BenchFigure> figures;   // times, energy, counts; those of results that are wrong, too
  std::vector<std::string> warnings;  // each once

  // Returns whether the figures mean anything: the case is valid, and expected to be right.
  bool has_figures() const { return valid && was_run && expected == Outcome::right; }
  // Returns the figure of that name; none without has_figures().
  std::optional<BenchFigure> figure(std::string_view name) const;
  std::optional<BenchFigure> time_s(BenchTime time) const { return figure(name_of(time)); }
  // Returns the time by which the case is compared: the cold time of a kernel or, if that was not measured,
  // the steady time; of a reference, the CPU's time.
  std::optional<BenchFigure> kernel_s() const;
  bool has_counts() const {
    return has_figures() && contains(figures, FigureUnit::count, &BenchFigure::unit);
  }
};

// Returns whether a figure is a cost that the kernel causes, so that less is better. These are not: times of
// the host, the bus and the driver's launches; requests and lanes, whose cost is counted in sectors,
// wavefronts and atomics at one address; fiber switches, a cost of the simulator that may differ by one.
bool is_cost(BenchKind kind, const std::string& figure);

// Returns the cases of several documents, each with processes of its own, in the order of first appearance.
std::vector<CaseFigures> cases_in_order(const std::vector<BenchResult>& results);

// Returns these cases sorted by lesson, then by size.
std::vector<CaseFigures> case_figures(const std::vector<BenchResult>& results);

// Checks that two sides of a comparison were measured alike.

// Throws UsageError, which says what differs, unless all were measured on one kind of device.
void refuse_other_devices(const std::vector<BenchResult>& before, const std::vector<BenchResult>& now);

// Throws UsageError if the documents of one side, which is "before" or "now", measured different kernels of a
// lesson: they are no processes of one measurement.
void refuse_other_kernels(const std::vector<BenchResult>& side, const std::string& when);

// Throws UsageError, which says what differs, if no case is in both.
void require_common_cases(const std::vector<CaseFigures>& before, const std::vector<CaseFigures>& now);

// Returns whether the folder of --kernels had no file of any of these lessons before, so that all is new.
bool lack_all_lessons(const std::vector<BenchResult>& before, const std::vector<CaseFigures>& now);

// Returns remarks on differences that prevent no comparison: other drivers, and remarks of the documents now
// that those before lack.
std::vector<std::string> remarks_on(const std::vector<BenchResult>& before,
                                    const std::vector<BenchResult>& now);

// Returns reasons why a comparison proves little: several compilers of the simulator's kernels, which may
// count differently, incomplete documents, and changed kernels that were not measured.
std::vector<std::string> doubts_about(const std::vector<BenchResult>& before,
                                      const std::vector<BenchResult>& now);

// Fields of "gpulab.bench", as its documents, its lines and its tables have them: see lesson/fields.hpp.

// Fields that a case's work depends on, besides its lesson and variant.
template <class Archive>
void setting_fields(Archive& archive, MaybeConst<BenchCase> auto& what) {
  archive("size", what.size);
  archive("seed", what.seed);
  archive("options", what.options);
  archive.known("block_size", what.block_size);
}

template <class Archive>
void time_field(Archive& archive, BenchTime time, MaybeConst<BenchRow> auto& row) {
  std::optional<Timing> timing;
  if (const auto found = row.times.find(time); found != row.times.end())
    if (Archive::is_table || !found->second.samples_s.empty()) timing = found->second;
  archive.known(std::string(name_of(time)), timing);
  if constexpr (Archive::reads)
    if (timing) row.times[time] = *timing;
}

template <class Archive>
void fields(Archive& archive, MaybeConst<BenchRow> auto& row) {
  archive.derived("id", [&] { return id_of(row.what); });
  archive("lesson", row.what.lesson);
  archive("variant", row.what.variant);
  archive.word("kind", row.kind, BenchKind::cpu, BenchKind::cpu);
  setting_fields(archive, row.what);
  archive("process", row.process);
  archive.optional("position", row.position);
  archive.word("expected", row.expected, Outcome::not_run, Outcome::not_run);
  archive.word("observed", row.observed, Outcome::not_run, Outcome::not_run);
  archive("valid", row.valid);
  archive.known("explanation", row.explanation);
  if constexpr (!Archive::is_table) archive.known("line", row.line);
  archive("bytes_read", row.traffic.bytes_read);
  archive("bytes_written", row.traffic.bytes_written);
  archive("operations", row.traffic.operations);
  std::string limited_by = row.traffic.limited_by_operations ? "operations" : "memory";
  archive("limited_by", limited_by);
  if constexpr (Archive::reads) row.traffic.limited_by_operations = limited_by == "operations";
  for (const BenchTime time : all_bench_times) time_field(archive, time, row);
  archive.known("energy", row.energy);
  archive("counts", row.counts);
  archive.optional("warnings", row.warnings);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<RunPlan> auto& plan) {
  archive("processes", plan.processes);
  archive("order_seed", plan.order_seed);
  archive.known("time_budget_s", plan.time_budget_s);
  archive("rows", plan.rows);
  archive.known("kernels", plan.kernels);
  archive.optional("kernel_hashes", plan.kernel_hashes);
  archive.optional("unknown_kernels", plan.unknown_kernels);
  archive.optional("absent_lessons", plan.absent_lessons);
  archive.optional("unmeasured_edits", plan.unmeasured_edits);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Ceiling> auto& ceiling) {
  archive("what", ceiling.what);
  archive("per_s", ceiling.per_s);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<BenchClaim> auto& claim) {
  archive("lesson", claim.lesson);
  archive("size", claim.size);
  fields(archive, claim.result);
}

// Fields of a document's end, which are the last line in JSON Lines.
template <class Archive>
void end_fields(Archive& archive, MaybeConst<BenchResult> auto& result) {
  bool is_complete = result.complete();
  archive("complete", is_complete);
  archive.known("stopped_by", result.stopped_by);
  if constexpr (Archive::reads)
    if (!is_complete && result.stopped_by.empty()) result.stopped_by = "it was stopped";
  archive.optional("remarks", result.remarks);
  archive.optional("lesson_remarks", result.lesson_remarks);
  archive.optional("ceilings", result.ceilings);
  archive.optional("claims", result.claims);
  archive.derived("exit_code", [&] { return static_cast<int>(exit_code_of(result)); });
}

}  // namespace gpulab::bench
