#pragma once

#include "lesson/result.hpp"
#include "test.hpp"

// Results of runs of one lesson, written by hand.

namespace gpulab::fixtures {

constexpr std::size_t size = 33'554'432;

inline Timing timing(double median_s, double relative_half_width) {
  const double half_width_s = median_s * relative_half_width;
  return {.samples_s = std::vector<double>(30, median_s),
          .median_s = median_s,
          .confidence_s = Interval{median_s - half_width_s, median_s + half_width_s}};
}

inline ReferenceResult reference(const std::string& name, int threads, Timing timing) {
  ReferenceResult result;
  result.name = name;
  result.threads = threads;
  result.timing = std::move(timing);
  return result;
}

inline VariantResult right_variant(const std::string& name, const std::string& kernel, unsigned blocks) {
  VariantResult result;
  result.name = name;
  result.kernel = kernel;
  result.observed = Outcome::right;
  result.size = size;
  result.launch = LaunchConfig{.grid = {blocks}, .block = {256}};
  return result;
}

inline VariantResult race(std::size_t at_size, const std::string& explanation) {
  VariantResult result =
      right_variant("lost-updates", "histogram_lost_updates", static_cast<unsigned>(at_size / 256));
  result.expected = Outcome::race;
  result.observed = Outcome::wrong;
  result.size = at_size;
  result.explanation = explanation;
  result.wrong_elements = 256;
  result.first_differences = {{0, 131'072, 1204}, {1, 130'998, std::numeric_limits<double>::quiet_NaN()}};
  return result;
}

inline LessonResult lesson() {
  LessonResult result;
  result.lesson = "shared-histogram";
  result.title = "Count in shared memory, merge once";
  result.problem = "33 554 432 int32 in 256 bins, uniform";
  result.size = size;
  result.seed = 42;
  result.options = {{"distribution", "uniform"}};
  result.traffic = {.bytes_read = 134'217'728, .bytes_written = 1024};
  result.references = {reference("reference", 1, timing(23.9e-3, 0.004)),
                       reference("reference, OpenMP", 16, timing(1.9e-3, 0.012))};
  return result;
}

inline LessonResult measured_lesson() {
  LessonResult result = lesson();
  result.device = {.kind = "cuda",
                   .name = "NVIDIA H200",
                   .compute_capability_major = 9,
                   .peak_bytes_per_s = 4.8e12,
                   .driver_version = "580.82"};
  VariantResult global = right_variant("global-atomic", "histogram_global_atomic", 131'072);
  global.kernel_cold = timing(8.66e-3, 0.001);
  VariantResult shared = right_variant("shared", "histogram_shared", 131'072);
  shared.kernel_cold = timing(1.27e-3, 0.001);
  shared.warnings = {"the samples drift: 1.21 ms at first, 1.33 ms at last"};
  VariantResult copies = right_variant("private-copies", "histogram_private_copies", 1056);
  copies.kernel_cold = timing(38.4e-6, 0.003);
  result.variants = {race(size, "bin 0 counts 1 204 of 131 072: updates were lost"), global, shared, copies};
  result.claims = {{at_least(2, "shared", "global-atomic"), ClaimVerdict::holds, 6.82}};
  result.transfers = TransferResult{.bytes_to_device = 134'217'728,
                                    .bytes_to_host = 1024,
                                    .to_device = timing(2.44e-3, 0.002),
                                    .to_host = timing(6e-6, 0.01)};
  return result;
}

inline LessonResult simulated_lesson() {
  LessonResult result = lesson();
  result.device.kind = "simulator";
  result.device.name = "simulated GPU";
  VariantResult shared = right_variant("shared", "histogram_shared", 131'072);
  shared.simulation_s = 0.412;
  shared.notes = {"atomicAdd at shared_histogram.cu:21 meets 8 threads on one address"};
  result.variants = {race(4096, "bin 3 counts 9 of 16: updates were lost"), shared};
  result.claims = {{at_least(2, "shared", "global-atomic"), ClaimVerdict::needs_gpu, std::nullopt}};
  return result;
}

// Returns a result with three surprises: a mistake is right, one kernel is wrong, another does not compile.
inline LessonResult failing_lesson() {
  LessonResult result = measured_lesson();
  VariantResult& mistake = result.variants[0];
  mistake = right_variant(mistake.name, mistake.kernel, 131'072);
  mistake.expected = Outcome::wrong;
  VariantResult& wrong = result.variants[2];
  wrong.observed = Outcome::wrong;
  wrong.explanation =
      "33 553 408 of 33 554 432 elements differ; unwritten from element 1024 on: consistent with an index "
      "that leaves out blockIdx";
  wrong.first_differences = {{1024, 2.5, std::numeric_limits<double>::quiet_NaN()}};
  VariantResult& broken = result.variants[3];
  broken.observed = Outcome::fails_to_compile;
  broken.launch.reset();
  broken.kernel_cold.reset();
  broken.explanation = "shared_histogram.cu does not compile";
  broken.compiler_log = "shared_histogram.cu(7): error: expected a \";\"\n\n1 error detected";
  return result;
}

inline RunFacts run_facts() {
  RunFacts facts;
  facts.started_utc = "2026-03-01T09:30:00Z";
  facts.argv = {"gpulab", "shared-histogram", "--format", "json"};
  facts.hostname = "node17";
  facts.cores = 16;
  facts.build = {"0.1.0", "abc1234", "GNU 12.2.0", "Release", "13.0"};
  return facts;
}

}  // namespace gpulab::fixtures
