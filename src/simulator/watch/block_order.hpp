#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/watch/launch_watch.hpp"

namespace gpulab::simulator::watch {

// What happens before what, for the block that a worker runs: by the order of each thread's own program,
// barriers, warp operations, and atomics after fences.
//
// Kernels call it on their own small stacks, so it allocates nothing after it is made.
class BlockOrder {
 public:
  BlockOrder(SegmentTable& segments, ReleaseLog& releases);

  // Before the first block of a launch.
  void start_launch() { next_ = end_ = 0; }
  void start_block(std::uint32_t block, unsigned threads);

  // The segment that the warp is in; 0 when the table is full.
  std::uint32_t segment_of(unsigned warp) {
    std::uint32_t& segment = warps_[warp].segment;
    return segment != 0 ? segment : start_segment(warp);
  }
  // Accesses of this block in lower segments came before the last barrier.
  std::uint32_t since_barrier() const { return since_barrier_; }
  std::uint32_t block() const { return block_; }
  const Segment& segment(std::uint64_t number) const { return segments_[number]; }

  // All live threads have come to a barrier.
  void at_barrier(unsigned live_threads);
  // The lanes of the mask have come to a warp operation; whether they are all that the warp still has.
  void at_warp_operation(unsigned warp, std::uint32_t lanes, bool all);
  void at_fence(unsigned thread, Scope scope = Scope::device);
  // An atomic of the thread on the variable: first, before it is done, and then after it.
  void before_atomic(unsigned thread, std::uintptr_t variable, Scope scope = Scope::device) {
    if (has_fences_) release(thread, variable, scope);
  }
  void after_atomic(unsigned thread, std::uintptr_t variable, Scope scope = Scope::device) {
    if (releases_.is_used()) acquire(thread, variable, scope);
  }
  // The same, of an atomic that orders nothing until the thread comes to a fence.
  void after_relaxed_atomic(unsigned thread, std::uintptr_t variable) { relaxed_[thread] = variable; }

  // Whether what that lane did in that segment, which must be of this launch, happened before what the thread
  // does now.
  bool is_before(std::uint32_t segment, unsigned lane, unsigned thread) const;
  // Whether the thread, or one whose work is before its own, has come to the variable with an atomic, and
  // what others did to it with atomics was published.
  bool has_acquired(std::uintptr_t variable, unsigned thread) const;
  // The same of what a block published there, for those who may rely on it.
  bool has_acquired_from(std::uint32_t block, std::uintptr_t variable, unsigned thread) const;
  // Whether the launch orders blocks by fences at all.
  bool has_releases() const { return releases_.is_used(); }

 private:
  static constexpr unsigned lanes_of_warp = 32;
  static constexpr unsigned max_threads = 1024;

  struct Warp {
    std::uint32_t segment = 0;     // 0: the next access starts one
    std::uint32_t all_before = 0;  // what any lane did in lower segments is before what any does now
    bool has_knowledge = false;
  };
  // known[m][l]: what lane l did in lower segments is before what lane m does now.
  using Knowledge = std::array<LaneBounds, lanes_of_warp>;
  struct Acquisition {
    std::uintptr_t variable = 0;
    std::uint32_t releases_end = 0;
    std::uint32_t segment = 0;
    std::uint32_t thread = 0;
    Scope scope = Scope::device;
  };

  struct Fence {
    std::uint32_t own_before = 0;  // 0: there was none in this block
    std::uint32_t others_before = 0;
    std::uint32_t barriers = 0;  // that had been passed
    LaneBounds warp_before{};    // what the thread had learned of its warp by warp operations
  };

  void reserve_segments();
  std::uint32_t start_segment(unsigned warp);
  LaneBounds known_of_warp(unsigned thread) const;
  LaneBounds published_of_warp(const std::vector<Fence>& fences, unsigned thread, std::uint32_t own,
                               std::uint32_t others) const;
  void release(unsigned thread, std::uintptr_t variable, Scope scope);
  void acquire(unsigned thread, std::uintptr_t variable, Scope scope);
  void end_segment(Warp& warp) { warp.segment = 0; }
  bool is_before_in_block(const Segment& past, std::uint32_t segment, unsigned lane, unsigned thread) const;
  bool is_known(const Acquisition& acquisition, unsigned thread) const;
  bool is_published(const Segment& past, std::uint32_t segment, unsigned lane, unsigned thread) const;

  SegmentTable& segments_;
  ReleaseLog& releases_;
  std::uint32_t block_ = 0;
  unsigned threads_ = 0;
  std::uint32_t next_ = 0, end_ = 0;  // segments that this worker may still give out
  std::uint32_t since_barrier_ = 0;
  std::array<Warp, max_threads / lanes_of_warp> warps_{};
  std::vector<Knowledge> knowledge_;  // by warp, where some lanes came to a warp operation without others

  bool has_fences_ = false;                 // in this block
  std::uint32_t barriers_ = 0;              // passed in this block
  std::uint32_t fences_since_barrier_ = 0;  // threads that came to one
  std::uint32_t all_fenced_before_ = 0;     // every thread came to one after its accesses in lower segments
  std::vector<Fence> fences_;               // by thread, those for the whole device
  std::vector<Fence> block_fences_;         // by thread, of either scope
  std::array<std::uintptr_t, max_threads> relaxed_{};  // by thread, its last relaxed atomic
  std::vector<Acquisition> acquisitions_;
  bool forgot_acquisitions_ = false;
};

}  // namespace gpulab::simulator::watch
