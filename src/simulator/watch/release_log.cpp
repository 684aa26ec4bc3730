#include "simulator/watch/release_log.hpp"

#include <algorithm>

namespace gpulab::simulator::watch {

template <class T>
ReleaseLog::Link ReleaseLog::link_to(const ReservedArray<T>& entries, std::uint32_t latest) {
  // Two jumps by shortcuts lead from the latest entry back. If they are of equal length, the new entry's
  // shortcut spans both.
  const Link& last = entries[latest].link;
  const Link& after_one_jump = entries[last.shortcut].link;
  const bool are_equal = last.length - after_one_jump.length ==
                         after_one_jump.length - entries[after_one_jump.shortcut].link.length;
  return {latest, are_equal ? after_one_jump.shortcut : latest, last.length + 1};
}

template <class T, class IsTooLate>
std::uint32_t ReleaseLog::latest_of(const ReservedArray<T>& entries, std::uint32_t latest,
                                    const IsTooLate& is_too_late) {
  while (latest != 0 && is_too_late(latest)) {
    const Link& link = entries[latest].link;
    latest = link.shortcut != 0 && is_too_late(link.shortcut) ? link.shortcut : link.earlier;
  }
  return latest;
}

// Returns whether the entry equals the release, except for its time: a thread that waits for a lock adds the
// same release again and again.
bool ReleaseLog::is_repeated(std::uint32_t number, const Release& release) const {
  const ReleaseEntry& entry = releases_[number];
  return entry.variable == release.variable && entry.block == release.block && entry.warp == release.warp &&
         entry.others_before == release.others_before && entry.scope == release.scope &&
         std::equal(clock_of(number), clock_of(number + 1), release.warp_before.begin());
}

void ReleaseLog::clear() {
  if (!is_used()) return;
  releases_.clear();
  clocks_.clear();
  acquires_.clear();
  acquirers_.clear();
  first_acquirer_.fill(0);
  acquire_count_ = 1;
  forgot_acquires_ = false;
  first_variable_ = 0;
  has_several_variables_ = false;
  count_ = 1;
  is_full_ = false;
  for (auto& latest : latest_) latest = 0;
  for (auto& variable : variables_) variable = false;
}

bool ReleaseLog::has(std::uintptr_t variable) const {
  return variables_[hash(variable)].load(std::memory_order_acquire);
}

void ReleaseLog::add(const Release& release) {
  const std::lock_guard lock(mutex_);
  const std::uint32_t number = count_.load(std::memory_order_relaxed);
  if (number == max_releases) {
    is_full_ = true;
    return;
  }
  auto& latest = latest_[chain_of(release.block, release.variable)];
  if (is_repeated(latest.load(std::memory_order_relaxed), release)) return;
  releases_[number] = {release.variable,
                       release.block,
                       release.warp,
                       release.others_before,
                       release.scope,
                       release.time,
                       link_to(releases_, latest.load(std::memory_order_relaxed))};
  std::copy_n(release.warp_before.begin(), lanes_, clock_of(number));
  if (first_variable_ == 0) first_variable_ = release.variable;
  if (first_variable_ != release.variable) has_several_variables_ = true;
  variables_[hash(release.variable)].store(true, std::memory_order_release);
  latest.store(number, std::memory_order_release);
  count_.store(number + 1, std::memory_order_release);
}

// Returns true for everything when the log is full: a missed race is better than a false report.
bool ReleaseLog::covers(std::uintptr_t variable, std::uint32_t end, const Segment& past, unsigned lane,
                        std::uint32_t segment, bool is_in_block) const {
  if (is_full_.load(std::memory_order_relaxed)) return true;
  std::uint32_t number =
      latest_of(releases_, latest_[chain_of(past.block, variable)].load(std::memory_order_acquire),
                [end](std::uint32_t candidate) { return candidate >= end; });
  for (; number != 0; number = releases_[number].link.earlier) {
    const ReleaseEntry& release = releases_[number];
    if (release.block != past.block || release.variable != variable) continue;
    // The access is later than this release, and than all earlier ones.
    if (release.time <= segment && segment != 0) return false;
    if (release.scope == Scope::block && !is_in_block) continue;
    const std::uint32_t covered_below =
        release.warp == past.warp ? clock_of(number)[lane] : release.others_before;
    if (segment < covered_below) return true;
  }
  return false;
}

// Returns the thread's acquirer of the variable, a new one if there is none; null if there are too many.
ReleaseLog::Acquirer* ReleaseLog::acquirer_of(const Acquire& acquire, const Segment& segment) {
  const std::uint64_t thread =
      std::uint64_t{segment.block} << 12 | std::uint64_t{segment.warp} << 6 | acquire.lane;
  std::uint32_t& first = first_acquirer_[hash(acquire.variable ^ hash(thread) << 32)];
  for (std::uint32_t at = first; at != 0; at = acquirers_[at - 1].next)
    if (Acquirer& known = acquirers_[at - 1];
        known.variable == acquire.variable && known.lane == acquire.lane &&
        known.thread.block == segment.block && known.thread.warp == segment.warp)
      return &known;
  if (acquirers_.size() == max_acquirers) return nullptr;
  acquirers_.push_back({acquire.variable, segment, acquire.lane, 0, first});
  first = static_cast<std::uint32_t>(acquirers_.size());
  return &acquirers_.back();
}

std::uint32_t ReleaseLog::keep(const Acquire& acquire, const Segment& segment) {
  const std::lock_guard lock(mutex_);
  Acquirer* const acquirer = acquire_count_ < max_acquires ? acquirer_of(acquire, segment) : nullptr;
  if (!acquirer) {
    forgot_acquires_ = true;
    return 0;
  }
  acquires_[acquire_count_] = {acquire.end, acquire.segment, link_to(acquires_, acquirer->latest)};
  return acquirer->latest = acquire_count_++;
}

void ReleaseLog::repeat(std::uint32_t acquire, std::uint32_t end) {
  const std::lock_guard lock(mutex_);
  if (acquire != 0) acquires_[acquire].end = end;
}

// Searches backwards: from the given acquire to the last acquires of each thread that happen before it, then
// on from these. Returns true if it meets too many variables, so that too much counts as ordered.
bool ReleaseLog::passes_on(std::uintptr_t variable, std::uint32_t end, const Segment& past, unsigned lane,
                           std::uint32_t segment) {
  if (!has_several_variables_) return false;
  const std::lock_guard lock(mutex_);
  if (forgot_acquires_) return true;
  constexpr std::size_t max_reached = 32;  // variables of a chain
  std::array<ReleasesBelow, max_reached> reached{{{variable, end}}};
  std::size_t count = 1;
  const auto is_reached = [&](const ReleasesBelow& releases) {
    return std::any_of(reached.begin(), reached.begin() + count,
                       [&](const ReleasesBelow& other) { return other.contain(releases); });
  };
  for (std::size_t i = 0; i < count; ++i)
    for (const Acquirer& acquirer : acquirers_) {
      if (latest_[chain_of(acquirer.thread.block, reached[i].variable)].load(std::memory_order_relaxed) == 0)
        continue;  // its block has released nothing there
      const std::uint32_t number = latest_of(acquires_, acquirer.latest, [&](std::uint32_t acquire) {
        return !covers(reached[i].variable, reached[i].end, acquirer.thread, acquirer.lane,
                       acquires_[acquire].segment, /*is_in_block=*/false);
      });
      const ReleasesBelow acquired{acquirer.variable, acquires_[number].end};
      if (number == 0 || is_reached(acquired)) continue;
      if (count == max_reached ||
          covers(acquired.variable, acquired.end, past, lane, segment, /*is_in_block=*/false))
        return true;
      reached[count++] = acquired;
    }
  return false;
}

}  // namespace gpulab::simulator::watch
