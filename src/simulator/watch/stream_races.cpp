#include "simulator/watch/stream_races.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "simulator/watch/block_checker.hpp"
#include "simulator/watch/defect_log.hpp"
#include "simulator/watch/kernel_fault.hpp"

namespace gpulab::simulator::watch {
namespace {

bool overlap(const AddressRange& a, const AddressRange& b) {
  return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
}

AddressRange intersection(const AddressRange& a, const AddressRange& b) {
  const std::uintptr_t begin = std::max(a.begin, b.begin);
  return {begin, std::min(a.begin + a.bytes, b.begin + b.bytes) - begin};
}

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

// Returns the first access of a launch that conflicts with a plain use of a range. Stores its address.
std::optional<ConcurrentOps::Conflict> conflict_in(const OpRecord& launch, const MemoryUse& use,
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

Defect::Party party_at(std::uintptr_t pc, DefectAccess access) {
  if (pc == 0) return {.access = access};
  const std::string line = source_line(pc - 1);  // the call of the hook
  return {.line = line_number(line), .access = access, .file = other_file(line)};
}

std::mutex late_stores_mutex;

bool is_writing(DefectAccess access) {
  return access != DefectAccess::load;
}

}  // namespace

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

// ---- A launch and the operations concurrent with it -------------------------------------------------------

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
    std::set<std::size_t> used;  // pages
    for (const MemoryUse& use : other->uses) {
      if (!overlap(use.range, watched.range)) continue;
      const AddressRange both = intersection(use.range, watched.range);
      constexpr std::size_t page_bytes = RegionUses::page_words * MemoryShadow::word_bytes;
      const std::size_t begin = both.begin - watched.range.begin;
      for (std::size_t page = begin / page_bytes; page * page_bytes < begin + both.bytes; ++page)
        if (used.insert(page).second) region.add(page, {other, nullptr}, pages);
    }
  }
}

