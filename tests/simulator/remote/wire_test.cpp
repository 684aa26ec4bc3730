#include "simulator/remote/channel.hpp"

#include <gtest/gtest.h>

#include "simulator/remote/mutated_messages.hpp"

namespace gpulab::simulator::remote {
namespace {

std::vector<Defect> some_defects() {
  Defect race{.kind = DefectKind::shared_race, .party = {.line = 7, .access = DefectAccess::store}};
  race.party.place = DefectThread{.block = {1, 0, 0}, .thread = {3, 0, 0}, .warp = 0, .lane = 3};
  race.other = Defect::Party{.line = 9, .access = DefectAccess::load, .file = "sum.cuh"};
  race.memory = {.variable = "partial", .begin = 4096, .bytes = 128};
  race.work = "kernel add";
  return {race,
          {.kind = DefectKind::out_of_bounds, .address = 5000, .bytes = 4, .detail = "index 32", .count = 3}};
}

TEST(Wire, ReadsWhatWasWritten) {
  Reader reader(Writer()(some_defects(), std::optional<int>(), true, std::string("text")).take());
  const auto defects = reader.next<std::vector<Defect>>();
  ASSERT_EQ(defects.size(), 2u);
  EXPECT_EQ(explanation_of(defects[0]), explanation_of(some_defects()[0]));
  EXPECT_EQ(reader.next<std::optional<int>>(), std::nullopt);
  EXPECT_TRUE(reader.next<bool>());
  EXPECT_EQ(reader.last<std::string>(), "text");
}

TEST(Wire, RefusesWhatHasNoName) {
  EXPECT_THROW(Reader("\x77").next<Answer>(), BadMessage);
  EXPECT_THROW(Reader("\x02").next<bool>(), BadMessage);
  EXPECT_THROW(Reader(Writer()(static_cast<int>(DefectKind::other) + 1).take()).next<DefectKind>(),
               BadMessage);
  EXPECT_THROW(Reader(Writer()(-1).take()).next<DefectKind>(), BadMessage);
}

TEST(Wire, BelievesNoLengthBeforeTheBytesAreThere) {
  const std::string length = Writer()(std::size_t{1} << 60).take();
  EXPECT_THROW(Reader(length).next<std::string>(), BadMessage);
  EXPECT_THROW(Reader(length + "abc").next<std::vector<std::string>>(), BadMessage);
  EXPECT_THROW(Reader(length + std::string(1000, '\0')).next<std::vector<Defect>>(), BadMessage);
  EXPECT_THROW(Reader("ab").last<char>(), BadMessage) << "something is left over";
}

TEST(Wire, ShowsNoTextThatATerminalWouldObey) {
  Defect defect{.detail = "\x1b[2J\ngpulab: good"};
  Reader reader(Writer()(std::vector<Defect>{defect}).take());
  EXPECT_EQ(reader.next<std::vector<Defect>>()[0].detail, "?[2J?gpulab: good");
  EXPECT_THROW(Reader(Writer()(std::string(100'000, 'x')).take()).text(), BadMessage);
}

TEST(Wire, SurvivesMutations) {
  const std::string message = Writer()(some_defects()).take();
  const int count = 20'000,
            refused = refused_mutations(message, count, [](std::string bytes) {
              for (const Defect& defect : by_severity(Reader(std::move(bytes)).last<std::vector<Defect>>()))
                EXPECT_EQ((explanation_of(defect) + other_side_of(defect)).find('\n'), std::string::npos);
            });
  EXPECT_GT(refused, count / 2);
  EXPECT_LT(refused, count);
}

TEST(Wire, SurvivesMutationsOfNumbers) {
  const LineAccesses line{
      .line = 3, .kind = AccessKind::shared_atomic, .sums = {.requests = 4, .bytes = 128}};
  const device::KernelAttributes kernel{.registers_per_thread = 20, .spill_load_bytes = 8};
  const std::string message =
      Writer()(std::vector<LineAccesses>(3, line), kernel, Failure{DefectKind::deadlock, 4}).take();
  refused_mutations(message, 20'000, [](std::string bytes) {
    Reader reader(std::move(bytes));
    for (const LineAccesses& accesses : reader.next<std::vector<LineAccesses>>())
      EXPECT_FALSE(name_of(accesses.kind).empty());
    reader.next<device::KernelAttributes>();
    EXPECT_FALSE(name_of(reader.last<Failure>().kind).empty());
  });
}

}  // namespace
}  // namespace gpulab::simulator::remote
