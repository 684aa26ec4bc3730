#include "transfers/program.hpp"

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

PrintedNumbers right(std::size_t n) {
  constexpr double any_number = 1e30;  // the time may be anything
  PrintedNumbers numbers = scores(n, weight);
  numbers.push_back({"milliseconds", 1, any_number});
  return numbers;
}

DeviceResult on_device(std::size_t n) {
  DeviceResult result{"the scores", {}};
  for (const PrintedNumber& score : scores(n, weight)) result.numbers.push_back(score.value);
  return result;
}

PrintedNumbers without_weights(std::size_t n) {
  return scores(n, [](std::size_t) { return 0.0; });
}

PrintedNumbers with_few_weights(std::size_t n) {
  return scores(n, [](std::size_t i) { return i < weights / sizeof(int) ? weight(i) : 0; });
}

PrintedNumbers as_one_score(std::size_t n) {
  PrintedNumbers numbers = scores(n, weight);
  for (std::size_t round = 1; round < rounds; ++round) {
    numbers[0].value += numbers[round].value;
    numbers[round].value = 0;
  }
  return numbers;
}

struct Copied {
  std::size_t bytes = 0, copies = 0;
  SourcePlace last = {};
};

Copied copied(const ProgramReport& report, TimelineEntry::Kind kind) {
  Copied all;
  for (const TimelineEntry& entry : report.timeline)
    if (entry.kind == kind) all = {all.bytes + entry.bytes, all.copies + 1, entry.place};
  return all;
}

std::optional<ProgramFinding> objection(const ProgramReport& report, std::size_t size) {
  constexpr std::size_t most_copies = 16, scores_bytes = rounds * sizeof(unsigned long long);
  const std::size_t samples_bytes = size * sizeof(int),
                    there_bytes = samples_bytes + weights * sizeof(int) + scores_bytes;
  const Copied there = copied(report, TimelineEntry::Kind::to_device),
               back = copied(report, TimelineEntry::Kind::to_host);
  if (there.copies > most_copies && size > most_copies)
    return ProgramFinding{
        .pattern = "small-copies",
        .place = there.last,
        .text = grouped(there.copies) +
                " copies go to the device, and each has a fixed cost: one copy can take all samples"};
  if (there.bytes > there_bytes)
    return ProgramFinding{.pattern = "copied-again",
                          .place = there.last,
                          .text = grouped(there.bytes) + " bytes go to the device, and " +
                                  grouped(there_bytes) +
                                  " would do: something is copied again that is already there"};
  if (back.bytes > scores_bytes)
    return ProgramFinding{.pattern = "copied-too-much",
                          .place = back.last,
                          .text = grouped(back.bytes) + " bytes come back, and the host needs " +
                                  grouped(scores_bytes) + " of them: the scores"};
  return objection_to_pageable(report);
}

}  // namespace

std::optional<ProgramFinding> objection_to_pageable(const ProgramReport& report) {
  constexpr std::size_t worth_it = 2048;
  for (const TimelineEntry& entry : report.timeline)
    if (entry.is_pageable && entry.bytes >= worth_it)
      return ProgramFinding{
          .pattern = "pageable-copies",
          .place = entry.place,
          .text =
              "a copy of " + grouped(entry.bytes) +
              " bytes is from or to pageable host memory: the driver copies it once more, and the host waits for it"};
  return std::nullopt;
}

ProgramTask program() {
  return {
      .prints = right,
      .sizes = {1000, 1, 4097, 255, 20'000},
      .results = on_device,
      .errors = {{"no-weights", "all scores are 0: the weights in constant memory were never set",
                  without_weights},
                 {"few-weights", "only the first 4 weights are there: 16 bytes are 4 ints", with_few_weights},
                 {"one-score", "the scores of all rounds are added in the first one", as_one_score}},
      .objection = objection};
}

}  // namespace gpulab::lessons::transfers
