#include "simulator/watch/async_copies.hpp"

#include <algorithm>
#include <cstring>

#include "simulator/watch/block_checker.hpp"

namespace gpulab::simulator::watch {

AsyncCopies::AsyncCopies() : first_(max_threads + 1), last_(max_threads + 1) {
  copies_.reserve(capacity);
  copies_.emplace_back();
}

void AsyncCopies::start_block() {
  if (!std::exchange(is_used_, false)) return;
  in_flight_ = 0;
  free_ = 0;
  copies_.resize(1);
  std::ranges::fill(first_, 0);
  committed_.fill(0);
}

bool AsyncCopies::add(AsyncCopy copy) {
  if (free_ == 0 && copies_.size() == copies_.capacity()) return false;
  is_used_ = true;
  copy.group = committed_[copy.thread];
  copy.next = 0;
  std::uint32_t place = free_;
  if (place != 0) {
    free_ = copies_[place].next;
    copies_[place] = copy;
  } else {
    place = static_cast<std::uint32_t>(copies_.size());
    copies_.push_back(copy);
  }
  const std::size_t chain = copy.barrier ? max_threads : copy.thread;
  (first_[chain] ? copies_[last_[chain]].next : first_[chain]) = place;
  last_[chain] = place;
  ++in_flight_;
  return true;
}

// Unlinks the copy at `place` from its chain. `before` is the place before it; 0 if it is the first.
const AsyncCopy* AsyncCopies::unlink(std::size_t chain, std::uint32_t place, std::uint32_t before) {
  AsyncCopy& copy = copies_[place];
  (before ? copies_[before].next : first_[chain]) = copy.next;
  if (copy.next == 0) last_[chain] = before;
  copy.next = free_;
  free_ = place;
  --in_flight_;
  return &copy;
}

const AsyncCopy* AsyncCopies::take(unsigned thread, unsigned groups_to_keep) {
  if (is_empty() || first_[thread] == 0) return nullptr;
  const bool is_done = copies_[first_[thread]].group + groups_to_keep < committed_[thread];
  return is_done ? unlink(thread, first_[thread], 0) : nullptr;
}

const AsyncCopy* AsyncCopies::take_of_barrier(std::uintptr_t barrier) {
  if (is_empty()) return nullptr;
  std::uint32_t before = 0;
  for (std::uint32_t place = first_[max_threads]; place != 0; place = copies_[place].next) {
    if (copies_[place].barrier == barrier) return unlink(max_threads, place, before);
    before = place;
  }
  return nullptr;
}

const AsyncCopy* AsyncCopies::find(std::uintptr_t address, std::size_t bytes) const {
  for (const std::uint32_t first : first_)
    for (std::uint32_t place = first; place != 0; place = copies_[place].next)
      if (copies_[place].overlaps(address, bytes)) return &copies_[place];
  return nullptr;
}

// The part of a BlockChecker for such copies. The target of a copy on its way is marked as not allowed, so
// other accesses cost nothing more.

// Returns whether the bytes are in shared memory, and no copy to them is on its way.
bool BlockChecker::is_allowed(std::uintptr_t address, std::size_t bytes) const {
  const std::size_t begin = address - shared_.memory().begin, end = begin + bytes;
  if (begin >= shared_.memory().bytes || bytes > shared_.memory().bytes - begin) return false;
  for (std::size_t word = begin / MemoryShadow::word_bytes; word * MemoryShadow::word_bytes < end; ++word)
    if (bytes_of_word(word, begin, end) & ~unsigned{shared_.states()[word]}) return false;
  return true;
}

void BlockChecker::start_copy(const AsyncCopy& copy) {
  if (flags_.has_race_of_stores) {  // the copy writes later, so its value is that of its source
    flags_.has_race_of_stores = false;
    race_of_stores_.is_note =
        copy.zeros == 0 && std::memcmp(reinterpret_cast<const void*>(copy.to),
                                       reinterpret_cast<const void*>(copy.from), copy.bytes) == 0;
    add(race_of_stores_);
  }
  if (is_allowed(copy.to, copy.bytes) && copies_.add(copy))
    shared_.set_allowed({copy.to, copy.bytes}, false);
  else
    move_bytes(copy);
}

void BlockChecker::move_bytes(const AsyncCopy& copy) {
  const std::size_t copied = copy.bytes - copy.zeros;
  std::memcpy(reinterpret_cast<void*>(copy.to), reinterpret_cast<const void*>(copy.from), copied);
  std::memset(reinterpret_cast<void*>(copy.to + copied), 0, copy.zeros);
}

const AsyncCopy* BlockChecker::take_copy(unsigned thread, unsigned groups_to_keep) {
  const AsyncCopy* const copy = copies_.take(thread, groups_to_keep);
  if (copy) shared_.set_allowed({copy->to, copy->bytes}, true);
  return copy;
}

void BlockChecker::on_end_of_phase(std::uintptr_t barrier) {
  order_.end_phase(barrier);
  while (const AsyncCopy* const copy = copies_.take_of_barrier(barrier)) {
    shared_.set_allowed({copy->to, copy->bytes}, true);
    move_bytes(*copy);
  }
}

// Adds the race of an access with a copy that is on its way. Returns false if there is none.
bool BlockChecker::add_race_with_copy(unsigned thread, const MemoryAccess& access) {
  const AsyncCopy* const copy = copies_.is_empty() ? nullptr : copies_.find(access.address, access.bytes);
  if (!copy) return false;
  FoundDefect race = defect_at(DefectKind::shared_race, thread, access, nullptr);
  race.has_other = true;
  race.other = {.pc = copy->pc,
                .access = DefectAccess::store,
                .has_place = true,
                .block = order_.block(),
                .thread = copy->thread};
  race.is_with_async_copy = true;
  add(race);
  return true;
}

}  // namespace gpulab::simulator::watch
