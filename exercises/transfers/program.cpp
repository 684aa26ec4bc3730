#include "transfers/program.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"

namespace gpulab::lessons::transfers {
namespace {

constexpr std::size_t rounds = 4, weights = 16;

// Returns sums of n products, with other weights in each round.
template <class Weight>
PrintedNumbers scores(std::size_t n, const Weight& weight) {
  PrintedNumbers numbers;
  for (std::size_t round = 0; round < rounds; ++round) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(i % 250) * weight((i + round) % weights);
    numbers.push_back({"score" + std::to_string(round), sum});
  }
  return numbers;
}

double weight(std::size_t i) {
  return static_cast<double>(i * i + 1);
}

PrintedNumbers expected_numbers(std::size_t n) {
  constexpr double any_time = 1e30;  // tolerance of a printed time, which may be anything
  PrintedNumbers numbers = scores(n, weight);
  numbers.push_back({"milliseconds", 1, any_time});
  return numbers;
}

std::vector<DeviceResult> expected_on_device(std::size_t n) {
  DeviceResult result{"the scores", {}};
  for (const PrintedNumber& score : scores(n, weight)) result.numbers.push_back(score.value);
  return {result};
}

PrintedNumbers without_weights(std::size_t n) {
  return scores(n, [](std::size_t) { return 0.0; });
}

PrintedNumbers as_one_score(std::size_t n) {
  PrintedNumbers numbers = scores(n, weight);
  for (std::size_t round = 1; round < rounds; ++round) {
    numbers[0].value += numbers[round].value;
    numbers[round].value = 0;
  }
  return numbers;
}

constexpr std::size_t max_copies = 16, scores_bytes = rounds * sizeof(unsigned long long),
                      weights_bytes = weights * sizeof(int);

struct CopyTotals {
  std::size_t bytes = 0, copies = 0, largest = 0;
  SourcePlace place_of_largest = {}, place_of_most = {};  // of the line that copies most often
};

CopyTotals totals_of(const ProgramReport& report, TimelineEntry::Kind kind) {
  CopyTotals all;
  std::map<int, std::size_t> copies_of_line;
  std::size_t most_copies = 0;
  for (const TimelineEntry& entry : report.timeline) {
    if (entry.kind != kind) continue;
    all.bytes += entry.bytes;
    ++all.copies;
    if (entry.bytes > all.largest) all.place_of_largest = entry.place;
    all.largest = std::max(all.largest, entry.bytes);
    const std::size_t copies = ++copies_of_line[entry.place.line];
    if (copies >= most_copies) all.place_of_most = entry.place;
    most_copies = std::max(most_copies, copies);
  }
  return all;
}

using Violation = std::optional<ProgramFinding>;

Violation many_copies(const ProgramRecord& record) {
  const CopyTotals there = totals_of(record.report, TimelineEntry::Kind::to_device);
  if (there.copies <= max_copies || record.size <= max_copies) return std::nullopt;
  return ProgramFinding{
      .place = there.place_of_most,
      .text = grouped(there.copies) +
              " copies go to the device, and each has a fixed cost: one copy can take all samples"};
}

Violation copied_again(const ProgramRecord& record) {
  const CopyTotals there = totals_of(record.report, TimelineEntry::Kind::to_device);
  const std::size_t enough = record.size * sizeof(int) + weights_bytes + scores_bytes;
  if (there.bytes <= enough) return std::nullopt;
  return ProgramFinding{.place = there.place_of_most,
                        .text = grouped(there.bytes) + " bytes go to the device, and " + grouped(enough) +
                                " would do: something is copied again that is already there"};
}

// Finds samples that are copied in pieces. With few samples, a copy of something else may be as large.
Violation split_copy(const ProgramRecord& record) {
  const CopyTotals there = totals_of(record.report, TimelineEntry::Kind::to_device);
  const std::size_t samples_bytes = record.size * sizeof(int);
  if (record.size <= max_copies || there.largest >= samples_bytes) return std::nullopt;
  return ProgramFinding{.place = there.place_of_largest,
                        .text = "the samples have " + grouped(samples_bytes) +
                                " bytes, and no copy to the device takes all of them: the largest has " +
                                grouped(there.largest)};
}

Violation copied_too_much(const ProgramRecord& record) {
  const CopyTotals back = totals_of(record.report, TimelineEntry::Kind::to_host);
  if (back.bytes <= scores_bytes) return std::nullopt;
  return ProgramFinding{.place = back.place_of_largest,
                        .text = grouped(back.bytes) + " bytes come back, and the host needs " +
                                grouped(scores_bytes) + " of them: the scores"};
}

// Finds pageable copies. The weights, and zeros for the scores, may come from any memory.
Violation pageable(const ProgramRecord& record) {
  return pageable_copy(record, std::max(weights_bytes, scores_bytes));
}

Violation no_time(const ProgramRecord& record) {
  if (!record.report.measured.empty()) return std::nullopt;
  return ProgramFinding{.text =
                            "the program never asks for the time between two events (cudaEventElapsedTime)"};
}

bool is_timed(const TimelineEntry& entry, const MeasuredTime& measured) {
  constexpr double rounding_s = 1e-12;
  return entry.start_s >= measured.start_s - rounding_s && entry.end_s <= measured.end_s + rounding_s;
}

// Finds a copy that is not timed: one of the measured times has to contain all copies.
Violation untimed_copy(const ProgramRecord& record) {
  const TimelineEntry* left_out = nullptr;
  for (const MeasuredTime& measured : record.report.measured) {
    const auto found = std::ranges::find_if(record.report.timeline, [&](const TimelineEntry& entry) {
      const bool is_copy =
          entry.kind == TimelineEntry::Kind::to_device || entry.kind == TimelineEntry::Kind::to_host;
      return is_copy && !is_timed(entry, measured);
    });
    if (found == record.report.timeline.end()) return std::nullopt;
    left_out = &*found;
  }
  if (!left_out) return std::nullopt;
  return ProgramFinding{.place = left_out->place,
                        .text = "the copy of " + grouped(left_out->bytes) + " bytes, " + left_out->name +
                                ", is not between the two events whose time is taken"};
}

Violation backward_time(const ProgramRecord& record) {
  for (const MeasuredTime& measured : record.report.measured)
    if (measured.end_s < measured.start_s)
      return ProgramFinding{
          .place = measured.place,
          .text =
              "the time is negative: cudaEventElapsedTime takes the event that happened first before the other one"};
  return std::nullopt;
}

// Finds a printed time that was not measured. Programs may round what they print.
Violation other_time(const ProgramRecord& record) {
  const double printed = record.printed.back().value;
  constexpr double rounding = 0.6, least_factor = 0.5, largest_factor = 2;
  const auto is_near = [&](const MeasuredTime& measured) {
    return printed >= least_factor * measured.milliseconds - rounding &&
           printed <= largest_factor * measured.milliseconds + rounding;
  };
  const std::vector<MeasuredTime>& all = record.report.measured;
  if (printed >= 0 && std::ranges::any_of(all, is_near)) return std::nullopt;
  return ProgramFinding{
      .place = all.front().place,
      .text = "\"milliseconds\" is not the time between the events, as cudaEventElapsedTime gives it"};
}

}  // namespace

