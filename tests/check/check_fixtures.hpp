#pragma once

#include "lesson/result.hpp"
#include "run/lesson_fixtures.hpp"
#include "test.hpp"

// Results of checks, written by hand.

namespace gpulab::fixtures {

inline CheckResult right_check() {
  return {.exercise = "shared-histogram", .file = "shared_histogram.cu"};
}

inline CheckResult wrong_check() {
  CheckResult result = right_check();
  result.verdict = Verdict::wrong;
  result.pattern = "race-shared";
  result.hint = "Where must all threads wait for each other?";
  result.summary = "12 of 256 bins differ: consistent with a missing barrier";
  result.details = {"thread 3 writes counts[7] and thread 5 of the same block reads it"};
  result.first_differences = {{0, 4102, 3176, {{"input", 0, 12}}},
                              {7, 4099, std::numeric_limits<double>::quiet_NaN()}};
  result.size = 1000;
  result.block_size = 256;
  result.schedule = "preempted";
  result.line = 17;
  result.source = "  counts[input[item]] += 1;";
  result.tried_with = TriedWith{.size = 1000, .seed = 42, .options = {{"distribution", "one-bin"}}};
  result.notes = {"several threads store the same value"};
  result.seconds = 1.5;
  return result;
}

inline CheckResult refused_check() {
  CheckResult result = right_check();
  result.verdict = Verdict::does_not_compile;
  result.pattern = "does-not-compile";
  result.summary = "it does not compile: line 7: expected ';'";
  result.line = 7;
  result.compiler_log = "shared_histogram.cu:7:20: error: expected ';' before '}' token";
  return result;
}

inline CheckResult check_on_gpu() {
  CheckResult result = right_check();
  VariantResult yours = right_variant("your kernel", "histogram_shared", 1024);
  yours.kernel_cold = timing(2.54e-3, 0.002);
  VariantResult shared = right_variant("shared", "histogram_shared", 1024);
  shared.kernel_cold = timing(1.27e-3, 0.001);
  result.on_gpu = {yours, shared, race(4096, "updates were lost")};
  return result;
}

}  // namespace gpulab::fixtures
