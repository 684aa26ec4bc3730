#include "lesson/demands.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/text.hpp"

namespace gpulab {
namespace {

constexpr std::uint64_t lanes_per_warp = 32;

template <class Test>
const LineAccesses* find_line(const KernelRecord& record, const Test& test) {
  const auto found = std::ranges::find_if(record.counts.lines, test);
  return found == record.counts.lines.end() ? nullptr : &*found;
}

}  // namespace

std::optional<ProgramFinding> surplus_accesses(const KernelRecord& record) {
  const auto* const line = find_line(record, [&](const LineAccesses& accesses) {
    return !is_shared(accesses.kind) && accesses.sums.active_lanes > 0 &&
           accesses.sums.active_lanes % record.threads == 0;
  });
  if (!line || record.threads <= record.size) return std::nullopt;
  return ProgramFinding{
      .place = {.line = line->line},
      .text = fmt::format(
          "all {} threads access memory here ({}), but there are only {} elements: {} threads access memory without an element",
          grouped(record.threads), name_of(line->kind), grouped(record.size),
          grouped(record.threads - record.size))};
}

std::optional<ProgramFinding> diverging_accesses(const KernelRecord& record) {
  const auto* const line = find_line(record, [&](const LineAccesses& accesses) {
    const bool has_idle_quarter =
        4 * accesses.sums.active_lanes <= 3 * lanes_per_warp * accesses.sums.requests;
    const bool is_of_quarter_of_items = 4 * accesses.sums.active_lanes >= record.size;
    return has_idle_quarter && is_of_quarter_of_items;
  });
  if (!line) return std::nullopt;
  return ProgramFinding{
      .place = {.line = line->line},
      .text = fmt::format(
          "in line {}, {} accesses take {} requests of warps, so {} of 32 lanes are active and the others wait: the lanes of a warp take different branches",
          line->line, grouped(line->sums.active_lanes), grouped(line->sums.requests),
          with_decimals(
              static_cast<double>(line->sums.active_lanes) / static_cast<double>(line->sums.requests), 0))};
}

std::optional<ProgramFinding> uncoalesced_accesses(const KernelRecord& record) {
  constexpr std::uint64_t min_times_sectors = 4;  // sectors over those that the bytes would fill
  const LineAccesses* worst = nullptr;
  for (const LineAccesses& accesses : record.counts.lines) {
    const bool is_plain =
        accesses.kind == AccessKind::global_load || accesses.kind == AccessKind::global_store;
    const bool is_of_half = 2 * accesses.sums.active_lanes >= record.size;
    const bool is_uncoalesced = accesses.sums.sectors >= min_times_sectors * accesses.pattern.min_sectors;
    if (is_plain && is_of_half && is_uncoalesced && (!worst || accesses.sums.sectors > worst->sums.sectors))
      worst = &accesses;
  }
  if (!worst) return std::nullopt;
  const auto mean = [&](std::uint64_t sum) {
    return with_decimals(static_cast<double>(sum) / static_cast<double>(worst->sums.requests), 0);
  };
  return ProgramFinding{
      .place = {.line = worst->line},
      .text = fmt::format(
          "line {} is uncoalesced: each {} of a warp touches {} sectors of 32 bytes where {} would do. Neighbouring threads should access neighbouring elements: gpulab inspect FILE --picture draws them",
          worst->line, name_of(worst->kind), mean(worst->sums.sectors), mean(worst->pattern.min_sectors))};
}

std::optional<ProgramFinding> no_shared_accesses(const KernelRecord& record) {
  const auto* const used = find_line(record, [](const LineAccesses& accesses) {
    return accesses.kind == AccessKind::shared_load || accesses.kind == AccessKind::shared_atomic;
  });
  std::uint64_t added = 0;  // to global memory
  for (const LineAccesses& accesses : record.counts.lines) {
    if (accesses.kind == AccessKind::shared_atomic) return std::nullopt;
    if (accesses.kind == AccessKind::global_atomic) added += accesses.sums.active_lanes;
  }
  const auto* const adds = find_line(
      record, [](const LineAccesses& accesses) { return accesses.kind == AccessKind::global_atomic; });
  if (used && adds && added > record.size + record.size / 2)
    return ProgramFinding{
        .place = {.line = adds->line},
        .text = fmt::format("line {} counts in global memory, not in shared memory", adds->line)};
  if (used) return std::nullopt;
  const auto* const stored =
      find_line(record, [](const LineAccesses& accesses) { return is_shared(accesses.kind); });
  if (!stored) return ProgramFinding{.text = "no thread accesses shared memory"};
  return ProgramFinding{
      .place = {.line = stored->line},
      .text = "no thread reads what line " + std::to_string(stored->line) + " stores in shared memory"};
}

std::optional<ProgramFinding> divergent_tree(const KernelRecord& record) {
  constexpr std::uint64_t min_requests = 64, min_lanes = 12;
  const auto* const line = find_line(record, [](const LineAccesses& accesses) {
    return accesses.kind == AccessKind::shared_load && accesses.sums.requests >= min_requests &&
           accesses.sums.active_lanes > accesses.sums.requests &&
           accesses.sums.active_lanes < min_lanes * accesses.sums.requests;
  });
  if (!line) return std::nullopt;
  const double lanes =
      static_cast<double>(line->sums.active_lanes) / static_cast<double>(line->sums.requests);
  return ProgramFinding{
      .place = {.line = line->line},
      .text = fmt::format("line {} diverges: on average {} of the 32 lanes of a warp are active", line->line,
                          with_decimals(lanes, 0))};
}

std::optional<ProgramFinding> atomics_at_one_address(const KernelRecord& record) {
  const auto* const line = find_line(record, [](const LineAccesses& accesses) {
    return is_atomic(accesses.kind) && accesses.sums.requests > 0 &&
           2 * accesses.sums.max_same_address > lanes_per_warp * accesses.sums.requests;
  });
  if (!line) return std::nullopt;
  return ProgramFinding{
      .place = {.line = line->line},
      .text =
          fmt::format("line {} makes {} atomics, and the lanes of a warp wait for each other at one address",
                      line->line, grouped(line->sums.active_lanes))};
}

std::optional<ProgramFinding> stores_at_one_address(const KernelRecord& record) {
  const auto* const line = find_line(record, [](const LineAccesses& accesses) {
    return accesses.kind == AccessKind::global_store && 2 * accesses.sums.bytes < accesses.sums.active_lanes;
  });
  if (!line) return std::nullopt;
  return ProgramFinding{
      .place = {.line = line->line},
      .text = fmt::format(
          "line {} stores {} times, and the lanes of a warp store to the same element: one thread for each element is enough",
          line->line, grouped(line->sums.active_lanes))};
}

std::optional<ProgramFinding> loop_of_one_lane(const KernelRecord& record) {
  constexpr std::uint64_t min_requests = 200;        // more than one load of each block's result
  constexpr std::uint64_t min_global_requests = 64;  // by one warp: more than the partial sums of others
  const auto* const line = find_line(record, [&](const LineAccesses& accesses) {
    const bool is_loop =
        is_shared(accesses.kind)
            ? accesses.kind == AccessKind::shared_load && accesses.sums.requests >= min_requests
            : 2 * accesses.sums.requests >= record.size || accesses.most_of_a_warp >= min_global_requests;
    return is_loop && accesses.most_of_a_warp > 1 && accesses.sums.active_lanes == accesses.sums.requests;
  });
  if (!line) return std::nullopt;
  return ProgramFinding{
      .place = {.line = line->line},
      .text = fmt::format(
          "one thread alone makes the {} {}s of line {} for {} work items, while the others of its warp wait",
          grouped(line->sums.requests), name_of(line->kind), line->line, grouped(record.size))};
}

namespace {

constexpr std::uint64_t min_times_solution = 8;  // accesses of one line over those of the whole solution

std::uint64_t global_stores(const KernelRecord& record) {
  return sums_of(record.counts, AccessKind::global_store).active_lanes;
}

}  // namespace

bool may_repeat_accesses(const KernelRecord& record) {
  return global_stores(record) > record.size ||
         find_line(record, [&](const LineAccesses& accesses) {
           return accesses.sums.active_lanes >= min_times_solution * record.size;
         }) != nullptr;
}

std::optional<ProgramFinding> repeated_accesses(const KernelRecord& record, const KernelRecord& solution) {
  std::uint64_t solution_accesses = 0;
  for (const LineAccesses& accesses : solution.counts.lines) solution_accesses += accesses.sums.active_lanes;
  const auto* const line = find_line(record, [&](const LineAccesses& accesses) {
    return accesses.sums.active_lanes >= min_times_solution * solution_accesses;
  });
  if (!line) return std::nullopt;
  return ProgramFinding{
      .place = {.line = line->line},
      .text = fmt::format(
          "line {} makes {} {}s for {} work items, and the whole kernel of the course accesses memory {} times: threads do each other's work again",
          line->line, grouped(line->sums.active_lanes), name_of(line->kind), grouped(record.size),
          grouped(solution_accesses))};
}

std::optional<ProgramFinding> repeated_stores(const KernelRecord& record, const KernelRecord& solution) {
  const std::uint64_t stores = global_stores(record), solution_stores = global_stores(solution);
  if (stores <= record.size || stores <= solution_stores || solution_stores == 0) return std::nullopt;
  std::vector<std::string> lines;
  for (const LineAccesses& accesses : record.counts.lines)
    if (accesses.kind == AccessKind::global_store) lines.push_back(std::to_string(accesses.line));
  return ProgramFinding{
      .text = fmt::format(
          "{} {} {} {} times where the course's kernel stores {} times: on average, each element is written {} times. Which threads, or which iterations, store what another one has stored?",
          lines.size() == 1 ? "line" : "lines", fmt::join(lines, ", "),
          lines.size() == 1 ? "stores" : "store", grouped(stores), grouped(solution_stores),
          with_decimals(static_cast<double>(stores) / static_cast<double>(solution_stores), 1))};
}

}  // namespace gpulab
