#include "simulator/check/segments.hpp"

namespace gpulab::simulator::check {

namespace {

// Who waits for a lock comes to it again and again.
bool says_the_same(const ReleaseLog::Release& a, const ReleaseLog::Release& b) {
  return a.variable == b.variable && a.block == b.block && a.warp == b.warp &&
         a.warp_before == b.warp_before && a.others_before == b.others_before && a.scope == b.scope;
}

}  // namespace

void ReleaseLog::clear() {
  if (!is_used()) return;
  releases_.clear();
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
  auto& latest = latest_[hash(release.block)];
  if (says_the_same(releases_[latest.load(std::memory_order_relaxed)], release)) return;
  releases_[number] = release;
  releases_[number].earlier = latest.load(std::memory_order_relaxed);
  variables_[hash(release.variable)].store(true, std::memory_order_release);
  latest.store(number, std::memory_order_release);
  count_.store(number + 1, std::memory_order_release);
}

// When the log is full, everything counts as known: better no report than a false one.
bool ReleaseLog::covers(std::uintptr_t variable, std::uint32_t end, std::uint32_t block, std::uint32_t thread,
                        std::uint32_t segment, bool is_in_block) const {
  if (is_full_.load(std::memory_order_relaxed)) return true;
  std::uint32_t number = latest_[hash(block)].load(std::memory_order_acquire);
  for (; number != 0; number = releases_[number].earlier) {
    const Release& release = releases_[number];
    if (number >= end || release.block != block || release.variable != variable) continue;
    if (release.scope == Scope::block && !is_in_block) continue;
    const bool is_in_warp = release.warp == thread / release.warp_before.size();
    const std::uint32_t before =
        is_in_warp ? release.warp_before[thread % release.warp_before.size()] : release.others_before;
    if (segment < before) return true;
  }
  return false;
}

}  // namespace gpulab::simulator::check
