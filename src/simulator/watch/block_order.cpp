#include "simulator/watch/block_order.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace gpulab::simulator::watch {
namespace {

constexpr std::size_t max_acquisitions = 1024;

}  // namespace

BlockOrder::BlockOrder(SegmentTable& segments, ReleaseLog& releases)
    : segments_(segments),
      releases_(releases),
      warp_clocks_(warps_.size()),
      waited_before_(warps_.size()),
      fences_(max_threads),
      block_fences_(max_threads) {
  acquisitions_.reserve(max_acquisitions);
  phases_.reserve(max_phases);
}

void BlockOrder::start_block(std::uint32_t block, unsigned threads) {
  block_ = block;
  const unsigned threads_before = std::exchange(threads_, threads);
  if (next_ == piece_end_) reserve_segments();
  first_of_block_ = first_since_barrier_ = next_;
  std::fill_n(warps_.begin(), warp_size_.warp_count(threads), Warp{});
  if (has_fences_) {
    std::fill_n(fences_.begin(), threads_before, Fence{});
    std::fill_n(block_fences_.begin(), threads_before, Fence{});
  }
  if (!phases_.empty()) std::ranges::fill(waited_before_, WarpClock{});
  phases_.clear();
  std::fill_n(relaxed_.begin(), threads, 0);
  has_fences_ = forgot_acquisitions_ = false;
  barriers_ = fences_since_barrier_ = all_fenced_before_ = 0;
  acquisitions_.clear();
}

void BlockOrder::reserve_segments() {
  next_ = segments_.take_piece();
  piece_end_ = next_ == 0 ? 0 : next_ + SegmentTable::piece_size;
}

std::uint32_t BlockOrder::start_segment(unsigned warp) {
  if (next_ == piece_end_) reserve_segments();
  if (next_ == 0) return 0;
  Segment& segment = segments_[next_];
  segment.block = block_;
  segment.warp = warp % warps_.size();
  return warps_[warp].segment = next_++;
}

void BlockOrder::on_barrier(unsigned live_threads) {
  first_since_barrier_ = next_;
  for (unsigned warp = 0; warp < warp_size_.warp_count(threads_); ++warp) end_segment(warps_[warp]);
  if (fences_since_barrier_ >= live_threads) all_fenced_before_ = next_;
  fences_since_barrier_ = 0;
  ++barriers_;
}

void BlockOrder::on_warp_operation(unsigned number, LaneMask lanes, bool is_whole_warp) {
  Warp& warp = warps_[number];
  end_segment(warp);
  const std::uint32_t now = next_;
  if (is_whole_warp) {
    warp.all_before = now;
    return;
  }
  VectorClock& known = warp_clocks_[number];
  if (!warp.has_clock) std::fill_n(known.begin(), warp_size_.lanes(), LaneClocks{});
  warp.has_clock = true;
  LaneClocks joined{};
  for (LaneMask remaining = lanes; remaining; remaining &= remaining - 1) {
    const auto& lane = known[static_cast<std::size_t>(std::countr_zero(remaining))];
    for (unsigned other = 0; other < warp_size_.lanes(); ++other)
      joined[other] = std::max(joined[other], lane[other]);
  }
  for (LaneMask remaining = lanes; remaining; remaining &= remaining - 1)
    joined[static_cast<std::size_t>(std::countr_zero(remaining))] = now;
  for (LaneMask remaining = lanes; remaining; remaining &= remaining - 1)
    known[static_cast<std::size_t>(std::countr_zero(remaining))] = joined;
}

// ---- Barriers of some threads -----------------------------------------------------------------------------

// Returns the barrier's phase; another barrier's if there are too many, so that too much counts as ordered.
BlockOrder::Phase& BlockOrder::phase_of(std::uintptr_t barrier) {
  const auto found = std::ranges::find(phases_, barrier, &Phase::barrier);
  if (found != phases_.end()) return *found;
  if (phases_.size() < max_phases) phases_.push_back({barrier});
  return phases_.back();
}

namespace {

template <class Clock>
void join(Clock& clock, const Clock& other) {
  std::ranges::transform(clock, other, clock.begin(),
                         [](std::uint32_t mine, std::uint32_t theirs) { return std::max(mine, theirs); });
}

}  // namespace

void BlockOrder::arrive(unsigned thread, std::uintptr_t barrier) {
  const unsigned warp = warp_size_.warp_of(thread);
  end_segment(warps_[warp]);
  WarpClock& arrived = phase_of(barrier).arrived;
  join(arrived, waited_before_[warp]);
  arrived[warp] = next_;
}

void BlockOrder::end_phase(std::uintptr_t barrier) {
  Phase& phase = phase_of(barrier);
  join(phase.ended, phase.arrived);
}

