#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/watch/release_log.hpp"

namespace gpulab::simulator::watch {

// Happens-before for the block that a worker runs, from program order, barriers, warp operations, and
// releases and acquires. race_check.hpp defines the terms.
//
// Kernels call it on their own small stacks, so it allocates nothing after it is made.
class BlockOrder {
 public:
  BlockOrder(SegmentTable& segments, ReleaseLog& releases);

  // Call it before the first block of a launch.
  void start_launch(WarpSize warp_size = {}) {
    warp_size_ = warp_size;
    next_ = piece_end_ = 0;
  }
  void start_block(std::uint32_t block, unsigned threads);

  // Returns the warp's current segment; 0 when the table is full.
  std::uint32_t segment_of(unsigned warp) {
    std::uint32_t& segment = warps_[warp].segment;
    return segment != 0 ? segment : start_segment(warp);
  }
  // Returns the first segment after the last barrier: accesses of this block in lower ones happened before.
  std::uint32_t first_since_barrier() const { return first_since_barrier_; }
  // Returns the block's first segment: lower ones are of other blocks.
  std::uint32_t first_of_block() const { return first_of_block_; }
  std::uint32_t block() const { return block_; }
  // Returns whether another block has released the access of that segment and lane before it changed the
  // variable.
  bool is_released(std::uintptr_t variable, std::uint32_t segment, unsigned lane) const {
    return releases_.covers(variable, releases_.end(), segments_[segment], lane, segment,
                            /*is_in_block=*/false);
  }
  WarpSize warp_size() const { return warp_size_; }
  const Segment& segment(std::uint64_t number) const { return segments_[number]; }

  // Call it when all live threads have arrived at a barrier.
  void on_barrier(unsigned live_threads);
  // Call it when the lanes have arrived at a warp operation. `is_whole_warp`: no other lane is live.
  void on_warp_operation(unsigned warp, LaneMask lanes, bool is_whole_warp);
  void on_fence(unsigned thread, Scope scope = Scope::device);
  // Call these for a cuda::barrier of some of the block's threads: when a thread arrives, when all have
  // arrived, and when a thread has waited for the end of the phase. The lanes of a warp count as one thread.
  void arrive(unsigned thread, std::uintptr_t barrier);
  void end_phase(std::uintptr_t barrier);
  void wait_for_phase(unsigned thread, std::uintptr_t barrier);
  // Call these before and after an atomic on the variable: the first releases, the second acquires.
  void before_atomic(unsigned thread, std::uintptr_t variable, Scope scope = Scope::device) {
    if (has_fences_) release(thread, variable, scope);
  }
  void after_atomic(unsigned thread, std::uintptr_t variable, Scope scope = Scope::device) {
    if (releases_.is_used()) acquire(thread, variable, scope);
  }
  // Notes a relaxed atomic, which acquires when the thread comes to its next fence.
  void after_relaxed_atomic(unsigned thread, std::uintptr_t variable) { relaxed_[thread] = variable; }

  // Returns one past the block's last segment.
  std::uint32_t next_segment() const { return next_; }

  // Returns whether that lane's accesses in that segment, which must belong to this launch, happen before the
  // thread's next access.
  bool happens_before(std::uint32_t segment, unsigned lane, unsigned thread) const;
  // Returns whether the thread has acquired the variable, itself or through a thread that happens before it.
  bool has_acquired(std::uintptr_t variable, unsigned thread) const;
  // The same, for releases by that block in a sufficient scope.
  bool has_acquired_from(std::uint32_t block, std::uintptr_t variable, unsigned thread) const;
  // Returns whether a thread of the block has come to a fence.
  bool has_fences() const { return has_fences_; }
  // Returns whether the launch has any release.
  bool has_releases() const { return releases_.is_used(); }
  // Returns whether the block has a cuda::barrier of some of its threads.
  bool has_phases() const { return !phases_.empty(); }

 private:
  // A name `x_before` is a segment's number, and means x's accesses in all segments with lower numbers.
  static constexpr unsigned max_threads = 1024;

