#include <fmt/format.h>
#include <algorithm>
#include <string>
#include <utility>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "program/runtime/library_work.hpp"
#include "program/runtime/runtime.hpp"
#include "source/bounds.hpp"
#include "source/source_parts.hpp"
#include "source/statements.hpp"

namespace gpulab::program::runtime {

// Looks for elements that the host gets although nobody has written them. A program may have a reason: it may
// use only a part of what it copies. It is a mistake if a launch leaves out the last elements, by a warp or
// more; in a launch of several blocks, by more than the few elements at the edge that lack neighbours.
void Runtime::look_for_unwritten(std::uintptr_t from, std::size_t bytes, const char* call, Site site) {
  const Allocation* const memory = allocations_.at(from);
  const AddressRange copied{from, bytes};
  const bool is_checked = memory && memory->kind == MemoryKind::device && memory->pitch == 0 &&
                          !memory->is_array && !memory->is_written_by_thrust &&
                          !allocations_.unusual_set_at(from);
  if (!is_checked) return;
  if (machine_->checked().was_written(copied)) {
    for (Suspect& suspect : suspects_)  // the host has set all elements, and the kernel changes some
      suspect.is_certain |= suspect.is_guarded && copied.contains(suspect.unreached.begin);
    return;
  }
  const std::size_t element_bytes = memory->element_bytes > 0 ? memory->element_bytes : 4,
                    count = bytes / element_bytes;
  const auto unwritten = machine_->checked().unwritten_elements(copied, element_bytes);
  const bool is_tail =
      unwritten.count > 0 && unwritten.last + 1 == count && unwritten.first + unwritten.count == count;
  // Elements of an unknown type may have padding, which is never written.
  if (unwritten.count == 0 || (memory->element_bytes == 0 && !is_tail)) return;
  const std::uintptr_t first = from + unwritten.first * element_bytes;
  // A transpose leaves out as many elements of its result as of its input, but others.
  const bool is_of_plane =
      memory->launch && memory->launch->config.grid.y * memory->launch->config.block.y > 1;
  const auto launch = std::ranges::find_if(suspects_, [&](const Suspect& suspect) {
    const bool has_count = unwritten.count == suspect.left_out;
    return !suspect.is_of_copy() &&
           (suspect.unreached.begin == first
                ? is_tail || has_count
                : has_count && is_of_plane && suspect.finding.place == place_of(memory->launch->site));
  });
  if (launch != suspects_.end()) {
    constexpr std::size_t warp = 32, few = 3;
    const bool is_too_many = unwritten.count > (launch->has_several_blocks ? few : warp - 1);
    const bool was_certain = std::exchange(launch->is_certain, is_too_many);
    launch->needs_copy = false;
    if (!was_certain)
      launch->finding.others.push_back(
          {place_of(site), fmt::format("{} brings {}{} to the host: nobody has written them", call,
                                       is_tail ? "the last " : "", grouped(unwritten.count))});
    return;
  }
  const bool has_stored =
      memory->launch && unwritten.first > 0 && machine_->checked().line_of_store(from) > 0;
  const std::string elements_text = count == 1                 ? ""
                                    : unwritten.count == count ? "all " + grouped(count) + " elements, from "
                                    : is_tail ? "the last " + grouped(count - unwritten.first) + ", from "
                                              : grouped(unwritten.count) + " elements, the first is ";
  Suspect suspect{{.pattern = "uninitialised-copy",
                   .place = place_of(site),
                   .text = std::string(call) + " brings elements to the host that nobody has written: " +
                           elements_text + memory->name_of(first),
                   .others = {allocated_at(*memory)}},
                  "",
                  {first, bytes - unwritten.first * element_bytes}};
  suspect.is_certain = add_size_query(*memory, first, suspect.finding);
  const auto known = std::ranges::find_if(suspects_, [&](const Suspect& other) {
    return other.is_of_copy() && other.finding.place == suspect.finding.place;
  });
  if (known != suspects_.end())
    suspect.is_certain = known->is_certain;
  else if (const auto index = has_stored
                                  ? source::wrong_index(code_, memory->launch->kernel, memory->launch->config)
                                  : std::nullopt) {
    suspect.finding.text += "; " + index->text;
    suspect.finding.correction = index->right;
    suspect.finding.others.push_back(launched_at(memory->launch->kernel, memory->launch->site));
    suspect.is_certain = true;
  } else if (has_stored && is_tail) {
    const Allocation::Launch& launch = *memory->launch;
    const LaunchConfig& config = launch.config;
    const std::size_t threads = config.grid.volume() * config.block.volume();
    suspect.finding.others.push_back(
        {place_of(launch.site),
         fmt::format("kernel {} wrote the first {} of {} elements; it has {} threads, in {} warps",
                     launch.kernel, grouped(unwritten.first), grouped(count), grouped(threads),
                     grouped(config.grid.volume() * ((config.block.volume() + 31) / 32)))});
  }
  suspects_.push_back(std::move(suspect));
}

// Notes device memory whose end a launch has left unwritten, and the last launch that used device memory or
// was given host memory, for the report of a later read. To save time, only the first launches with the
// memory count for unwritten ends.
void Runtime::look_for_partial_writes(const Launched& launched) {
  constexpr int max_launches = 4;
  const std::size_t blocks = launched.config.grid.volume(),
                    threads_per_block = launched.config.block.volume(), threads = blocks * threads_per_block;
  for (const std::uintptr_t word : launched.words) {
    Allocation* const memory = allocations_.containing(word);
    const bool is_used = memory && (memory->kind == MemoryKind::pinned ||
                                    machine_->checked().was_touched({memory->begin, memory->bytes}));
    if (is_used && memory->launch && (memory->launch->kernel != launched.kernel || !memory->writes.empty()))
      memory->has_reader = true;
    const bool is_next = memory && memory->launch && memory->launch->site == launched.site;
    const int count = is_next ? memory->launch->count + 1 : 1;
    if (is_used) memory->launch = {launched.kernel, launched.site, launched.config, count};
    if (is_used) memory->store = {machine_->checked().store_to(memory->begin)};
    if (!memory || memory->is_freed || memory->kind != MemoryKind::device || !memory->writes.empty() ||
        ++memory->launches_checked > max_launches)
      continue;
    // If the type of the elements is unknown, a size counts only if each thread has written one element.
    const bool is_type_known = memory->element_bytes > 0;
    for (const std::size_t bytes :
         is_type_known ? std::vector{memory->element_bytes} : std::vector<std::size_t>{4, 8, 48, 64}) {
      const std::size_t count = memory->bytes / bytes;
      const auto unwritten = machine_->checked().unwritten_elements({memory->begin, memory->bytes}, bytes);
      if (unwritten.count == 0) break;  // then no larger element is unwritten either
      const bool is_end = unwritten.first > 0 && unwritten.first + unwritten.count == count;
      const bool is_new = !memory->partial_write || memory->partial_write->elements != unwritten.first;
      if (is_end && is_new && (is_type_known || unwritten.first == threads))
        memory->partial_write = {launched.kernel, launched.site, unwritten.first,
                                 count,           blocks,        threads_per_block};
    }
  }
}

// Explains an index past the end by an allocation with as many bytes as the kernel is to use elements.
void Runtime::add_counted_allocation(const Allocation& memory, const std::string& kernel,
                                     ProgramFinding& finding) const {
  const std::size_t element = memory.element_bytes > 1 ? memory.element_bytes : 4;
  if (memory.element_bytes == 1 || !contains(lengths_in(running_words_), memory.bytes)) return;
  finding.others.push_back({finding.place, "the kernel goes past the end here"});
  const SourcePlace launch = place_of(running_site_), allocated = place_of(memory.site);
  if (const auto size = source::size_as_argument(code_, launch.line, allocated.line);
      size && launch.file.empty() && allocated.file.empty()) {
    finding.place = launch;
    finding.text = fmt::format("kernel {} is given {}, {} bytes, as a number of elements: {}", kernel,
                               size->wrong, grouped(memory.bytes), finding.text);
    finding.correction = size->right + " in the launch: the kernel counts elements";
    return;
  }
  finding.pattern = "allocation-size";
  finding.place = allocated;
  finding.text = fmt::format("{} allocates {} bytes, but kernel {} is given {} as the number of elements: {}",
                             memory.call, grouped(memory.bytes), kernel, grouped(memory.bytes), finding.text);
  finding.correction = fmt::format("{}(&pointer, count * sizeof(*pointer)), which is {} bytes", memory.call,
                                   grouped(memory.bytes * element));
}

// Looks for a kernel that uses the width of padded rows as their pitch.
void Runtime::look_for_ignored_pitch(const std::string& kernel, Site site, const Allocation& memory) {
  const std::size_t rows = memory.bytes / memory.pitch;
  const auto is_touched = [&](std::size_t begin, std::size_t bytes) {
    return bytes > 0 && machine_->checked().was_touched({memory.begin + begin, bytes});
  };
  if (rows < 2 || memory.width + 4 > memory.pitch || !is_touched(memory.width, memory.pitch - memory.width) ||
      is_touched((rows - 1) * memory.pitch, memory.width))
    return;
  suspects_.push_back(
      {{.pattern = "pitch-ignored",
        .place = place_of(site),
        .text = fmt::format(
            "kernel {} accesses the padding between rows of pitched memory and leaves out the last row: a row has {} bytes, and the pitch is {} bytes",
            kernel, grouped(memory.width), grouped(memory.pitch)),
        .correction = "T* row = (T*)((char*)pointer + y * pitch)",
        .others = {allocated_at(memory)}},
       kernel,
       {memory.begin + (rows - 1) * memory.pitch, memory.width}});
}

// Adds the possible reasons for a failure: as defects if the program has failed, else as notes.
void Runtime::add_suspects(int exit_status) {
  std::ranges::stable_sort(suspects_, std::greater(), &Suspect::is_certain);
  std::vector<SourcePlace> reported;
  for (Suspect& suspect : suspects_) {
    const SourcePlace place = suspect.finding.place;
    if (suspect.needs_copy || std::ranges::find(reported, place) != reported.end()) continue;
    reported.push_back(place);
    suspect.finding.is_note = exit_status == 0 && !suspect.is_certain;
    add(std::move(suspect.finding));
  }
  // A program that checks its results returns 1 if one is wrong; another status means another error. If
  // its text copies results to the host, but no such copy was made, it has ended early.
  constexpr int status_of_check = 1;
  if (exit_status != 0 && exit_status != status_of_check) return;
  const std::vector<TimelineEntry> entries = timeline_.entries();
  const source::Code& code = code_;
  if (exit_status != 0 && source::has_word(code, "cudaMemcpyDeviceToHost", 0, code.size()) &&
      std::ranges::find(entries, TimelineEntry::Kind::to_host, &TimelineEntry::kind) == entries.end())
    return;
  for (const auto& [begin, allocation] : allocations_.all())
    if (!allocation.is_freed) look_for_unread_result(allocation);
  if (!std::ranges::all_of(findings_, &ProgramFinding::is_note)) return;
  for (ProgramFinding& finding : unread_results_) {
    finding.is_note = exit_status == 0;
    add(std::move(finding));
  }
}

}  // namespace gpulab::program::runtime
