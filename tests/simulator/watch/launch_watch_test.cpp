#include "simulator/watch/launch_watch.hpp"

#include "simulator/watch/checked_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator::watch {
namespace {

// Returns a record of lane 3 and site 5.
AccessRecord record(AccessRecord::Kind kind, unsigned segment, unsigned bytes) {
  return {kind, segment, 3, 5, bytes};
}

TEST(AccessRecord, KeepsTheFieldsItWasMadeWith) {
  const AccessRecord made(AccessRecord::atomic, max_segments - 1, 31, max_sites - 1, 0b1010);
  const AccessRecord full = made.with_other_thread(1023).with_other_block();
  for (const AccessRecord& record : {made, full}) {
    EXPECT_EQ(record.kind(), AccessRecord::atomic);
    EXPECT_EQ(record.segment(), max_segments - 1);
    EXPECT_EQ(record.lane(), 31u);
    EXPECT_EQ(record.site(), max_sites - 1);
    EXPECT_EQ(record.bytes(), 0b1010u);
  }
  EXPECT_FALSE(made.has_others());
  EXPECT_EQ(full.other_thread(), 1023u);
  EXPECT_TRUE(full.has_other_thread() && full.has_other_block());
  EXPECT_EQ(full.with_bytes(0b0001).bytes(), 0b0001u);
}

TEST(AccessRecord, JoinsConsecutiveLanesThatEachAccessAPart) {
  const auto store_of = [](unsigned lane, unsigned bytes) {
    return AccessRecord(AccessRecord::store, 7, lane, 5, bytes);
  };
  const AccessRecord bytes =
      store_of(9, 0b0010).with_lane(store_of(10, 0b0100)).with_lane(store_of(8, 0b0001));
  EXPECT_TRUE(bytes.is_of_lanes());
  EXPECT_EQ(bytes.bytes(), 0b0111u);
  EXPECT_EQ(history_of(bytes)[2].write.lane(), 10u);
  EXPECT_EQ(history_of(bytes)[0].write.lane(), 8u);
  const AccessRecord halves = store_of(4, 0b0011).with_lane(store_of(5, 0b1100));
  EXPECT_EQ(halves.bytes(), 0b1111u);
  EXPECT_EQ(history_of(halves)[3].write.lane(), 5u);
  EXPECT_FALSE(history_of(halves)[3].write.is_of_lanes());
  // No other accesses are joined: of another lane, of the same byte, or of another width, kind or segment.
  for (const AccessRecord& next : {store_of(11, 0b0100), store_of(9, 0b0010), store_of(10, 0b1100),
                                   store_of(10, 0b0110), AccessRecord(AccessRecord::load, 7, 10, 5, 0b0100),
                                   AccessRecord(AccessRecord::store, 8, 10, 5, 0b0100)})
    EXPECT_EQ(store_of(9, 0b0010).with_lane(next).segment(), 0u);
  EXPECT_EQ(bytes.with_lane(store_of(10, 0b1100)).segment(), 0u);
  EXPECT_EQ(store_of(0, 0b0010).with_lane(store_of(1, 0b0100)).segment(), 0u);  // byte 0 would be lane -1's
}

TEST(WordHistory, IsOneRecordForTheBytesThatItHas) {
  const WordHistory history = history_of(record(AccessRecord::store, 7, 0b0110));
  EXPECT_EQ(history[0].write.segment(), 0u);
  EXPECT_EQ(history[1].write.segment(), 7u);
  EXPECT_EQ(history[1].read.segment(), 0u);
  AccessRecord merged;
  ASSERT_TRUE(try_merge(history, merged));
  EXPECT_EQ(merged.segment(), 7u);
  EXPECT_EQ(merged.kind(), AccessRecord::store);
  EXPECT_EQ(merged.bytes(), 0b0110u);
}

TEST(WordHistory, IsOneRecordWhenNothingIsRemembered) {
  AccessRecord merged = record(AccessRecord::load, 1, 1);
  ASSERT_TRUE(try_merge(WordHistory{}, merged));
  EXPECT_EQ(merged.segment(), 0u);
}

TEST(WordHistory, IsSeveralRecordsWhereBytesOrKindsDiffer) {
  AccessRecord merged;
  WordHistory neighbours = history_of(record(AccessRecord::store, 7, 0b0001));
  neighbours[1].write = record(AccessRecord::store, 8, 0b0010);
  EXPECT_FALSE(try_merge(neighbours, merged));
  WordHistory read_later = history_of(record(AccessRecord::store, 7, 0b1111));
  read_later[0].read = record(AccessRecord::load, 8, 0b1111);
  EXPECT_FALSE(try_merge(read_later, merged));
}

TEST(LaunchWatch, RecordsSomeBlocksOnceItHasMadeManyAccesses) {
  const auto watch = std::make_unique<LaunchWatch>();
  const auto recorded = [&](std::size_t recorded_accesses, std::size_t accesses) {
    watch->start({}, {.config = {.grid = 1000, .block = 32}}, 0, recorded_accesses);
    watch->count_accesses(accesses);
    std::vector<std::uint32_t> blocks;
    for (std::uint32_t block = 0; block < 1000; ++block)
      if (watch->records_block(block)) blocks.push_back(block);
    EXPECT_EQ(watch->recorded_blocks(), blocks.size());
    EXPECT_EQ(watch->unrecorded_blocks(), 1000 - blocks.size());
    return blocks;
  };
  EXPECT_EQ(recorded(0, 1 << 30).size(), 1000u);
  EXPECT_EQ(recorded(500, 499).size(), 1000u);
  const std::vector<std::uint32_t> sample = recorded(500, 500);  // 16 at a stride of 63, and the last 8
  EXPECT_EQ(sample.size(), 24u);
  EXPECT_EQ(sample[0], 0u);
  EXPECT_EQ(sample[1], 63u);
  EXPECT_EQ(sample[16], 992u);
  EXPECT_EQ(sample.back(), 999u);
}

// The report of a launch has the same words, whatever the timing of the workers.

const std::string racing_kernels = source_text("tests/simulator/watch/same_report.cu");

class SameReport : public CheckedTest {
 protected:
  std::string report(const char* kernel, const LaunchConfig& config, const device::ThreadOrder& order) {
    std::ostringstream text;
    for (Defect defect : defects(racing_kernels, kernel, config, order)) {
      defect.address += 1 - defect.memory.begin;  // arrays have other addresses in every run
      defect.memory.begin = 1;
      text << defect << "\n";
    }
    return text.str();
  }
};

TEST_P(SameReport, ComesFromEveryRun) {
  for (const char* kernel : {"sum", "neighbours", "three_races", "ticket_without_fence"})
    for (const device::ThreadOrder& order : {forward, reverse, preempted}) {
      const std::string first = report(kernel, {.grid = 200, .block = 128}, order);
      EXPECT_NE(first, "") << kernel;
      for (int run = 0; run < 5; ++run)
        EXPECT_EQ(report(kernel, {.grid = 200, .block = 128}, order), first) << kernel;
    }
}

TEST_P(SameReport, ComesFromALaunchThatAllWorkersTryFirst) {
  const LaunchConfig large{.grid = 5000, .block = 128};
  for (const char* kernel : {"sum", "ticket_without_fence"}) {
    const std::string first = report(kernel, large, forward);
    EXPECT_NE(first, "") << kernel;
    EXPECT_EQ(report(kernel, large, forward), first) << kernel;
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, SameReport, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::watch
