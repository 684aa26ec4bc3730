#include "streams/program.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "transfers/program.hpp"

namespace gpulab::lessons::streams {
namespace {

// Size from which a chunk takes the device longer than the host needs to queue the next one.
constexpr std::size_t large = 400'000;

double expected_y(std::size_t i) {
  return static_cast<double>((i % 100) * (i % 100) + 1);
}

PrintedNumbers expected_numbers(std::size_t n) {
  PrintedNumber sum{"sum"}, weighted{"weighted"};
  for (std::size_t i = 0; i < n; ++i) {
    sum.value += expected_y(i);
    weighted.value += static_cast<double>(i % 89 + 1) * expected_y(i);
  }
  return {sum, weighted};
}

std::vector<DeviceResult> expected_on_device(std::size_t n) {
  DeviceResult result{"y", std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) result.numbers[i] = expected_y(i);
  return {result, {"the sum", {expected_numbers(n).front().value}}};
}

bool is_of_device(const TimelineEntry& entry) {
  return entry.kind != TimelineEntry::Kind::call;
}

bool is_copy(const TimelineEntry& entry) {
  return entry.kind == TimelineEntry::Kind::to_device || entry.kind == TimelineEntry::Kind::to_host;
}

bool a_kernel_runs_beside_a_copy(const std::vector<TimelineEntry>& timeline) {
  return std::ranges::any_of(timeline, [&](const TimelineEntry& kernel) {
    return kernel.kind == TimelineEntry::Kind::kernel &&
           std::ranges::any_of(timeline, [&](const TimelineEntry& other) {
             return is_copy(other) && other.stream != kernel.stream && other.start_s < kernel.end_s &&
                    kernel.start_s < other.end_s;
           });
  });
}

using Violation = std::optional<ProgramFinding>;
constexpr std::size_t sum_bytes = sizeof(unsigned long long);

// Finds pageable copies, except for the copy that zeroes the sum.
Violation pageable(const ProgramRecord& record) {
  return transfers::pageable_copy(record, sum_bytes);
}

bool is_of_chunk(const TimelineEntry& entry) {
  return is_copy(entry) && entry.bytes > sum_bytes;
}

Violation one_stream(const ProgramRecord& record) {
  const std::vector<TimelineEntry>& timeline = record.report.timeline;
  std::set<int> streams;
  for (const TimelineEntry& entry : timeline)
    if (is_of_device(entry)) streams.insert(entry.stream);
  if (record.size < large || streams.size() > 1) return std::nullopt;
  const auto chunk = std::ranges::find_if(timeline, is_of_chunk);
  return ProgramFinding{.place = chunk == timeline.end() ? SourcePlace() : chunk->place,
                        .text = "all work is in one stream, which does one thing after the other"};
}

Violation whole_copy(const ProgramRecord& record) {
  if (record.size < large) return std::nullopt;
  for (const TimelineEntry& entry : record.report.timeline)
    if (is_copy(entry) && 2 * entry.bytes > record.size * sizeof(int))
      return ProgramFinding{.place = entry.place,
                            .text = "a copy has " + grouped(entry.bytes) + " of the " +
                                    grouped(record.size * sizeof(int)) +
                                    " bytes of x or y: what is in one piece cannot be in two streams"};
  return std::nullopt;
}

// Returns the first wait that has copies of chunks before and after it.
const TimelineEntry* wait_between_chunks(const std::vector<TimelineEntry>& timeline) {
  const TimelineEntry* wait = nullptr;
  bool has_chunk = false;
  for (const TimelineEntry& entry : timeline) {
    if (wait && is_of_chunk(entry)) return wait;
    has_chunk = has_chunk || is_of_chunk(entry);
    if (has_chunk && !wait && !is_of_device(entry) && entry.name.ends_with("Synchronize")) wait = &entry;
  }
  return nullptr;
}

// Returns what keeps copies and kernels apart, if the timeline shows it: a copy of a chunk for which the host
// waits, a kernel or a copy of a chunk in the default stream, which waits for all others, or a wait.
const TimelineEntry* reason_without_overlap(const std::vector<TimelineEntry>& timeline) {
  const auto last_chunk = std::ranges::find_if(timeline.rbegin(), timeline.rend(), is_of_chunk).base();
  const auto reason = std::find_if(timeline.begin(), last_chunk, [](const TimelineEntry& entry) {
    const bool is_part = entry.kind == TimelineEntry::Kind::kernel || is_of_chunk(entry);
    return is_part && (entry.stream == 0 || entry.name == "cudaMemcpy");
  });
  return reason != last_chunk ? &*reason : wait_between_chunks(timeline);
}

Violation no_overlap(const ProgramRecord& record) {
  if (record.size < large || a_kernel_runs_beside_a_copy(record.report.timeline)) return std::nullopt;
  const TimelineEntry* const reason = reason_without_overlap(record.report.timeline);
  std::string text = "no kernel ran beside a copy of the other stream";
  if (reason && is_of_device(*reason) && reason->stream == 0)
    text += std::string("; this ") + (is_copy(*reason) ? "copy" : "kernel") +
            " is in the default stream, which waits for the others, as they wait for it";
  return ProgramFinding{.place = reason ? reason->place : SourcePlace(), .text = text};
}

Violation wait_in_between(const ProgramRecord& record) {
  const TimelineEntry* const wait = wait_between_chunks(record.report.timeline);
  if (record.size < large || !wait) return std::nullopt;
  return ProgramFinding{.place = wait->place,
                        .text = "the host waits (" + wait->name + ") before it has asked for all chunks"};
}

}  // namespace

ProgramTask program() {
  return {.prints = expected_numbers,
          .sizes = {1000, 4097, 1, large},
          .results = expected_on_device,
          .demands = {{"pageable-copies", "page-locked memory for x, y and the sum", pageable},
                      {"one-stream", "two streams, which take the chunks in turn", one_stream},
                      {"not-in-chunks", "copy a chunk of x, compute its y, and copy that back", whole_copy},
                      {"no-overlap", "while one stream computes, the other one copies", no_overlap},
                      {"wait-in-between", "never wait in between", wait_in_between},
                      {"implicit-wait", "wait once, at the end", transfers::implicit_wait},
                      {"handle-leak", "destroy and free everything", transfers::leaked_handle}},
          .errors_to_check = ErrorsToCheck::any};
}

}  // namespace gpulab::lessons::streams
