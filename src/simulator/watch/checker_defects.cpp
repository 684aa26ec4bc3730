#include <bit>
#include <cstdio>

#include "base/text.hpp"
#include "simulator/watch/block_checker.hpp"

namespace gpulab::simulator::watch {

// The defects that a BlockChecker reports, with their threads, memory and variables.

FoundDefect::Party BlockChecker::party(unsigned thread, int line) const {
  return {.pc = line > 0 ? progress_[thread].call : 0,
          .line = line,
          .has_thread = true,
          .block = order_.block(),
          .thread = thread};
}

FoundDefect BlockChecker::defect_at(DefectKind kind, unsigned thread, const MemoryAccess& access,
                                    const WatchedRegion* region) const {
  FoundDefect defect{
      .kind = kind, .party = party(thread, 0), .address = access.address, .bytes = access.bytes};
  defect.party.pc = access.pc;
  defect.party.access = static_cast<DefectAccess>(kind_of(access.operation));
  if (watch_.is_heap(region)) {
    defect.variable = "memory of malloc()";
    if (const auto block = watch_.heap().block_near(access.address)) {
      defect.memory = block->range;
      if (block->is_freed) defect.variable = "memory that was freed";
    }
  } else if (region) {
    defect.memory = region->allowed;
    defect.variable = region->variable;
  } else {
    name_shared_variable(defect);
  }
  return defect;
}

[[gnu::noinline]] void BlockChecker::add_defect_at(DefectKind kind, const CheckedAccess& checked) {
  if (!log_.try_count(kind, checked.access.pc, static_cast<DefectAccess>(kind_of(checked.access.operation))))
    add(defect_at(kind, checked.thread, checked.access, checked.region));
}

// Logs only a note if the source lane lies outside the block: its value is undefined on GPUs, too, but often
// 0.
void BlockChecker::add_inactive_source(const UndefinedValues::Origin& origin,
                                       const std::optional<FoundDefect::Party>& use) {
  const bool is_named = origin.mask >> origin.source & 1, has_ended = is_named && origin.source_exists;
  FoundDefect defect{.kind = DefectKind::wrong_mask,
                     .is_note = !use || (is_named && !origin.source_exists),
                     .has_other = use || has_ended,
                     .party = party(origin.thread, origin.line),
                     .other = use.value_or(FoundDefect::Party{})};
  defect.party.pc = origin.pc;
  if (has_ended)
    std::snprintf(defect.detail, sizeof defect.detail,
                  "lane %u, which never comes to that line (%s %s ended)", origin.source,
                  text_of_lanes(origin.ended, origin.mask).data(),
                  std::has_single_bit(origin.ended) ? "has" : "have");
  else
    std::snprintf(defect.detail, sizeof defect.detail, "lane %u, which %s", origin.source,
                  is_named ? "does not exist in a block of this size" : "its mask leaves out");
  add(defect);
}

FoundDefect BlockChecker::too_many_accesses(unsigned thread, const MemoryAccess& access) const {
  FoundDefect defect{.kind = DefectKind::too_many_accesses};
  defect.party.pc = access.pc;
  std::snprintf(defect.detail, sizeof defect.detail, "%s accesses, %s of them by this thread",
                grouped(watch_.accesses()).c_str(), grouped(progress_[thread].accesses()).c_str());
  return defect;
}

FoundDefect BlockChecker::endless_wait(unsigned thread, const MemoryAccess& access) const {
  const WatchedRegion* const region = watch_.region_of(access.address);
  FoundDefect defect = defect_at(DefectKind::endless_wait, thread, access, region);
  defect.ends_launch = true;
  return defect;
}

// Names the variable that contains the address or, if none does, the last one before it.
void BlockChecker::name_shared_variable(FoundDefect& defect) const {
  for (const SharedVariable& variable : shared_variables_) {
    if (variable.range.begin > defect.address || variable.range.begin < defect.memory.begin) continue;
    defect.memory = variable.range;
    defect.variable = variable.name;
  }
}

BlockChecker::Verdict BlockChecker::stop_with(FoundDefect defect) {
  defect.ends_launch = true;
  add(defect);
  return Verdict::stop;
}

}  // namespace gpulab::simulator::watch
