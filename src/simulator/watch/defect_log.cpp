#include "simulator/watch/defect_log.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "simulator/watch/kernel_fault.hpp"
#include "simulator/watch/stream_races.hpp"

namespace gpulab::simulator::watch {
namespace {

bool are_same_instruction(const FoundDefect::Party& a, const FoundDefect::Party& b) {
  return a.pc == b.pc && a.line == b.line && a.access == b.access;
}

bool are_same_accesses(const FoundDefect& a, const FoundDefect& b) {
  return a.kind == b.kind && a.is_note == b.is_note && a.has_other == b.has_other &&
         are_same_instruction(a.party, b.party) && are_same_instruction(a.other, b.other) &&
         a.other.has_thread == b.other.has_thread && a.other_work == b.other_work &&
         a.is_with_async_copy == b.is_with_async_copy;
}

}  // namespace

[[gnu::used]] const char* gpulab_name_of_defect = "";

// The texts differ, so that no optimiser folds the two equal functions into one.
[[gnu::noinline]] void gpulab_found_a_defect() {
  asm volatile("# found" ::: "memory");
}
[[gnu::noinline]] void gpulab_ended_by_a_defect() {
  asm volatile("# ended" ::: "memory");
}

void DefectLog::add(const FoundDefect& defect) {
  // A racing loop finds the same defect again and again.
  if (latest_ >= defects_.size() || !are_same_accesses(defects_[latest_], defect))
    latest_ = static_cast<std::size_t>(find(defect) - defects_.begin());
  if (latest_ < defects_.size()) {
    FoundDefect& known = defects_[latest_];
    const std::size_t count = known.count + 1;
    const bool is_within_warp = known.is_within_warp && defect.is_within_warp;
    if (defect.ends_launch) known = defect;
    known.count = count;
    known.is_within_warp = is_within_warp;
  } else if (defects_.size() < capacity) {
    defects_.push_back(defect);
    if (!defect.is_note) gpulab_name_of_defect = name_of(defect.kind).data();
    if (defect.ends_launch)
      gpulab_ended_by_a_defect();
    else if (!defect.is_note)
      gpulab_found_a_defect();
  }
}

bool DefectLog::try_count(DefectKind kind, std::uintptr_t pc, DefectAccess access) {
  const auto known = find({.kind = kind, .party = {.pc = pc, .access = access}});
  if (known == defects_.end()) return false;
  ++known->count;
  return true;
}

std::vector<FoundDefect>::iterator DefectLog::find(const FoundDefect& defect) {
  return std::ranges::find_if(defects_,
                              [&](const FoundDefect& known) { return are_same_accesses(known, defect); });
}

std::array<char, 64> text_of_lanes(LaneMask lanes, LaneMask mask) {
  const int first = std::countr_zero(lanes), last = std::bit_width(lanes) - 1;
  std::array<char, 64> text{};
  if (std::popcount(lanes) != last - first + 1)
    std::snprintf(text.data(), text.size(), "other lanes of the mask 0x%08lx", mask);
  else if (first == last)
    std::snprintf(text.data(), text.size(), "lane %d of the mask 0x%08lx", first, mask);
  else
    std::snprintf(text.data(), text.size(), "lanes %d to %d of the mask 0x%08lx", first, last, mask);
  return text;
}

std::vector<FoundDefect> DefectLog::take() {
  std::vector<FoundDefect> taken = defects_;
  defects_.clear();
  return taken;
}

namespace {

// "kernels.cu:21", and for an inlined function the lines of its callers after it.
using SourceLines = std::map<std::uintptr_t, std::vector<std::string>>;

Extent index_in(const Extent& size, std::size_t number) {
  return {static_cast<unsigned>(number % size.x), static_cast<unsigned>(number / size.x % size.y),
          static_cast<unsigned>(number / size.x / size.y)};
}

SourceLines lines_of(const std::vector<FoundDefect>& found) {
  std::set<std::uintptr_t> pcs;
  for (const FoundDefect& defect : found)
    for (const std::uintptr_t pc : {defect.party.pc, defect.other.pc})
      if (pc != 0) pcs.insert(pc);
  std::vector<std::uintptr_t> calls;
  calls.reserve(pcs.size());
  for (const std::uintptr_t pc : pcs) calls.push_back(pc - 1);  // the call of the hook
  const std::vector<std::string> chains = source_chains(calls);
  SourceLines line_of;
  for (std::size_t i = 0; i < calls.size(); ++i) line_of[calls[i] + 1] = gpulab::lines_of(chains[i]);
  return line_of;
}

Defect::Party party_of(const FoundDefect::Party& found, const SourceLines& lines, const LaunchConfig& config,
                       WarpSize warp_size) {
  Defect::Party party{.line = found.line, .access = found.access};
  const auto chain = lines.find(found.pc);
  if (chain != lines.end() && !chain->second.empty()) {
    const std::vector<std::string>& all = chain->second;
    if (party.line == 0) party.line = line_number(all.front());
    party.file = other_file(all.front());
    for (std::size_t i = 1; i < all.size(); ++i)
      party.callers.push_back({line_number(all[i]), other_file(all[i])});
  }
  if (found.has_thread)
    party.place = DefectThread{.block = index_in(config.grid, found.block),
                               .thread = index_in(config.block, found.thread),
                               .warp = warp_size.warp_of(found.thread),
                               .lane = warp_size.lane_of(found.thread)};
  return party;
}

// Makes both threads show as many indices as either of them needs.
void show_same_axes(std::optional<DefectThread>& first, std::optional<DefectThread>& second) {
  if (!first || !second) return;
  const unsigned y = first->thread.y | second->thread.y, z = first->thread.z | second->thread.z;
  first->least_axes = second->least_axes = z > 0 ? 3 : y > 0 ? 2 : 1;
}

// Returns whether two defects are the same, whichever racing access came first, since that is chance.
bool have_same_lines(const Defect& a, const Defect& b) {
  using FileAndLine = std::pair<std::string, int>;
  const auto lines = [](const Defect& defect) -> std::pair<FileAndLine, FileAndLine> {
    const FileAndLine other =
        defect.other ? FileAndLine(defect.other->file, defect.other->line) : FileAndLine("", -1);
    return std::minmax(FileAndLine(defect.party.file, defect.party.line), other);
  };
  return a.kind == b.kind && a.is_note == b.is_note && lines(a) == lines(b) && a.work == b.work &&
         a.other_work == b.other_work;
}

}  // namespace

std::vector<Defect> reported(const std::vector<FoundDefect>& found, const LaunchConfig& config,
                             WarpSize warp_size) {
  const SourceLines lines = lines_of(found);
  const bool has_warps = warp_size.warp_count(config.block.x * config.block.y * config.block.z) > 1;
  std::vector<Defect> defects;
  for (const FoundDefect& logged : found) {
    Defect defect{.kind = logged.kind,
                  .is_note = logged.is_note,
                  .ends_launch = logged.ends_launch,
                  .party = party_of(logged.party, lines, config, warp_size),
                  .address = logged.address,
                  .bytes = logged.bytes,
                  .memory = {logged.variable, logged.memory.begin, logged.memory.bytes},
                  .index = logged.index,
                  .detail = logged.detail,
                  .barrier_line = logged.barrier_line,
                  .count = logged.count,
                  .is_within_warp = logged.is_within_warp && has_warps};
    if (logged.is_with_async_copy) defect.other_work = "asynchronous copy";
    if (logged.has_other) defect.other = party_of(logged.other, lines, config, warp_size);
    if (defect.other) show_same_axes(defect.party.place, defect.other->place);
    defect.host_at = logged.other.pc;
    if (logged.other_work) describe_race(*logged.work, *logged.other_work, logged.is_by_scope, defect);
    add_defect(defects, defect);
  }
  return defects;
}

// Keeps the defect that names both threads, if two are equal.
void add_defect(std::vector<Defect>& defects, const Defect& defect) {
  const auto known =
      std::ranges::find_if(defects, [&](const Defect& other) { return have_same_lines(other, defect); });
  if (known == defects.end()) {
    defects.push_back(defect);
    return;
  }
  const std::size_t count = known->count + defect.count;
  const bool is_within_warp = known->is_within_warp && defect.is_within_warp;
  if (known->other && !known->other->place && defect.other->place) *known = defect;
  known->ends_launch = known->ends_launch || defect.ends_launch;
  known->count = count;
  known->is_within_warp = is_within_warp;
}

}  // namespace gpulab::simulator::watch
