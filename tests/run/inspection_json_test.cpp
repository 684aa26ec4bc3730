#include "run/documents.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "inspection_fixtures.hpp"

namespace gpulab::run {
namespace {

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

TEST(InspectionJson, HasNullForWhatAnAccessHasNot) {
  const json access = json::parse(inspection_json(inspection))["variants"][0]["lines"][0]["accesses"][0];
  for (const char* field : {"bank_ways", "min_bank_ways", "lanes_at_one_address"})
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

}  // namespace
}  // namespace gpulab::run