void ConcurrentOps::Region::add(std::size_t page, const Other& other, std::size_t pages) {
  if (others.empty()) others.resize(pages);
  others[page].push_back(other);
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

// ---- All operations ---------------------------------------------------------------------------------------

// Returns the kept operations concurrent with this one. Drops those that happen before all later ones.
std::vector<const OpRecord*> StreamRaces::unordered_with(const StreamOp& op) {
  std::erase_if(past_ops_, [&](const auto& record) { return order_->happens_before_all_later(record->op); });
  std::vector<const OpRecord*> others;
  for (const auto& record : past_ops_)
    if (!op.happens_after(record->op)) others.push_back(record.get());
  return others;
}

void StreamRaces::on_work(const StreamOp& op, std::string name, std::vector<MemoryUse> uses,
                          std::vector<Defect>& defects) {
  host_.reset();
  const std::vector<const OpRecord*> others = unordered_with(op);
  auto mine =
      std::make_unique<OpRecord>(OpRecord{.op = op, .name = std::move(name), .uses = std::move(uses)});
  for (const OpRecord* const other : others)
    for (const MemoryUse& use : mine->uses) {
      std::uintptr_t address = 0;
      std::optional<ConcurrentOps::Conflict> conflict = conflict_in(*other, use, address);
      for (const MemoryUse& theirs : other->uses)
        if (!conflict && overlap(use.range, theirs.range) &&
            (is_writing(use.access) || is_writing(theirs.access))) {
          conflict = {other, theirs.access};
          address = intersection(use.range, theirs.range).begin;
        }
      if (!conflict) continue;
      Defect defect{.kind = DefectKind::race_streams,
                    .party = Defect::Party{.access = use.access},
                    .other = party_at(conflict->pc, conflict->access),
                    .host_at = conflict->pc,
                    .address = address,
                    .bytes = 1,
                    .memory = {"", use.range.begin, use.range.bytes}};
      describe_race(*mine, *other, /*is_by_scope=*/false, defect);
      add_defect(defects, defect);
    }
  if (!order_->happens_before_all_later(op)) past_ops_.push_back(std::move(mine));
}

// Returns which accesses of a launch are kept. Only the host can run beside a launch in the only stream.
ConcurrentOps::Kept StreamRaces::kept_of(const StreamOp& launch,
                                         std::span<const WatchedRegion> regions) const {
  if (order_->happens_before_all_later(launch)) return ConcurrentOps::Kept::none;
  if (!order_->has_one_stream()) return ConcurrentOps::Kept::all;
  return std::ranges::any_of(regions, &WatchedRegion::is_shared_with_host)
             ? ConcurrentOps::Kept::shared_with_host
             : ConcurrentOps::Kept::none;
}

ConcurrentOps* StreamRaces::start_launch(const StreamOp& op, std::string name, int device,
                                         std::span<const WatchedRegion> regions) {
  concurrent_ops_.reset();
  host_.reset();
  std::vector<const OpRecord*> others = unordered_with(op);
  const ConcurrentOps::Kept kept = kept_of(op, regions);
  if (others.empty() && kept == ConcurrentOps::Kept::none) return nullptr;
  launched_ = std::make_unique<OpRecord>(
      OpRecord{.op = op, .name = std::move(name), .device = device, .is_launch = true});
  concurrent_ops_ = std::make_unique<ConcurrentOps>(*launched_, std::move(others), regions, kept);
  return concurrent_ops_.get();
}

void StreamRaces::finish_launch(const InstructionSites& sites) {
  if (!std::exchange(concurrent_ops_, nullptr) || launched_->regions.empty()) return;
  std::erase_if(launched_->regions,
                [](const RegionUses& words) { return words.next_page(0) == words.pages(); });
  for (std::size_t site = 0; site < max_sites; ++site) launched_->pcs.push_back(sites.pc(site));
  past_ops_.push_back(std::move(launched_));
}

void StreamRaces::start_host_step() {
  host_.emplace();
  host_->number = order_->host_steps();
  if (order_->has_host_waited() && past_ops_.empty()) return;
  auto step = std::make_unique<OpRecord>(
      OpRecord{.op = order_->next_host_op(), .name = "the host", .is_launch = true, .is_host = true});
  std::vector<const OpRecord*> others = unordered_with(step->op);
  std::erase_if(others, &OpRecord::is_host);
  const auto kept =
      order_->happens_before_all_later(step->op) ? ConcurrentOps::Kept::none : ConcurrentOps::Kept::all;
  if (others.empty() && kept == ConcurrentOps::Kept::none) return;
  host_->record = step.get();
  host_->concurrent_ops.emplace(*step, std::move(others), std::span<const WatchedRegion>(), kept);
  past_ops_.push_back(std::move(step));
}

HostView StreamRaces::on_host(const WatchedRegion& memory, const HostAccess& access,
                              std::vector<Defect>& defects) {
  HostView view;
  look_for_late_stores(memory, access, defects, view);
  view.must_check_each_load = !seen_late_.empty();
  if (concurrent_ops_) return view;  // a launch is running, and uses the records
  if (!host_ || host_->number != order_->host_steps()) start_host_step();
  if (!host_->concurrent_ops) {
    view.is_quiet = !view.must_check_each_load;
    return view;
  }
  std::vector<std::uintptr_t>& pcs = host_->record->pcs;
  auto pc = std::ranges::find(pcs, access.pc);
  if (pc == pcs.end() && pcs.size() < max_sites) pc = pcs.insert(pc, access.pc);
  const auto site = static_cast<std::size_t>(pc - pcs.begin());
  auto region = std::ranges::find(host_->regions, memory.range.begin);
  if (region == host_->regions.end()) {
    host_->concurrent_ops->add(memory);
    region = host_->regions.insert(region, memory.range.begin);
  }
  const auto number = static_cast<std::size_t>(region - host_->regions.begin());
  const bool is_load = access.access == DefectAccess::load;
  const WordUse::Kind kind = access.is_strong ? (is_load ? WordUse::strong_load : WordUse::atomic)
                                              : (is_load ? WordUse::load : WordUse::store);
  const std::size_t begin = access.address - memory.range.begin, end = begin + access.bytes;
  for (std::size_t word = begin / MemoryShadow::word_bytes; word * MemoryShadow::word_bytes < end; ++word) {
    const ConcurrentOps::Access use{kind, WordUse::system, site, bytes_of_word(word, begin, end)};
    if (is_load && access.is_strong) {
      if (const auto [op, is_releasing, setting] = host_->concurrent_ops->setter_of(number, word);
          op && is_releasing)
        view.seen = op;
      else if (op)
        view.unfenced_flag_pc = setting;
    }
    const auto conflict = host_->concurrent_ops->on_word(number, word, use);
    if (!conflict || !host_->reported.emplace(access.pc, conflict->other).second) continue;
    Defect defect{.kind = DefectKind::race_streams,
                  .is_note = conflict->is_strong_load,
                  .party = party_at(access.pc, access.access),
                  .other = party_at(conflict->pc, conflict->access),
                  .host_at = access.pc,
                  .address = memory.range.begin + word * MemoryShadow::word_bytes,
                  .bytes = access.bytes,
                  .memory = {"", memory.range.begin, memory.range.bytes}};
    describe_race(*host_->record, *conflict->other, /*is_by_scope=*/false, defect);
    add_defect(defects, defect);
  }
  view.is_quiet = host_->concurrent_ops->is_quiet(number);
  return view;
}

// Finds a late store that the host reads: a thread made it between its last fence and the flag that the host
// has read, so the flag does not order it.
void StreamRaces::look_for_late_stores(const WatchedRegion& memory, const HostAccess& access,
                                       std::vector<Defect>& defects, HostView& view) {
  const std::uint64_t waits_before = std::exchange(waits_before_seen_, order_->host_waits());
  if (waits_before != order_->host_waits()) {
    seen_late_.clear();
    ordered_late_.clear();
  }
  if (access.access != DefectAccess::load) return;
  if (access.is_strong) {
    if (concurrent_ops_) note_late_stores(*launched_, access.address);
    for (const auto& record : past_ops_)
      if (!record->is_host) note_late_stores(*record, access.address);
    return;
  }
  const auto late = std::ranges::find_if(seen_late_, [&](const SeenLateStore& seen) {
    return seen.store.overlaps(access.address, access.bytes);
  });
  if (late == seen_late_.end()) return;
  Defect defect{.kind = DefectKind::race_streams,
                .party = party_at(access.pc, access.access),
                .other = party_at(late->store.pc, DefectAccess::store),
                .host_at = access.pc,
                .address = access.address,
                .bytes = access.bytes,
                .memory = {"", memory.range.begin, memory.range.bytes}};
  describe_race({.name = "the host", .is_host = true}, late->by, /*is_by_scope=*/false, defect);
  add_defect(defects, defect);
  view.unfenced_flag_pc = late->store.flag_pc;
  ordered_late_.insert(late->store.address);
  seen_late_.erase(late);
}

// Notes the late stores before that flag. The flag has ordered the operation's other late stores.
void StreamRaces::note_late_stores(const OpRecord& record, std::uintptr_t flag) {
  const std::lock_guard lock(late_stores_mutex);
  if (record.late.empty()) return;
  const bool is_flag = std::ranges::any_of(record.regions, [&](const RegionUses& words) {
    const std::size_t word = (flag - words.range().begin) / MemoryShadow::word_bytes;
    return words.range().contains(flag) && words[word].has_scope(WordUse::releasing);
  });
  std::set<std::uintptr_t> late;
  for (const LateStore& store : record.late)
    if (store.flag == flag) late.insert(store.address);
  for (const LateStore& store : record.late) {
    const bool is_late = late.contains(store.address);
    if (is_flag && !is_late) {
      ordered_late_.insert(store.address);
      std::erase_if(seen_late_, [&](const auto& seen) { return seen.store.address == store.address; });
    }
    const bool is_seen = std::ranges::any_of(
        seen_late_, [&](const auto& seen) { return seen.store.address == store.address; });
    if (store.flag == flag && !is_seen && !ordered_late_.contains(store.address))
      seen_late_.push_back({store, {.op = record.op, .name = record.name, .device = record.device}});
  }
}

void StreamRaces::forget(const AddressRange& memory) {
  host_.reset();
  std::erase_if(seen_late_, [&](const auto& seen) { return memory.contains(seen.store.address); });
  const std::lock_guard lock(late_stores_mutex);
  std::erase_if(ordered_late_, [&](std::uintptr_t address) { return memory.contains(address); });
  for (const auto& record : past_ops_) {
    std::erase_if(record->late, [&](const LateStore& store) {
      return memory.contains(store.address) || memory.contains(store.flag);
    });
    std::erase_if(record->regions, [&](const RegionUses& words) { return overlap(words.range(), memory); });
    std::erase_if(record->uses, [&](const MemoryUse& use) { return overlap(use.range, memory); });
  }
}

// ---- Describing a race ------------------------------------------------------------------------------------

// Names a kernel before a copy, since it has a line; of two of one kind, the one that was issued later, since
// it lacks the order. The advice assumes the order in which they were issued.
void describe_race(const OpRecord& mine, const OpRecord& other, bool is_by_scope, Defect& defect) {
  const bool is_first = mine.op.call_number < other.op.call_number;
  const OpRecord &first = is_first ? mine : other, &second = is_first ? other : mine;
  defect.work = mine.name;
  defect.other_work = other.name;
  if (mine.is_host || other.is_host) {
    if (other.is_host) {
      std::swap(defect.party, *defect.other);
      std::swap(defect.work, defect.other_work);
    }
    defect.is_with_host = true;
    defect.issued_at = (mine.is_host ? other : mine).op.issued_at;
    return;
  }
  const bool names_other_first = mine.is_launch == other.is_launch ? is_first : other.is_launch;
  if (names_other_first) {
    std::swap(defect.party, *defect.other);
    std::swap(defect.work, defect.other_work);
  }
  const bool are_of_graph = mine.op.captured_at != 0 && other.op.captured_at != 0;
  const auto call_of = [&](const OpRecord& record) {
    return are_of_graph ? record.op.captured_at : record.op.issued_at;
  };
  defect.host_at = call_of(names_other_first ? other : mine);
  defect.issued_at = call_of(names_other_first ? mine : other);
  const bool are_alike = mine.name == other.name;
  if (are_alike) defect.other_work += are_of_graph ? " in another node of the graph" : " in another stream";
  if (is_by_scope)
    defect.detail = mine.device == other.device
                        ? "an atomic with block scope (_block) is not atomic for other blocks"
                        : "atomicAdd() and the like are atomic within one GPU, atomicAdd_system() across all";
  else if (are_of_graph)
    defect.detail = "neither node of the graph waits for the other";
  else if (are_alike)
    defect.detail = "record an event after the first, and let the stream of the second wait for it";
  else
    defect.detail = fmt::format("record an event after {}, and let the stream of {} wait for it", first.name,
                                second.name);
}

}  // namespace gpulab::simulator::watch
