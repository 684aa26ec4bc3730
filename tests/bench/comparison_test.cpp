#include "bench/compare.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gpulab::bench {
namespace {

ExitCode code_of_kinds(const std::vector<ChangeKind>& kinds) {
  Comparison comparison;
  for (const ChangeKind kind : kinds) comparison.changes.push_back({.kind = kind});
  return exit_code_of(comparison);
}

TEST(ExitCodeOfAComparison, IsFiveWhereAnythingRegressed) {
  EXPECT_EQ(code_of_kinds({ChangeKind::same, ChangeKind::regressed}), ExitCode::regression);
  EXPECT_EQ(code_of_kinds({ChangeKind::invalid, ChangeKind::regressed}), ExitCode::regression);
}

TEST(ExitCodeOfAComparison, IsOneWhereARightResultIsWrongNow) {
  EXPECT_EQ(code_of_kinds({ChangeKind::same, ChangeKind::invalid}), ExitCode::wrong_result);
}

TEST(ExitCodeOfAComparison, IsZeroForEverythingElse) {
  for (const ChangeKind kind : all_change_kinds)
    if (kind != ChangeKind::regressed && kind != ChangeKind::invalid) {
      EXPECT_EQ(code_of_kinds({kind}), ExitCode::ok) << name_of(kind);
    }
}

TEST(ChangeKinds, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const ChangeKind kind : all_change_kinds) names.insert(name_of(kind));
  EXPECT_EQ(names.size(), std::size(all_change_kinds));
}

}  // namespace
}  // namespace gpulab::bench
