#pragma once

#include <string>
#include <vector>

#include "base/table.hpp"
#include "estimate/gpu.hpp"
#include "lesson/access_counts.hpp"
#include "lesson/launch.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/devices.hpp"

namespace gpulab::run {

// Times that a table shows of a simulated run.
enum class SimulatedTimes {
  none,  // where CPU time might be mistaken for a GPU's, such as in front of a class
  of_cpu,
  estimated,  // for a GPU, or CPU time if there is no estimate
  both,
};

// Formats a lesson's result for people: a heading, a table of references and variants, then remarks. No line
// is longer than the style's width. Given an earlier result of the same lesson, marks changes and shows the
// old values.
std::string lesson_text(const LessonResult& result, const TextStyle& style,
                        const LessonResult* before = nullptr,
                        SimulatedTimes times = SimulatedTimes::estimated);

// Formats heading and table alone, for a run in progress.
std::string lesson_rows(const LessonResult& so_far, const TextStyle& style,
                        const LessonResult* before = nullptr);

// Writes one document that matches data/gpulab-run.schema.json. Quantities are in SI units, named in the
// field; null means unknown, not measured or not finite.
std::string lesson_json(const LessonResult& result, const RunFacts& facts);

// Writes the documents of several runs as one array.
std::string lessons_json(const std::vector<LessonResult>& results, const RunFacts& facts);

// Packs ranks' results for other processes, and unpacks them. Throws std::runtime_error for incomplete bytes.
std::string packed(const std::vector<RankResult>& ranks);
std::vector<RankResult> unpacked_ranks(const std::string& bytes);

// Writes results of one lesson as a flat table for pandas, R and spreadsheets: a header line, then one line
// per reference and variant. Quantities are in SI units, named in the column. Fields that were not measured
// are empty. So are the times of a row unless its result was computed at the requested size, was right, and
// was expected to be right.
std::string lesson_csv(const std::vector<LessonResult>& results);

// Writes the timelines of all variants in the Trace Event format, for Perfetto and Chromium's tracing: a
// process per variant, a thread per stream.
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
std::string trace_json(const LessonResult& result);

// Formats a table of each variant's lines that access memory, describes the worst, and may draw pictures.
std::string inspection_text(const Inspection& inspection, const TextStyle& style, bool with_pictures = false);

// Formats each variant's kernel source, with the same figures beside the lines, and the same descriptions.
// Sources have their own style and are cut at its width.
std::string annotated_text(const Inspection& inspection, const TextStyle& style,
                           const TextStyle& source_style);

// Writes the lines that access memory as one document with "schema": "gpulab.inspect"; null for figures that
// do not apply.
std::string inspection_json(const Inspection& inspection);

// Does the same with every line of the kernels.
std::string annotated_json(const Inspection& inspection);

// Formats one lesson's name and aliases, default size, title and variants.
std::string lesson_entry_text(const Lesson& lesson, const TextStyle& style);

// Lists the lessons as one document with "schema": "gpulab.list", in the order given.
std::string catalogue_json(const std::vector<Lesson>& lessons);

// Lists every device with its properties, one per line; "n/a" if unknown.
std::string devices_text(const std::vector<DeviceProperties>& devices, const TextStyle& style);

// Lists what was found on this machine, with every device and link, as one document with "schema":
// "gpulab.doctor"; null for unknown and unmeasured values.
std::string machine_json(const Diagnosis& diagnosis, const std::vector<DeviceProperties>& devices,
                         const std::vector<DeviceLink>& links, const AllReduceTimes& all_reduce);

// Compares the rows of a result with an earlier one: '~' marks a variant with another outcome, count or time,
// and shows the old value before the new one. Times have changed if their confidence intervals do not
// overlap; CPU times of simulations are not compared. Without an earlier result, cells are unchanged.
class LessonChanges {
 public:
  explicit LessonChanges(const LessonResult* before = nullptr) : before_(before) {}

  Cell name(const std::string& reference) const;
  Cell name(const VariantResult& variant) const;
  Cell result(const VariantResult& variant) const;
  // Returns the text that a row has in place of figures: a short one if the outcome is as expected and
  // unchanged.
  std::string outcome_and_reason(const VariantResult& variant, std::size_t asked_size) const;
  Cell time(const VariantResult& variant, Cell now) const;  // kernel time, cold
  Cell figure(const VariantResult& variant, const Figure& figure) const;

