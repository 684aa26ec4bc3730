#include "simulator/watch/block_checker.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>

#include "base/text.hpp"
#include "simulator/watch/concurrent_ops.hpp"

namespace gpulab::simulator::watch {
namespace {

using Operation = MemoryAccess::Operation;

// Hashes by a multiplication, since the lower bits of array addresses are alike. The factor 8209 is a prime,
// so that neighbouring threads get different slots.
std::size_t slot_of(std::uintptr_t address, unsigned thread) {
  return (address + std::uintptr_t{thread} * 8209) * 0x9E3779B97F4A7C15u >> 52;
}

}  // namespace

void BlockChecker::start_launch(const AddressRange& shared, std::vector<SharedVariable> variables,
                                const AddressRange& index_variables, WarpSize warp_size) {
  order_.start_launch(warp_size);
  uncounted_ = uncounted_own_ = 0;
  changes_ = 0;
  batch_thread_ = batches_ = 0;
  flags_.has_taken_long = false;
  flags_.has_devices_or_swaps = watch_.has_other_devices() || watch_.compares_and_swaps();
  reads_.assign(watch_.compares_and_swaps() ? remembered_loads : 0, {});
  volatile_loads_.assign(remembered_loads, {});
  index_variables_ = index_variables;
  cached_ranges_.fill({});
  flags_.has_atomic = flags_.has_race_of_stores = false;
  shared_variables_ = std::move(variables);
  shared_ = MemoryShadow(shared);
  for (const SharedVariable& variable : shared_variables_) shared_.set_allowed(variable.range, true);
}

void BlockChecker::start_block(std::uint32_t block, unsigned threads) {
  for (const SharedVariable& variable : shared_variables_) {
    if (!copies_.is_empty()) shared_.set_allowed(variable.range, true);
    shared_.set_written(variable.range, variable.is_written);
  }
  copies_.start_block();
  undefined_values_.start_block();
  order_.start_block(block, threads);
  flags_.is_recording = watch_.records_block(block);
  std::fill_n(progress_.begin(), threads, Progress{});
  for (UnfencedStores& stores : std::span(unfenced_stores_).first(threads)) stores.count = 0;
  barrier_line_ = 0;
  flag_loads_.fill({});
}

[[gnu::noinline]] bool BlockChecker::try_mark_words_written(std::uint8_t* states, std::size_t begin,
                                                            std::size_t bytes) const {
  constexpr unsigned whole_word = 0xF;  // a bit for each of its bytes
  const std::size_t words = bytes / MemoryShadow::word_bytes;
  if (words == 0 || begin % MemoryShadow::word_bytes != 0 ||
      std::any_of(states, states + words,
                  [](std::uint8_t state) { return (state & whole_word) != whole_word; }))
    return false;
  for (std::size_t i = 0; i < words; ++i) watch_.set_written(states[i], whole_word);
  return true;
}

BlockChecker::Verdict BlockChecker::on_access(unsigned thread, const MemoryAccess& access) {
  if (index_variables_.contains(access.address))
    return Verdict::go_on;  // Clang hooks them although they are const
  settle_atomic();
  if (access.operation != Operation::load) settle_store();
  const std::size_t site = watch_.sites.number_of(access.pc);
  if (site == InstructionSites::none) return Verdict::out_of_ids;
  const std::size_t offset_in_shared = access.address - shared_.memory().begin;
  const bool is_shared =
      offset_in_shared < shared_.memory().bytes && access.bytes <= shared_.memory().bytes - offset_in_shared;
  // If the instruction's last access was to the same region, its range is cached.
  CachedRange& cached = cached_range(access.pc);
  const bool is_cached = cached.pc == access.pc && cached.range.contains(access.address);
  const WatchedRegion* const region = is_shared   ? nullptr
                                      : is_cached ? cached.region
                                                  : watch_.region_of(access.address);
  if (!is_shared) {
    if (!region) return on_unwatched_memory(thread, access);
    if (!region->shadow) {
      if (!is_cached) watch_.note_constant_read(*region, access.address + access.bytes);
      if (!is_cached) cached = range_for(region, access, site);
      return on_constant(thread, access, region, site);
    }
    if (access.address + access.bytes > region->range.begin + region->range.bytes)
      return on_unwatched_memory(thread, access);
  }
  MemoryShadow& shadow = is_shared ? shared_ : *region->shadow;
  if (!is_cached) cached = range_for(region, access, site);
  if (undefined_values_.any() && access.operation != Operation::load)
    undefined_values_.before_store(thread, access);
  // Nearly all accesses are plain, and get a function of their own for speed.
  const bool is_special = access.is_volatile || access.operation == Operation::atomic || access.traits != 0 ||
                          watch_.has_other_devices() || watch_.concurrent_ops();
  const CheckedAccess checked{thread, access, shadow, region};
  return is_special ? on_words<true>(checked, site) : on_words<false>(checked, site);
}

// Returns the range to cache after an access. The region is null for shared memory.
BlockChecker::CachedRange BlockChecker::range_for(const WatchedRegion* region, const MemoryAccess& access,
                                                  std::size_t site) {
  const MemoryShadow* const shadow = region ? region->shadow : &shared_;
  // The range of a constant variable ends with the access, so that a read beyond is noted.
  const AddressRange range =
      shadow ? shadow->memory()
             : AddressRange{region->range.begin, access.address + access.bytes - region->range.begin};
  CachedRange cached{.pc = access.pc,
                     .range = range,
                     .states = shadow ? shadow->states() : nullptr,
                     .cells = shadow ? &shadow->cell(0) : nullptr,
                     .region = region,
                     .site = site,
                     .offset_limit = range.bytes - std::min(access.bytes - 1, range.bytes)};
  const ConcurrentOps* const ops = watch_.concurrent_ops();
  if (!ops || !region || watch_.is_heap(region)) return cached;
  const std::size_t number = watch_.number_of(*region);
  cached.uses = ops->uses_of(number);
  if (ops->is_used_by_others(number) || (cached.uses && !shadow)) cached.offset_limit = 0;
  return cached;
}

[[gnu::noinline]] BlockChecker::Verdict BlockChecker::on_unreachable_peer(const CheckedAccess& checked) {
  FoundDefect defect = defect_at(DefectKind::no_peer_access, checked.thread, checked.access, checked.region);
  std::snprintf(defect.detail, sizeof defect.detail, "of GPU %d, which GPU %d may not access",
                checked.region->device, watch_.device());
  return stop_with(defect);
}

// Returns whether the neighbours of the range [begin, end), each as long as the range, are written before it
// and unwritten after it. Then unwritten words in the range are the end of an array, such as floats that are
// read as float4, and not padding.
[[gnu::noinline]] static bool is_at_end_of_written(const MemoryShadow& shadow, std::size_t begin,
                                                   std::size_t end) {
  constexpr std::size_t word = MemoryShadow::word_bytes;
  const std::size_t bytes = end - begin, end_after = std::min(end + bytes, word * shadow.words());
  if (begin < bytes || begin % word != 0 || bytes % word != 0) return false;
  const std::uint8_t* const states = shadow.states();
  return std::all_of(states + (begin - bytes) / word, states + begin / word,
                     [](std::uint8_t state) { return state >> 4 == 0xF; }) &&
         std::all_of(states + end / word, states + end_after / word,
                     [](std::uint8_t state) { return state >> 4 == 0; });
}

// Adds the defect of an access. It lies outside its memory (is_outside), or reads memory of which no byte is
// written (is_unset), or reads memory that is unwritten from the word `unset_from` on.
[[gnu::noinline]] void BlockChecker::add_defect_of_state(const CheckedAccess& checked, bool is_outside,
                                                         bool is_unset, std::size_t unset_from) {
  if (is_outside || is_unset) {
    constexpr DefectKind kinds[] = {DefectKind::uninitialised, DefectKind::shared_uninitialised,
                                    DefectKind::out_of_bounds, DefectKind::shared_out_of_bounds};
    return add_defect_at(kinds[(is_outside ? 2 : 0) + (checked.region ? 0 : 1)], checked);
  }
  const std::size_t begin = checked.access.address - checked.shadow.memory().begin,
                    end = begin + checked.access.bytes;
  if (!is_at_end_of_written(checked.shadow, begin, end)) return;
  MemoryAccess rest = checked.access;
  rest.address = checked.shadow.memory().begin + unset_from * MemoryShadow::word_bytes;
  rest.bytes = end - unset_from * MemoryShadow::word_bytes;
  add_defect_at(DefectKind::uninitialised, {checked.thread, rest, checked.shadow, checked.region});
}

// Volatile accesses to global memory do not race with each other, and with fences they order other accesses,
// as relaxed atomics do. In shared memory they count as plain: since Volta, warps that rely on them need
// __syncwarp().
BlockChecker::Strength BlockChecker::strength_of(const CheckedAccess& checked) {
  const bool is_volatile = checked.access.is_volatile && checked.region;
  const bool is_strong_load =
      checked.access.operation == Operation::load && (is_volatile || checked.access.traits & only_loads);
  return {.is_volatile = is_volatile,
          .is_strong_load = is_strong_load,
          .is_atomic = checked.access.operation == Operation::atomic || is_volatile || is_strong_load,
          .scope = checked.access.traits & block_scope ? Scope::block : Scope::device};
}

template <bool is_special>
BlockChecker::Verdict BlockChecker::on_words(const CheckedAccess& checked, std::size_t site) {
  const auto& [thread, access, shadow, region] = checked;
  if (is_special && region && !region->is_reachable) return on_unreachable_peer(checked);
  if (is_special && region && region->device != watch_.device() && peers_.has_peers()) peers_.add(access);
  const std::uint32_t segment = flags_.is_recording ? segment_of(thread) : 0;
  if (flags_.is_recording && segment == 0) return Verdict::out_of_ids;
  progress_[thread].count_access();
  if (++uncounted_ >= batch_size && !count_batch(thread)) return Verdict::over_limit;
  const Strength strength = is_special ? strength_of(checked) : Strength{};
  if (is_special && strength.is_volatile) on_volatile(checked, site);
  if (access.operation != Operation::load) {
    ++changes_;
    if (strength.is_atomic) order_.before_atomic(thread, access.address, strength.scope);
    if (is_special && access.traits & compares) look_for_read_before(thread, access);
    if (is_special && access.operation == Operation::atomic) watch_.undefined_operands.note(access);
  } else if (!strength.is_strong_load) {
    progress_[thread].add_to_trace(access.address);
    if (!reads_.empty()) [[unlikely]]
      remember_read(thread, access, site);
  }
  if (is_special && region) note_flag_or_store(checked, strength);
  const bool is_atomic = strength.is_atomic && !strength.is_strong_load;
  AccessRecord record(is_atomic ? AccessRecord::atomic : kind_of(access.operation), segment,
                      order_.warp_size().lane_of(thread), site, 0);
  if (strength.scope == Scope::block) record = record.with_block_scope();
  if (!check_words<is_special>(checked, record, strength.is_strong_load)) return Verdict::go_on;
  if (is_special && strength.is_atomic && access.operation != Operation::store)
    begin_atomic(checked, strength);
  return Verdict::go_on;
}

void BlockChecker::note_flag_or_store(const CheckedAccess& checked, const Strength& strength) {
  if (strength.is_atomic && flags_.is_recording) note_flag_access(checked.access);
  if (checked.access.operation != Operation::load)
    note_unfenced_store(checked, strength.is_atomic && strength.scope == Scope::device);
}

// Checks each word of the access for its state and for races; returns whether the access takes place.
template <bool is_special>
bool BlockChecker::check_words(const CheckedAccess& checked, const AccessRecord& record,
                               bool is_strong_load) {
  const auto& [thread, access, shadow, region] = checked;
  const unsigned traits = is_special ? access.traits : 0;
  const std::size_t begin = access.address - shadow.memory().begin, end = begin + access.bytes;
  bool is_outside = false, is_initialised = false, has_raced = false;
  std::size_t unset_from = begin / MemoryShadow::word_bytes;  // the words from here on are not written
  for (std::size_t word = begin / MemoryShadow::word_bytes; word * MemoryShadow::word_bytes < end; ++word) {
    const unsigned bytes = bytes_of_word(word, begin, end);
    std::uint8_t& state = shadow.states()[word];
    const unsigned now = state, written = now >> 4 & bytes;
    is_outside |= (now & bytes) != bytes;
    // A structure is copied with its padding, so one initialised byte is enough.
    const bool may_have_gaps = access.bytes > 2 || traits & watch::may_have_gaps;
    is_initialised |= may_have_gaps ? written != 0 : written == bytes;
    if (written != 0) unset_from = word + 1;
    if (access.operation != Operation::load && written != bytes) watch_.set_written(state, bytes);
    if (is_outside) continue;
    const AccessRecord of_word = record.with_bytes(bytes);
    if (is_special && region && watch_.concurrent_ops())
      check_concurrent_ops(checked, word, of_word, is_strong_load);
    if (!flags_.is_recording) continue;
    if (!is_strong_load && races_.try_record_fast(shadow.cell(word), !region, of_word, thread)) [[likely]]
      continue;
    has_raced |= look_for_races(checked, word, of_word, is_strong_load, !has_raced);
  }
  const bool reads_unset = !is_initialised && access.operation != Operation::store && !(traits & overwrites);
  const bool is_partly_set =
      access.operation == Operation::load && region && unset_from * MemoryShadow::word_bytes < end;
  if (is_outside || reads_unset || is_partly_set) [[unlikely]] {
    if (is_outside && !region && add_race_with_copy(thread, access)) return false;
    add_defect_of_state(checked, is_outside, reads_unset, unset_from);
  }
  return true;
}

// Notes an atomic. The hook runs before the atomic itself, so settle_atomic() completes the checks later,
// before the block's next access.
void BlockChecker::begin_atomic(const CheckedAccess& checked, const Strength& strength) {
  flags_.has_atomic = !(checked.access.traits & relaxed);
  atomic_thread_ = checked.thread;
  atomic_address_ = checked.access.address;
  atomic_scope_ = strength.scope;
  if (checked.access.traits & relaxed) order_.after_relaxed_atomic(checked.thread, checked.access.address);
}

// Checks an access by the access history; returns whether it races. The defects are logged if is_logged.
[[gnu::noinline]] bool BlockChecker::look_for_races(const CheckedAccess& checked, std::size_t word,
                                                    const AccessRecord& record, bool is_strong_load,
                                                    bool is_logged) {
  const bool is_shared = !checked.region;
  const bool is_volatile_load = is_strong_load && checked.access.is_volatile && !is_shared;
  const RaceCheck::Conflicts conflicts =
      is_strong_load && !is_volatile_load
          ? races_.find_conflicts_with_writes(checked.shadow, is_shared, word, record.bytes(), checked.thread)
          : races_.record_in_history(checked.shadow, is_shared, word, record, checked.thread,
                                     is_volatile_load);
  if (is_logged)
    for (const RaceCheck::Conflict& conflict : conflicts) add_race(conflict, checked);
  return !conflicts.empty();
}

// Adds the batch to the shared counter; returns false at the limit. Also notices a thread that has run for
// long without a switch.
bool BlockChecker::count_batch(unsigned thread) {
  constexpr unsigned many_batches = 64;  // 64 Ki accesses
  batches_ = thread == batch_thread_ ? batches_ + 1 : 0;
  batch_thread_ = thread;
  if (batches_ >= many_batches) {
    batches_ = 0;
    flags_.has_taken_long = true;
  }
  return watch_.count_accesses(std::exchange(uncounted_, 0));
}

// ---- Read, then compare-and-swap --------------------------------------------------------------------------

// The programming guide builds other atomics like this: read the word, compute, and store the result by an
// atomicCAS if the word is unchanged. The read may be plain: if it was torn or stale, the swap fails.
void BlockChecker::remember_read(unsigned thread, const MemoryAccess& access, std::size_t site) {
  if (access.bytes > 8) return;
  PlainRead& read = reads_[slot_of(access.address, thread)];
  read = {access.address, 0, thread, order_.block(), site};
  std::memcpy(&read.value, reinterpret_cast<const void*>(access.address), access.bytes);
}

// Marks the thread's plain read of the word, if the swap expects the value that it read.
void BlockChecker::look_for_read_before(unsigned thread, const MemoryAccess& swap) {
  const PlainRead& read = reads_[slot_of(swap.address, thread)];
  if (read.address == swap.address && read.thread == thread && read.block == order_.block() &&
      read.value == swap.operand)
    watch_.sites.set_read_for_swap(read.site);
}

// ---- Read, then store -------------------------------------------------------------------------------------

void BlockChecker::on_volatile(const CheckedAccess& checked, std::size_t site) {
  const bool is_store = checked.access.operation == Operation::store;
  if (is_store) watch_.sites.set_volatile_store(site);
  if (!flags_.is_recording) return;
  if (is_store) return look_for_lost_update(checked);
  const std::uintptr_t address = checked.access.address;
  volatile_loads_[slot_of(address, checked.thread)] = {address, checked.thread, segment_of(checked.thread)};
}

// Volatile accesses do not race with each other, but an update consists of two. If another thread stores in
// between, its value is lost.
[[gnu::noinline]] void BlockChecker::look_for_lost_update(const CheckedAccess& checked) {
  const std::uintptr_t address = checked.access.address;
  const VolatileLoad& load = volatile_loads_[slot_of(address, checked.thread)];
  if (load.address != address || load.thread != checked.thread || load.segment != segment_of(checked.thread))
    return;
  const std::size_t begin = address - checked.shadow.memory().begin, end = begin + checked.access.bytes;
  const std::size_t word = begin / MemoryShadow::word_bytes;
  const auto conflict =
      races_.find_lost_update(checked.shadow, word, bytes_of_word(word, begin, end), checked.thread);
  if (!conflict) return;
  FoundDefect race = race_with(*conflict, checked);
  std::snprintf(race.detail, sizeof race.detail,
                "volatile makes no update atomic, so one of the two can be lost");
  judge_later(race);
  is_volatile_update_ = true;
}

// ---- After a race is found --------------------------------------------------------------------------------

FoundDefect BlockChecker::race_with(const RaceCheck::Conflict& conflict, const CheckedAccess& checked) const {
  FoundDefect race = defect_at(checked.region ? DefectKind::global_race : DefectKind::shared_race,
                               checked.thread, checked.access, checked.region);
  race.has_other = true;
  race.other = {.pc = watch_.sites.pc(conflict.past.site()),
                .access = watch_.sites.access(conflict.past),
                .has_thread = conflict.has_thread,
                .block = conflict.block,
                .thread = conflict.thread};
  if (!conflict.has_thread || conflict.block != order_.block()) return race;
  race.barrier_line = barrier_line_;
  race.is_within_warp =
      order_.warp_size().warp_of(conflict.thread) == order_.warp_size().warp_of(checked.thread);
  return race;
}

void BlockChecker::add_race(const RaceCheck::Conflict& conflict, const CheckedAccess& checked) {
  FoundDefect race = race_with(conflict, checked);
  race.is_note = conflict.is_volatile;
  if (race.is_note) return add(race);
  if (checked.region) note_published_store(conflict, checked.access);
  const bool two_stores =
      checked.access.operation == Operation::store && conflict.past.kind() == AccessRecord::store;
  if (two_stores)
    judge_later(race);
  else
    add(race);
}

// Keeps a race until the store is done. If memory is unchanged then, the store wrote the same value.
void BlockChecker::judge_later(const FoundDefect& race) {
  flags_.has_race_of_stores = true;
  is_volatile_update_ = false;
  race_of_stores_ = race;
  std::memcpy(bytes_before_.data(), reinterpret_cast<const void*>(race.address),
              std::min(race.bytes, bytes_before_.size()));
}

void BlockChecker::judge_store() {
  flags_.has_race_of_stores = false;
  race_of_stores_.is_note =
      std::memcmp(bytes_before_.data(), reinterpret_cast<const void*>(race_of_stores_.address),
                  std::min(race_of_stores_.bytes, bytes_before_.size())) == 0;
  if (!(race_of_stores_.is_note && is_volatile_update_)) add(race_of_stores_);
}

[[gnu::noinline]] void BlockChecker::report_use_of_undefined() {
  if (const auto use = undefined_values_.take_use())
    add_inactive_source(use->origin, FoundDefect::Party{.pc = use->pc,
                                                        .access = DefectAccess::store,
                                                        .has_thread = true,
                                                        .block = order_.block(),
                                                        .thread = use->thread});
}

// ---- The heap ---------------------------------------------------------------------------------------------

void BlockChecker::on_free(const AddressRange& bytes) {
  MemoryShadow& shadow = *watch_.heap_region().shadow;
  shadow.set_allowed(bytes, false);
  shadow.set_written(bytes, false);
}

void BlockChecker::on_malloc(const AddressRange& bytes) {
  MemoryShadow& shadow = *watch_.heap_region().shadow;
  shadow.set_allowed(bytes, true);
  shadow.set_written(bytes, false);
  // free() happens before malloc() returns the bytes again, so their shadow cells are cleared.
  for (std::uintptr_t at = bytes.begin; at < bytes.begin + bytes.bytes; at += MemoryShadow::word_bytes)
    shadow.cell((at - shadow.memory().begin) / MemoryShadow::word_bytes) = 0;
}

}  // namespace gpulab::simulator::watch
