#include "simulator/watch/checked_launches.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "device/host.hpp"

namespace gpulab::simulator::watch {
namespace {

constexpr std::size_t page_bytes = 4096;

bool contains(const AddressRange& outer, const AddressRange& inner) {
  return outer.begin <= inner.begin && inner.begin + inner.bytes <= outer.begin + outer.bytes;
}

// Returns whether the race is between a plain read and an atomic, and the reading thread passes the value to
// an atomicCAS. The race does no harm, since the atomicCAS fails if the value is stale.
bool is_read_before_swap(const FoundDefect& defect, InstructionSites& sites) {
  const auto is_read = [&](const FoundDefect::Party& party) {
    return party.access == DefectAccess::load && sites.is_read_for_swap(party.pc);
  };
  if (!defect.has_other) return false;
  return (is_read(defect.party) && defect.other.access == DefectAccess::atomic) ||
         (is_read(defect.other) && defect.party.access == DefectAccess::atomic);
}

// Returns whether a volatile load races with a volatile store: no other race of a load is logged as a note.
bool is_volatile_race(const FoundDefect& defect) {
  return defect.kind == DefectKind::global_race && defect.is_note && defect.has_other && !defect.other_work &&
         (defect.party.access == DefectAccess::load || defect.other.access == DefectAccess::load);
}

// Returns a mask of the word's bytes that were accessed in the segments from `first` on.
unsigned accessed_bytes(const MemoryShadow& shadow, std::size_t word, std::uint32_t first) {
  const AccessRecord record(shadow.cell(word));
  if (record.segment() < first) return 0;
  if (record.kind() != AccessRecord::history) return record.bytes();
  unsigned bytes = 0;
  for (unsigned byte = 0; byte < MemoryShadow::word_bytes; ++byte) {
    ByteHistory history = shadow.history(word)[byte];
    history.forget_before(first);
    bytes |= unsigned{history != ByteHistory()} << byte;
  }
  return bytes;
}

// Returns whether the last accesses to an accessed word are plain stores.
bool is_only_stored(const MemoryShadow& shadow, std::size_t word) {
  const AccessRecord record(shadow.cell(word));
  if (record.kind() != AccessRecord::history) return record.kind() == AccessRecord::store;
  return std::ranges::all_of(shadow.history(word), [](const ByteHistory& byte) {
    return byte == ByteHistory{.write = byte.write, .atomic = {}, .read = {}, .volatile_read = {}};
  });
}

}  // namespace

GlobalShadows::Allocation* GlobalShadows::allocation_at(std::uintptr_t address) {
  const auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  Allocation& found = std::prev(after)->second;
  return found.range.contains(address) ? &found : nullptr;
}

void GlobalShadows::mark(const AddressRange& bytes, bool is_written) {
  Allocation* const allocation = allocation_at(bytes.begin);
  if (!allocation) return;
  if (allocation->shadow) return allocation->shadow->set_written(bytes, is_written);
  std::erase_if(allocation->marks, [&](const Mark& earlier) { return contains(bytes, earlier.bytes); });
  allocation->marks.push_back({bytes, is_written});
}

void GlobalShadows::mark_copied(const AddressRange& target, std::uintptr_t source) {
  mark(target, /*is_written=*/true);
  const std::optional<WatchedRegion> from = region_at(source);
  if (!from || source % MemoryShadow::word_bytes != 0) return;
  region_at(target.begin);  // makes its shadow: a list of many marks is slow
  const std::uint8_t* const states =
      from->shadow->states() + (source - from->range.begin) / MemoryShadow::word_bytes;
  const std::size_t words = target.bytes / MemoryShadow::word_bytes;
  const auto end_of_run = [&](std::size_t word, bool is_written) {
    while (word < words && (states[word] >> 4 != 0) == is_written) ++word;
    return word;
  };
  for (std::size_t end = 0; end < words;) {
    const std::size_t begin = end_of_run(end, /*is_written=*/true);
    end = end_of_run(begin, /*is_written=*/false);
    if (begin < end)
      mark({target.begin + begin * MemoryShadow::word_bytes, (end - begin) * MemoryShadow::word_bytes},
           /*is_written=*/false);
  }
}

void GlobalShadows::mark_all_written() {
  for (auto& [begin, allocation] : allocations_) mark(allocation.range, true);
}

void GlobalShadows::mark_guard(const AddressRange& bytes) {
  Allocation* const allocation = allocation_at(bytes.begin);
  if (!allocation || !contains(allocation->allowed, bytes)) return;
  AddressRange& allowed = allocation->allowed;
  if (bytes.begin == allowed.begin)
    allowed = {allowed.begin + bytes.bytes, allowed.bytes - bytes.bytes};
  else if (bytes.begin + bytes.bytes == allowed.begin + allowed.bytes)
    allowed.bytes -= bytes.bytes;
  else
    return;
  if (allocation->shadow) allocation->shadow->set_allowed(bytes, false);
}

// Returns the allocation's region, to the end of its last page: an access to the rest of that page does not
// fault, and is to be reported as out of bounds. Page-locked memory of the host may begin anywhere in a page,
// and end where other data begins: its region has no such rest.
WatchedRegion GlobalShadows::region_of(Allocation& allocation) {
  if (!allocation.shadow) {
    const std::size_t unit = allocation.range.begin % page_bytes == 0 ? page_bytes : MemoryShadow::word_bytes;
    const std::size_t units = (allocation.range.bytes + unit - 1) / unit;
    allocation.shadow = std::make_unique<MemoryShadow>(AddressRange{allocation.range.begin, units * unit});
    allocation.shadow->set_allowed(allocation.allowed, true);
    for (const Mark& made : allocation.marks) allocation.shadow->set_written(made.bytes, made.is_written);
    allocation.marks.clear();
  }
  return {.range = allocation.shadow->memory(),
          .allowed = allocation.allowed,
          .device = allocation.device,
          .is_shared_with_host = allocation.device == OwnedMemory::every_device,
          .shadow = allocation.shadow.get()};
}

std::vector<WatchedRegion> GlobalShadows::regions() {
  std::vector<WatchedRegion> regions;
  for (auto& [begin, allocation] : allocations_) regions.push_back(region_of(allocation));
  return regions;
}

std::optional<WatchedRegion> GlobalShadows::region_at(std::uintptr_t address) {
  Allocation* const allocation = allocation_at(address);
  return allocation ? std::optional(region_of(*allocation)) : std::nullopt;
}

VariableShadows::VariableShadows(const std::vector<schedule::ModuleVariable>& variables) {
  for (const schedule::ModuleVariable& variable : variables) {
    MemoryShadow* shadow = nullptr;
    AddressRange range = variable.range;
    if (!variable.is_constant) {
      range.bytes += range.begin % MemoryShadow::word_bytes;
      range.begin -= range.begin % MemoryShadow::word_bytes;
      shadow = shadows_.emplace_back(std::make_unique<MemoryShadow>(range)).get();
      shadow->set_allowed(variable.range, true);
      shadow->set_written(variable.range, true);
    }
    regions_.push_back({.range = range,
                        .allowed = variable.range,
                        .is_shared_with_host = variable.is_managed,
                        .shadow = shadow,
                        .variable = variable.name.c_str()});
  }
}

bool CheckedLaunches::save(const std::vector<schedule::ModuleVariable>& variables) {
  std::vector<AddressRange> ranges;
  for (const WatchedRegion& region : memory_.regions()) {
    if (region.allowed.bytes > 0)
      ranges.push_back(region.allowed);  // the rest may be unmapped, or others' data
    ranges.push_back({reinterpret_cast<std::uintptr_t>(region.shadow->states()), region.shadow->words()});
  }
  for (const schedule::ModuleVariable& variable : variables)
    if (!variable.is_constant) ranges.push_back(variable.range);
  std::erase_if(ranges, [](const AddressRange& range) { return range.bytes == 0; });
  saved_.resize(ranges.size());
  std::size_t bytes_to_allocate = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i)
    if (ranges[i].bytes > saved_[i].capacity) bytes_to_allocate += ranges[i].bytes;
  if (bytes_to_allocate > device::free_host_memory_bytes() / 4) return false;  // leaves most to others
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    auto& [range, copy, capacity] = saved_[i];
    range = ranges[i];
    if (range.bytes > capacity) {
      copy = ReservedArray<std::byte>(range.bytes, ReservedBytes::Use::dense);
      capacity = range.bytes;
    }
    std::memcpy(copy.data(), reinterpret_cast<const void*>(range.begin), range.bytes);
  }
  return true;
}

