#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run/documents.hpp"
#include "run/ranks/links.hpp"

namespace gpulab::run {
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
  EXPECT_TRUE(text.starts_with("cuda 0: NVIDIA H200\n  compute capability                  9.0\n")) << text;
  EXPECT_NE(text.find("  memory                              128 GiB, free n/a\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  clock                               1 980 MHz\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  theoretical peak                    4 800 GB/s\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  memory clock                        n/a\n"), std::string::npos) << text;
}

TEST(DevicesText, SaysThatThereIsNone) {
  EXPECT_EQ(devices_text({}, {}), "no devices\n");
}

TEST(DevicesJson, GivesTypedValuesAndNull) {
  const auto document = nlohmann::json::parse(devices_json({gpu()}, {}, {}));
  EXPECT_EQ(document["schema"], "gpulab.devices");
  const auto& device = document["devices"][0];
  EXPECT_EQ(device["index"], 0);
  EXPECT_EQ(device["l2_bytes"], 62'914'560);
  EXPECT_EQ(device["clock_hz"], 1.98e9);
  EXPECT_TRUE(device["memory_bus_bits"].is_null());
  EXPECT_TRUE(device["driver_version"].is_null());
}

// All GPUs of a machine with so many, linked alike.
std::vector<DeviceLink> links_of(int gpus, bool reaches, int nvlinks) {
  std::vector<DeviceLink> links;
  for (int from = 0; from < gpus; ++from)
    for (int to = 0; to < gpus; ++to)
      if (from != to) links.push_back({.from = from, .to = to, .reaches = reaches, .nvlinks = nvlinks});
  return links;
}

TEST(LinksText, IsASentenceWhereAllAreAlike) {
  EXPECT_EQ(ranks::links_text({}, {}, {}), "");
  EXPECT_EQ(ranks::links_text(links_of(2, true, 18), {}, {}),
            "GPUs 0 and 1 reach each other's memory: 18 NVLinks\n");
  EXPECT_EQ(ranks::links_text(links_of(8, true, 18), {}, {}),
            "GPUs 0 to 7 reach each other's memory: 18 NVLinks between any two\n");
  EXPECT_EQ(ranks::links_text(links_of(4, true, 0), {}, {}),
            "GPUs 0 to 3 reach each other's memory: PCIe between any two\n");
  EXPECT_EQ(ranks::links_text(links_of(2, false, 0), {}, {}),
            "GPUs 0 and 1 do not reach each other's memory: copies go through the host's memory\n");
}

TEST(LinksText, IsAMatrixWhereTheyDiffer) {
  std::vector<DeviceLink> links = links_of(3, true, 0);
  links[0].nvlinks = links[2].nvlinks = 4;      // 0 to 1, 1 to 0
  links[1].reaches = links[4].reaches = false;  // 0 to 2, 2 to 0
  EXPECT_EQ(ranks::links_text(links, {}, {}),
            "how GPUs reach each other's memory\n"
            "from, to  GPU 0  GPU 1  GPU 2\n"
            "GPU 0         -    NV4   host\n"
            "GPU 1       NV4      -   PCIe\n"
            "GPU 2      host   PCIe      -\n"
            "NV4: 4 NVLinks · host: through the host's memory\n");
}

TEST(LinksText, ShowsWhatWasMeasuredFromRowToColumn) {
  std::vector<DeviceLink> links = links_of(2, true, 18);
  links[0].one_way_bytes_per_s = 390.4e9;
  links[0].both_ways_bytes_per_s = 743e9;
  links[0].latency_s = 2.13e-6;
  const AllReduceTimes all_reduce{.library = "NCCL 2.28.9", .called_s = 31e-6, .in_graph_s = 6.1e-6};
  EXPECT_EQ(
      ranks::links_text(links, all_reduce, {}),
      "GPUs 0 and 1 reach each other's memory: 18 NVLinks\n\n"
      "copies of 256 MiB, GB/s\n"
      "from, to  GPU 0  GPU 1\n"
      "GPU 0         -    390\n"
      "GPU 1       n/a      -\n\n"
      "both ways at once, GB/s together\n"
      "from, to  GPU 0  GPU 1\n"
      "GPU 0         -    743\n"
      "GPU 1       n/a      -\n\n"
      "a copy of 1 KiB behind another one, us\n"
      "from, to  GPU 0  GPU 1\n"
      "GPU 0         -   2.13\n"
      "GPU 1       n/a      -\n\n"
      "all-reduce of 1 KiB over all GPUs, by NCCL 2.28.9: 31.0 us when the host calls it, 6.10 us in a\n"
      "  graph\n");
}

TEST(LinksText, FitsEightGpusOnATerminal) {
  std::vector<DeviceLink> links = links_of(8, true, 18);
  for (DeviceLink& link : links)
    link.one_way_bytes_per_s = link.both_ways_bytes_per_s = 1.234e12, link.latency_s = 12.3e-6;
  const std::string text = ranks::links_text(links, {}, {.width = 80});
  EXPECT_NE(text.find("GPU 7"), std::string::npos);
  for (std::size_t start = 0, end = 0; (end = text.find('\n', start)) != std::string::npos; start = end + 1)
    EXPECT_LE(end - start, 80u) << text.substr(start, end - start);
}

TEST(DevicesJson, HasEveryLinkWithWhatWasMeasured) {
  std::vector<DeviceLink> links = links_of(2, true, 18);
  links[1].latency_s = 2e-6;
  const auto document =
      nlohmann::json::parse(devices_json({gpu()}, links, {.library = "NCCL 2.28.9", .called_s = 3e-5}));
  EXPECT_EQ(document["links"].size(), 2u);
  const auto& link = document["links"][1];
  EXPECT_EQ(link["from"], 1);
  EXPECT_EQ(link["to"], 0);
  EXPECT_EQ(link["reaches"], true);
  EXPECT_EQ(link["nvlinks"], 18);
  EXPECT_EQ(link["latency_s"], 2e-6);
  EXPECT_TRUE(link["one_way_bytes_per_s"].is_null());
  EXPECT_EQ(document["all_reduce"]["library"], "NCCL 2.28.9");
  EXPECT_EQ(document["all_reduce"]["called_s"], 3e-5);
  EXPECT_TRUE(document["all_reduce"]["in_graph_s"].is_null());
}

}  // namespace
}  // namespace gpulab::run
