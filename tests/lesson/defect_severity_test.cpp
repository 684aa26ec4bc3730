#include "lesson/finding.hpp"

#include <gtest/gtest.h>

namespace gpulab {
namespace defect_severity_test {

Defect defect(DefectKind kind, DefectAccess access = DefectAccess::load) {
  Defect made;
  made.kind = kind;
  made.party.access = access;
  return made;
}

TEST(DefectsByGravity, PutTheCauseBeforeWhatFollowsFromIt) {
  const auto sorted = by_severity({defect(DefectKind::shared_uninitialised), defect(DefectKind::shared_race),
                                   defect(DefectKind::divergent_barrier),
                                   defect(DefectKind::out_of_bounds, DefectAccess::load),
                                   defect(DefectKind::out_of_bounds, DefectAccess::store)});
  ASSERT_EQ(sorted.size(), 5u);
  EXPECT_EQ(sorted[0].kind, DefectKind::divergent_barrier);
  EXPECT_EQ(sorted[1].party.access, DefectAccess::store);
  EXPECT_EQ(sorted[3].kind, DefectKind::shared_race);
  EXPECT_EQ(sorted[4].kind, DefectKind::shared_uninitialised);
}

TEST(DefectsByGravity, PutAMissingEventBeforeTheReadThatComesTooEarly) {
  const auto sorted = by_severity({defect(DefectKind::uninitialised), defect(DefectKind::unordered_work)});
  EXPECT_EQ(sorted[0].kind, DefectKind::unordered_work);
}

TEST(DefectsByGravity, LeaveNotesOut) {
  Defect note = defect(DefectKind::global_race);
  note.is_note = true;
  EXPECT_TRUE(by_severity({note}).empty());
}

}  // namespace defect_severity_test
}  // namespace gpulab
