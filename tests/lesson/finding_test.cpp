#include "lesson/finding.hpp"

#include "test.hpp"

namespace gpulab {
namespace finding_test {

Defect::Party party(int line, DefectAccess access, unsigned block, unsigned thread) {
  return {.line = line,
          .access = access,
          .place = DefectThread{{block, 0, 0}, {thread, 0, 0}, thread / 32, thread % 32}};
}

TEST(Defect, HasANameInLowerCase) {
  EXPECT_EQ(name_of(DefectKind::shared_race), "race-shared");
  EXPECT_EQ(name_of(DefectKind::wrong_mask), "wrong-mask");
}

TEST(Defect, NamesAThreadByItsWarpAndLane) {
  EXPECT_EQ(text_of(DefectThread{{3, 0, 0}, {37, 0, 0}, 1, 5}), "block 3 thread 37 (warp 1, lane 5)");
  EXPECT_EQ(text_of(DefectThread{{3, 1, 0}, {5, 2, 0}, 0, 21}),
            "block (3, 1) thread (5, 2) (warp 0, lane 21)");
}

TEST(Defect, IsExplainedByBothThreadsOfARace) {
  Defect defect{.kind = DefectKind::global_race,
                .party = party(9, DefectAccess::load, 1, 0),
                .other = party(7, DefectAccess::store, 0, 2),
                .address = 1008,
                .bytes = 4,
                .memory = {.begin = 1000, .bytes = 64}};
  EXPECT_EQ(
      explanation_of(defect),
      "data race in global memory: block 1 thread 0 reads in line 9 what block 0 thread 2 wrote in line 7, byte 8 "
      "of an array of 64 bytes, and nothing orders two blocks of one launch");
  defect.other->place.reset();
  EXPECT_NE(explanation_of(defect).find("what a thread of another block wrote in line 7"), std::string::npos);
}

TEST(Defect, NamesTheElementOfASharedArrayThatTwoThreadsOfABlockRaceFor) {
  Defect defect{.kind = DefectKind::shared_race,
                .party = party(9, DefectAccess::load, 0, 40),
                .other = party(7, DefectAccess::store, 0, 2),
                .address = 1000 + 4 * (3 * 33 + 5),
                .bytes = 4,
                .memory = {.variable = "tile", .begin = 1000, .bytes = 32 * 33 * 4, .dimensions = {32, 33}}};
  EXPECT_EQ(
      explanation_of(defect),
      "data race in shared memory: block 0 thread 40 reads tile[3][5] in line 9, which thread 2 wrote in line 7, "
      "with no barrier between line 7 and line 9");
  defect.other = party(7, DefectAccess::store, 0, 33);
  EXPECT_NE(explanation_of(defect).find("which thread 33 of the same warp wrote"), std::string::npos);
  defect.address = 1000 + 32 * 33 * 4;
  EXPECT_NE(explanation_of(defect).find("just past the end of 'tile' of 4224 bytes"), std::string::npos);
}

TEST(Defect, SaysOfAStoreAfterAReadThatItOverwrites) {
  Defect defect{.kind = DefectKind::shared_race,
                .party = party(9, DefectAccess::store, 0, 40),
                .other = party(7, DefectAccess::load, 0, 2),
                .memory = {.variable = "tile", .begin = 1000, .bytes = 64}};
  EXPECT_TRUE(
      contains(explanation_of(defect), "thread 40 overwrites in line 9 what thread 2 reads in line 7"));
  defect.barrier_line = 8;  // of an iteration before
  EXPECT_TRUE(contains(explanation_of(defect), "thread 40 writes in line 9 what thread 2 read in line 7"));
  std::swap(defect.party.line, defect.other->line);
  EXPECT_TRUE(
      contains(explanation_of(defect), "thread 40 overwrites in line 7 what thread 2 reads in line 9"));
}

TEST(Defect, NamesTheElementBeyondAnArrayOfOneDimension) {
  Defect defect{.kind = DefectKind::shared_out_of_bounds,
                .party = party(9, DefectAccess::load, 0, 40),
                .address = 1000 - 4,
                .bytes = 4,
                .memory = {.variable = "tile", .begin = 1000, .bytes = 64, .dimensions = {16}}};
  EXPECT_TRUE(contains(explanation_of(defect), "reads tile[-1] in line 9, before its first element"));
  defect.address = 1000 + 64;
  EXPECT_TRUE(contains(explanation_of(defect), "reads tile[16] in line 9, past its 16 elements"));
}

TEST(Defect, SaysWhatTheOtherThreadDidInItsOwnLine) {
  Defect defect{.kind = DefectKind::global_race,
                .party = party(9, DefectAccess::load, 1, 0),
                .other = party(7, DefectAccess::store, 0, 2)};
  EXPECT_EQ(text_of_other_party(defect), "block 0 thread 2 wrote it here");
  defect.other->access = DefectAccess::atomic;
  EXPECT_EQ(text_of_other_party(defect), "block 0 thread 2 updated it atomically here");
  defect.kind = DefectKind::divergent_barrier;
  EXPECT_EQ(text_of_other_party(defect), "block 0 thread 2 waits here");
  defect.other->line = 9;
  EXPECT_EQ(text_of_other_party(defect), "") << "the same line";
  defect.other->line = 0;
  EXPECT_EQ(text_of_other_party(defect), "") << "an unknown line";
}

TEST(Defect, IsExplainedByTheElementThatTheCallerKnows) {
  const Defect defect{.kind = DefectKind::uninitialised,
                      .party = party(4, DefectAccess::load, 0, 1),
                      .address = 1004,
                      .bytes = 4,
                      .memory = {.begin = 1000, .bytes = 64}};
  const ArrayElement element = [](std::uintptr_t address) {
    return MemoryName{.element = "input[" + std::to_string((address - 1000) / 4) + "]"};
  };
  EXPECT_EQ(explanation_of(defect, element),
            "read of memory that nobody has written: block 0 thread 1 reads input[1] in line 4");
  const ArrayElement outside = [](std::uintptr_t) {
    return MemoryName{.element = "input[9]", .where = "past its 4 elements"};
  };
  EXPECT_TRUE(explanation_of(defect, outside).ends_with("reads input[9] in line 4, past its 4 elements"));
}

TEST(Defect, IsExplainedInTwoParts) {
  const Defect defect{.kind = DefectKind::uninitialised,
                      .party = party(4, DefectAccess::load, 0, 1),
                      .address = 1004,
                      .bytes = 4,
                      .memory = {.begin = 1000, .bytes = 64}};
  const auto [what, how, remedy] = text_in_parts(defect);
  EXPECT_EQ(what, "read of memory that nobody has written");
  EXPECT_EQ(explanation_of(defect), what + ": " + how);
  EXPECT_EQ(remedy, "");
}

TEST(Defect, HasTheRemedyOfMissingPeerAccessAtItsEnd) {
  const Defect defect{.kind = DefectKind::no_peer_access, .party = party(4, DefectAccess::load, 0, 1)};
  EXPECT_EQ(explanation_of(defect), text_in_parts(defect).how + ": cuCtxEnablePeerAccess comes first");
}

TEST(Defect, TellsHowFarOutOfBoundsItIs) {
  Defect defect{.kind = DefectKind::out_of_bounds,
                .party = party(4, DefectAccess::store, 0, 0),
                .bytes = 4,
                .memory = {.begin = 8192, .bytes = 64}};
  const auto ends_with = [&](const std::string& end) { return explanation_of(defect).ends_with(end); };
  defect.address = 8192 + 64;
  EXPECT_TRUE(ends_with("just past the end of an array of 64 bytes")) << explanation_of(defect);
  defect.address = 8192 + 72;
  EXPECT_TRUE(ends_with("8 bytes past the end of an array of 64 bytes")) << explanation_of(defect);
  defect.address = 8192 + 62;
  EXPECT_TRUE(ends_with("across the end of an array of 64 bytes")) << explanation_of(defect);
  defect.address = 8191;
  EXPECT_TRUE(ends_with("1 byte before the start of an array of 64 bytes")) << explanation_of(defect);
  defect.memory = {};
  EXPECT_TRUE(ends_with("an address near no array")) << explanation_of(defect);
  defect.address = 8;
  EXPECT_TRUE(ends_with("a null pointer")) << explanation_of(defect);
}

Defect defect(DefectKind kind, DefectAccess access = DefectAccess::load) {
  Defect result;
  result.kind = kind;
  result.party.access = access;
  return result;
}

TEST(DefectsBySeverity, PutTheCauseBeforeWhatFollowsFromIt) {
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

TEST(DefectsBySeverity, PutAMissingEventBeforeTheReadThatComesTooEarly) {
  const auto sorted = by_severity({defect(DefectKind::uninitialised), defect(DefectKind::race_streams)});
  EXPECT_EQ(sorted[0].kind, DefectKind::race_streams);
}

TEST(DefectsBySeverity, PutNotesLastWhereTheyAreKept) {
  std::vector<Defect> defects{{.kind = DefectKind::out_of_bounds, .is_note = true},
                              {.kind = DefectKind::uninitialised},
                              {.kind = DefectKind::out_of_bounds}};
  sort_by_severity(defects);
  EXPECT_EQ(defects[0].kind, DefectKind::out_of_bounds);
  EXPECT_FALSE(defects[0].is_note);
  EXPECT_TRUE(defects[2].is_note);
}

TEST(DefectsBySeverity, LeaveNotesOut) {
  Defect note = defect(DefectKind::global_race);
  note.is_note = true;
  EXPECT_TRUE(by_severity({note}).empty());
}

}  // namespace finding_test
}  // namespace gpulab