 private:
  const VariantResult* earlier(const VariantResult& variant) const;
  bool has_changed(const VariantResult& variant) const;

  const LessonResult* before_;
};

// Makes a row per reference, then per variant, with a GPU's figures: time, throughput, speed-ups. Adds bars
// if the style is 120 columns wide or wider.
Table measured_table(const LessonResult& result, const TextStyle& style,
                     const LessonChanges& changes = LessonChanges());

// Makes the same rows for the simulator, with the launches and with the chosen times.
Table simulated_table(const LessonResult& result, SimulatedTimes times,
                      const LessonChanges& changes = LessonChanges());

// Formats "28.1 to 36.2 us".
std::string range_text(const Estimate& estimate);

// Formats the bounds and the launches of each variant that has an estimate. With `explains`, adds the counts
// that each bound follows from, and the sources of the GPU's figures.
std::string estimate_text(const LessonResult& result, const estimate::Gpu& gpu, bool explains,
                          const TextStyle& style);
// Formats the results for several GPUs as a table, a column for each GPU.
std::string estimates_text(const std::vector<LessonResult>& results, const std::vector<std::string>& gpus,
                           const TextStyle& style);
// Writes the estimates of one result as one document with "schema": "gpulab.estimate".
std::string estimate_json(const LessonResult& result);
// Returns "4096 x 256 threads, 3 launches: each 28 to 53 us on an H200, estimated, limited by DRAM
// bandwidth".
std::string predicted_text(const PredictedLaunches& launches, const std::string& gpu);
// Says how much slower or faster a learner's kernel is than the course's or, if the ratio is too close to
// call, how long it takes, and what limits it. Empty if both only take the time to start.
std::string predicted_text(const PredictedTimes& times);

// Makes a row per variant with figures and a column per figure; empty if there are none.
std::string figures_table(const LessonResult& result, const TextStyle& style,
                          const LessonChanges& changes = LessonChanges());

// Formats the records found, or the first of them; empty if there are none.
std::string records_text(const LessonResult& result, const TextStyle& style);

// Draws each variant's timeline: a line per stream, every operation at its time. Empty if there are none.
std::string timelines_text(const LessonResult& result, const TextStyle& style);

// Formats sum / requests, with three digits unless it is whole: "4", "17.3".
std::string mean_text(std::uint64_t sum, std::uint64_t requests);

// Describes, in one or two sentences, what happens in that line and what a well-formed access would need.
std::string costly_access_text(const CostlyAccess& costly);

// Returns the entry of the glossary about such a cost.
std::string_view term_of(AccessCost cost);

// Describes the worst access in the same way, or says that none is bad.
std::string worst_access_words(const AccessCounts& counts);

// Returns whether the kernels' text has constant memory, and the sentence that tables then lack its loads.
bool have_constants(const std::string& kernels);
std::string uncounted_text(bool has_constants, const TextStyle& style);

// Formats that description after the label "worst".
std::string worst_access_text(const AccessCounts& counts, const TextStyle& style);

// Table columns with the figures of accesses: only those that apply to at least one access.
class AccessColumns {
 public:
  explicit AccessColumns(const AccessCounts& counts);

  std::vector<Column> columns() const;
  std::vector<Cell> cells(const LineAccesses& accesses) const;

 private:
  bool has_global_ = false;
  bool has_shared_ = false;
  bool has_atomics_ = false;
  unsigned warp_size_ = 32;
};

// A line of a kernel and its accesses.
struct InspectedLine {
  int number = 0;  // 0 for accesses in unknown lines
  std::string source;
  std::string file = {};  // if not the kernel file
  std::vector<LineAccesses> accesses = {};
};

// Returns the lines that access memory, in order.
std::vector<InspectedLine> inspected_lines(const VariantInspection& variant);

// Returns every line of the variant's kernel and of other functions that access memory, with the comments
// above them.
std::vector<InspectedLine> inspected_functions(const VariantInspection& variant);

// Returns the names of the kernels among these functions.
std::vector<std::string> inspected_kernels(const VariantInspection& variant);

// Makes a row for each kind of access in each line. The last column has the text of the line.
Table table_of_accesses(const VariantInspection& variant, const AccessColumns& columns);

}  // namespace gpulab::run
