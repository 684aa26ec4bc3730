#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/documents.hpp"

namespace gpulab::report {
namespace {

DeviceProperties gpu() {
  DeviceProperties facts;
  facts.kind = "cuda";
  facts.name = "NVIDIA H200";
  facts.compute_capability_major = 9;
  facts.multiprocessors = 132;
  facts.memory_bytes = std::size_t{1} << 37;
  facts.l2_bytes = std::size_t{60} << 20;
  facts.clock_hz = 1.98e9;
  facts.peak_bytes_per_s = 4.8e12;
  return facts;
}

TEST(DevicesText, ShowsFactsAndWhatTheDeviceDoesNotTell) {
  const std::string text = devices_text({gpu()}, {});
  EXPECT_TRUE(text.starts_with("cuda 0: NVIDIA H200\n  compute capability                9.0\n")) << text;
  EXPECT_NE(text.find("  memory                            128 GiB, free n/a\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  clock                             1 980 MHz\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  theoretical peak                  4 800 GB/s\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  memory clock                      n/a\n"), std::string::npos) << text;
}

TEST(DevicesText, SaysThatThereIsNone) {
  EXPECT_EQ(devices_text({}, {}), "no devices\n");
}

TEST(DevicesJson, GivesTypedValuesAndNull) {
  const auto document = nlohmann::json::parse(devices_json({gpu()}));
  EXPECT_EQ(document["schema"], "gpulab.devices");
  const auto& device = document["devices"][0];
  EXPECT_EQ(device["index"], 0);
  EXPECT_EQ(device["l2_bytes"], 62'914'560);
  EXPECT_EQ(device["clock_hz"], 1.98e9);
  EXPECT_TRUE(device["memory_bus_bits"].is_null());
  EXPECT_TRUE(device["driver_version"].is_null());
}

}  // namespace
}  // namespace gpulab::report
