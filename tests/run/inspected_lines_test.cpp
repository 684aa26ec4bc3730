#include "run/documents.hpp"

#include <gtest/gtest.h>

#include "inspection_fixtures.hpp"

namespace gpulab::run {
namespace {

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
  EXPECT_EQ(inspected_kernels(variant), std::vector<std::string>{"scale"}) << "the other is no kernel";
}

TEST(InspectedFunctions, AreTheKernelAloneWhereNothingWasCounted) {
  EXPECT_EQ(inspected_functions(fixtures::failed_variant()).size(), 5u);
}

TEST(InspectedFunctions, LeaveOutLinesThatTheFileHasNot) {
  VariantInspection variant = fixtures::strided_variant();
  variant.counts.add({0, AccessKind::global_load, {.requests = 1}});
  variant.counts.add({9000, AccessKind::global_load, {.requests = 1}});
  EXPECT_EQ(inspected_functions(variant).size(), 5u);
  EXPECT_EQ(inspected_lines(variant).size(), 3u);
}

}  // namespace
}  // namespace gpulab::run
