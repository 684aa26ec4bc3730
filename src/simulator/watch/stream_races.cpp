#include "simulator/watch/stream_races.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <mutex>
#include <utility>

#include "simulator/watch/block_checker.hpp"
#include "simulator/watch/defect_log.hpp"
#include "simulator/watch/kernel_fault.hpp"

namespace gpulab::simulator::watch {
namespace {

Defect::Party party_at(std::uintptr_t pc, DefectAccess access) {
  if (pc == 0) return {.access = access};
  const std::string line = source_line(pc - 1);  // the call of the hook
  return {.line = line_number(line), .access = access, .file = other_file(line)};
}

bool is_writing(DefectAccess access) {
  return access != DefectAccess::load;
}

}  // namespace

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
      std::optional<ConcurrentOps::Conflict> conflict = first_conflict(*other, use, address);
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