void CheckedLaunches::restore() {
  for (const auto& [range, copy, capacity] : saved_)
    std::memcpy(reinterpret_cast<void*>(range.begin), copy.data(), range.bytes);
}

bool CheckedLaunches::was_touched(const AddressRange& bytes) {
  const std::optional<WatchedRegion> region = memory_.region_at(bytes.begin);
  if (!region || !watch_) return false;
  if (watch_->unrecorded_blocks() > 0) return true;  // perhaps by an unrecorded block
  const std::size_t begin = bytes.begin - region->range.begin, end = begin + bytes.bytes;
  for (std::size_t word = begin / MemoryShadow::word_bytes; word * MemoryShadow::word_bytes < end; ++word)
    if (accessed_bytes(*region->shadow, word, watch_->first_segment()) & bytes_of_word(word, begin, end))
      return true;
  return false;
}

bool CheckedLaunches::was_written(const AddressRange& bytes) {
  const std::optional<WatchedRegion> region = memory_.region_at(bytes.begin);
  if (!region) return true;
  const std::size_t begin = bytes.begin - region->range.begin, end = begin + bytes.bytes;
  return region->shadow->first_byte(/*is_written=*/false, begin, end) == end;
}

CheckedLaunches::UnwrittenElements CheckedLaunches::unwritten_elements(const AddressRange& bytes,
                                                                       std::size_t element_bytes) {
  UnwrittenElements found;
  const std::optional<WatchedRegion> region = memory_.region_at(bytes.begin);
  if (!region) return found;
  const MemoryShadow& shadow = *region->shadow;
  const std::size_t elements = bytes.bytes / element_bytes, begin = bytes.begin - region->range.begin,
                    end = begin + elements * element_bytes;
  for (std::size_t element = 0; element < elements; ++element) {
    const std::size_t unwritten =
        shadow.first_byte(/*is_written=*/false, begin + element * element_bytes, end);
    element = (unwritten - begin) / element_bytes;
    const std::size_t written = shadow.first_byte(/*is_written=*/true, begin + element * element_bytes, end);
    const std::size_t end_of_gap = (written - begin) / element_bytes;
    if (end_of_gap == element) continue;  // a part of the element is written, or there is no further gap
    if (found.count == 0) found.first = element;
    found.count += end_of_gap - element;
    found.last = end_of_gap - 1;
    element = end_of_gap;  // has a written byte, so the loop continues behind it
  }
  return found;
}

