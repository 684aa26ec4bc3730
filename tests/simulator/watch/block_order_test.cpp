#include "simulator/watch/block_order.hpp"

#include "test.hpp"

namespace gpulab::simulator::watch {
namespace {

constexpr unsigned threads_of_block = 96;  // three warps

class BlockOrderTest : public testing::Test {
 protected:
  BlockOrderTest() { start(order_, 0); }

  void start(BlockOrder& order, std::uint32_t block) {
    order.start_launch();
    order.start_block(block, threads_of_block);
  }

  SegmentTable segments_;
  ReleaseLog releases_;
  BlockOrder order_{segments_, releases_};
};

TEST_F(BlockOrderTest, PutsAThreadsOwnWorkInOrder) {
  const std::uint32_t earlier = order_.segment_of(1);
  EXPECT_TRUE(order_.happens_before(earlier, 5, 37));
  EXPECT_FALSE(order_.happens_before(earlier, 5, 38)) << "another lane";
  EXPECT_FALSE(order_.happens_before(earlier, 5, 5)) << "another warp";
}

TEST_F(BlockOrderTest, PutsEverythingBeforeABarrierInOrder) {
  const std::uint32_t earlier = order_.segment_of(1);
  order_.on_barrier(threads_of_block);
  EXPECT_TRUE(order_.happens_before(earlier, 5, 38));
  EXPECT_TRUE(order_.happens_before(earlier, 5, 70));
  EXPECT_FALSE(order_.happens_before(order_.segment_of(1), 5, 70)) << "it came after the barrier";
}

TEST_F(BlockOrderTest, PutsAWarpInOrderAtAWarpOperation) {
  const std::uint32_t earlier = order_.segment_of(1);
  order_.on_warp_operation(1, 0xffffffff, /*is_whole_warp=*/true);
  EXPECT_TRUE(order_.happens_before(earlier, 5, 38));
  EXPECT_FALSE(order_.happens_before(earlier, 5, 70));
}

TEST_F(BlockOrderTest, PutsAll64LanesOfALargerWarpInOrder) {
  BlockOrder order(segments_, releases_);
  order.start_launch(WarpSize(64));
  order.start_block(1, 128);
  const std::uint32_t earlier = order.segment_of(0);
  order.on_warp_operation(0, ~LaneMask{0} << 48 | 1, /*is_whole_warp=*/false);
  EXPECT_TRUE(order.happens_before(earlier, 63, 0));
  EXPECT_TRUE(order.happens_before(earlier, 0, 50));
  EXPECT_FALSE(order.happens_before(earlier, 40, 0)) << "a lane that was not in the mask";
  EXPECT_FALSE(order.happens_before(earlier, 63, 64)) << "another warp";
}

TEST_F(BlockOrderTest, PutsOnlyTheLanesOfTheMaskInOrder) {
  const std::uint32_t earlier = order_.segment_of(0);
  order_.on_warp_operation(0, 0x0000000f, /*is_whole_warp=*/false);
  EXPECT_TRUE(order_.happens_before(earlier, 3, 0));
  EXPECT_FALSE(order_.happens_before(earlier, 4, 0));
  EXPECT_FALSE(order_.happens_before(earlier, 3, 4));
}

TEST_F(BlockOrderTest, PassesOnWhatALaneLearnedFromAnother) {
  const std::uint32_t earlier = order_.segment_of(0);
  order_.on_warp_operation(0, 0b0011, /*is_whole_warp=*/false);
  const std::uint32_t later = order_.segment_of(0);
  order_.on_warp_operation(0, 0b0110, /*is_whole_warp=*/false);
  EXPECT_TRUE(order_.happens_before(earlier, 0, 2)) << "lane 1 was at both";
  EXPECT_FALSE(order_.happens_before(later, 0, 2));
  EXPECT_FALSE(order_.happens_before(earlier, 2, 0)) << "not the other way round";
}

TEST_F(BlockOrderTest, PublishesWhatAThreadLearnedOfItsWarpBeforeTheFence) {
  constexpr std::uintptr_t flag = 4096;
  const std::uint32_t earlier = order_.segment_of(0);
  order_.on_warp_operation(0, 0x0000000f, /*is_whole_warp=*/false);
  const std::uint32_t later = order_.segment_of(0);
  order_.on_fence(0);
  order_.on_warp_operation(0, 0xffffffff, /*is_whole_warp=*/true);
  order_.before_atomic(0, flag);
  order_.after_atomic(40, flag);
  EXPECT_TRUE(order_.happens_before(earlier, 3, 40)) << "a lane that it had met";
  EXPECT_FALSE(order_.happens_before(earlier, 4, 40)) << "a lane that it met after its fence";
  EXPECT_FALSE(order_.happens_before(later, 3, 40)) << "what that lane did after they had met";
  EXPECT_FALSE(order_.happens_before(earlier, 3, 41)) << "a thread that has not looked";
  order_.on_warp_operation(1, 0x00000300, /*is_whole_warp=*/false);
  EXPECT_TRUE(order_.happens_before(earlier, 3, 41)) << "but it has met one that has";
}

TEST_F(BlockOrderTest, PutsTwoBlocksInOrderByAFenceAndAnAtomic) {
  constexpr std::uintptr_t ticket = 4096, other = 8192;
  BlockOrder later(segments_, releases_);
  start(later, 1);
  const std::uint32_t published = order_.segment_of(0);
  order_.on_fence(3);
  const std::uint32_t after_fence = order_.segment_of(0);
  order_.before_atomic(3, ticket);

  later.after_atomic(7, other);
  EXPECT_FALSE(later.happens_before(published, 3, 7)) << "another variable";
  later.after_atomic(7, ticket);
  EXPECT_TRUE(later.happens_before(published, 3, 7));
  EXPECT_FALSE(later.happens_before(published, 4, 7)) << "another thread, which had no fence";
  EXPECT_FALSE(later.happens_before(after_fence, 3, 7));
  EXPECT_FALSE(later.happens_before(published, 3, 8)) << "a thread that has not been there";
  later.on_barrier(threads_of_block);
  EXPECT_TRUE(later.happens_before(published, 3, 8)) << "but it has met one at a barrier";
}

TEST_F(BlockOrderTest, PassesOnWhatABlockLearnedThroughAnotherVariable) {
  constexpr std::uintptr_t arrived = 4096, opened = 8192;
  BlockOrder last(segments_, releases_), waiting(segments_, releases_), hasty(segments_, releases_);
  start(last, 1);
  start(waiting, 2);
  start(hasty, 3);
  const std::uint32_t published = order_.segment_of(0);
  order_.on_fence(3);
  order_.before_atomic(3, arrived);
  last.on_fence(5);
  last.after_atomic(5, arrived);
  last.before_atomic(5, opened);
  hasty.after_atomic(7, opened);
  EXPECT_FALSE(hasty.happens_before(published, 3, 7)) << "the fence came before the acquire";
  last.on_fence(5);
  last.before_atomic(5, opened);
  waiting.after_atomic(7, opened);
  EXPECT_TRUE(waiting.happens_before(published, 3, 7));
  EXPECT_FALSE(waiting.happens_before(published, 4, 7)) << "another thread, which had no fence";
  EXPECT_FALSE(waiting.happens_before(published, 3, 8)) << "a thread that has not been there";
}

TEST_F(BlockOrderTest, PassesOnWhatAFenceAcquiresItself) {
  constexpr std::uintptr_t arrived = 4096, opened = 8192;
  BlockOrder last(segments_, releases_), waiting(segments_, releases_);
  start(last, 1);
  start(waiting, 2);
  const std::uint32_t published = order_.segment_of(0);
  order_.on_fence(3);
  order_.before_atomic(3, arrived);
  last.after_relaxed_atomic(5, arrived);
  last.on_fence(5);
  last.before_atomic(5, opened);
  waiting.after_atomic(7, opened);
  EXPECT_TRUE(waiting.happens_before(published, 3, 7));
}

TEST_F(BlockOrderTest, PublishesWhatAllThreadsDidBeforeTheirFences) {
  constexpr std::uintptr_t ticket = 4096;
  BlockOrder later(segments_, releases_);
  start(later, 1);
  const std::uint32_t published = order_.segment_of(2);
  for (unsigned thread = 0; thread < threads_of_block; ++thread) order_.on_fence(thread);
  order_.on_barrier(threads_of_block);
  order_.before_atomic(0, ticket);
  later.after_atomic(7, ticket);
  EXPECT_TRUE(later.happens_before(published, 31, 7));
}

TEST_F(BlockOrderTest, LetsAnAtomicWithoutAFencePublishNothing) {
  constexpr std::uintptr_t ticket = 4096;
  BlockOrder later(segments_, releases_);
  start(later, 1);
  const std::uint32_t earlier = order_.segment_of(0);
  order_.before_atomic(3, ticket);
  later.after_atomic(7, ticket);
  EXPECT_FALSE(later.happens_before(earlier, 3, 7));
}

}  // namespace
}  // namespace gpulab::simulator::watch
