#include "base/table.hpp"
#include "base/text.hpp"
#include "inspection_fixtures.hpp"
#include "run/documents.hpp"
#include "test.hpp"

namespace gpulab::run {
namespace {

using fixtures::failed_variant;
using fixtures::inspection_of;
using fixtures::strided_variant;

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (const std::string& line : lines_of(text)) widest = std::max(widest, display_width(line));
  return widest;
}

TEST(InspectionText, HasATableOfLinesAndSaysTheWorst) {
  EXPECT_EQ(inspection_text(inspection_of({strided_variant()}), {.width = 110}),
            R"(coalescing · 1 024 float32, seed 42 · accesses counted on the simulator

strided · scale in scale.cu · 4 blocks of 256 threads
line  access        requests  sectors  best    used  lanes  source
   8  global load         32        4     4   100 %     32  if (item < size) output[item * 32] =
                                                                twice(input[item]);
      global store        32       32     4  12.5 %     32
worst: line 8, global store: each request of a warp touches 32 sectors where 4 would be enough: neighbouring
  threads write addresses 128 bytes apart. gpulab explain coalesced-access says more.

requests: one for each time that a warp runs the line · sectors: 32-byte pieces of global memory for each
  request · best: the fewest that are needed · used: share of the fetched bytes that is used · lanes: active
  lanes of 32
counted at 1 024 of 4 096 work items, in a smaller problem of the same shape
)");
}

TEST(InspectionText, StaysWithinTheTerminalsWidth) {
  for (const unsigned width : {40u, 60u, 80u, 133u}) {
    const std::string text = inspection_text(inspection_of({strided_variant()}), {.width = width});
    EXPECT_LE(widest_line(text), width);
    EXPECT_TRUE(contains(text, "\n   8  global load "));
    EXPECT_TRUE(contains(text, "  if "));
  }
}

TEST(InspectionText, SaysInOneLineWhyAVariantWasNotCounted) {
  const std::string text =
      inspection_text(inspection_of({strided_variant(), failed_variant()}), {.width = 110});
  EXPECT_TRUE(
      contains(text, "\nbroken · scale in scale.cu\nFAILS TO COMPILE: scale.cu does not compile: line 8"));
  VariantInspection stated = failed_variant();
  stated.result.expected = Outcome::fails_to_compile;
  EXPECT_TRUE(
      contains(inspection_text(inspection_of({stated}), {}), "\nas expected: fails to compile: scale.cu"));
}

TEST(InspectionText, SaysSoWhereNothingStandsOut) {
  VariantInspection variant = strided_variant();
  variant.counts.lines.pop_back();
  EXPECT_TRUE(contains(inspection_text(inspection_of({variant}), {}),
                       "worst: no line asks for much more than it needs\n"));
  variant = strided_variant();
  LineAccesses& most = variant.counts.lines.front();
  most.sums.requests *= 1000, most.sums.active_lanes *= 1000, most.sums.sectors *= 1000,
      most.pattern.min_sectors *= 1000;
  EXPECT_TRUE(contains(inspection_text(inspection_of({variant}), {.width = 110}),
                       "than it needs, except line 8: its excess is less than 5 % of all traffic"));
  variant.counts = {};
  EXPECT_TRUE(contains(inspection_text(inspection_of({variant}), {}), "it accesses no memory"));
}

TEST(InspectionText, SaysThatARaceIsOnPurpose) {
  VariantInspection variant = strided_variant();
  variant.result.expected = Outcome::race;
  EXPECT_TRUE(contains(inspection_text(inspection_of({variant}), {}), "as expected: its threads race"));
}

TEST(InspectionText, SaysWhichVariantsWereCountedAtAnotherSize) {
  VariantInspection smaller = strided_variant();
  smaller.result.size = 16;
  smaller.problem = "16 float32";
  const std::string text = inspection_text(inspection_of({smaller, strided_variant()}), {.width = 110});
  EXPECT_TRUE(contains(text, "coalescing · 1 024 float32"));
  EXPECT_TRUE(contains(text, "threads · 16 float32\n"));
  EXPECT_TRUE(contains(text, "counted at 1 024 of 4 096"));
}

TEST(AnnotatedText, HasEveryLineOfTheKernelsWithTheNumbersBesideIt) {
  const std::string text = annotated_text(inspection_of({strided_variant()}), {.width = 110}, {.width = 500});
  EXPECT_TRUE(contains(text, "    5  // Neighbours take neighbours.\n"));
  EXPECT_TRUE(contains(text, "     32     8    if (item < size) output[item * 32] = twice(input[item]);\n"));
  EXPECT_TRUE(contains(text, "\nglobal store        32       32     4  12.5 %     32\n"));
  EXPECT_FALSE(contains(text, "other()")) << "a kernel that was not run";
  EXPECT_TRUE(contains(text, "worst: line 8, global store"));
}

TEST(AnnotatedText, LeavesOutNumbersAndWrapsTheSource) {
  const std::string text = annotated_text(inspection_of({strided_variant()}), {.width = 80}, {.width = 80});
  EXPECT_LE(widest_line(text), 80u);
  EXPECT_TRUE(contains(text, "  8    if (item < size) output[item * 32] =\n"));
  EXPECT_TRUE(contains(text, " twice(input[item]);\n"));
}

using nlohmann::json;

const Inspection inspection =
    fixtures::inspection_of({fixtures::strided_variant(), fixtures::failed_variant()});

TEST(InspectionJson, HasEverythingThatTheTextHas) {
  const json document = json::parse(inspection_json(inspection));
  EXPECT_EQ(document["schema"], "gpulab.inspect");
  EXPECT_EQ(document["exit_code"], 3);
  EXPECT_EQ(document["lesson"]["asked_size"], 4096);
  const json& variant = document["variants"][0];
  EXPECT_EQ(variant["size"], 1024);
  EXPECT_EQ(variant["counted"], true);
  EXPECT_EQ(variant["kernels"], json::array({"scale"}));
  ASSERT_EQ(variant["lines"].size(), 1u);
  const json& line = variant["lines"][0];
  EXPECT_EQ(line["line"], 8);
  EXPECT_EQ(line["source"], "  if (item < size) output[item * 32] = twice(input[item]);");
  EXPECT_EQ(line["accesses"][1]["kind"], "global_store");
  EXPECT_EQ(line["accesses"][1]["sectors_per_request"], 32);
  EXPECT_EQ(line["accesses"][1]["min_sectors_per_request"], 4);
  EXPECT_EQ(line["accesses"][1]["efficiency"], 0.125);
  EXPECT_EQ(variant["worst"]["line"], 8);
  EXPECT_EQ(variant["worst"]["cost"], "sectors");
  EXPECT_EQ(variant["worst"]["stride_bytes"], 128);
}

TEST(InspectionJson, HasNullForCountsThatAnAccessLacks) {
  const json access = json::parse(inspection_json(inspection))["variants"][0]["lines"][0]["accesses"][0];
  for (const char* field : {"bank_conflict_ways", "min_bank_conflict_ways", "lanes_at_one_address"})
    EXPECT_TRUE(access[field].is_null()) << field;
}

TEST(InspectionJson, SaysWhyAVariantWasNotCounted) {
  const json variant = json::parse(inspection_json(inspection))["variants"][1];
  EXPECT_EQ(variant["observed"], "fails_to_compile");
  EXPECT_EQ(variant["counted"], false);
  EXPECT_EQ(variant["lines"].size(), 0u);
  EXPECT_TRUE(variant["worst"].is_null());
  EXPECT_TRUE(variant["launch"].is_null());
  EXPECT_EQ(variant["compiler_log"], "scale.cu:8:58: error: expected ';'\n");
}

TEST(AnnotatedJson, HasEveryLineOfTheKernels) {
  const json lines = json::parse(annotated_json(inspection))["variants"][0]["lines"];
  ASSERT_EQ(lines.size(), 5u) << lines;
  EXPECT_EQ(lines[0]["line"], 5);
  EXPECT_EQ(lines[0]["source"], "// Neighbours take neighbours.");
  EXPECT_EQ(lines[0]["accesses"].size(), 0u);
  EXPECT_EQ(lines[3]["accesses"].size(), 2u);
}

TEST(InspectedLines, HaveAllKindsOfAccessOfALineTogether) {
  const auto lines = inspected_lines(fixtures::strided_variant());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].number, 8);
  EXPECT_EQ(lines[0].accesses.size(), 2u);
}

TEST(InspectedFunctions, AreTheKernelAndWhatElseAccessesMemory) {
  VariantInspection variant = fixtures::strided_variant();
  EXPECT_EQ(inspected_functions(variant).size(), 5u) << "with its comment";
  variant.counts.add({3, AccessKind::global_load, {.requests = 1}});
  const auto lines = inspected_functions(variant);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[0].number, 3);
  EXPECT_EQ(lines[0].accesses.size(), 1u);
  EXPECT_EQ(inspected_kernels(variant), std::vector<std::string>{"scale"}) << "the other is not a kernel";
}

TEST(InspectedFunctions, AreTheKernelAloneWhereNothingWasCounted) {
  EXPECT_EQ(inspected_functions(fixtures::failed_variant()).size(), 5u);
}

TEST(InspectedFunctions, LeaveOutLinesThatTheFileLacks) {
  VariantInspection variant = fixtures::strided_variant();
  variant.counts.add({0, AccessKind::global_load, {.requests = 1}});
  variant.counts.add({9000, AccessKind::global_load, {.requests = 1}});
  EXPECT_EQ(inspected_functions(variant).size(), 5u);
  EXPECT_EQ(inspected_lines(variant).size(), 3u);
}

}  // namespace
}  // namespace gpulab::run
