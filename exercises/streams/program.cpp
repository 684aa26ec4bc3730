#include "streams/program.hpp"

#include <algorithm>
#include <set>

#include "transfers/program.hpp"

namespace gpulab::lessons::streams {
namespace {

// Size from which a chunk takes the device longer than the host needs to queue the next one.
constexpr std::size_t large = 400'000;

template <class Element>
PrintedNumbers numbers_of(std::size_t n, const Element& element) {
  double sum = 0, weighted = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += element(i);
    weighted += static_cast<double>(i % 89 + 1) * element(i);
  }
  return {{"sum", sum}, {"weighted", weighted}};
}

double element(std::size_t i) {
  return static_cast<double>((i % 100) * (i % 100) + 1);
}

PrintedNumbers right(std::size_t n) {
  return numbers_of(n, element);
}

DeviceResult on_device(std::size_t n) {
  DeviceResult result{"y", std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) result.numbers[i] = element(i);
  return result;
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

std::optional<ProgramFinding> objection(const ProgramReport& report, std::size_t size) {
  if (auto pageable = transfers::objection_to_pageable(report)) return pageable;
  if (size < large) return std::nullopt;
  std::set<int> streams;
  SourcePlace last_copy;
  for (const TimelineEntry& entry : report.timeline)
    if (is_of_device(entry)) {
      streams.insert(entry.stream);
      if (is_copy(entry)) last_copy = entry.place;
    }
  if (streams.size() < 2)
    return ProgramFinding{.pattern = "one-stream",
                          .place = last_copy,
                          .text = "all work is in one stream, which does one thing after the other"};
  if (!a_kernel_runs_beside_a_copy(report.timeline))
    return ProgramFinding{.pattern = "no-overlap",
                          .place = last_copy,
                          .text = "no kernel ran beside a copy of the other stream"};
  return std::nullopt;
}

}  // namespace

ProgramTask program() {
  return {.prints = right, .sizes = {1000, 4097, 1, large}, .results = on_device, .objection = objection};
}

}  // namespace gpulab::lessons::streams