void BlockOrder::wait_for_phase(unsigned thread, std::uintptr_t barrier) {
  join(waited_before_[warp_size_.warp_of(thread)], phase_of(barrier).ended);
}

// ---- Fences and atomics -----------------------------------------------------------------------------------

// Ends the segment, so that accesses before and after the fence have different epochs.
void BlockOrder::on_fence(unsigned thread, Scope scope) {
  // The fence acquires before it releases, so it passes on what the thread has learned.
  if (relaxed_[thread] != 0) after_atomic(thread, std::exchange(relaxed_[thread], 0), scope);
  end_segment(warps_[warp_size_.warp_of(thread)]);
  const Fence now{.own_before = next_,
                  .others_before = first_since_barrier_,
                  .barriers = barriers_,
                  .warp_before = known_of_warp(thread)};
  block_fences_[thread] = now;
  has_fences_ = true;
  if (scope == Scope::block) return;
  Fence& fence = fences_[thread];
  if (fence.own_before == 0 || fence.barriers != barriers_) ++fences_since_barrier_;
  fence = now;
}

LaneClocks BlockOrder::known_of_warp(unsigned thread) const {
  const unsigned number = warp_size_.warp_of(thread);
  const Warp& warp = warps_[number];
  LaneClocks known{};
  if (warp.has_clock) known = warp_clocks_[number][warp_size_.lane_of(thread)];
  for (unsigned lane = 0; lane < warp_size_.lanes(); ++lane)
    known[lane] = std::max(known[lane], warp.all_before);
  return known;
}

// Returns what a fence releases: the thread's earlier accesses, its vector clock at the fence, and the
// accesses before other lanes' fences that happen before.
LaneClocks BlockOrder::published_of_warp(const std::vector<Fence>& fences, unsigned thread, std::uint32_t own,
                                         std::uint32_t others) const {
  LaneClocks published = fences[thread].warp_before;
  const LaneClocks known = known_of_warp(thread);
  const unsigned mine = warp_size_.lane_of(thread), first = thread - mine;
  for (unsigned lane = 0; lane < warp_size_.lanes(); ++lane) {
    const std::uint32_t lane_before = fences[first + lane].own_before;
    if (lane_before <= known[lane]) published[lane] = std::max(published[lane], lane_before);
    published[lane] = std::max(published[lane], others);
  }
  published[mine] = own;
  return published;
}

void BlockOrder::release(unsigned thread, std::uintptr_t variable, Scope scope) {
  const Fence& fence = fences_[thread];
  const Fence& block_fence = block_fences_[thread];
  const std::uint32_t own = std::max(fence.own_before, all_fenced_before_);
  const std::uint32_t others = std::max(fence.others_before, all_fenced_before_);
  if (own != 0 && scope == Scope::device)
    releases_.add({.variable = variable,
                   .block = block_,
                   .warp = warp_size_.warp_of(thread),
                   .warp_before = published_of_warp(fences_, thread, own, others),
                   .others_before = others,
                   .time = next_});
  if (block_fence.own_before > own || (own != 0 && scope == Scope::block)) {
    const std::uint32_t own_in_block = std::max(own, block_fence.own_before);
    const std::uint32_t others_in_block = std::max(others, block_fence.others_before);
    releases_.add({.variable = variable,
                   .block = block_,
                   .warp = warp_size_.warp_of(thread),
                   .warp_before = published_of_warp(block_fences_, thread, own_in_block, others_in_block),
                   .others_before = others_in_block,
                   .scope = Scope::block,
                   .time = next_});
  }
}

void BlockOrder::acquire(unsigned thread, std::uintptr_t variable, Scope scope) {
  if (!releases_.has(variable)) return;
  const unsigned warp = warp_size_.warp_of(thread);
  const std::uint32_t segment = segment_of(warp);
  std::uint32_t& latest = warps_[warp].latest_acquisition;
  for (std::uint32_t at = latest; at != 0; at = acquisitions_[at - 1].earlier) {
    Acquisition& earlier = acquisitions_[at - 1];
    if (earlier.segment != segment) break;  // the others are earlier
    if (earlier.variable != variable || earlier.thread != thread || earlier.scope != scope) continue;
    earlier.releases_end = releases_.end();
    earlier.time = next_;
    releases_.repeat(earlier.in_log, earlier.releases_end);
    return;
  }
  if (acquisitions_.size() == max_acquisitions) join_acquisitions();
  if (forgot_acquisitions_) return;
  const std::uint32_t end = releases_.end();
  const std::uint32_t in_log =
      scope == Scope::device
          ? releases_.keep({variable, end, segment, warp_size_.lane_of(thread)}, segments_[segment])
          : 0;
  acquisitions_.push_back({.variable = variable,
                           .releases_end = end,
                           .segment = segment,
                           .thread = thread,
                           .scope = scope,
                           .time = next_,
                           .earlier = latest,
                           .in_log = in_log});
  latest = static_cast<std::uint32_t>(acquisitions_.size());
}

