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
  std::uint32_t index = free_;
  if (index != 0) {
    free_ = copies_[index].next;
    copies_[index] = copy;
  } else {
    index = static_cast<std::uint32_t>(copies_.size());
    copies_.push_back(copy);
  }
  const std::size_t chain = copy.barrier ? max_threads : copy.thread;
  (first_[chain] ? copies_[last_[chain]].next : first_[chain]) = index;
  last_[chain] = index;
  ++in_flight_;
  return true;
}

// Unlinks a copy from its chain. `previous` is the index of the copy before it; 0 if it is the first.
const AsyncCopy* AsyncCopies::unlink(std::size_t chain, std::uint32_t index, std::uint32_t previous) {
  AsyncCopy& copy = copies_[index];
  (previous ? copies_[previous].next : first_[chain]) = copy.next;
  if (copy.next == 0) last_[chain] = previous;
  copy.next = free_;
  free_ = index;
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
  std::uint32_t previous = 0;
  for (std::uint32_t index = first_[max_threads]; index != 0; index = copies_[index].next) {
    if (copies_[index].barrier == barrier) return unlink(max_threads, index, previous);
    previous = index;
  }
  return nullptr;
}

const AsyncCopy* AsyncCopies::find(std::uintptr_t address, std::size_t bytes) const {
  for (const std::uint32_t first : first_)
    for (std::uint32_t index = first; index != 0; index = copies_[index].next)
      if (copies_[index].overlaps(address, bytes)) return &copies_[index];
  return nullptr;
}

// The part of a BlockChecker for asynchronous copies. The target of a copy in flight is marked as memory that
// may not be accessed. Every access looks at that mark anyway, so no access costs more.

// Returns whether the bytes are in shared memory, may be accessed, and no copy to them is in flight.
bool BlockChecker::is_allowed(std::uintptr_t address, std::size_t bytes) const {
  const std::size_t begin = address - shared_.memory().begin, end = begin + bytes;
  if (begin >= shared_.memory().bytes || bytes > shared_.memory().bytes - begin) return false;
  for (std::size_t word = begin / MemoryShadow::word_bytes; word * MemoryShadow::word_bytes < end; ++word)
    if (bytes_of_word(word, begin, end) & ~unsigned{shared_.states()[word]}) return false;
  return true;
}

void BlockChecker::start_copy(const AsyncCopy& copy) {
  if (flags_.has_race_of_stores) {  // the copy writes later, so its source says whether the values are equal
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

// Adds the race of an access with a copy in flight. Returns false if no such copy writes the bytes.
bool BlockChecker::add_race_with_copy(unsigned thread, const MemoryAccess& access) {
  const AsyncCopy* const copy = copies_.is_empty() ? nullptr : copies_.find(access.address, access.bytes);
  if (!copy) return false;
  FoundDefect race = defect_at(DefectKind::shared_race, thread, access, nullptr);
  race.has_other = true;
  race.other = {.pc = copy->pc,
                .access = DefectAccess::store,
                .has_thread = true,
                .block = order_.block(),
                .thread = copy->thread};
  race.is_with_async_copy = true;
  add(race);
  return true;
}

}  // namespace gpulab::simulator::watch