bool CheckedLaunches::is_only_written(const AddressRange& bytes) {
  const std::optional<WatchedRegion> region = memory_.region_at(bytes.begin);
  constexpr std::size_t max_words = std::size_t{1} << 26;  // more take seconds
  if (!region || region->shadow->words() > max_words || sampled_.blocks > 0) return false;
  bool is_written = false;
  for (std::size_t word = 0; word < region->shadow->words(); ++word) {
    if (AccessRecord(region->shadow->cell(word)) == AccessRecord()) continue;
    if (!is_only_stored(*region->shadow, word)) return false;
    is_written = true;
  }
  return is_written;
}

std::uintptr_t CheckedLaunches::store_to(std::uintptr_t address) {
  const std::optional<WatchedRegion> region = memory_.region_at(address);
  if (!region || !region->shadow || !watch_ || watch_->unrecorded_blocks() > 0) return 0;
  const std::size_t offset = address - region->shadow->memory().begin,
                    word = offset / MemoryShadow::word_bytes;
  const AccessRecord last(region->shadow->cell(word));
  const WordHistory history =
      last.kind() == AccessRecord::history ? region->shadow->history(word) : history_of(last);
  const AccessRecord& write = history[offset % MemoryShadow::word_bytes].write;
  return write.segment() < watch_->first_segment() ? 0 : watch_->sites.pc(write.site());
}