// Keeps one acquisition of each variable by each thread, with the segment of the first and the releases of
// the last. So too much counts as ordered, but only for other threads.
void BlockOrder::join_acquisitions() {
  constexpr std::size_t max_kept = max_acquisitions / 2;
  std::size_t count = 0;
  for (const Acquisition& next : acquisitions_) {
    const auto end = acquisitions_.begin() + static_cast<std::ptrdiff_t>(count);
    const auto same = std::find_if(acquisitions_.begin(), end, [&](const Acquisition& other) {
      return other.variable == next.variable && other.thread == next.thread && other.scope == next.scope;
    });
    if (same == end) {
      acquisitions_[count++] = next;
    } else {
      same->releases_end = next.releases_end;
      same->time = next.time;
    }
  }
  acquisitions_.resize(count);
  for (Warp& warp : warps_) warp.latest_acquisition = 0;
  forgot_acquisitions_ = count > max_kept;
}

// ---- Happens-before ---------------------------------------------------------------------------------------

bool BlockOrder::happens_before(std::uint32_t number, unsigned lane, unsigned thread) const {
  const Segment& past = segments_[number];
  if (past.block == block_ && is_before_in_block(past, number, lane, thread)) return true;
  return releases_.is_used() && is_published(past, number, lane, thread);
}

bool BlockOrder::is_before_in_block(const Segment& past, std::uint32_t number, unsigned lane,
                                    unsigned thread) const {
  if (number < first_since_barrier_) return true;
  if (!phases_.empty() && number < waited_before_[warp_size_.warp_of(thread)][past.warp]) return true;
  if (past.warp != warp_size_.warp_of(thread)) return false;
  const Warp& warp = warps_[past.warp];
  const unsigned mine = warp_size_.lane_of(thread);
  return lane == mine || number < warp.all_before ||
         (warp.has_clock && number < warp_clocks_[past.warp][mine][lane]);
}

// Returns whether the acquire is the thread's own, or happens before its next access.
bool BlockOrder::is_known(const Acquisition& acquisition, unsigned thread) const {
  return acquisition.thread == thread ||
         is_before_in_block(segments_[acquisition.segment], acquisition.segment,
                            warp_size_.lane_of(acquisition.thread), thread);
}

// Returns whether one of the acquires that the thread knows of passes the test; the last one comes first,
// since it is mostly the one that matters.
template <class Test>
bool BlockOrder::any_acquisition(unsigned thread, const Test& test) const {
  return forgot_acquisitions_ ||
         std::any_of(acquisitions_.rbegin(), acquisitions_.rend(), [&](const Acquisition& acquisition) {
           return is_known(acquisition, thread) && test(acquisition);
         });
}

bool BlockOrder::is_published(const Segment& past, std::uint32_t number, unsigned lane,
                              unsigned thread) const {
  const bool is_in_block = past.block == block_;
  // Releases found not to have the access, so that earlier acquires of them are skipped.
  std::array<ReleasesBelow, 8> seen{};
  std::size_t count = 0;
  return any_acquisition(thread, [&](const Acquisition& acquisition) {
    const std::uintptr_t variable = acquisition.variable;
    const std::uint32_t end = acquisition.releases_end;
    const bool is_too_early = is_in_block && acquisition.time <= number;
    const bool is_seen = std::any_of(seen.begin(), seen.begin() + count, [&](const ReleasesBelow& releases) {
      return releases.contain({variable, end});
    });
    if (is_seen || is_too_early || (acquisition.scope == Scope::block && !is_in_block)) return false;
    if (releases_.covers(variable, end, past, lane, number, is_in_block)) return true;
    if (acquisition.scope == Scope::block) return false;
    if (count < seen.size()) seen[count++] = {variable, end};
    return releases_.passes_on(variable, end, past, lane, number);
  });
}

bool BlockOrder::has_acquired(std::uintptr_t variable, unsigned thread) const {
  return any_acquisition(thread,
                         [&](const Acquisition& acquisition) { return acquisition.variable == variable; });
}

bool BlockOrder::has_acquired_from(std::uint32_t block, std::uintptr_t variable, unsigned thread) const {
  const bool is_in_block = block == block_;
  return any_acquisition(thread, [&](const Acquisition& acquisition) {
    return acquisition.variable == variable && (acquisition.scope == Scope::device || is_in_block) &&
           releases_.has_from(block, variable, acquisition.releases_end, is_in_block);
  });
}

}  // namespace gpulab::simulator::watch
