#pragma once

#include "bench/result.hpp"
#include "lesson/fields.hpp"

namespace gpulab::bench {

// The fields of "gpulab.bench", as its documents, its lines and its tables have them: see lesson/fields.hpp.

// What a case's work depends on, besides its lesson and variant.
template <class Archive>
void setting_fields(Archive& archive, Listed<BenchCase> auto& what) {
  archive("size", what.size);
  archive("seed", what.seed);
  archive("options", what.options);
  archive.known("block_size", what.block_size);
}

template <class Archive>
void time_field(Archive& archive, BenchTime time, Listed<BenchRow> auto& row) {
  std::optional<Timing> timing;
  if (const auto found = row.times.find(time); found != row.times.end())
    if (Archive::is_table || !found->second.samples_s.empty()) timing = found->second;
  archive.known(std::string(name_of(time)), timing);
  if constexpr (Archive::reads)
    if (timing) row.times[time] = *timing;
}

template <class Archive>
void fields(Archive& archive, Listed<BenchRow> auto& row) {
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
void fields(Archive& archive, Listed<BenchPlanFacts> auto& plan) {
  archive("processes", plan.processes);
  archive("order_seed", plan.order_seed);
  archive.known("time_budget_s", plan.time_budget_s);
  archive("rows", plan.rows);
}

template <class Archive>
void fields(Archive& archive, Listed<Ceiling> auto& ceiling) {
  archive("what", ceiling.what);
  archive("per_s", ceiling.per_s);
}

template <class Archive>
void fields(Archive& archive, Listed<BenchClaim> auto& claim) {
  archive("lesson", claim.lesson);
  archive("size", claim.size);
  fields(archive, claim.result);
}

// How it ended, which the last of its lines has.
template <class Archive>
void end_fields(Archive& archive, Listed<BenchResult> auto& result) {
  bool is_complete = result.complete();
  archive("complete", is_complete);
  archive.known("stopped_by", result.stopped_by);
  if constexpr (Archive::reads)
    if (!is_complete && result.stopped_by.empty()) result.stopped_by = "it was stopped";
  archive.optional("remarks", result.remarks);
  archive.optional("ceilings", result.ceilings);
  archive.optional("claims", result.claims);
  archive.derived("exit_code", [&] { return static_cast<int>(exit_code_of(result)); });
}

}  // namespace gpulab::bench