int CheckedLaunches::line_of_store(std::uintptr_t address) {
  const std::uintptr_t store = store_to(address);
  const std::string line = store == 0 ? "" : source_line(store - 1);
  return other_file(line).empty() ? line_number(line) : 0;
}

HostView CheckedLaunches::on_host(HostAccess access) {
  std::optional<WatchedRegion> memory = memory_.region_at(access.address);
  if (!memory && variables_)
    for (const WatchedRegion& region : variables_->regions())
      if (region.range.contains(access.address)) memory = region;
  if (!memory || !memory->shadow) return {};
  access.bytes = std::min(access.bytes, memory->range.begin + memory->range.bytes - access.address);
  return stream_races_.on_host(*memory, access, defects_);
}

void CheckedLaunches::start(schedule::SimulatedLaunch& launch,
                            const std::vector<schedule::ModuleVariable>& variables, const StreamOp& op,
                            const std::string& name) {
  launch.watch = nullptr;
  if (!watch_) watch_ = std::make_unique<LaunchWatch>();
  variables_.emplace(variables);
  std::vector<WatchedRegion> regions = memory_.regions();
  regions.insert(regions.end(), variables_->regions().begin(), variables_->regions().end());
  for (const OwnedMemory& memory : launch.all_allocations)
    for (WatchedRegion& region : regions)
      if (region.range.begin == memory.range.begin) region.is_reachable = memory.is_reachable;
  watch_->start(std::move(regions), launch, max_accesses_, recorded_accesses_of(name));
  watch_->set_concurrent_ops(stream_races_.start_launch(op, name, launch.device, watch_->regions()));
  launch.watch = watch_.get();
}

// Returns how many accesses of the kernel's next launch are recorded before its blocks are sampled; 0: all. A
// kernel that is launched again and again mostly repeats what its first launches did.
std::size_t CheckedLaunches::recorded_accesses_of(const std::string& kernel) {
  if (!is_sampling_) return 0;
  constexpr std::size_t in_first = 1u << 25, in_each_of_next_31 = 1u << 22, in_later_ones = 1u << 19;
  const unsigned earlier_launches = launches_[kernel]++;
  if (earlier_launches == 0) return in_first;
  return earlier_launches < 32 ? in_each_of_next_31 : in_later_ones;
}

bool CheckedLaunches::are_harmless(const std::vector<FoundDefect>& found) {
  return std::ranges::all_of(found, [&](const FoundDefect& defect) {
    return defect.is_note || is_read_before_swap(defect, watch_->sites);
  });
}

std::string CheckedLaunches::finish(const schedule::SimulatedLaunch& launch,
                                    const std::vector<FoundDefect>& found) {
  std::vector<FoundDefect> all = found;
  std::erase_if(all, [&](const FoundDefect& defect) { return is_read_before_swap(defect, watch_->sites); });
  const auto races = std::ranges::stable_partition(all, std::not_fn(is_volatile_race));
  const std::vector<FoundDefect> of_volatile(races.begin(), races.end());
  all.erase(races.begin(), races.end());
  for (const Defect& defect : reported(all, launch.config, launch.warp_size)) add_defect(defects_, defect);
  for (const Defect& race : reported(of_volatile, launch.config, launch.warp_size))
    add_defect(volatile_races_, race);
  const auto fatal = std::ranges::find_if(found, &FoundDefect::ends_launch);
  const std::string why = fatal == found.end()
                              ? std::string()
                              : explanation_of(reported({*fatal}, launch.config, launch.warp_size).front());
  stream_races_.finish_launch(watch_->sites);
  if (watch_->unrecorded_blocks() > 0) {
    sampled_.blocks += watch_->recorded_blocks() + watch_->unrecorded_blocks();
    sampled_.recorded += watch_->recorded_blocks();
  }
  return why;
}

}  // namespace gpulab::simulator::watch
