#include "bench/limits.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/measured_limits.hpp"

namespace gpulab::bench {
namespace {

TEST(LimitsJson, HasTimesInSecondsAndATarget) {
  const auto document = nlohmann::json::parse(limits_json(measured_limits(), {}));
  const auto& one = document["cases"][0];
  EXPECT_EQ(document["schema"], "gpulab.limits");
  EXPECT_EQ(one["rung"]["kernel_cold"]["median_s"], 4e-3);
  EXPECT_EQ(one["rung"]["kernel_steady"], nullptr);
  EXPECT_EQ(one["times_yardstick"], 1.25);
  EXPECT_EQ(one["ceiling"]["bytes_per_s"], 4e12);
  EXPECT_EQ(one["part_of_ceiling"], 0.75);
  EXPECT_EQ(one["target"]["part_of_ceiling"], 0.8);
  EXPECT_EQ(one["target"]["times_yardstick"], nullptr);
  EXPECT_EQ(one["target"]["met"], false);
}

TEST(LimitsJson, HasTheSimulatorOnOneCoreAndOnAll) {
  const auto one = nlohmann::json::parse(limits_json(simulated_limits(), {}))["simulated"][0];
  EXPECT_EQ(one["launched_threads"], 4e6);
  EXPECT_EQ(one["one_core"]["timing"]["median_s"], 30e-3);
  EXPECT_EQ(one["gain_of_all_cores"], 1.5);
  EXPECT_EQ(one["host_library"]["name"], "PoCL 3.1");
  EXPECT_EQ(one["times_library"], 0.25);
}

// limits_schema_test.py names the file and compares it with the published schema: no GPU is needed for that.
TEST(LimitsJson, IsWrittenForTheTestOfItsSchema) {
  const char* file = std::getenv("GPULAB_LIMITS_DOCUMENT");
  if (!file) GTEST_SKIP() << "run by limits_schema_test.py";
  LimitsResult both = measured_limits();
  both.simulated = simulated_limits().simulated;
  std::ofstream(file) << limits_json(both, {.started_utc = "2026-11-21T12:00:00Z"});
}

}  // namespace
}  // namespace gpulab::bench