  struct Warp {
    std::uint32_t segment = 0;     // 0: the next access begins a new one
    std::uint32_t all_before = 0;  // for all lanes: lower segments happen before now
    bool has_clock = false;
    std::uint32_t latest_acquisition = 0;  // one past its index; 0 is none
  };
  // Element [m][l]: lane l's accesses in lower segments happen before lane m's next one.
  using VectorClock = std::array<LaneClocks, WarpSize::max_lanes>;
  struct Acquisition {
    std::uintptr_t variable = 0;
    std::uint32_t releases_end = 0;
    std::uint32_t segment = 0;
    std::uint32_t thread = 0;
    Scope scope = Scope::device;
    std::uint32_t time = 0;     // the block's segments from this one on began later
    std::uint32_t earlier = 0;  // one past the index of the warp's previous one; 0 is none
    std::uint32_t in_log = 0;   // its number in the ReleaseLog; 0 is none
  };

  // A vector clock over the warps of a block.
  using WarpClock = std::array<std::uint32_t, max_threads / WarpSize().lanes()>;
  struct Phase {
    std::uintptr_t barrier = 0;
    WarpClock arrived{}, ended{};  // what happens before the end of the running phase, and of the last
  };
  static constexpr std::size_t max_phases = 64;  // cuda::barriers of a block that are followed

  struct Fence {
    std::uint32_t own_before = 0;  // 0: no fence in this block yet
    std::uint32_t others_before = 0;
    std::uint32_t barriers = 0;  // that the block had passed
    LaneClocks warp_before{};    // the thread's vector clock over its warp
  };

  void reserve_segments();
  std::uint32_t start_segment(unsigned warp);
  LaneClocks known_of_warp(unsigned thread) const;  // the thread's vector clock over its warp
  LaneClocks published_of_warp(const std::vector<Fence>& fences, unsigned thread, std::uint32_t own,
                               std::uint32_t others) const;
  void release(unsigned thread, std::uintptr_t variable, Scope scope);
  void acquire(unsigned thread, std::uintptr_t variable, Scope scope);
  void join_acquisitions();
  void end_segment(Warp& warp) { warp.segment = 0; }
  Phase& phase_of(std::uintptr_t barrier);
  bool is_before_in_block(const Segment& past, std::uint32_t segment, unsigned lane, unsigned thread) const;
  bool is_known(const Acquisition& acquisition, unsigned thread) const;
  template <class Test>
  bool any_acquisition(unsigned thread, const Test& test) const;
  bool is_published(const Segment& past, std::uint32_t segment, unsigned lane, unsigned thread) const;

  SegmentTable& segments_;
  ReleaseLog& releases_;
  WarpSize warp_size_;
  std::uint32_t block_ = 0;
  unsigned threads_ = 0;
  std::uint32_t next_ = 0, piece_end_ = 0;  // the numbers left to give out, of the piece taken last
  std::uint32_t first_of_block_ = 0, first_since_barrier_ = 0;
  std::array<Warp, max_threads / WarpSize().lanes()> warps_{};
  std::vector<VectorClock> warp_clocks_;  // by warp, for operations of some of its lanes

  std::vector<Phase> phases_;             // in this block
  std::vector<WarpClock> waited_before_;  // by warp, from the phases that it has waited for

  bool has_fences_ = false;                            // in this block
  std::uint32_t barriers_ = 0;                         // passed in this block
  std::uint32_t fences_since_barrier_ = 0;             // threads that have passed one
  std::uint32_t all_fenced_before_ = 0;                // a fence of every thread covers all lower segments
  std::vector<Fence> fences_;                          // by thread, the last with device scope
  std::vector<Fence> block_fences_;                    // by thread, the last with any scope
  std::array<std::uintptr_t, max_threads> relaxed_{};  // by thread, its last relaxed atomic
  std::vector<Acquisition> acquisitions_;
  bool forgot_acquisitions_ = false;
};

}  // namespace gpulab::simulator::watch
