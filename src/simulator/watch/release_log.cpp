#include "simulator/watch/release_log.hpp"

#include <algorithm>

namespace gpulab::simulator::watch {

// A thread that waits for a lock adds the same release again and again.
bool ReleaseLog::is_repeated(std::uint32_t number, const Release& release) const {
  const Kept& last = releases_[number];
  return last.variable == release.variable && last.block == release.block && last.warp == release.warp &&
         last.others_before == release.others_before && last.scope == release.scope &&
         std::equal(clock_of(number), clock_of(number + 1), release.warp_before.begin());
}

void ReleaseLog::clear() {
  if (!is_used()) return;
  releases_.clear();
  clocks_.clear();
  acquires_.clear();
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
                       latest.load(std::memory_order_relaxed)};
  std::copy_n(release.warp_before.begin(), lanes_, clock_of(number));
  if (first_variable_ == 0) first_variable_ = release.variable;
  if (first_variable_ != release.variable) has_several_variables_ = true;
  variables_[hash(release.variable)].store(true, std::memory_order_release);
  latest.store(number, std::memory_order_release);
  count_.store(number + 1, std::memory_order_release);
}

// When the log is full, everything counts as published: a missed race is better than a false report.
bool ReleaseLog::covers(std::uintptr_t variable, std::uint32_t end, const Segment& past, unsigned lane,
                        std::uint32_t segment, bool is_in_block) const {
  if (is_full_.load(std::memory_order_relaxed)) return true;
  std::uint32_t number = latest_[chain_of(past.block, variable)].load(std::memory_order_acquire);
  for (; number != 0; number = releases_[number].earlier) {
    const Kept& release = releases_[number];
    if (release.block != past.block || release.variable != variable) continue;
    // The access is later than this release, and than all earlier ones.
    if (release.time <= segment && segment != 0) return false;
    if (number >= end) continue;
    if (release.scope == Scope::block && !is_in_block) continue;
    const std::uint32_t before = release.warp == past.warp ? clock_of(number)[lane] : release.others_before;
    if (segment < before) return true;
  }
  return false;
}

std::uint32_t ReleaseLog::keep(const Acquire& acquire) {
  const std::lock_guard lock(mutex_);
  if (acquires_.size() == max_acquires) return 0;
  acquires_.push_back(acquire);
  return static_cast<std::uint32_t>(acquires_.size());
}

void ReleaseLog::repeat(std::uint32_t acquire, std::uint32_t end) {
  const std::lock_guard lock(mutex_);
  if (acquire != 0) acquires_[acquire - 1].end = end;
}

// Goes back from the acquire to those that happen before it, and on from these.
bool ReleaseLog::passes_on(const Acquire& acquire, const Segment& past, unsigned lane, std::uint32_t segment,
                           const SegmentTable& segments) {
  if (!has_several_variables_) return false;
  const std::lock_guard lock(mutex_);
  constexpr std::size_t most = 32;  // variables of a chain
  std::array<Acquire, most> reached{acquire};
  std::size_t count = 1;
  const auto is_reached = [&](const Acquire& one) {
    return std::any_of(reached.begin(), reached.begin() + count, [&](const Acquire& other) {
      return other.variable == one.variable && other.end >= one.end;
    });
  };
  for (std::size_t i = 0; i < count; ++i)
    for (const Acquire& before : acquires_) {
      if (is_reached(before) || !covers(reached[i].variable, reached[i].end, segments[before.segment],
                                        before.lane, before.segment, false))
        continue;
      if (count == most || covers(before.variable, before.end, past, lane, segment, false)) return true;
      reached[count++] = before;
    }
  return false;
}

}  // namespace gpulab::simulator::watch
