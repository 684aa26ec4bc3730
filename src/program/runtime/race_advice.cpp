#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>

#include "program/runtime/barrier_advice.hpp"
#include "program/runtime/call.hpp"
#include "program/runtime/runtime.hpp"
#include "source/bounds.hpp"
#include "source/branches.hpp"
#include "source/quoted_statement.hpp"
#include "source/signals.hpp"
#include "source/source_parts.hpp"
#include "source/statements.hpp"

namespace gpulab::program::runtime {

// The corrections of races in kernels.

namespace {

using simulator::watch::PublishedStore;
using simulator::watch::PublishedStores;

// Adds the atomic function that does the update in one step.
void add_atomic(const Defect& defect, const source::Code& code, ProgramFinding& finding) {
  if (!defect.party.file.empty() || !defect.other->file.empty()) return;
  const bool is_store = defect.party.access == DefectAccess::store;
  const Defect::Party &store = is_store ? defect.party : *defect.other,
                      &other = is_store ? *defect.other : defect.party;
  const int column = source::column_of_access(code, store.line, defect.memory.variable, store.access);
  if (column > 0 || !source::has_several_statements(code, store.line))
    finding.correction = source::atomic_for(code, store.line, other.line, column);
}

// Says why threads of several blocks have the same index: then no atomic is missing, but blockIdx.
void add_wrong_index(const Defect& defect, const source::Code& code, ProgramFinding& finding) {
  if (defect.kind != DefectKind::global_race || !defect.party.place || !defect.other->place ||
      is_in_one_block(defect) || !finding.correction.empty())
    return;
  const auto [first, last] = lines_in_kernel(defect);
  if (first == 0 || first != last || !source::has_index_of_thread(code, first)) return;
  const auto &mine = defect.party.place->block, &others = defect.other->place->block;
  const LaunchConfig launch{
      .grid = {1u + (mine.x != others.x), 1u + (mine.y != others.y), 1u + (mine.z != others.z)},
      .block = {1024, 1, 1}};
  auto wrong = source::wrong_index(code, source::kernel_around(code, first).name, launch);
  if (!wrong) wrong = source::wrong_row_length(code, first);
  if (wrong) {
    finding.text += "; " + wrong->text;
    finding.correction = wrong->right;
  }
}

// The load of a race and the other access, with the pointer through which both lines use the memory.
struct LoadAndOther {
  Defect::Party load, other;
  std::string pointer;  // empty if unknown
};

LoadAndOther load_and_other(const Defect& race, const source::Code& code) {
  const bool is_mine = race.party.access == DefectAccess::load;
  const Defect::Party &load = is_mine ? race.party : *race.other, &other = is_mine ? *race.other : race.party;
  const bool is_in_text = load.file.empty() && other.file.empty();
  if (!is_in_text) return {load, other, ""};
  const std::string& variable = race.memory.variable;
  const bool has_name = source::has_word(code, variable, code.line(load.line));
  return {load, other, has_name ? variable : source::pointer_in_both(code, load.line, other.line)};
}

// Advises a second array if threads store to elements that others read, and no thread tests what it reads.
void add_second_array(const Defect& defect, const source::Code& code, ProgramFinding& finding) {
  const auto [first, last] = lines_in_kernel(defect);
  const auto [load, store, pointer] = load_and_other(defect, code);
  if (first == 0 || !is_load_against_store(defect) || load.line > store.line ||
      !source::has_two_elements(code, first, last) || source::is_tested(code, load.line, pointer))
    return;
  const auto column = [&](const Defect::Party& party) {
    return source::column_of_access(code, first, defect.memory.variable, party.access);
  };
  const bool is_one_statement =
      first == last && (!source::has_several_statements(code, first) || column(load) == column(store));
  if (!is_one_statement && (pointer.empty() || is_in_one_block(defect))) return;
  const int branch = is_one_statement ? source::parity_branch(code, first) : 0;
  if (branch > 0)
    finding.correction = "one launch for each colour of the condition in line " + std::to_string(branch);
  else
    finding.correction = fmt::format("the results to another array: line {} reads elements that {} writes",
                                     load.line, first == last ? "it" : "line " + std::to_string(store.line));
}

// Returns the party of a race that loads; the other one if none does.
const Defect::Party& reader_in(const Defect& race) {
  return race.party.access == DefectAccess::load ? race.party : *race.other;
}

// Returns whether a plain store races with atomics on the same word. An example is the store by which the
// last block resets the counter of finished blocks.
bool is_store_beside_atomic(const Defect& defect) {
  return is_race(defect) && defect.party.access == DefectAccess::store &&
         defect.other->access == DefectAccess::atomic;
}

// Returns whether an uninitialised read of shared memory is one of the two accesses of a race with a store.
bool is_early_read(const Defect& read, const Defect& race) {
  if (read.kind != DefectKind::shared_uninitialised || race.kind != DefectKind::shared_race ||
      !is_race(race) || read.memory.begin != race.memory.begin)
    return false;
  const auto is_with_store = [&](const Defect::Party& mine, const Defect::Party& other) {
    return mine.line == read.party.line && mine.file == read.party.file &&
           other.access == DefectAccess::store;
  };
  return is_with_store(race.party, *race.other) || is_with_store(*race.other, race.party);
}

// Returns whether the defect follows from the race: threads of a block read different values of a variable
// that another thread changes, and diverge or use wrong elements. A barrier in a branch is its own defect.
bool is_consequence(const Defect& defect, const Defect& race, const source::Code& code) {
  using enum DefectKind;
  constexpr DefectKind of_barriers[] = {divergent_barrier, missed_barrier, deadlock, endless_wait},
                       of_indices[] = {shared_out_of_bounds, out_of_bounds, array_index, uninitialised,
                                       shared_uninitialised};
  const auto is_among = [&](const auto& kinds) {
    return std::ranges::find(kinds, defect.kind) != std::end(kinds);
  };
  const int line = defect.party.line;
  const bool is_of_barrier =
      is_among(of_barriers) && source::branch_around(code, line, line).arrivals == source::Arrivals::all;
  const bool is_of_element =
      (defect.kind == out_of_bounds || (defect.kind == global_race && defect.other->line == line)) &&
      defect.party.file.empty() && race.party.file.empty() && race.other->file.empty();
  if (is_of_element && race.kind == shared_race &&
      source::stores_at_result(code, line, std::min(race.party.line, race.other->line)))
    return true;
  if (!is_among(of_indices) && !is_of_barrier) return false;
  const Defect::Party& reader = reader_in(race);
  if (race.kind == global_race && is_of_barrier && is_load_against_store(race) && !is_in_one_block(race)) {
    const std::string pointer = source::pointer_in_both(code, race.party.line, race.other->line);
    return !pointer.empty() && line != reader.line && !source::grid_barriers(code).empty() &&
           source::depends_on(code, line, pointer, reader.line);
  }
  const bool is_of_one_variable = race.kind == shared_race && !race.memory.variable.empty() &&
                                  race.memory.dimensions.empty() && race.memory.bytes == race.bytes;
  return is_of_one_variable && reader.access == DefectAccess::load && reader.file.empty() &&
         defect.party.file.empty() && source::depends_on(code, line, race.memory.variable, reader.line);
}

// Returns whether a thread may store to a wrong element, since another one changes a variable of its index.
bool may_misplace_stores(const Defect& race, const source::Code& code) {
  if (!is_race(race) || race.kind != DefectKind::shared_race || !is_load_against_store(race)) return false;
  const Defect::Party& reader = reader_in(race);
  return reader.file.empty() && source::stores_at(code, reader.line, race.memory.variable);
}

// Drops defects that are likely to follow from a race, and names them with that race.
void drop_consequences(std::vector<Defect>& defects, const source::Code& code) {
  std::vector<Defect> races;
  std::ranges::copy_if(defects, std::back_inserter(races), is_race);
  for (const Defect& race : races) {
    std::vector<std::string> followers;
    std::erase_if(defects, [&](const Defect& defect) {
      if (!is_consequence(defect, race, code)) return false;
      const std::string follower =
          std::string(name_of(defect.kind)) + " in " + line_text(defect.party.line, defect.party.file);
      if (std::ranges::find(followers, follower) == followers.end()) followers.push_back(follower);
      return true;
    });
    if (followers.empty()) continue;
    const auto is_same = [&](const Defect& defect) {
      return defect.kind == race.kind && defect.address == race.address &&
             defect.party.line == race.party.line && defect.other && defect.other->line == race.other->line;
    };
    std::string& detail = std::ranges::find_if(defects, is_same)->detail;
    if (!detail.empty()) detail += "; ";
    for (const std::string& follower : followers) {
      detail += &follower == &followers.front() ? "likely a consequence: " : ", ";
      detail += follower;
    }
  }
}

// The lines of a published store: of the store itself, of the change of the flag that publishes it, and of
// the load of that flag. If the program's calls are relaxed, also the calls that would release and acquire.
struct PublishedLines {
  SourcePlace store, change, flag_load;
  std::string change_name = "store", load_name = "load";
  std::string releasing, acquiring;
  bool has_block_scope = false;  // the change releases, but for threads of its block only
  int block_fence = 0;           // line of a __threadfence_block() between store and change; 0 without one
};

// Returns whether an atomic's scope is the block, as far as the text shows it.
bool has_block_scope(const source::Code& code, const SourcePlace& place) {
  const std::string name = place.file.empty() ? source::atomic_in(code, place.line) : "";
  return name.ends_with("_block") || (!name.empty() && !name.starts_with("atomic") &&
                                      source::has_word(code, "thread_scope_block", 0, code.size()));
}

// Returns the line of the first __threadfence_block() in these lines; 0 if there is none.
int block_fence_in(const source::Code& code, int first, int last) {
  for (std::size_t i = code.first_from_line(first); i < code.size() && code[i].line <= last; ++i)
    if (code.text(i) == "__threadfence_block") return code[i].line;
  return 0;
}

// Returns the line of the kernel that called the inlined function of a place.
SourcePlace outermost(const SourcePlace& place) {
  return place.callers.empty() ? place : SourcePlace{place.callers.back().file, place.callers.back().line};
}

// Returns the first change of the flag after the store. If there is none, as when a function unlocks, returns
// the only change of the flag other than the flag's load.
SourcePlace change_after(const SourcePlace& store, const PublishedStores& all,
                         const PublishedStore& published) {
  SourcePlace next, elsewhere;
  int count = 0;
  for (const std::uintptr_t change : all.changes_of(published.flag)) {
    const SourcePlace place = place_of({change});
    const SourcePlace changed = outermost(place), stored = outermost(store);
    const bool is_in_same_call = place.callers == store.callers && place.file == store.file;
    const bool is_after = changed.file == stored.file && changed.line >= stored.line &&
                          (!is_in_same_call || place.line >= store.line);
    if (is_after && (next.line == 0 || changed.line < outermost(next).line)) next = place;
    if (change == published.flag_load) continue;
    elsewhere = place;
    ++count;
  }
  return next.line == 0 && count == 1 ? elsewhere : next;
}

PublishedLines lines_of(const PublishedStores& all, const PublishedStore& published,
                        const source::Code& code) {
  PublishedLines lines{.store = place_of({published.store})};
  lines.change = change_after(lines.store, all, published);
  if (published.flag_load != 0) lines.flag_load = place_of({published.flag_load});
  const auto read_name = [&](const SourcePlace& place, std::string& name, bool is_last) {
    if (!place.file.empty()) return false;
    if (const std::string found = source::atomic_in(code, place.line, is_last); !found.empty()) name = found;
    return true;
  };
  if (read_name(lines.change, lines.change_name, lines.change.line == lines.store.line))
    lines.releasing = source::with_memory_order(code, lines.change.line,
                                                lines.change_name == "store" ? "release" : "acq_rel");
  if (read_name(lines.flag_load, lines.load_name, /*is_last=*/false) && !published.is_acquired &&
      lines.flag_load.line != lines.change.line)
    lines.acquiring = source::with_memory_order(code, lines.flag_load.line, "acquire");
  lines.has_block_scope = lines.releasing.empty() && has_block_scope(code, lines.change);
  if (lines.store.file.empty() && lines.change.file.empty())
    lines.block_fence = block_fence_in(code, lines.store.line, lines.change.line);
  return lines;
}

std::string in_line(const SourcePlace& place) {
  return " in " + line_text(place.line, place.file);
}

// Merges the races that lack the same fence into one, that of the last store before the fence. `lines` has an
// entry for each race, without a change if the race lacks no fence.
void join_late_stores(std::vector<Defect>& defects, const std::vector<PublishedLines>& lines) {
  const auto is_before = [&](std::size_t i, std::size_t k) {  // notes, then earlier stores, then later races
    return std::tuple(!defects[i].is_note, lines[i].store.line, k) <
           std::tuple(!defects[k].is_note, lines[k].store.line, i);
  };
  std::vector<bool> is_joined(defects.size());
  for (std::size_t i = 0; i < defects.size(); ++i) {
    std::size_t last = i;
    for (std::size_t k = 0; k < defects.size(); ++k)
      if (lines[k].change.line != 0 && lines[k].change.line == lines[i].change.line &&
          lines[k].change.file == lines[i].change.file && is_before(last, k))
        last = k;
    is_joined[i] = last != i;
    const Defect& race = defects[i];
    std::string& detail = defects[last].detail;
    if (last == i || race.is_note) continue;
    detail += (detail.empty() ? "it explains as well: " : ", ") + std::string(name_of(race.kind)) + " in " +
              line_text(race.party.line, race.party.file);
  }
  std::size_t next = 0;
  std::erase_if(defects, [&](const Defect&) { return is_joined[next++]; });
}

// Returns the correction by which the change of the flag releases the store.
std::string releasing_correction(const PublishedLines& lines) {
  constexpr std::string_view block_suffix = "_block";
  const std::string& change = lines.change_name;
  if (lines.has_block_scope && change.ends_with(block_suffix))
    return "__threadfence(); and " + change.substr(0, change.size() - block_suffix.size()) +
           in_line(lines.change);
  if (lines.has_block_scope) return "cuda::thread_scope_device, not cuda::thread_scope_block";
  if (lines.block_fence > 0)
    return "__threadfence(), not __threadfence_block(), in line " + std::to_string(lines.block_fence);
  if (!lines.releasing.empty()) return lines.releasing + in_line(lines.change);
  if (lines.store.line == lines.change.line)
    return (change == "store" ? "__threadfence(); between the two stores"
                              : "__threadfence(); between the store and the " + change) +
           in_line(lines.change);
  if (lines.change.line < lines.store.line)
    return "__threadfence(); before " + change + in_line(lines.change);
  return fmt::format("__threadfence(); between line {} (store) and {} ({})", lines.store.line,
                     line_text(lines.change.line, lines.change.file), change);
}

std::string correction_of(const PublishedStore& published, const PublishedLines& lines) {
  const std::string correction = published.is_released ? "" : releasing_correction(lines);
  if (lines.acquiring.empty()) return correction;
  return correction + (correction.empty() ? "" : ", and ") + lines.acquiring + in_line(lines.flag_load);
}

// Continues "the store in line 14 tells the other block of that write, ".
std::string why_not_ordered(const PublishedLines& lines) {
  if (lines.has_block_scope) return "but its scope is its own block: it orders nothing for another one";
  if (lines.block_fence > 0)
    return "and __threadfence_block() in line " + std::to_string(lines.block_fence) +
           " orders nothing for another block";
  return lines.releasing.empty() ? "and no fence stands between the two"
                                 : "but it is relaxed: it releases nothing";
}

// Keeps two arrays that are used together, such as the tiles of a product, from being told barriers of a warp
// and of the block: the block's barrier after the last one, or between the lines of both races, orders both.
void ask_for_one_barrier(std::vector<Defect>& defects) {
  for (Defect& defect : defects)
    if (is_race(defect))
      defect.is_within_warp &= std::ranges::none_of(defects, [&](const Defect& other) {
        if (!is_race(other) || other.is_within_warp || other.kind != defect.kind ||
            other.barrier_line != defect.barrier_line)
          return false;
        const auto [first, last] = lines_in_kernel(defect);
        const auto [other_first, other_last] = lines_in_kernel(other);
        return defect.barrier_line > 0 ||
               (first > 0 && std::max(first, other_first) < std::min(last, other_last));
      });
}

// Keeps one race of those between the steps of a reduction in a warp, each of which updates its array in
// place.
void join_warp_steps(std::vector<Defect>& defects, const source::Code& code) {
  int end = 0;  // line of the last step
  std::erase_if(defects, [&](const Defect& defect) {
    const auto [first, last] = is_race(defect) ? lines_in_kernel(defect) : std::pair(0, 0);
    if (first == last || !defect.is_within_warp || !source::are_in_place_steps(code, first, last))
      return false;
    const bool is_joined = first < end;
    end = last_step(code, last);
    return is_joined;
  });
}

// Says when a load that decides whether the thread stores may race: with most atomics after it the value is
// tested again, and if all threads store one value, it does not matter who came first: the race is a note.
void add_test_before_store(const Defect& defect, const source::Code& code, ProgramFinding& finding) {
  const auto [load, store, pointer] = load_and_other(defect, code);
  if (load.access != DefectAccess::load || store.access == DefectAccess::load || !load.file.empty() ||
      source::loop_of_exchanges(code, load.line, store.line))
    return;
  const std::string atomic = store.file.empty() ? source::atomic_in(code, store.line) : "";
  const bool tests_again =
      is_one_of(atomic, {"atomicMax", "atomicMin", "atomicCAS", "atomicOr", "atomicExch"});
  const bool is_test = pointer.empty() ? source::has_word(code, "if", code.line(load.line)) ||
                                             source::has_word(code, "while", code.line(load.line))
                                       : source::is_tested(code, load.line, pointer);
  if (store.access == DefectAccess::atomic && !tests_again && !atomic.empty()) {
    finding.correction = fmt::format(
        "the value that {} in line {} returns, or the load in a later launch, which sees all updates", atomic,
        store.line);
    return;
  }
  if (!is_test) return;
  const bool decides = load.line == store.line || source::decides_on(code, load.line, store.line);
  finding.is_note =
      finding.is_note || (store.access == DefectAccess::atomic
                              ? tests_again && decides
                              : !pointer.empty() && source::stores_one_value(code, store.line, pointer));
  finding.text +=
      "; on a GPU either may come first, which does no harm if both values lead to the same result";
  if (!finding.is_note)
    finding.correction = fmt::format("an atomic for both, or run with --allow {}:{} if they do",
                                     finding.pattern, finding.place.line);
}

}  // namespace

// Returns the store in the race, if the other block reads a flag that publishes it. If the race is on the
// flag itself, returns a store that the flag publishes: it may be volatile, and then does not race.
std::optional<PublishedStore> Runtime::published_store_of(const Defect& defect) const {
  const PublishedStores* const all = machine_->checked().published_stores();
  if (!all || defect.kind != DefectKind::global_race || !is_race(defect)) return std::nullopt;
  if (is_store_beside_atomic(defect))
    if (const PublishedStore* const found = all->before_change_of(defect.address)) return *found;
  if (!defect.party.file.empty()) return std::nullopt;
  for (const PublishedStore& store : all->of_store(defect.host_at)) {
    const SourcePlace load = place_of({store.flag_load});
    if (load.line == 0 || !load.file.empty()) continue;
    if (source::decides_on(code_, load.line, defect.party.line) ||
        source::decides_on(code_, outermost(load).line, defect.party.line))
      return store;
  }
  return std::nullopt;
}

// Adds the races of volatile loads with volatile stores, unless the value is tested: then it may be a flag.
void Runtime::add_volatile_races(std::vector<Defect>& defects) const {
  for (Defect& race : machine_->checked().take_volatile_races()) {
    const source::Code& code = code_;
    const auto [load, store, pointer] = load_and_other(race, code);
    if (pointer.empty() || source::is_tested(code, load.line, pointer)) continue;
    race.is_note = false;
    race.detail = "volatile orders nothing";
    defects.push_back(race);
  }
}

// Adds what the text tells about races, and drops their consequences: races on a flag, if a race on the data
// that it publishes tells what is missing; reads of shared memory before its first store; and defects of
// threads that use a value which another thread changes.
void Runtime::complete_races(std::vector<Defect>& defects) {
  add_volatile_races(defects);
  if (defects.empty()) return;
  const source::Code& code = code_;
  for (Defect& defect : defects) find_barrier_between(code, defect);
  ask_for_one_barrier(defects);
  join_warp_steps(defects, code);
  drop_consequences(defects, code);
  if (std::ranges::any_of(defects, [&](const Defect& race) { return may_misplace_stores(race, code); }))
    mark_all_written();
  std::vector<PublishedLines> late_stores;
  for (const Defect& defect : defects) {
    Defect race = defect;
    race.is_note = false;  // writes of the same value can lack a fence, too
    const auto published = published_store_of(race);
    late_stores.push_back(!published || published->is_released || published->flag == defect.address
                              ? PublishedLines{}
                              : lines_of(*machine_->checked().published_stores(), *published, code));
  }
  join_late_stores(defects, late_stores);
  std::vector<std::uintptr_t> flags;
  const std::vector<Defect> all = defects;
  for (const Defect& defect : all)
    if (const auto published = published_store_of(defect); published && published->flag != defect.address)
      flags.push_back(published->flag);
  std::erase_if(defects, [&](const Defect& defect) {
    return (is_store_beside_atomic(defect) && std::ranges::find(flags, defect.address) != flags.end()) ||
           std::ranges::any_of(all, [&](const Defect& race) { return is_early_read(defect, race); });
  });
}

// Names the missing fence if one block stores data, and another learns of it by a flag. If the data is
// volatile, only the flag races, and the finding is turned into one about the data.
void Runtime::add_missing_fence(const Defect& defect, ProgramFinding& finding) const {
  const std::optional<PublishedStore> published = published_store_of(defect);
  if (!published) return;
  const PublishedLines lines = lines_of(*machine_->checked().published_stores(), *published, code_);
  if (lines.store.line == 0 || lines.change.line == 0) return;
  const std::string change = "the " + lines.change_name + in_line(lines.change);
  finding.correction = correction_of(*published, lines);
  if (published->flag == defect.address) {
    const Allocation* const memory = allocations_.at(published->stored_address);
    finding.text = fmt::format(
        "no fence stands between the write of {}{} and {}, so a block that comes later may not see that write; {} is not ordered before the write{} either",
        memory ? memory->name_of(published->stored_address) : std::string("memory"), in_line(lines.store),
        change, change, in_line(finding.place));
    finding.others.clear();
    finding.others.push_back({lines.change, "this tells other blocks of the write"});
    finding.others.push_back(
        {std::exchange(finding.place, lines.store), "this write is not ordered after it"});
    return;
  }
  if (published->is_released)
    finding.text += fmt::format("; the {}{}, which tells of that write, is relaxed: it acquires nothing",
                                lines.load_name, in_line(lines.flag_load));
  else
    finding.text += fmt::format("; {} tells the other {} of that write, {}", change,
                                is_in_one_block(defect) ? "thread" : "block", why_not_ordered(lines));
  finding.others.push_back({lines.change, "this tells of the write"});
  if (lines.flag_load.line > 0 && lines.flag_load.line != lines.change.line)
    finding.others.push_back(
        {lines.flag_load,
         std::string("the other ") + (is_in_one_block(defect) ? "thread" : "block") + " learns of it here"});
}

void Runtime::add_race_advice(const Defect& defect, ProgramFinding& finding) const {
  const bool is_past_end = std::ranges::any_of(findings_, [&](const ProgramFinding& known) {
    return known.pattern == name_of(DefectKind::out_of_bounds) && known.place == finding.place;
  });
  if (is_past_end && defect.kind == DefectKind::global_race) return;  // the missing condition is the cause
  const source::Code& code = code_;
  add_existing_barrier(defect, code, finding);
  add_missing_fence(defect, finding);
  add_wrong_index(defect, code, finding);
  if (!is_race(defect)) return;
  using Advice = void (*)(const Defect&, const source::Code&, ProgramFinding&);
  std::vector<Advice> all = defect.kind == DefectKind::shared_race
                                ? std::vector<Advice>{add_atomic, add_missing_barrier}
                                : std::vector<Advice>{add_atomic, add_barrier_for_swap, add_grid_barrier,
                                                      add_second_array, add_test_before_store};
  if (running_blocks_ == 1 && defect.kind == DefectKind::global_race) all.push_back(add_barrier_in_loop);
  for (const Advice add : all)
    if (finding.correction.empty()) add(defect, code, finding);
}

}  // namespace gpulab::program::runtime
