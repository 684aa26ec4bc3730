#include "lesson/finding.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/text.hpp"

namespace gpulab {
namespace {

std::string text_of_index(const Extent& index, unsigned least_axes = 1) {
  if (index.y == 0 && index.z == 0 && least_axes < 2) return std::to_string(index.x);
  if (index.z == 0 && least_axes < 3) return fmt::format("({}, {})", index.x, index.y);
  return fmt::format("({}, {}, {})", index.x, index.y, index.z);
}

std::string line_of(const Defect::Party& party) {
  return line_text(party.line, party.file);
}

std::string text_of_party(const Defect::Party& party) {
  if (!party.place) return "a thread of another block";
  return text_of_block(*party.place) + " " + text_of_thread(*party.place);
}

// Adds the warp and the lane, for what happens between the lanes of a warp.
std::string text_of_party_in_warp(const Defect::Party& party) {
  return party.place ? text_of(*party.place) : text_of_party(party);
}

bool in_one_block(const Defect& defect) {
  return defect.other && defect.other->place && defect.party.place &&
         defect.other->place->block == defect.party.place->block;
}

// Names the other thread after the first one: "thread 2", "thread 2 of the same warp", "block 1 thread 2".
std::string text_of_other_thread(const Defect& defect) {
  if (!in_one_block(defect)) return text_of_party(*defect.other);
  if (*defect.other->place == *defect.party.place) return "the same thread";
  const bool in_one_warp = defect.other->place->warp == defect.party.place->warp;
  return text_of_thread(*defect.other->place) + (in_one_warp ? " of the same warp" : "");
}

std::string_view present_verb(DefectAccess access) {
  if (access == DefectAccess::atomic) return "atomically updates";
  return access == DefectAccess::load ? "reads" : "writes";
}

std::string_view past_verb(DefectAccess access) {
  if (access == DefectAccess::atomic) return "updated atomically";
  return access == DefectAccess::load ? "read" : "wrote";
}

std::string bytes_text(std::size_t bytes) {
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

// Returns "byte 128 of 'tile' of 1024 bytes" or "4 bytes past the end of ...".
std::string relation(const Defect& defect) {
  const Defect::Memory& memory = defect.memory;
  if (memory.begin == 0 && defect.address >= 4096) return "an address near no array";
  if (memory.begin == 0 && memory.variable == Defect::Memory::of_full_heap)
    return "a null pointer: malloc() or new found no room in the heap, which holds what is not freed or deleted";
  if (memory.begin == 0) return "a null pointer";
  const std::string name = memory.variable.empty() ? "an array" : "'" + memory.variable + "'";
  const std::string array = name + " of " + bytes_text(memory.bytes);
  if (defect.address < memory.begin)
    return bytes_text(memory.begin - defect.address) + " before the start of " + array;
  const std::size_t offset = defect.address - memory.begin;
  if (offset == 0 && defect.bytes == memory.bytes) return name;
  if (offset + defect.bytes <= memory.bytes) return fmt::format("byte {} of {}", offset, array);
  if (offset < memory.bytes) return "across the end of " + array;
  return (offset == memory.bytes ? "just" : bytes_text(offset - memory.bytes)) + " past the end of " + array;
}

// Returns "tile[3][5]" for an address in an array of known dimensions; empty otherwise.
std::string element_of(const Defect& defect) {
  const Defect::Memory& memory = defect.memory;
  if (memory.dimensions.empty() || defect.address < memory.begin) return "";
  std::size_t elements = 1;
  for (const std::size_t dimension : memory.dimensions) elements *= dimension;
  const std::size_t bytes_each = memory.bytes / elements, offset = defect.address - memory.begin;
  if (offset + defect.bytes > memory.bytes || offset % bytes_each != 0) return "";
  std::string text = memory.variable;
  for (const std::size_t dimension : memory.dimensions) {
    elements /= dimension;
    text += fmt::format("[{}]", offset / bytes_each / elements % dimension);
  }
  return text;
}

// Returns "tile[-1]" and where that is, for an address before or past an array of one known dimension.
MemoryName element_outside(const Defect& defect) {
  const Defect::Memory& memory = defect.memory;
  if (memory.begin == 0 || memory.dimensions.size() != 1 || memory.bytes < memory.dimensions[0]) return {};
  const auto length = static_cast<long long>(memory.dimensions[0]),
             bytes_each = static_cast<long long>(memory.bytes) / length,
             distance = static_cast<long long>(defect.address - memory.begin);
  const long long index = distance >= 0 ? distance / bytes_each : (distance - bytes_each + 1) / bytes_each;
  if (0 <= index && index < length) return {};
  return {.element = fmt::format("{}[{}]", memory.variable, index),
          .where = index < 0 ? "before its first element"
                             : "past its " + grouped(memory.dimensions[0]) + " elements"};
}

MemoryName memory_name(const Defect& defect, const ArrayElement& element) {
  if (element)
    if (MemoryName known = element(defect.address); !known.element.empty() || !known.where.empty())
      return known;
  if (std::string known = element_of(defect); !known.empty()) return {.element = std::move(known)};
  if (MemoryName outside = element_outside(defect); !outside.element.empty()) return outside;
  return {.where = relation(defect)};
}

// Returns "in line 7 what thread 2 wrote in line 9, an array of ..." or "C[7] in line 7, which ...".
std::string accessed_after(const MemoryName& memory, const std::string& line, const std::string& earlier) {
  if (memory.element.empty()) return fmt::format("in {} what {}, {}", line, earlier, memory.where);
  return fmt::format("{} in {}, which {}", memory.element, line, earlier);
}

bool encloses_barrier(const Defect& defect) {
  const auto [first, last] = std::minmax(defect.party.line, defect.other->line);
  return first < defect.barrier_line && defect.barrier_line < last;
}

// Returns whether a thread overwrites what another thread of the block may still read: the store is after the
// read in the text with no barrier between them or, in a loop, before the read with a barrier between them.
bool is_overwriting(const Defect& defect) {
  return in_one_block(defect) && defect.party.access == DefectAccess::store &&
         defect.other->access == DefectAccess::load && defect.party.line != defect.other->line &&
         (defect.party.line < defect.other->line) == encloses_barrier(defect);
}

std::string missing_order(const Defect& defect) {
  const bool same_block = in_one_block(defect);
  const bool both_atomic =
      defect.party.access == DefectAccess::atomic && defect.other->access == DefectAccess::atomic;
  if (!same_block && both_atomic) return "and `_block` atomics are not atomic across blocks";
  if (!same_block) return "and nothing orders two blocks of one launch";
  const int line = defect.party.line, other_line = defect.other->line;
  const bool shows_both_lines = line > 0 && other_line > 0 && line != other_line &&
                                !encloses_barrier(defect) && defect.party.file.empty() &&
                                defect.other->file.empty();
  if (!shows_both_lines) return "with no barrier between them";
  return fmt::format("with no barrier between line {} and line {}", std::min(line, other_line),
                     std::max(line, other_line));
}

DefectText race(const Defect& defect, const MemoryName& memory) {
  const std::string party = text_of_party(defect.party);
  const bool overwrites = is_overwriting(defect);
  const std::string accessed = accessed_after(
      memory, line_of(defect.party),
      fmt::format("{} {} in {}", text_of_other_thread(defect),
                  overwrites ? "reads" : past_verb(defect.other->access), line_of(*defect.other)));
  if (defect.is_note)
    return {"several threads write the same value", fmt::format("{} writes {}", party, accessed)};
  if (!defect.other_work.empty())
    return {"data race with an " + defect.other_work,
            fmt::format("{} {} {} in {}, while the copy to it that {} began in {} is on its way: nothing has "
                        "waited for it",
                        party, present_verb(defect.party.access),
                        memory.element.empty() ? memory.where : memory.element, line_of(defect.party),
                        text_of_other_thread(defect), line_of(*defect.other))};
  return {fmt::format("data race in {} memory", defect.kind == DefectKind::shared_race ? "shared" : "global"),
          fmt::format("{} {} {}, {}{}", party, overwrites ? "overwrites" : present_verb(defect.party.access),
                      accessed, missing_order(defect), defect.detail.empty() ? "" : "; " + defect.detail)};
}

DefectText stream_race(const Defect& defect, const std::string& memory) {
  const auto verb_and_object = [](const Defect::Party& party, const std::string& what) {
    return fmt::format("{} {}{}",
                       party.access == DefectAccess::atomic ? "updates" : present_verb(party.access), what,
                       party.line > 0 ? " in " + line_of(party) : "");
  };
  return {"race between streams", fmt::format("{} {} while {} {}, and no event orders them: {}", defect.work,
                                              verb_and_object(defect.party, memory), defect.other_work,
                                              verb_and_object(*defect.other, "it"), defect.detail)};
}

std::string access_to(const Defect& defect, const MemoryName& memory) {
  const std::string what = memory.element.empty() ? bytes_text(defect.bytes) : memory.element;
  const std::string access = fmt::format("{} {} {} in {}", text_of_party(defect.party),
                                         present_verb(defect.party.access), what, line_of(defect.party));
  return memory.where.empty() ? access : access + ", " + memory.where;
}

// Describes threads that wait for others.
DefectText text_of_wait(const Defect& defect, const std::string& memory_text) {
  const std::string party = text_of_party(defect.party), line = line_of(defect.party);
  const std::string detail = defect.detail.empty() ? "" : " (" + defect.detail + ")";
  const std::string other_thread = defect.other ? text_of_other_thread(defect) : "";
  const std::string other_line = defect.other ? line_of(*defect.other) : "";
  using enum DefectKind;
  switch (defect.kind) {
    case divergent_barrier:
      return {
          "divergent barrier",
          fmt::format("{} waits in {}{}{}", party, line,
                      defect.other ? fmt::format(" and {} in {}", other_thread, other_line) : "", detail)};
    case missed_barrier:
      return {"not all threads of a block reach the barrier in " + line,
              fmt::format("{} waits there, and {} had finished without it", party,
                          defect.other ? other_thread : "another")};
    case deadlock:
      return {"deadlock", fmt::format("{} waits in {} for threads that never come{}",
                                      text_of_party_in_warp(defect.party), line, detail)};
    default:  // endless_wait
      return {
          "an infinite wait",
          fmt::format("{} waits in {} until {} changes{}{}, and no thread that could change it goes on",
                      party, line, memory_text, detail,
                      defect.other ? fmt::format(", while {} waits in {}", other_thread, other_line) : "")};
  }
}

// Describes a warp operation whose mask does not fit the lanes that come.
DefectText text_of_mask(const Defect& defect) {
  const std::string line = line_of(defect.party);
  if (defect.kind == DefectKind::absent_lanes)
    return {"a mask names lanes that do not come",
            fmt::format("{} waits in {} for {}, {}; CUDA does not define what follows",
                        text_of_party_in_warp(defect.party), line, defect.detail,
                        defect.other && defect.other->line > 0
                            ? "which call a warp function of another kind in " + line_of(*defect.other)
                            : "which end without it")};
  if (!defect.ends_launch)
    return {"a warp operation reads a lane that does not take part",
            fmt::format("{} reads in {} the value of {}: such a value is undefined{}; the simulator "
                        "gives a large number, such as 2139086509 or, as float, 3.4e+38",
                        text_of_party_in_warp(defect.party), line, defect.detail,
                        defect.other && defect.other->line > 0
                            ? ", and what is stored in " + line_of(*defect.other) + " depends on it"
                            : "")};
  return {"", fmt::format("the warp operation in {} has a mask that leaves out the lane that calls it, {}{}",
                          line, text_of_party_in_warp(defect.party),
                          defect.detail.empty() ? "" : ": " + defect.detail)};
}

// A barrier that not all threads reach causes races and uninitialised reads; a race causes such reads.
std::size_t severity_rank(DefectKind kind) {
  using enum DefectKind;
  static constexpr DefectKind most_severe_first[] = {
      deadlock,         endless_wait,         failed_assertion,     bad_free,
      too_much_output,  too_many_accesses,    divergent_barrier,    missed_barrier,
      wrong_mask,       absent_lanes,         shared_out_of_bounds, constant_write,
      host_pointer,     no_peer_access,       out_of_bounds,        array_index,
      division_by_zero, misaligned,           shared_race,          global_race,
      race_streams,     shared_uninitialised, uninitialised,
  };
  return static_cast<std::size_t>(std::ranges::find(most_severe_first, kind) - most_severe_first);
}

// Ranks a write before a read of the same kind, because it does more damage.
std::size_t rank(const Defect& defect) {
  return 2 * severity_rank(defect.kind) + (defect.party.access == DefectAccess::load ? 1 : 0);
}

}  // namespace

std::string_view name_of(DefectKind kind) {
  using enum DefectKind;
  static constexpr Named<DefectKind> names[] = {
      {does_not_compile, "does-not-compile"},
      {missing_kernel, "missing-kernel"},
      {wrong_parameters, "wrong-parameters"},
      {launch_refused, "launch-failure"},
      {constant_too_small, "constant-memory-too-small"},
      {illegal_address, "illegal-address"},
      {not_enough_shared, "not-enough-shared"},
      {division_by_zero, "division-by-zero"},
      {divergent_barrier, "divergent-barrier"},
      {deadlock, "deadlock"},
      {time_limit, "time-limit"},
      {stack_overflow, "stack-overflow"},
      {trapped, "trap"},
      {failed_assertion, "assertion"},
      {endless_wait, "endless-wait"},
      {bad_free, "bad-free"},
      {too_much_output, "too-much-output"},
      {too_many_accesses, "too-many-accesses"},
      {shared_race, "race-shared"},
      {global_race, "race-global"},
      {race_streams, "race-streams"},
      {out_of_bounds, "out-of-bounds"},
      {shared_out_of_bounds, "shared-out-of-bounds"},
      {array_index, "array-index"},
      {misaligned, "misaligned"},
      {host_pointer, "host-pointer"},
      {no_peer_access, "no-peer-access"},
      {constant_write, "constant-write"},
      {uninitialised, "uninitialised-global"},
      {shared_uninitialised, "uninitialised-shared"},
      {missed_barrier, "missed-barrier"},
      {wrong_mask, "wrong-mask"},
      {absent_lanes, "absent-lanes"},
      {other, "kernel-failure"},
  };
  static_assert(names_every(names, other));
  return name_in(names, kind);
}

std::string line_text(int line, const std::string& file) {
  if (line <= 0) return "an unknown line";
  return "line " + std::to_string(line) + (file.empty() ? "" : " of " + file);
}

std::string text_of_block(const DefectThread& place) {
  return "block " + text_of_index(place.block);
}

std::string text_of_thread(const DefectThread& place) {
  return "thread " + text_of_index(place.thread, place.least_axes);
}

std::string text_of(const DefectThread& place) {
  return fmt::format("{} {} (warp {}, lane {})", text_of_block(place), text_of_thread(place), place.warp,
                     place.lane);
}

std::string text_of_index(long long index, const std::string& type, const std::string& name) {
  return name.empty() ? fmt::format("index {} of a {}", index, type)
                      : fmt::format("index {} of {} ({})", index, name, type);
}

DefectText text_in_parts(const Defect& defect, const ArrayElement& element) {
  const MemoryName memory = memory_name(defect, element);
  const std::string& memory_text = memory.element.empty() ? memory.where : memory.element;
  const std::string party = text_of_party(defect.party);
  const std::string line = line_of(defect.party);
  const std::string detail = defect.detail.empty() ? "" : " (" + defect.detail + ")";
  using enum DefectKind;
  switch (defect.kind) {
    case shared_race:
    case global_race:
      return race(defect, memory);
    case race_streams:
      return stream_race(defect, memory_text);
    case out_of_bounds:
      return {"out of bounds" + detail, access_to(defect, memory)};
    case shared_out_of_bounds:
      return {"out of bounds of the block's shared memory" + detail, access_to(defect, memory)};
    case array_index:
      return {"an index outside its array",
              fmt::format("{} in {}, {}", text_of_index(defect.index, defect.detail, defect.memory.variable),
                          line, party)};
    case division_by_zero:
      return {"integer division by zero in " + line,
              party + " divides by 0; a GPU does not stop, but goes on with a value that is not defined"};
    case misaligned:
      return {"misaligned address", fmt::format("{} accesses {} in {}", party, defect.detail, line)};
    case host_pointer:
      return {"memory of the host, which a GPU cannot reach",
              fmt::format("{} {} it in {}", party, present_verb(defect.party.access), line)};
    case no_peer_access:
      return {"", access_to(defect, memory) + " " + defect.detail, "cuCtxEnablePeerAccess comes first"};
    case constant_write:
      return {"write to constant memory", access_to(defect, memory)};
    case uninitialised:
      return {"read of memory that nobody has written", access_to(defect, memory)};
    case shared_uninitialised:
      return {"read of shared memory that no thread of the block has written", access_to(defect, memory)};
    case failed_assertion:
      return {"an assertion failed in " + line, defect.detail + " is false in " + party};
    case bad_free:
      return {"an invalid free() in " + line, party + " frees " + defect.detail};
    case too_much_output:
      return {
          "too much printf output",
          fmt::format(
              "{} prints in {}, where more than 32 MiB has been printed in one launch; a GPU keeps the last 1 MiB",
              party, line)};
    case too_many_accesses:
      return {"stopped after far more accesses to memory than the problem takes",
              fmt::format("{} was in {}{}", party, line, detail)};
    case divergent_barrier:
    case missed_barrier:
    case deadlock:
    case endless_wait:
      return text_of_wait(defect, memory_text);
    case wrong_mask:
    case absent_lanes:
      return text_of_mask(defect);
    default:  // a kernel that did not run has its own message
      return {};
  }
}

std::string explanation_of(const Defect& defect, const ArrayElement& element) {
  const auto [what, how, remedy] = text_in_parts(defect, element);
  return (what.empty() ? how : what + ": " + how) + (remedy.empty() ? "" : ": " + remedy);
}

std::string text_of_other_party(const Defect& defect) {
  if (!defect.other || defect.other->line == 0) return {};
  // A deadlock's two threads wait at different barriers, though maybe in the line of one function.
  if (defect.other->line == defect.party.line && defect.kind != DefectKind::deadlock) return {};
  const bool is_atomic = defect.other->access == DefectAccess::atomic;
  if (defect.kind == DefectKind::race_streams)
    return fmt::format("{} {} it here, and no event orders the two", defect.other_work,
                       is_atomic ? "updates" : present_verb(defect.other->access));
  const std::string other = text_of_party(*defect.other);
  const bool is_race = defect.kind == DefectKind::shared_race || defect.kind == DefectKind::global_race;
  if (defect.kind == DefectKind::wrong_mask) return other + " stores here what depends on it";
  if (!is_race) return other + " waits here";
  if (!defect.other_work.empty()) return fmt::format("{} begins the {} here", other, defect.other_work);
  if (is_atomic) return other + " updated it atomically here";
  return fmt::format("{} {} it here", other, past_verb(defect.other->access));
}

std::string Explanation::cause() const {
  return guess.empty() ? computed : "consistent with " + guess;
}

bool Explanation::allows(const std::string& cause) const {
  return model == cause ||
         std::ranges::any_of(others, [&](const Explanation& other) { return other.allows(cause); });
}

std::string Explanation::text() const {
  return cause().empty() ? fact : fact + "; " + cause();
}

void sort_by_severity(std::vector<Defect>& defects) {
  std::ranges::stable_sort(defects, {},
                           [](const Defect& defect) { return std::pair(defect.is_note, rank(defect)); });
}

std::vector<Defect> by_severity(std::vector<Defect> defects) {
  std::erase_if(defects, [](const Defect& defect) { return defect.is_note; });
  sort_by_severity(defects);
  return defects;
}

}  // namespace gpulab
