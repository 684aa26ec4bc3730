#include "simulator/watch/race_check.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <bit>

#include "simulator/watch/block_checker.hpp"

namespace gpulab::simulator::watch {

RaceCheck::Conflicts RaceCheck::record_in_history(MemoryShadow& shadow, bool is_shared, std::size_t word,
                                                  const AccessRecord& mine, unsigned thread,
                                                  bool is_volatile_load) {
  Cell cell(shadow.cell(word));
  const LaunchWatch::HistoryLock lock(watch_, word);
  for (;;) {
    const AccessRecord old(cell.load(std::memory_order_acquire));
    const std::uint32_t first = first_segment(is_shared);
    const bool is_kept = old.segment() >= first && old.kind() == AccessRecord::history;
    const std::uintptr_t address = shadow.memory().begin + word * MemoryShadow::word_bytes;
    if (is_kept && std::has_single_bit(mine.bytes())) {
      ByteHistory& byte = shadow.history(word)[static_cast<std::size_t>(std::countr_zero(mine.bytes()))];
      byte.forget_before(first);
      return add_to_history(byte, mine, thread, address, is_volatile_load);
    }
    WordHistory history =
        is_kept ? shadow.history(word) : history_of(old.segment() >= first ? old : AccessRecord{});
    Conflicts conflicts;
    // History of the previous byte, before and after this access. The next byte's is mostly the same.
    ByteHistory before, after;
    bool has_previous = false;
    for (unsigned byte = 0; byte < history.size(); ++byte) {
      history[byte].forget_before(first);
      if (!(mine.bytes() >> byte & 1)) continue;
      if (has_previous && history[byte] == before) {
        history[byte] = after;
        continue;
      }
      before = history[byte];
      const Conflicts of_byte = add_to_history(history[byte], mine, thread, address, is_volatile_load);
      if (conflicts.empty()) conflicts = of_byte;
      after = history[byte];
      has_previous = true;
    }
    AccessRecord updated;
    if (!try_merge(history, updated)) {
      shadow.history(word) = history;
      updated = AccessRecord(AccessRecord::history, mine.segment(), 0, 0, 0);
    }
    // While the cell says `history`, it changes only under the lock.
    if (replace(cell, old, updated, is_shared)) return conflicts;
  }
}

RaceCheck::Conflicts RaceCheck::find_conflicts_with_writes(const MemoryShadow& shadow, bool is_shared,
                                                           std::size_t word, unsigned bytes,
                                                           unsigned thread) {
  const LaunchWatch::HistoryLock lock(watch_, word);
  Conflicts conflicts;
  const std::uint32_t first = first_segment(is_shared);
  const WordHistory history = history_at(shadow, word, first);
  for (unsigned byte = 0; byte < history.size() && conflicts.empty(); ++byte)
    if ((bytes >> byte & 1) && history[byte].write.segment() >= first)
      conflicts.add(conflict_with(history[byte].write, thread));
  return conflicts;
}

std::optional<RaceCheck::Conflict> RaceCheck::find_lost_update(const MemoryShadow& shadow, std::size_t word,
                                                               unsigned bytes, unsigned thread) {
  const LaunchWatch::HistoryLock lock(watch_, word);
  const std::uint32_t first = watch_.first_segment();
  const std::uintptr_t address = shadow.memory().begin + word * MemoryShadow::word_bytes;
  const WordHistory history = history_at(shadow, word, first);
  for (unsigned byte = 0; byte < history.size(); ++byte) {
    const AccessRecord& past = history[byte].atomic;
    if (!(bytes >> byte & 1) || past.segment() < first) continue;
    // A thread that waits for the word to change hands, as with a ticket lock, has acquired the last owner's
    // release.
    if (order_.has_acquired_from(order_.segment(past.segment()).block, address, thread)) continue;
    if (const std::optional<Conflict> conflict = conflict_with(past, thread)) return conflict;
  }
  return std::nullopt;
}

WordHistory RaceCheck::history_at(const MemoryShadow& shadow, std::size_t word, std::uint32_t first) const {
  const AccessRecord now(Cell(shadow.cell(word)).load(std::memory_order_acquire));
  if (now.segment() < first) return {};
  return now.kind() == AccessRecord::history ? shadow.history(word) : history_of(now);
}

// Adds an access to a byte's history, and returns its conflicts with the accesses before.
RaceCheck::Conflicts RaceCheck::add_to_history(ByteHistory& byte, const AccessRecord& mine, unsigned thread,
                                               std::uintptr_t address, bool is_volatile_load) const {
  Conflicts conflicts;
  conflicts.add(conflict_with(byte.write, thread));
  // A plain access after an acquire of the variable is ordered after the atomics that published it.
  const bool is_plain = mine.kind() != AccessRecord::atomic;
  if (is_volatile_load) {
    if (watch_.sites.is_volatile_store(byte.atomic) && !order_.has_acquired(address, thread))
      conflicts.add(conflict_with(byte.atomic, thread), /*is_volatile=*/true);
    byte.volatile_read = joined(byte.volatile_read, mine, thread);
    return conflicts;
  }
  if (!is_plain && watch_.sites.is_volatile_store(mine))
    conflicts.add(conflict_with(byte.volatile_read, thread), /*is_volatile=*/true);
  if (is_plain ? !order_.has_acquired(address, thread) : !are_atomic_together(byte.atomic, mine))
    conflicts.add(conflict_with(byte.atomic, thread));
  if (mine.kind() != AccessRecord::load) conflicts.add(conflict_with(byte.read, thread));
  if (mine.kind() == AccessRecord::store) {
    byte = {.write = mine, .atomic = {}, .read = {}, .volatile_read = {}};
  } else if (mine.kind() == AccessRecord::atomic) {
    byte.atomic = joined(byte.atomic, mine, thread);
  } else if (conflicts.empty() && !byte.write.is_of_same_thread_and_segment(mine)) {
    byte.read = joined(byte.read, mine, thread);
  }
  return conflicts;
}

// Returns whether two atomics do not race. A block-scope atomic races with those of other blocks.
bool RaceCheck::are_atomic_together(const AccessRecord& past, const AccessRecord& mine) const {
  if (past.segment() == 0 || !(past.has_block_scope() || mine.has_block_scope())) return true;
  return order_.segment(past.segment()).block == order_.block();
}

// Merges two records of reads or of atomics. Keeps the earlier record, unless its access happens before the
// later one's.
AccessRecord RaceCheck::joined(AccessRecord past, const AccessRecord& mine, unsigned thread) const {
  if (past.segment() == 0 || is_before_grid_barrier(past)) return mine;
  if (mine.has_block_scope()) past = past.with_block_scope();
  if (past.segment() == mine.segment())
    return past.lane() == mine.lane() || past.has_other_thread() ? past : past.with_other_thread(thread);
  if (order_.segment(past.segment()).block != order_.block()) return past.with_other_block();
  if (!order_.happens_before(past.segment(), past.lane(), thread))
    return past.has_other_thread() ? past : past.with_other_thread(thread);
  const WarpSize size = order_.warp_size();
  AccessRecord latest = mine;
  if (past.has_other_block()) latest = latest.with_other_block();
  const bool is_other_unordered = past.segment() >= order_.first_since_barrier() && past.has_other_thread() &&
                                  size.warp_of(past.other_thread()) != size.warp_of(thread);
  return is_other_unordered ? latest.with_other_thread(past.other_thread()) : latest;
}

std::optional<RaceCheck::Conflict> RaceCheck::conflict_with(const AccessRecord& past, unsigned thread) const {
  if (past.segment() == 0 || is_before_grid_barrier(past)) return std::nullopt;
  const Segment& segment = order_.segment(past.segment());
  Conflict conflict{.past = past, .has_thread = true, .block = segment.block};
  if (!order_.happens_before(past.segment(), past.lane(), thread)) {
    conflict.thread = order_.warp_size().thread_of(segment.warp, past.lane());
    return conflict;
  }
  if (past.has_other_thread() && !other_thread_is_before(past, thread)) {
    conflict.thread = past.other_thread();
    return conflict;
  }
  if (past.has_other_block() && segment.block == order_.block() && !order_.has_releases()) {
    conflict.has_thread = false;
    return conflict;
  }
  return std::nullopt;
}

// Returns whether the record's other thread made its access before this thread's. The record keeps no segment
// for the other thread. Its access lies between the same two barriers as the recorded one; if both threads
// are in one warp, in the same segment.
bool RaceCheck::other_thread_is_before(const AccessRecord& past, unsigned thread) const {
  const Segment& segment = order_.segment(past.segment());
  if (past.other_thread() == thread || segment.block != order_.block() || order_.has_releases() ||
      order_.has_phases())
    return true;
  if (past.segment() < order_.first_since_barrier()) return true;
  const WarpSize size = order_.warp_size();
  if (size.warp_of(past.other_thread()) != size.warp_of(thread)) return false;
  return segment.warp != size.warp_of(thread) ||
         order_.happens_before(past.segment(), size.lane_of(past.other_thread()), thread);
}

// How a BlockChecker explains an address outside the launch's memory.

namespace {

// Maximum distance at which an out-of-bounds address is still attributed to an object.
constexpr std::uintptr_t max_distance_to_allocation = std::uintptr_t{64} << 20,
                         max_distance_to_variable = 4096, max_distance_to_shared = 4096;

// Returns whether the address is mapped in this process.
bool is_mapped(std::uintptr_t address) {
  const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  unsigned char is_resident = 0;
  return ::mincore(reinterpret_cast<void*>(address / page_bytes * page_bytes), 1, &is_resident) == 0;
}

std::uintptr_t distance(std::uintptr_t address, const AddressRange& range) {
  if (address < range.begin) return range.begin - address;
  return address - range.begin < range.bytes ? 0 : address - range.begin - range.bytes;
}

}  // namespace

BlockChecker::Verdict BlockChecker::on_unwatched_memory(unsigned thread, const MemoryAccess& access) {
  // A thread's local variables lie above this function's frame on the same stack.
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (access.address - frame < stack_bytes) {
    // Local variables are not counted as memory, but a loop over them must end, too.
    if (++uncounted_own_ % own_accesses_per_count == 0 && ++uncounted_ >= batch_size && !count_batch(thread))
      return Verdict::over_limit;
    return Verdict::go_on;
  }
  if (access.operation == MemoryAccess::Operation::load && watch_.module_image().contains(access.address))
    return Verdict::go_on;
  FoundDefect defect = defect_at(DefectKind::out_of_bounds, thread, access, nullptr);
  const auto is_near_shared = [&](std::uintptr_t address) {
    return distance(address, shared_.memory()) < max_distance_to_shared;
  };
  // An unsigned index below 0 wraps round, and leads to an element that is 2^32 further.
  const std::uintptr_t wrapped = access.address - (std::uintptr_t{access.bytes} << 32);
  const bool is_wrapped =
      !nearest_region(access.address) && (is_near_shared(wrapped) || nearest_region(wrapped));
  if (is_wrapped) {
    defect.address = wrapped;
    std::snprintf(defect.detail, sizeof defect.detail,
                  "an unsigned index below 0 wraps round to a large number");
  }
  if (is_near_shared(defect.address)) {
    defect.kind = DefectKind::shared_out_of_bounds;
    name_shared_variable(defect);
    if (defect.memory.bytes == 0 && !shared_variables_.empty()) {
      defect.memory = shared_variables_.front().range;
      defect.variable = shared_variables_.front().name;
    }
    return stop_with(defect);
  }
  const WatchedRegion* const near = nearest_region(defect.address);
  defect.memory = near ? near->allowed : AddressRange{};
  const bool is_null_of_malloc = access.address < 4096 && watch_.heap().was_full();
  defect.variable = near ? near->variable : is_null_of_malloc ? Defect::Memory::of_full_heap : "";
  if (!near && is_mapped(access.address)) defect.kind = DefectKind::host_pointer;
  return stop_with(defect);
}

// Returns the nearest region; null when the address is too far from every one.
const WatchedRegion* BlockChecker::nearest_region(std::uintptr_t address) const {
  const WatchedRegion* nearest = nullptr;
  for (const WatchedRegion& region : watch_.regions()) {
    const std::uintptr_t limit =
        region.variable[0] == '\0' ? max_distance_to_allocation : max_distance_to_variable;
    const std::uintptr_t gap = distance(address, region.allowed);
    if (gap < limit && (!nearest || gap < distance(address, nearest->allowed))) nearest = &region;
  }
  return nearest;
}

}  // namespace gpulab::simulator::watch
