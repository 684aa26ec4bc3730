#include "report/limits_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/limits_json.hpp"

namespace gpulab {
namespace {

LimitsResult measured() {
  LimitResult one{.lesson = "arbitrary-size",
                  .traffic = {.bytes_read = 8e9, .bytes_written = 4e9},
                  .rung = {.name = "wide-loads", .observed = Outcome::right},
                  .yardstick = VariantResult{.name = "cub", .observed = Outcome::right},
                  .ceiling = Ceiling{"two reads, one write", 4e12},
                  .reference = ReferenceResult{.name = "reference, OpenMP", .threads = 16},
                  .reference_of_ceiling = 0.81};
  one.asked = {.label = "2^28",
               .rung = "wide-loads",
               .yardstick = "cub",
               .targets = {{Target::Kind::times_yardstick, 1}, {Target::Kind::part_of_ceiling, 0.8}}};
  one.rung.kernel_cold = Timing{.samples_s = {4e-3}, .median_s = 4e-3};
  one.rung.clock_hz = 1.98e9;
  one.yardstick->kernel_cold = Timing{.samples_s = {5e-3}, .median_s = 5e-3};
  one.reference->timing = {.samples_s = {0.1}, .median_s = 0.1};
  one.targets = judge_targets(one);
  return {.device = {.kind = "cuda", .name = "Some GPU"}, .seed = 42, .cases = {one}};
}

TEST(LimitsText, SaysForEachTargetWhatWasReached) {
  const std::string text = limits_text(measured(), {.cores = 16}, {.width = 200});
  EXPECT_NE(text.find("4.00 ms"), std::string::npos) << text;
  EXPECT_NE(text.find("1 980"), std::string::npos) << text;
  EXPECT_NE(text.find("wide-loads should be at least 1x the yardstick: 1.25x"), std::string::npos) << text;
  EXPECT_NE(
      text.find("missed: arbitrary-size, 2^28: wide-loads should be at least 80 % of the ceiling: 75 %"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("81 %"), std::string::npos) << text;
}

TEST(LimitsText, FitsANarrowTerminal) {
  const std::string text = limits_text(measured(), {.cores = 16}, {.width = 60});
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    EXPECT_LE(end - from, 64u) << text.substr(from, end - from);  // in bytes: "·" and "±" have two
    from = end + 1;
  }
}

TEST(LimitsJson, HasTimesInSecondsAndTargets) {
  const auto document = nlohmann::json::parse(limits_json(measured(), {}));
  const auto& one = document["cases"][0];
  EXPECT_EQ(document["schema"], "gpulab.limits");
  EXPECT_EQ(one["rung"]["kernel_cold"]["median_s"], 4e-3);
  EXPECT_EQ(one["rung"]["kernel_steady"], nullptr);
  EXPECT_EQ(one["targets"][1]["kind"], "part_of_ceiling");
  EXPECT_EQ(one["targets"][1]["met"], false);
}

}  // namespace
}  // namespace gpulab
