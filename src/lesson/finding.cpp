#include "lesson/finding.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace gpulab {
namespace {

std::string text_of_index(const Extent& index) {
  if (index.y == 0 && index.z == 0) return std::to_string(index.x);
  return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " + std::to_string(index.z) +
         ")";
}

std::string line_of(const Defect::Party& party) {
  if (party.line <= 0) return "an unknown line";
  return "line " + std::to_string(party.line) + (party.file.empty() ? "" : " of " + party.file);
}

std::string who(const Defect::Party& party) {
  return party.place ? text_of(*party.place) : "a thread of another block";
}

std::string_view does(DefectAccess access) {
  switch (access) {
    case DefectAccess::load:
      return "reads";
    case DefectAccess::store:
      return "writes";
    default:
      return "updates atomically";
  }
}

std::string_view did(DefectAccess access) {
  switch (access) {
    case DefectAccess::load:
      return "read";
    case DefectAccess::store:
      return "wrote";
    default:
      return "updated atomically";
  }
}

std::string bytes_text(std::size_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

// "byte 128 of 'tile', which has 1024", or "4 bytes past the end of ..."
std::string relation(const Defect& defect) {
  const Defect::Memory& memory = defect.memory;
  if (memory.begin == 0) return defect.address < 4096 ? "a null pointer" : "an address near no array";
  const std::string array = (memory.variable.empty() ? "an array" : "'" + memory.variable + "'") +
                            std::string(" of ") + bytes_text(memory.bytes);
  if (defect.address < memory.begin)
    return bytes_text(memory.begin - defect.address) + " before the start of " + array;
  const std::size_t offset = defect.address - memory.begin;
  if (offset + defect.bytes <= memory.bytes) return "byte " + std::to_string(offset) + " of " + array;
  if (offset < memory.bytes) return "across the end of " + array;
  return (offset == memory.bytes ? "just" : bytes_text(offset - memory.bytes)) + " past the end of " + array;
}

std::string memory_text(const Defect& defect, const ArrayElement& element) {
  const std::string known = element ? element(defect.address) : std::string();
  return known.empty() ? relation(defect) : known;
}

std::string_view order_missing(const Defect& defect) {
  const bool same_block =
      defect.other->place && defect.party.place && defect.other->place->block == defect.party.place->block;
  const bool both_atomic =
      defect.party.access == DefectAccess::atomic && defect.other->access == DefectAccess::atomic;
  if (!same_block && both_atomic) return "and an atomic for one block (_block) is none for another";
  if (!same_block) return "and nothing orders two blocks of one launch";
  if (defect.other->place->warp == defect.party.place->warp)
    return "with no barrier or __syncwarp() between them";
  return "with no barrier between them";
}

DefectText race(const Defect& defect, const std::string& memory) {
  const std::string other = "what " + who(*defect.other) + " " + std::string(did(defect.other->access)) +
                            " in " + line_of(*defect.other);
  if (defect.is_note)
    return {"several threads write the same value",
            who(defect.party) + " writes in " + line_of(defect.party) + " " + other + ", " + memory};
  return {std::string("data race in ") + (defect.kind == DefectKind::shared_race ? "shared" : "global") +
              " memory",
          who(defect.party) + " " + std::string(does(defect.party.access)) + " in " + line_of(defect.party) +
              " " + other + ", " + memory + ", " + std::string(order_missing(defect)) +
              (defect.detail.empty() ? "" : "; " + defect.detail)};
}

DefectText race_of_work(const Defect& defect, const std::string& memory) {
  const auto does_what = [](const Defect::Party& party, const std::string& what) {
    const std::string verb(party.access == DefectAccess::atomic ? "updates" : does(party.access));
    return " " + verb + " " + what + (party.line > 0 ? " in " + line_of(party) : "");
  };
  return {"race between streams", defect.work + does_what(defect.party, memory) + " while " +
                                      defect.other_work + does_what(*defect.other, "it") +
                                      ", and no event orders them: " + defect.detail};
}

std::string access_to(const Defect& defect, const std::string& memory) {
  return who(defect.party) + " " + std::string(does(defect.party.access)) + " " + bytes_text(defect.bytes) +
         " in " + line_of(defect.party) + ", " + memory;
}

// A barrier that not all threads reach causes races and reads of what was not written; a race causes those
// reads.
constexpr std::array most_severe_first{DefectKind::deadlock,
                                       DefectKind::endless_wait,
                                       DefectKind::failed_assertion,
                                       DefectKind::bad_free,
                                       DefectKind::too_much_output,
                                       DefectKind::too_many_accesses,
                                       DefectKind::divergent_barrier,
                                       DefectKind::missed_barrier,
                                       DefectKind::wrong_mask,
                                       DefectKind::shared_out_of_bounds,
                                       DefectKind::constant_write,
                                       DefectKind::host_pointer,
                                       DefectKind::no_peer_access,
                                       DefectKind::out_of_bounds,
                                       DefectKind::array_index,
                                       DefectKind::division_by_zero,
                                       DefectKind::misaligned,
                                       DefectKind::shared_race,
                                       DefectKind::global_race,
                                       DefectKind::unordered_work,
                                       DefectKind::shared_uninitialised,
                                       DefectKind::uninitialised};

// Of two equal kinds a write does more damage.
std::size_t rank(const Defect& defect) {
  const auto place = std::ranges::find(most_severe_first, defect.kind) - most_severe_first.begin();
  return 2 * static_cast<std::size_t>(place) + (defect.party.access == DefectAccess::load ? 1 : 0);
}

}  // namespace

std::string_view name_of(DefectKind kind) {
  static constexpr Named<DefectKind> names[] = {
      {DefectKind::does_not_compile, "does-not-compile"},
      {DefectKind::missing_kernel, "missing-kernel"},
      {DefectKind::wrong_parameters, "wrong-parameters"},
      {DefectKind::launch_refused, "launch-failure"},
      {DefectKind::constant_too_small, "constant-memory-too-small"},
      {DefectKind::illegal_address, "illegal-address"},
      {DefectKind::not_enough_shared, "not-enough-shared"},
      {DefectKind::division_by_zero, "division-by-zero"},
      {DefectKind::divergent_barrier, "divergent-barrier"},
      {DefectKind::deadlock, "deadlock"},
      {DefectKind::time_limit, "time-limit"},
      {DefectKind::stack_overflow, "stack-overflow"},
      {DefectKind::trapped, "trap"},
      {DefectKind::failed_assertion, "assertion"},
      {DefectKind::endless_wait, "endless-wait"},
      {DefectKind::bad_free, "bad-free"},
      {DefectKind::too_much_output, "too-much-output"},
      {DefectKind::too_many_accesses, "too-many-accesses"},
      {DefectKind::shared_race, "race-shared"},
      {DefectKind::global_race, "race-global"},
      {DefectKind::unordered_work, "race-streams"},
      {DefectKind::out_of_bounds, "out-of-bounds"},
      {DefectKind::shared_out_of_bounds, "shared-out-of-bounds"},
      {DefectKind::array_index, "array-index"},
      {DefectKind::misaligned, "misaligned"},
      {DefectKind::host_pointer, "host-pointer"},
      {DefectKind::no_peer_access, "no-peer-access"},
      {DefectKind::constant_write, "constant-write"},
      {DefectKind::uninitialised, "uninitialised-global"},
      {DefectKind::shared_uninitialised, "uninitialised-shared"},
      {DefectKind::missed_barrier, "missed-barrier"},
      {DefectKind::wrong_mask, "wrong-mask"},
      {DefectKind::other, "kernel-failure"},
  };
  static_assert(names_every(names, DefectKind::other));
  return name_in(names, kind);
}

std::string text_of_block(const DefectThread& place) {
  return "block " + text_of_index(place.block);
}

std::string text_of_thread(const DefectThread& place) {
  return "thread " + text_of_index(place.thread);
}

std::string text_of(const DefectThread& place) {
  return text_of_block(place) + " " + text_of_thread(place) + " (warp " + std::to_string(place.warp) +
         ", lane " + std::to_string(place.lane) + ")";
}

DefectText words_for(const Defect& defect, const ArrayElement& element) {
  const std::string memory = memory_text(defect, element), party = who(defect.party);
  const std::string at = " in " + line_of(defect.party);
  const std::string detail = defect.detail.empty() ? "" : " (" + defect.detail + ")";
  switch (defect.kind) {
    case DefectKind::shared_race:
    case DefectKind::global_race:
      return race(defect, memory);
    case DefectKind::unordered_work:
      return race_of_work(defect, memory);
    case DefectKind::out_of_bounds:
      return {"out of bounds", access_to(defect, memory)};
    case DefectKind::shared_out_of_bounds:
      return {"out of bounds of the block's shared memory" + detail, access_to(defect, memory)};
    case DefectKind::array_index:
      return {"an index outside its array", defect.detail + at + ", " + party};
    case DefectKind::division_by_zero:
      return {"integer division by zero" + at,
              party + " divides by 0; a GPU does not stop, but goes on with a value that is not defined"};
    case DefectKind::misaligned:
      return {"misaligned address", party + " accesses " + defect.detail + at};
    case DefectKind::host_pointer:
      return {"memory of the host, which a GPU cannot reach",
              party + " " + std::string(does(defect.party.access)) + " it" + at};
    case DefectKind::no_peer_access:
      return {"", access_to(defect, memory) + " " + defect.detail + ": cuCtxEnablePeerAccess comes first"};
    case DefectKind::constant_write:
      return {"write to constant memory", access_to(defect, memory)};
    case DefectKind::uninitialised:
      return {"read of memory that nobody has written", access_to(defect, memory)};
    case DefectKind::shared_uninitialised:
      return {"read of shared memory that no thread of the block has written", access_to(defect, memory)};
    case DefectKind::divergent_barrier:
      return {"divergent barrier",
              party + " waits" + at +
                  (defect.other ? " and " + who(*defect.other) + " in " + line_of(*defect.other) : "") +
                  detail};
    case DefectKind::missed_barrier:
      return {
          "not all threads of a block reach the barrier" + at,
          party + " waits there, and " + (defect.other ? who(*defect.other) : "another") + " had returned"};
    case DefectKind::deadlock:
      return {"deadlock", party + " waits" + at + " for threads that never come" + detail};
    case DefectKind::endless_wait:
      return {
          "a wait without end",
          party + " waits" + at + " for another value of " + memory + detail +
              (defect.other ? ", while " + who(*defect.other) + " waits in " + line_of(*defect.other) : "") +
              "; no thread that could change it goes on"};
    case DefectKind::failed_assertion:
      return {"an assertion failed" + at, defect.detail + " is false in " + party};
    case DefectKind::bad_free:
      return {"a free() that cannot be" + at, party + " frees " + defect.detail};
    case DefectKind::too_much_output:
      return {"printf without end",
              party + " prints" + at +
                  ", where more than 1 MiB has been printed in one launch; a GPU keeps the last 1 MiB"};
    case DefectKind::too_many_accesses:
      return {"stopped after far more accesses to memory than the problem takes",
              party + " was" + at + detail};
    case DefectKind::wrong_mask:
      return {"", "the warp operation" + at + " has a mask that leaves out the lane that calls it, " + party};
    default:  // a kernel that did not run, which has a sentence of its own
      return {};
  }
}

std::string explanation_of(const Defect& defect, const ArrayElement& element) {
  const auto [what, how] = words_for(defect, element);
  return what.empty() ? how : what + ": " + how;
}

std::string other_side_of(const Defect& defect) {
  if (!defect.other || defect.other->line == 0 || defect.other->line == defect.party.line) return {};
  if (defect.kind == DefectKind::unordered_work)
    return defect.other_work + " " +
           std::string(defect.other->access == DefectAccess::atomic ? "updates"
                                                                    : does(defect.other->access)) +
           " it here, and no event orders the two";
  const bool is_race = defect.kind == DefectKind::shared_race || defect.kind == DefectKind::global_race;
  if (!is_race) return who(*defect.other) + " waits here";
  const bool is_atomic = defect.other->access == DefectAccess::atomic;
  return who(*defect.other) +
         (is_atomic ? " updated it atomically" : " " + std::string(did(defect.other->access)) + " it") +
         " here";
}

std::string Explanation::cause() const {
  return guess.empty() ? computed : "consistent with " + guess;
}

std::string Explanation::text() const {
  return cause().empty() ? fact : fact + "; " + cause();
}

std::vector<Defect> by_severity(std::vector<Defect> defects) {
  std::erase_if(defects, [](const Defect& defect) { return defect.is_note; });
  std::ranges::stable_sort(defects, {}, rank);
  return defects;
}

}  // namespace gpulab
