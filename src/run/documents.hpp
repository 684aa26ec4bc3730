#pragma once

#include <string>
#include <vector>

#include "base/table.hpp"
#include "lesson/access_counts.hpp"
#include "lesson/launch.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"

namespace gpulab::run {

// A lesson's result for people: a heading, a table of references and variants, then what there is to say
// about them. No line is longer than the style's width.
// With an earlier result of the same lesson, what has changed since is marked, with the old value beside it.
std::string lesson_text(const LessonResult& result, const TextStyle& style,
                        const LessonResult* before = nullptr);

// Its heading and its table alone, of a run that goes on.
std::string lesson_rows(const LessonResult& so_far, const TextStyle& style,
                        const LessonResult* before = nullptr);

// One document that matches data/gpulab-run.schema.json. Quantities are in SI units, named in the field; what
// is unknown, was not measured or is not finite is null.
std::string lesson_json(const LessonResult& result, const RunFacts& facts);

// The same documents of several runs, as one array.
std::string lessons_json(const std::vector<LessonResult>& results, const RunFacts& facts);

// What came of ranks as bytes that one process tells the others, and back. Throws std::runtime_error for
// bytes that are not all there.
std::string packed(const std::vector<RankResult>& ranks);
std::vector<RankResult> unpacked_ranks(const std::string& bytes);

// Results of one lesson as a flat table for pandas, R and spreadsheets: a line of names, then one for each
// reference and variant. Quantities are in SI units, named in the column. A field is empty where something
// was not measured, and a time is there only of what is right as expected, at the size that was asked for.
std::string lesson_csv(const std::vector<LessonResult>& results);

// The timelines of all variants in the Trace Event format, which Perfetto and Chromium's tracing open: a
// process for each variant, a thread for each stream.
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
std::string trace_json(const LessonResult& result);

// For each variant a table of its lines that access memory, and in words which is the worst.
std::string inspection_text(const Inspection& inspection, const TextStyle& style);

// For each variant the source of its kernels, with the same numbers beside the lines, and the same words. The
// sources have a style of their own, at whose width they are cut.
std::string annotated_text(const Inspection& inspection, const TextStyle& style, const TextStyle& of_sources);

// As one document with "schema": "gpulab.inspect"; null for what a kind of access has not. It has the lines
// that access memory.
std::string inspection_json(const Inspection& inspection);

// The same with every line of the kernels.
std::string annotated_json(const Inspection& inspection);

// The lessons in the order given, for people: names and aliases, default size, title, and variants.
std::string catalogue_text(const std::vector<Lesson>& lessons, const TextStyle& style);

// The lessons in the order given, as one document with "schema": "gpulab.list".
std::string catalogue_json(const std::vector<Lesson>& lessons);

// Every device with its facts, one to a line; "n/a" for what a device does not tell.
std::string devices_text(const std::vector<DeviceProperties>& devices, const TextStyle& style);

// Every device and every link, as one document with "schema": "gpulab.devices"; null for what a device does
// not tell and for what was not measured.
std::string devices_json(const std::vector<DeviceProperties>& devices, const std::vector<DeviceLink>& links,
                         const AllReduceTimes& all_reduce);

// What the rows of a result say beside those of an earlier one: '~' marks a variant with another outcome,
// count or time, and the old value stands before the new one. Times have changed where their confidence
// intervals have nothing in common; the CPU time of a simulation is not compared. Without an earlier result
// the cells are as they are.
class LessonChanges {
 public:
  explicit LessonChanges(const LessonResult* before = nullptr) : before_(before) {}

  Cell name(const std::string& reference) const;
  Cell name(const VariantResult& variant) const;
  Cell result(const VariantResult& variant) const;
  // What stands in place of figures: in short, if it is as expected and has not changed.
  std::string story(const VariantResult& variant, std::size_t asked_size) const;
  Cell time(const VariantResult& variant, Cell now) const;  // of the kernel, cold
  Cell figure(const VariantResult& variant, const Figure& figure) const;

 private:
  const VariantResult* earlier(const VariantResult& variant) const;
  bool has_changed(const VariantResult& variant) const;

  const LessonResult* before_;
};

// References first, then variants, with the figures of a GPU: time, throughput, speed-ups. At 120 columns and
// more the times have bars, where there is room for them.
Table measured_table(const LessonResult& result, const TextStyle& style,
                     const LessonChanges& changes = LessonChanges());

// The same rows for the simulator: counts and CPU time, and nothing that could be taken for a GPU's speed.
// Where even the CPU time could be, such as in front of a class, it can be left out.
Table simulated_table(const LessonResult& result, bool with_cpu_time = true,
                      const LessonChanges& changes = LessonChanges());

// One row for each variant that has figures, one column for each figure; empty when there are none.
std::string figures_table(const LessonResult& result, const TextStyle& style,
                          const LessonChanges& changes = LessonChanges());

// The records that were found, the first of them at least; empty when there are none.
std::string records_text(const LessonResult& result, const TextStyle& style);

// For each variant with a timeline, a line for each stream, on which every piece of work has its place in
// time; empty when there are none.
std::string timelines_text(const LessonResult& result, const TextStyle& style);

// A sum over requests divided by them, in three digits where it is no whole number: "4", "17.3".
std::string mean_text(std::uint64_t sum, std::uint64_t requests);

// What happens in that line, and what a well-formed access would take, in one or two sentences.
std::string costly_access_text(const CostlyAccess& costly);

// "worst: ..." of all accesses, or that nothing is bad.
std::string worst_access_text(const AccessCounts& counts, const TextStyle& style);

// The columns of a table that say what accesses come to: only those that one of the accesses has a figure
// for.
class AccessColumns {
 public:
  explicit AccessColumns(const AccessCounts& counts);

  std::vector<Column> columns() const;
  std::vector<Cell> cells(const LineAccesses& accesses) const;
  // Of a line that accesses nothing.
  std::vector<Cell> empty_cells() const;

 private:
  bool has_global_ = false, has_shared_ = false, has_atomics_ = false;
};

// A line of a kernel file, and what it accesses.
struct InspectedLine {
  int number = 0;  // 0 for accesses of which the line cannot be told
  std::vector<LineAccesses> accesses;
};

// The lines that access memory, in their order.
std::vector<InspectedLine> inspected_lines(const VariantInspection& variant);

// Every line of the variant's kernel and of all functions that have such lines, with the comments above them.
std::vector<InspectedLine> inspected_functions(const VariantInspection& variant);

// The kernels of these.
std::vector<std::string> inspected_kernels(const VariantInspection& variant);

// The columns for everything that the variants access, so that all their tables have the same.
AccessColumns columns_for(const Inspection& inspection);

// A row for each kind of access in each line that has one, with the text of the line at the end.
Table table_of_accesses(const VariantInspection& variant, const AccessColumns& columns);

// Every line of the variant's kernel and of what else of the file has accesses, with the same beside it.
Table table_of_source(const VariantInspection& variant, const AccessColumns& columns);

}  // namespace gpulab::run
