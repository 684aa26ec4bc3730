#include "run/documents.hpp"

#include "base/text.hpp"
#include "run/ranks/links.hpp"
#include "test.hpp"

namespace gpulab::run {
namespace {

// Returns an access in line 14 with 100 requests, of full warps unless the sums name fewer active lanes.
CostlyAccess costly(AccessCost cost, AccessKind kind, AccessSums sums, AccessPattern pattern = {}) {
  sums.requests = 100;
  if (sums.active_lanes == 0) sums.active_lanes = 3200;
  return {{14, kind, sums, pattern}, cost};
}

std::string sectors(AccessSums sums, LaneStride stride) {
  return costly_access_text(costly(AccessCost::sectors, AccessKind::global_load, sums,
                                   {.min_sectors = 400, .costly_stride = stride}));
}

TEST(CostlyAccessText, NamesTheStrideOfNeighbours) {
  EXPECT_EQ(
      sectors({.sectors = 3200, .bytes = 12800}, {128, 2800}),
      "line 14, global load: each request of a warp touches 32 sectors where 4 would be enough: neighbouring "
      "threads read addresses 128 bytes apart.");
}

TEST(CostlyAccessText, TellsWhatIsMisalignedAndWhatIsScattered) {
  EXPECT_EQ(sectors({.sectors = 500, .bytes = 12800}, {4, 100}),
            "line 14, global load: each request of a warp touches 5 sectors where 4 would be enough: "
            "neighbouring threads read neighbouring elements, but these do not begin where a sector does.");
  EXPECT_EQ(sectors({.sectors = 2037, .bytes = 12800}, {4, 100}),
            "line 14, global load: each request of a warp touches on average 20.4 sectors where 4 would be "
            "enough: its threads read scattered addresses.");
}

TEST(CostlyAccessText, TellsOfGapsWhereLanesAreIdle) {
  EXPECT_EQ(
      sectors({.active_lanes = 1600, .sectors = 500, .bytes = 6400}, {}),
      "line 14, global load: each request of a warp touches 5 sectors where 4 would be enough: only 16 of 32 "
      "lanes are active, with gaps between what they read.");
}

TEST(CostlyAccessText, TellsOfBankConflicts) {
  const auto text = [](std::int64_t stride) {
    return costly_access_text(costly(AccessCost::bank_conflicts, AccessKind::shared_store,
                                     {.active_lanes = 1250, .bank_wavefronts = 3200},
                                     {.min_bank_wavefronts = 100, .costly_stride = {stride, 3100}}));
  };
  EXPECT_EQ(text(128),
            "line 14, shared store: each request of a warp takes 32 passes over shared memory where 1 would "
            "be enough: "
            "neighbouring threads write addresses 128 bytes apart, all in one bank. Besides, on average only "
            "12.5 of 32 lanes are active.");
  EXPECT_NE(text(8).find("8 bytes apart, and several fall into one bank"), std::string::npos);
}

TEST(CostlyAccessText, TellsOfAtomicsAtOneAddressAndOfIdleLanes) {
  EXPECT_EQ(costly_access_text(
                costly(AccessCost::same_address, AccessKind::shared_atomic, {.max_same_address = 3200})),
            "line 14, shared atomic: 32 lanes of a warp update one address and wait for each other; with "
            "an address each, none would wait.");
  EXPECT_EQ(
      costly_access_text(costly(AccessCost::idle_lanes, AccessKind::shared_load, {.active_lanes = 500})),
      "line 14, shared load: only 5 of 32 lanes are active; the others take another path, or have "
      "nothing to do.");
}

TEST(CostlyAccessText, SaysThatTheLineIsUnknown) {
  CostlyAccess unknown = costly(AccessCost::idle_lanes, AccessKind::shared_load, {.active_lanes = 500});
  unknown.accesses.line = 0;
  EXPECT_TRUE(costly_access_text(unknown).starts_with("an unknown line, shared load: "));
}

TEST(MeanText, IsAWholeNumberWhereItIsOne) {
  EXPECT_EQ(mean_text(64, 2), "32");
  EXPECT_EQ(mean_text(1, 3), "0.333");
  EXPECT_EQ(mean_text(11999, 3000), "4.00");
  EXPECT_EQ(mean_text(0, 0), "n/a");
}

Variant variant(const std::string& name, const std::string& kernel) {
  Variant result;
  result.name = name;
  result.kernel = kernel;
  return result;
}

std::vector<Lesson> lessons() {
  Lesson histogram;
  histogram.name = "shared-histogram";
  histogram.aliases = {"histogram"};
  histogram.title = "Count in shared memory, merge once";
  histogram.place = {5, 2};
  histogram.default_size = 33'554'432;
  histogram.variants = {variant("global-atomic", "histogram_global_atomic"),
                        variant("shared", "histogram_shared")};
  histogram.claims = {at_least(2, "shared", "global-atomic")};
  Lesson add;
  add.name = "vector-add";
  add.title = "One thread for every element";
  add.default_size = 1024;
  add.variants = {variant("one-thread", "vector_add")};
  return {histogram, add};
}

TEST(LessonEntryText, HasAliasesDefaultSizeAndVariants) {
  EXPECT_EQ(lesson_entry_text(lessons()[0], {.width = 100}),
            R"(lesson                       default size  what it shows, and its variants
shared-histogram, histogram    33 554 432  Count in shared memory, merge once
                                           global-atomic, shared
)");
}

TEST(LessonEntryText, PutsTheTitleBelowTheNameOnANarrowTerminal) {
  EXPECT_EQ(lesson_entry_text(lessons()[1], {.width = 40}), R"(lesson      default size
vector-add         1 024
    One thread for every element
    one-thread
)");
}

TEST(CatalogueJson, DescribesEveryLesson) {
  const auto document = nlohmann::json::parse(catalogue_json(lessons()));
  EXPECT_EQ(document["schema"], "gpulab.list");
  EXPECT_EQ(document["schema_version"], "3.0.0");
  ASSERT_EQ(document["lessons"].size(), 2);
  const auto& histogram = document["lessons"][0];
  EXPECT_EQ(histogram["aliases"], nlohmann::json::array({"histogram"}));
  EXPECT_EQ(histogram["episode"], 5);
  EXPECT_EQ(histogram["variants"][1]["kernel"], "histogram_shared");
  EXPECT_EQ(histogram["claims"][0]["min_ratio"], 2);
  EXPECT_EQ(document["lessons"][1]["options"], nlohmann::json::array());
}

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

TEST(DevicesText, ShowsFactsAndWhichOnesAreNotAvailable) {
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

TEST(MachineJson, GivesTypedValuesAndNull) {
  const auto document = nlohmann::json::parse(machine_json({}, {gpu()}, {}, {}));
  EXPECT_EQ(document["schema"], "gpulab.doctor");
  const auto& device = document["devices"][0];
  EXPECT_EQ(device["index"], 0);
  EXPECT_EQ(device["l2_bytes"], 62'914'560);
  EXPECT_EQ(device["clock_hz"], 1.98e9);
  EXPECT_TRUE(device["memory_bus_bits"].is_null());
  EXPECT_TRUE(device["driver_version"].is_null());
}

constexpr bool peer_access = true, no_peer_access = false;

// Returns the links between every two GPUs of a machine, which are all alike.
std::vector<DeviceLink> links_of(int gpus, bool has_peer_access, int nvlinks) {
  std::vector<DeviceLink> links;
  for (int from = 0; from < gpus; ++from)
    for (int to = 0; to < gpus; ++to)
      if (from != to)
        links.push_back({.from = from, .to = to, .has_peer_access = has_peer_access, .nvlinks = nvlinks});
  return links;
}

TEST(LinksText, IsASentenceWhereAllAreAlike) {
  EXPECT_EQ(ranks::links_text({}, {}, {}), "");
  EXPECT_EQ(ranks::links_text(links_of(2, peer_access, 18), {}, {}),
            "GPUs 0 and 1 reach each other's memory: 18 NVLinks\n");
  EXPECT_EQ(ranks::links_text(links_of(8, peer_access, 18), {}, {}),
            "GPUs 0 to 7 reach each other's memory: 18 NVLinks between any two\n");
  EXPECT_EQ(ranks::links_text(links_of(4, peer_access, 0), {}, {}),
            "GPUs 0 to 3 reach each other's memory: PCIe between any two\n");
  EXPECT_EQ(ranks::links_text(links_of(2, no_peer_access, 0), {}, {}),
            "GPUs 0 and 1 do not reach each other's memory: copies go through the host's memory\n");
}

TEST(LinksText, IsAMatrixWhereTheyDiffer) {
  std::vector<DeviceLink> links = links_of(3, peer_access, 0);
  links[0].nvlinks = links[2].nvlinks = 4;                      // 0 to 1, 1 to 0
  links[1].has_peer_access = links[4].has_peer_access = false;  // 0 to 2, 2 to 0
  EXPECT_EQ(ranks::links_text(links, {}, {}),
            "how GPUs reach each other's memory\n"
            "from, to  GPU 0  GPU 1  GPU 2\n"
            "GPU 0         -    NV4   host\n"
            "GPU 1       NV4      -   PCIe\n"
            "GPU 2      host   PCIe      -\n"
            "NV4: 4 NVLinks · host: through the host's memory\n");
}

TEST(LinksText, ShowsWhatWasMeasuredFromRowToColumn) {
  std::vector<DeviceLink> links = links_of(2, peer_access, 18);
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
      "latency of a copy of 1 KiB, us\n"
      "from, to  GPU 0  GPU 1\n"
      "GPU 0         -   2.13\n"
      "GPU 1       n/a      -\n\n"
      "all-reduce of 1 KiB over all GPUs, by NCCL 2.28.9: 31.0 us when the host calls it, 6.10 us in a\n"
      "  graph\n");
}

TEST(LinksText, FitsEightGpusOnATerminal) {
  std::vector<DeviceLink> links = links_of(8, peer_access, 18);
  for (DeviceLink& link : links)
    link.one_way_bytes_per_s = link.both_ways_bytes_per_s = 1.234e12, link.latency_s = 12.3e-6;
  const std::string text = ranks::links_text(links, {}, {.width = 80});
  EXPECT_NE(text.find("GPU 7"), std::string::npos);
  for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), 80u) << line;
}

TEST(MachineJson, HasEveryLinkWithWhatWasMeasured) {
  std::vector<DeviceLink> links = links_of(2, peer_access, 18);
  links[1].latency_s = 2e-6;
  const auto document =
      nlohmann::json::parse(machine_json({}, {gpu()}, links, {.library = "NCCL 2.28.9", .called_s = 3e-5}));
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
