#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "program/runtime/call.hpp"
#include "program/runtime/runtime.hpp"

namespace gpulab::program::runtime {

// Races between streams: the calls that requested the work, and waits for events that do not order it.

namespace {

// Returns ", in stream 1", or ", in streams 1 and 2" for a call in several streams, such as in a loop.
std::string in_streams(const std::set<std::size_t>& streams) {
  constexpr std::size_t max_named = 4;
  if (streams == std::set<std::size_t>{0}) return ", in the default stream";
  if (streams.empty() || streams.size() > max_named) return "";
  std::string text = streams.size() == 1 ? ", in stream " : ", in streams ";
  for (const std::size_t& stream : streams)
    text += (stream == *streams.begin()    ? ""
             : stream == *streams.rbegin() ? " and "
                                           : ", ") +
            std::to_string(stream);
  return text;
}

// The addresses that a call was given, and the streams in which it was.
using StreamsOfAddresses = std::map<std::uintptr_t, std::set<std::size_t>>;
std::map<std::uintptr_t, StreamsOfAddresses>& addresses_of_calls() {
  static auto& all =
      *new std::map<std::uintptr_t, StreamsOfAddresses>;  // never destroyed: work runs until the end
  return all;
}

// Asks for an offset if a call in several streams always has the same address in the memory, to which it
// writes.
void add_same_address(std::uintptr_t call, const Defect::Party& party, const Allocation* memory,
                      ProgramFinding& finding) {
  if (!memory || party.access != DefectAccess::store || !finding.correction.empty()) return;
  const StreamsOfAddresses& noted = addresses_of_calls()[call];
  const auto first = noted.lower_bound(memory->begin), end = noted.lower_bound(memory->begin + memory->bytes);
  if (first == end || std::next(first) != end || first->second.size() < 2) return;
  finding.correction = fmt::format(
      "an offset in line {}, as in pointer + begin, if each stream has elements of its own: there, all have the same "
      "address",
      place_of({call}).line);
}

}  // namespace

void note_address(std::uintptr_t call, std::size_t stream, std::uintptr_t address) {
  constexpr std::size_t max_addresses = 64;
  StreamsOfAddresses& noted = addresses_of_calls()[call];
  if (noted.size() < max_addresses) noted[address].insert(stream);
}

void Runtime::note_event_wait(const Stream& stream, const Event& event, Site site) {
  if (event.was_recorded)
    event_waits_[{event.recorded_at.pc, site.pc}].insert({event.recorded_stream, stream.number});
}

// Adds a wait for an event that may be meant to order both operations, but does not: the event was recorded
// before the earlier operation was requested, or in the stream that waits.
void Runtime::add_useless_wait(const Defect& defect, ProgramFinding& finding) const {
  const auto is_in_stream = [&](std::uintptr_t call, std::size_t stream) {
    const auto found = streams_of_call_.find(call);
    return found != streams_of_call_.end() && found->second.streams.contains(stream);
  };
  for (const auto& [calls, streams] : event_waits_) {
    const auto& [recording_call, waiting_call] = calls;
    const auto& [recording_stream, waiting_stream] = *streams.begin();
    const SourcePlace recorded = place_of({recording_call}), waited = place_of({waiting_call});
    const std::string recording_line = std::to_string(recorded.line),
                      event = "the event that is recorded in line " + recording_line;
    const bool is_within_streams = std::ranges::all_of(streams, [](const auto& recording_and_waiting) {
      return recording_and_waiting.first == recording_and_waiting.second;
    });
    const auto [first, second] = std::minmax({defect.issued_at, defect.host_at}, [](auto one, auto other) {
      return place_of({one}).line < place_of({other}).line;
    });
    const int line_of_first = place_of({first}).line, line_of_second = place_of({second}).line;
    // Recorded behind the first work in its stream: then the wait belongs in the other stream.
    const bool is_well_recorded = is_in_stream(first, recording_stream) && line_of_first < recorded.line &&
                                  recorded.line < line_of_second;
    if (is_within_streams && is_well_recorded) {
      if (recorded.line < waited.line && waited.line < line_of_second)
        finding.others.push_back(
            {waited, "this orders nothing: the stream waits for " + event + " in that stream itself"});
      finding.correction =
          fmt::format("cudaStreamWaitEvent before line {}, in its stream, for {}", line_of_second, event);
    } else if (is_within_streams && is_in_stream(defect.host_at, waiting_stream)) {
      finding.others.push_back(
          {waited, "this orders nothing: the stream waits for " + event + " in that stream itself"});
      finding.correction =
          fmt::format("cudaEventRecord in line {} in the stream of line {}: it is in the stream that waits",
                      recording_line, place_of({defect.issued_at}).line);
    }
    for (const auto& [earlier_call, later_call] :
         {std::pair(defect.issued_at, defect.host_at), std::pair(defect.host_at, defect.issued_at)}) {
      const SourcePlace work = place_of({earlier_call}), later = place_of({later_call});
      const bool is_between = is_in_stream(earlier_call, recording_stream) &&
                              is_in_stream(later_call, waiting_stream) && recorded.line < work.line &&
                              work.line < later.line && waited.line < later.line;
      if (is_within_streams || !is_between || work.file != later.file || recorded.file != work.file ||
          recorded.callers != work.callers || work.callers != later.callers)
        continue;
      const std::string line = std::to_string(work.line);
      finding.others.push_back(
          {waited, fmt::format("this waits for {}, before the work of line {}", event, line)});
      finding.correction =
          waited.line < work.line
              ? "cudaEventRecord and cudaStreamWaitEvent after line " + line
              : fmt::format("cudaEventRecord after line {}, not in line {}", line, recording_line);
    }
  }
}

// Returns whether both operations are requested in the same several streams, as in a loop over chunks.
bool Runtime::are_in_same_streams(const Defect& defect) const {
  const auto first = streams_of_call_.find(defect.issued_at), second = streams_of_call_.find(defect.host_at);
  return first != streams_of_call_.end() && second != streams_of_call_.end() &&
         first->second.streams.size() > 1 && first->second.streams == second->second.streams;
}

// Returns the race with other advice than an event, if both operations are requested in the same several
// streams: each stream may have a part of its own, and an address leaves it out.
Defect Runtime::with_advice_for_parts(Defect defect) const {
  const bool is_of_graph = captured_calls_.contains(defect.issued_at);
  if (defect.kind == DefectKind::race_streams && are_in_same_streams(defect) && !is_of_graph &&
      defect.party.access != DefectAccess::atomic)
    defect.detail =
        "if each stream has a part of its own, an address leaves out where that begins; if not, an event has to "
        "order the two";
  return defect;
}

// Adds the calls that requested both operations of a race between streams, and their streams.
void Runtime::add_operations(const Defect& defect, ProgramFinding& finding) const {
  const auto add_operation = [&](const std::string& work, std::uintptr_t call, bool is_kernel) {
    const auto streams = streams_of_call_.find(call);
    std::string text = work + (is_kernel ? " was launched here" : " is requested here");
    if (streams != streams_of_call_.end()) text += in_streams(streams->second.streams);
    if (const auto made = captured_calls_.find(call); made != captured_calls_.end())
      text = work + (made->second.origin == NodeOrigin::capture ? " is captured here"
                                                                : " is added to the graph here");
    finding.others.push_back({place_of({call}), text});
  };
  add_operation(defect.other_work, defect.issued_at, defect.other->line > 0);
  add_operation(defect.work, defect.host_at, defect.party.line > 0);
  add_useless_wait(defect, finding);
  if (are_in_same_streams(defect)) {
    add_same_address(defect.host_at, defect.party, allocations_.at(defect.address), finding);
    add_same_address(defect.issued_at, *defect.other, allocations_.at(defect.address), finding);
  }
  const auto made = captured_calls_.find(defect.host_at);
  if (made == captured_calls_.end() || !captured_calls_.contains(defect.issued_at)) return;
  const auto [first, second] =
      std::minmax(place_of({defect.issued_at}).line, place_of({defect.host_at}).line);
  if (first == second) return;
  finding.correction =
      made->second.origin == NodeOrigin::added
          ? fmt::format("the node of line {} among the dependencies of the node of line {}", first, second)
          : fmt::format(
                "cudaEventRecord(event, stream) after line {}, and cudaStreamWaitEvent(other_stream, event) before line {}",
                first, second);
}

// Makes the finding one about memory that was freed before the work that the site requests used it: a graph
// is launched after that, or no event orders the two streams.
void Runtime::add_why_freed(const Allocation& memory, Site site, std::string_view requested,
                            ProgramFinding& finding) const {
  finding.pattern = "use-after-free";
  finding.others.push_back({place_of(memory.freed), "it was freed here"});
  if (site.pc == 0) return;
  if (const auto made = captured_calls_.find(site.pc); made != captured_calls_.end()) {
    finding.text += fmt::format("; the graph in line {} still uses what line {} freed",
                                place_of(made->second.launched).line, place_of(memory.freed).line);
    finding.correction = "the memory is freed after the last launch of the graph";
  } else if (requested != "launched" || calls_before_running_kernel_ < memory.freed_by_call) {
    finding.text +=
        fmt::format("; it was {} before that, but in another stream, and no event orders the two", requested);
    finding.correction =
        "cudaEventRecord(event, its stream) and cudaStreamWaitEvent(stream, event) before cudaFreeAsync(pointer, stream)";
  }
}

// Returns whether none of the memory was freed before the work of this call runs. Reports the first that was.
bool Runtime::check_not_freed(std::span<const MemoryUse> uses, const char* call, Site site) {
  for (const MemoryUse& use : uses) {
    const Allocation* const memory = allocations_.at(use.range.begin);
    if (!memory || !memory->is_freed) continue;
    ProgramFinding finding{.place = place_of(site),
                           .text = fmt::format("{} uses {} after they were freed", call, memory->name())};
    add_why_freed(*memory, site, "called", finding);
    add(std::move(finding));
    return false;
  }
  return true;
}

}  // namespace gpulab::program::runtime
