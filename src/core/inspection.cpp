#include "core/inspection.hpp"

#include <algorithm>

namespace gpulab {
namespace {

// Costs are in turns of a multiprocessor: shared memory answers once in each. Its share of global memory's
// bandwidth is about half a sector on a large GPU, and less on a small one.
constexpr double turns_of_a_sector = 2;
constexpr double turns_of_a_global_atomic = 2;

constexpr double lanes_of_warp = 32;

struct Turns {
  double least = 0;
  double in_vain = 0;
};

double count(std::uint64_t sum) {
  return static_cast<double>(sum);
}

Turns turns_of(AccessCost cost, const LineAccesses& of) {
  const double requests = count(of.sums.requests);
  const auto beyond = [](double least, std::uint64_t actual, double turns) {
    return Turns{least * turns, (count(actual) - least) * turns};
  };
  switch (cost) {
    case AccessCost::sectors:
      return beyond(count(of.pattern.min_sectors), of.sums.sectors, turns_of_a_sector);
    case AccessCost::bank_conflicts:
      return beyond(count(of.pattern.min_bank_wavefronts), of.sums.bank_wavefronts, 1);
    case AccessCost::same_address:
      if (!is_atomic(of.kind)) return {};
      return beyond(requests, of.sums.max_same_address, is_shared(of.kind) ? 1 : turns_of_a_global_atomic);
    case AccessCost::idle_lanes:
      break;
  }
  const double filled = count(of.sums.active_lanes) / lanes_of_warp;
  return {filled, requests - filled};
}

constexpr AccessCost all_costs[] = {AccessCost::sectors, AccessCost::bank_conflicts, AccessCost::same_address,
                                    AccessCost::idle_lanes};

}  // namespace

std::optional<CostlyAccess> costliest_access(const AccessCounts& counts) {
  constexpr double min_part_of_line = 0.2, min_part_of_all = 0.05;
  std::optional<CostlyAccess> costliest;
  double most = 0, all = 0;
  for (const LineAccesses& accesses : counts.lines)
    for (const AccessCost cost : all_costs) {
      const auto [least, in_vain] = turns_of(cost, accesses);
      all += least + in_vain;
      if (in_vain <= most || in_vain < min_part_of_line * least) continue;
      most = in_vain;
      costliest = {accesses, cost};
    }
  if (most < min_part_of_all * all) return std::nullopt;
  return costliest;
}

std::optional<std::int64_t> stride_of(const CostlyAccess& costly) {
  const auto& [line, kind, sums, pattern] = costly.accesses;
  const std::uint64_t in_vain =
      sums.sectors - pattern.min_sectors + sums.bank_wavefronts - pattern.min_bank_wavefronts;
  if (2 * pattern.costly_stride.votes <= in_vain) return std::nullopt;
  return pattern.costly_stride.bytes;
}

bool is_counted(const VariantInspection& variant) {
  return ran_to_its_end(variant.result.observed);
}

ExitCode exit_code_of(const Inspection& inspection) {
  ExitCode code = ExitCode::ok;
  for (const VariantInspection& variant : inspection.variants)
    code = std::max(code, exit_code_of(variant.result));
  return code;
}

}  // namespace gpulab