std::optional<ProgramFinding> pageable_copy(const ProgramRecord& record, std::size_t small_bytes) {
  for (const TimelineEntry& entry : record.report.timeline)
    if (entry.is_pageable && !(entry.kind == TimelineEntry::Kind::to_device && entry.bytes <= small_bytes))
      return ProgramFinding{
          .place = entry.place,
          .text =
              "a copy of " + grouped(entry.bytes) +
              " bytes is from or to pageable host memory: the driver copies it once more, and the host waits for it"};
  return std::nullopt;
}

std::optional<ProgramFinding> implicit_wait(const ProgramRecord& record) {
  for (const TimelineEntry& entry : record.report.timeline)
    if (entry.is_implicit_wait)
      return ProgramFinding{.place = entry.place,
                            .text = "no call has waited for all work before " + entry.name +
                                    ", which happens to wait before it frees memory",
                            .correction =
                                "cudaDeviceSynchronize(), or cudaStreamSynchronize or "
                                "cudaEventSynchronize, before that"};
  return std::nullopt;
}

std::optional<ProgramFinding> leaked_handle(const ProgramRecord& record) {
  const auto leak = std::ranges::find_if(record.report.findings, [](const ProgramFinding& finding) {
    return finding.pattern == "event-leak" || finding.pattern == "stream-leak";
  });
  return leak == record.report.findings.end() ? std::nullopt : std::optional(*leak);
}

ProgramTask program() {
  return {.prints = expected_numbers,
          .sizes = {1000, 1, 4097, 255, 20'000},
          .results = expected_on_device,
          .errors = {{"no-weights", "all scores are 0: the weights in constant memory were never set",
                      without_weights},
                     {"one-score", "the scores of all rounds are added in the first one", as_one_score}},
          .demands = {{"small-copies", "Each sample crosses the link once, in one copy", many_copies},
                      {"copied-again", "Each sample crosses the link once, in one copy", copied_again},
                      {"split-copy", "Each sample crosses the link once, in one copy", split_copy},
                      {"copied-too-much", "only the scores come back", copied_too_much},
                      {"pageable-copies", "page-locked memory for the samples and the scores", pageable},
                      {"no-event-time", "measure with two events", no_time},
                      {"implicit-wait", "wait for the second event", implicit_wait},
                      {"other-time", "the milliseconds from the first copy to the last", backward_time},
                      {"untimed-copy", "measure from the first copy to the last", untimed_copy},
                      {"other-time", "the milliseconds from the first copy to the last", other_time},
                      {"handle-leak", "destroy and free everything", leaked_handle}},
          .errors_to_check = ErrorsToCheck::any};
}

}  // namespace gpulab::lessons::transfers
