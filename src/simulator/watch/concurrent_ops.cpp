#include "simulator/watch/concurrent_ops.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "simulator/watch/block_checker.hpp"

namespace gpulab::simulator::watch {
namespace {

DefectAccess access_of(WordUse::Kind kind) {
  switch (kind) {
    case WordUse::store:
      return DefectAccess::store;
    case WordUse::atomic:
      return DefectAccess::atomic;
    default:
      return DefectAccess::load;
  }
}

// Returns whether two accesses conflict by their kinds. Two atomics do not: they conflict only by their
// scopes.
constexpr bool do_conflict(WordUse::Kind a, WordUse::Kind b) {
  if (a == WordUse::store || b == WordUse::store) return true;
  return (a == WordUse::load && b == WordUse::atomic) || (a == WordUse::atomic && b == WordUse::load);
}

// The kinds of access in the order in which they are reported.
constexpr std::array report_order{WordUse::store, WordUse::atomic, WordUse::load, WordUse::strong_load};

constexpr std::size_t words_in(std::size_t bytes) {
  return (bytes + MemoryShadow::word_bytes - 1) / MemoryShadow::word_bytes;
}
constexpr std::size_t pages_in(std::size_t bytes) {
  return (words_in(bytes) + RegionUses::page_words - 1) / RegionUses::page_words;
}

}  // namespace

bool overlap(const AddressRange& a, const AddressRange& b) {
  return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
}

AddressRange intersection(const AddressRange& a, const AddressRange& b) {
  const std::uintptr_t begin = std::max(a.begin, b.begin);
  return {begin, std::min(a.begin + a.bytes, b.begin + b.bytes) - begin};
}

void WordUse::add(Kind kind, unsigned bytes, std::size_t site, Scope scope) {
  std::atomic_ref<std::uint32_t> use(uses_[kind]);
  std::uint32_t now = use.load(std::memory_order_relaxed), updated = 0;
  do {
    updated = now | bytes | scope << 4;
    if (now == 0) updated |= static_cast<std::uint32_t>(site) << 8;
    if (updated == now) return;
  } while (!use.compare_exchange_weak(now, updated, std::memory_order_relaxed));
}

RegionUses::RegionUses(const AddressRange& range)
    : range_(range),
      pages_(pages_in(range.bytes)),
      words_(words_in(range.bytes), ReservedBytes::Use::sparse),
      is_used_(pages_, ReservedBytes::Use::sparse) {}

void RegionUses::add(std::size_t word, WordUse::Kind kind, unsigned bytes, std::size_t site,
                     WordUse::Scope scope) {
  words_[word].add(kind, bytes, site, scope);
  const std::atomic_ref<std::uint8_t> is_used(is_used_[word / page_words]);
  if (!is_used.load(std::memory_order_relaxed)) is_used.store(1, std::memory_order_relaxed);
}

std::size_t RegionUses::next_page(std::size_t page) const {
  if (page >= pages_) return pages_;
  const void* const used = std::memchr(&is_used_[page], 1, pages_ - page);
  return used ? static_cast<std::size_t>(static_cast<const std::uint8_t*>(used) - is_used_.data()) : pages_;
}

ConcurrentOps::ConcurrentOps(OpRecord& mine, std::vector<const OpRecord*> others,
                             std::span<const WatchedRegion> regions, Kept kept)
    : mine_(mine), others_(std::move(others)), kept_(kept) {
  mine_.regions.clear();
  for (const WatchedRegion& region : regions) add(region);
}

void ConcurrentOps::add(const WatchedRegion& watched) {
  Region& region = regions_.emplace_back();
  region.begin = watched.range.begin;
  if (kept_ == Kept::all || (kept_ == Kept::shared_with_host && watched.is_shared_with_host))
    region.mine = &mine_.regions.emplace_back(watched.range);
  const std::size_t pages = pages_in(watched.range.bytes);
  for (const OpRecord* other : others_) {
    // Each device has its own variables. Those of two simulated devices are at the same addresses.
    const bool is_other_variable =
        watched.variable[0] != '\0' && other->device != mine_.device && !other->is_host && !mine_.is_host;
    if (is_other_variable) continue;
    for (const RegionUses& words : other->regions)
      if (words.range().begin == watched.range.begin)
        for (std::size_t page = words.next_page(0); page < words.pages(); page = words.next_page(page + 1))
          region.add(page, {other, &words}, pages);
    for (const MemoryUse& use : other->uses) {
      if (!overlap(use.range, watched.range)) continue;
      const AddressRange both = intersection(use.range, watched.range);
      constexpr std::size_t page_bytes = RegionUses::page_words * MemoryShadow::word_bytes;
      const std::size_t begin = both.begin - watched.range.begin;
      for (std::size_t page = begin / page_bytes; page * page_bytes < begin + both.bytes; ++page)
        region.add(page, {other, nullptr}, pages);
    }
  }
}

void ConcurrentOps::Region::add(std::size_t page, const Other& other, std::size_t pages) {
  if (others.empty()) others.resize(pages);
  std::vector<Other>& here = others[page];
  if (here.empty() || here.back() != other) here.push_back(other);  // an operation may use it several times
}

std::span<const ConcurrentOps::Other> ConcurrentOps::Region::others_at(std::size_t word) const {
  if (others.empty()) return {};
  return others[word / RegionUses::page_words];
}

std::optional<ConcurrentOps::Conflict> ConcurrentOps::on_word(std::size_t number, std::size_t word,
                                                              const Access& access) {
  Region& region = regions_[number];
  if (region.mine) region.mine->add(word, access.kind, access.bytes, access.site, access.scope);
  for (const Other& other : region.others_at(word)) {
    const auto conflict =
        other.words ? launch_conflict(other, word, access)
                    : use_conflict(*other.record, region.begin + word * MemoryShadow::word_bytes, access);
    if (conflict) return conflict;
  }
  return std::nullopt;
}

// Returns an operation that has written the word with an atomic or a volatile store. A strong load that sees
// the value happens after that operation.
ConcurrentOps::Setter ConcurrentOps::setter_of(std::size_t region, std::size_t word) const {
  for (const Other& other : regions_[region].others_at(word))
    if (other.words && (*other.words)[word].bytes(WordUse::atomic)) {
      const WordUse& use = (*other.words)[word];
      return {&other.record->op,
              use.has_scope(WordUse::releasing) || !other.record->is_launch || other.record->is_host,
              other.record->pcs[use.site(WordUse::atomic)]};
    }
  return {};
}

void ConcurrentOps::add_late_store(const LateStore& store) {
  constexpr std::size_t max_late_stores = 64;
  if (kept_ == Kept::none) return;
  const std::lock_guard lock(late_stores_mutex);
  std::vector<LateStore>& late = mine_.late;
  const bool is_known = std::ranges::any_of(
      late, [&](const LateStore& old) { return old.flag == store.flag && old.address == store.address; });
  if (!is_known && late.size() < max_late_stores) late.push_back(store);
}

// Returns the conflict with another launch's accesses to the word, if there is one.
std::optional<ConcurrentOps::Conflict> ConcurrentOps::launch_conflict(const Other& other, std::size_t word,
                                                                      const Access& access) const {
  const WordUse& use = (*other.words)[word];
  const auto conflict = [&](WordUse::Kind kind) {
    return Conflict{.other = other.record,
                    .access = access_of(kind),
                    .pc = other.record->pcs[use.site(kind)],
                    .is_strong_load = kind == WordUse::strong_load};
  };
  for (const WordUse::Kind kind : report_order)
    if (do_conflict(access.kind, kind) && (use.bytes(kind) & access.bytes)) return conflict(kind);
  if (access.kind != WordUse::atomic || !(use.bytes(WordUse::atomic) & access.bytes)) return std::nullopt;
  const bool has_block_scope = (access.scope & WordUse::block) || use.has_scope(WordUse::block);
  const bool has_device_scope = (access.scope & WordUse::device) || use.has_scope(WordUse::device);
  if (!has_block_scope && !(has_device_scope && other.record->device != mine_.device)) return std::nullopt;
  Conflict by_scope = conflict(WordUse::atomic);
  by_scope.is_by_scope = true;
  return by_scope;
}

// Returns the conflict with the ranges that another operation uses, if there is one.
std::optional<ConcurrentOps::Conflict> ConcurrentOps::use_conflict(const OpRecord& other,
                                                                   std::uintptr_t address,
                                                                   const Access& access) {
  for (const MemoryUse& use : other.uses) {
    if (!overlap(use.range, {address, MemoryShadow::word_bytes})) continue;
    const std::uintptr_t end = use.range.begin + use.range.bytes;
    const unsigned bytes = bytes_of_word(0, use.range.begin > address ? use.range.begin - address : 0,
                                         std::min<std::uintptr_t>(end - address, MemoryShadow::word_bytes));
    const bool is_read = use.access == DefectAccess::load;
    if ((bytes & access.bytes) && do_conflict(access.kind, is_read ? WordUse::load : WordUse::store))
      return Conflict{&other, use.access};
  }
  return std::nullopt;
}

std::optional<ConcurrentOps::Conflict> first_conflict(const OpRecord& launch, const MemoryUse& use,
                                                      std::uintptr_t& address) {
  const WordUse::Kind mine = use.access == DefectAccess::store ? WordUse::store : WordUse::load;
  constexpr std::size_t page_words = RegionUses::page_words;
  for (const RegionUses& words : launch.regions) {
    if (!overlap(words.range(), use.range)) continue;
    const AddressRange both = intersection(words.range(), use.range);
    const std::size_t begin = both.begin - words.range().begin, end = begin + both.bytes,
                      first = begin / MemoryShadow::word_bytes, past_last = words_in(end);
    for (std::size_t page = words.next_page(first / page_words); page * page_words < past_last;
         page = words.next_page(page + 1))
      for (std::size_t word = std::max(first, page * page_words);
           word < std::min(past_last, (page + 1) * page_words); ++word)
        for (const WordUse::Kind kind : report_order) {
          if (!do_conflict(mine, kind) || !(words[word].bytes(kind) & bytes_of_word(word, begin, end)))
            continue;
          address = std::max(both.begin, words.range().begin + word * MemoryShadow::word_bytes);
          return ConcurrentOps::Conflict{&launch, access_of(kind), launch.pcs[words[word].site(kind)]};
        }
  }
  return std::nullopt;
}

// ---- An access of a launch's block ------------------------------------------------------------------------

// Records a plain access to a region that no concurrent operation has used so far.
[[gnu::noinline]] void BlockChecker::note_uses(unsigned thread, const CachedRange& cached,
                                               const MemoryAccess& access) {
  const bool is_load = access.operation == MemoryAccess::Operation::load;
  const std::size_t begin = access.address - cached.range.begin, end = begin + access.bytes;
  for (std::size_t word = begin / MemoryShadow::word_bytes; word * MemoryShadow::word_bytes < end; ++word)
    cached.uses->add(word, is_load ? WordUse::load : WordUse::store, bytes_of_word(word, begin, end),
                     cached.site, WordUse::device);
  if (!is_load) unfenced_stores_[thread].add(access);
}

[[gnu::noinline]] void BlockChecker::check_concurrent_ops(const CheckedAccess& checked, std::size_t word,
                                                          const AccessRecord& record, bool is_strong_load) {
  if (watch_.is_heap(checked.region)) return;
  constexpr WordUse::Kind kinds[] = {WordUse::load, WordUse::store, WordUse::atomic};
  WordUse::Scope scope =
      checked.access.is_volatile || checked.access.traits & system_scope ? WordUse::system : WordUse::device;
  if (checked.access.traits & block_scope) scope = WordUse::block;
  if (order_.has_fences() || order_.has_releases() || checked.access.traits & releases)
    scope = static_cast<WordUse::Scope>(scope | WordUse::releasing);
  const auto conflict = watch_.concurrent_ops()->on_word(
      watch_.number_of(*checked.region), word,
      {.kind = is_strong_load ? WordUse::strong_load : kinds[static_cast<std::size_t>(record.kind())],
       .scope = scope,
       .site = record.site(),
       .bytes = record.bytes()});
  if (!conflict) return;
  FoundDefect race = defect_at(DefectKind::race_streams, checked.thread, checked.access, checked.region);
  race.is_note = is_strong_load && conflict->other->is_host;
  race.has_other = true;
  race.other = {.pc = conflict->pc, .access = conflict->access};
  race.work = &watch_.concurrent_ops()->mine();
  race.other_work = conflict->other;
  race.is_by_scope = conflict->is_by_scope;
  add(race);
}

// Checks an access to constant memory. A read races only with another operation, such as a copy.
BlockChecker::Verdict BlockChecker::on_constant(unsigned thread, const MemoryAccess& access,
                                                const WatchedRegion* region, std::size_t site) {
  if (access.operation != MemoryAccess::Operation::load)
    return stop_with(defect_at(DefectKind::constant_write, thread, access, region));
  if (!watch_.concurrent_ops()) return Verdict::go_on;
  const std::size_t begin = access.address - region->range.begin,
                    end = std::min(begin + access.bytes, region->range.bytes);
  for (std::size_t word = begin / MemoryShadow::word_bytes; word * MemoryShadow::word_bytes < end; ++word)
    check_concurrent_ops(
        {thread, access, shared_, region}, word,
        AccessRecord(AccessRecord::load, 0, 0, site, 0).with_bytes(bytes_of_word(word, begin, end)),
        /*is_strong_load=*/false);
  return Verdict::go_on;
}

}  // namespace gpulab::simulator::watch
