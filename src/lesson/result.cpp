#include "lesson/result.hpp"

#include <algorithm>

namespace gpulab {

bool LessonResult::has_lost_the_device() const {
  return std::ranges::any_of(variants, &VariantResult::lost_the_device);
}

ExitCode exit_code_of(const VariantResult& variant) {
  if (variant.as_expected()) return ExitCode::ok;
  switch (variant.observed) {
    case Outcome::fails_to_compile:
      return ExitCode::compilation;
    case Outcome::fails_to_launch:
    case Outcome::faults:
    case Outcome::not_run:
      return ExitCode::device;
    default:
      return ExitCode::wrong_result;
  }
}

ExitCode exit_code_of(const LessonResult& result) {
  ExitCode code = ExitCode::ok;
  for (const ReferenceResult& reference : result.references)
    if (reference.observed != Outcome::right) code = ExitCode::wrong_result;
  for (const VariantResult& variant : result.variants) code = std::max(code, exit_code_of(variant));
  return code;
}

ExitCode more_severe(ExitCode a, ExitCode b) {
  if (a == ExitCode::regression) return b == ExitCode::ok ? a : b;
  if (b == ExitCode::regression) return a == ExitCode::ok ? b : a;
  return std::max(a, b);
}

namespace {

ExitCode code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::right:
      return ExitCode::ok;
    case Verdict::does_not_compile:
      return ExitCode::compilation;
    case Verdict::not_checked:
      return ExitCode::usage;
    case Verdict::defect:
    case Verdict::wrong:
    case Verdict::unanswered:
      break;
  }
  return ExitCode::wrong_result;
}

}  // namespace

ExitCode exit_code_of(const std::vector<CheckResult>& results) {
  ExitCode most_severe = ExitCode::ok;
  for (const CheckResult& result : results) most_severe = std::max(most_severe, code_of(result.verdict));
  return most_severe;
}

namespace {

// Costs are in multiprocessor cycles: shared memory answers once per cycle. A multiprocessor's share of
// global memory bandwidth is about half a sector per cycle on a large GPU, and less on a small one.
constexpr double cycles_of_a_sector = 2;
constexpr double cycles_of_a_global_atomic = 2;

struct AccessCycles {
  double at_best = 0;
  double excess = 0;
};

double real(std::uint64_t sum) {
  return static_cast<double>(sum);
}

AccessCycles cycles_of(AccessCost cost, const LineAccesses& accesses) {
  const double requests = real(accesses.sums.requests);
  const auto best_and_excess = [](double best, std::uint64_t actual, double cycles) {
    return AccessCycles{best * cycles, (real(actual) - best) * cycles};
  };
  switch (cost) {
    case AccessCost::sectors:
      return best_and_excess(real(accesses.pattern.min_sectors), accesses.sums.sectors, cycles_of_a_sector);
    case AccessCost::bank_conflicts:
      return best_and_excess(real(accesses.pattern.min_bank_wavefronts), accesses.sums.bank_wavefronts, 1);
    case AccessCost::same_address:
      if (!is_atomic(accesses.kind)) return {};
      return best_and_excess(requests, accesses.sums.max_same_address,
                             is_shared(accesses.kind) ? 1 : cycles_of_a_global_atomic);
    case AccessCost::idle_lanes:
      break;
  }
  const double full_requests = real(accesses.sums.active_lanes) / accesses.warp_size;
  return {full_requests, requests - full_requests};
}

constexpr AccessCost all_costs[] = {AccessCost::sectors, AccessCost::bank_conflicts, AccessCost::same_address,
                                    AccessCost::idle_lanes};

}  // namespace

std::optional<CostlyAccess> costliest_access(const AccessCounts& counts, double min_part_of_total) {
  constexpr double min_part_of_line = 0.2;
  std::optional<CostlyAccess> costliest;
  double max_excess = 0, total = 0;
  for (const LineAccesses& accesses : counts.lines)
    for (const AccessCost cost : all_costs) {
      const auto [at_best, excess] = cycles_of(cost, accesses);
      total += at_best + excess;
      if (excess <= max_excess || excess < min_part_of_line * at_best) continue;
      max_excess = excess;
      costliest = {accesses, cost};
    }
  if (max_excess < min_part_of_total * total) return std::nullopt;
  return costliest;
}

std::optional<std::int64_t> stride_of(const CostlyAccess& costly) {
  const AccessSums& sums = costly.accesses.sums;
  const AccessPattern& pattern = costly.accesses.pattern;
  const std::uint64_t excess =
      sums.sectors - pattern.min_sectors + sums.bank_wavefronts - pattern.min_bank_wavefronts;
  if (2 * pattern.costly_stride.votes <= excess) return std::nullopt;
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

namespace {

std::optional<double> median_of(const Timing& timing) {
  if (timing.samples_s.empty() || !(timing.median_s > 0)) return std::nullopt;
  return timing.median_s;
}

}  // namespace

bool is_right_as_expected(const VariantResult& variant) {
  return variant.expected == Outcome::right && variant.observed == Outcome::right;
}

std::optional<double> kernel_median_s(const LessonResult& result, const VariantResult& variant) {
  const bool meaningful = is_right_as_expected(variant) && variant.size == result.size && !result.simulated();
  if (!meaningful || !variant.kernel_cold) return std::nullopt;
  return median_of(*variant.kernel_cold);
}

const Estimate* estimate_of(const LessonResult& result, const VariantResult& variant) {
  const bool meaningful = is_right_as_expected(variant) && variant.size == result.size;
  return meaningful && variant.estimate && variant.estimate->why_not.empty() ? &*variant.estimate : nullptr;
}

std::optional<double> reference_median_s(const ReferenceResult& reference) {
  return median_of(reference.timing);
}

std::optional<double> effective_bytes_per_s(const Traffic& traffic, std::optional<double> seconds) {
  const double bytes = traffic.bytes_read + traffic.bytes_written;
  if (!seconds || bytes <= 0) return std::nullopt;
  return bytes / *seconds;
}

std::optional<double> operations_per_s(const Traffic& traffic, std::optional<double> seconds) {
  if (!seconds || traffic.operations <= 0) return std::nullopt;
  return traffic.operations / *seconds;
}

std::optional<double> problem_median_s(const LessonResult& result, const VariantResult& variant) {
  return variant.computes_all ? kernel_median_s(result, variant) : std::nullopt;
}

std::optional<double> fraction_of_peak(const LessonResult& result, const VariantResult& variant,
                                       std::optional<double> seconds) {
  const bool by_operations = result.traffic.limited_by_operations;
  const double peak = by_operations ? result.device.peak_operations_per_s : result.device.peak_bytes_per_s;
  const std::optional<double> rate = by_operations ? operations_per_s(result.traffic, seconds)
                                                   : effective_bytes_per_s(result.traffic, seconds);
  if (!rate || peak <= 0) return std::nullopt;
  const std::size_t devices = std::max<std::size_t>(1, variant.ranks.size());
  return *rate / peak / static_cast<double>(devices);
}

std::optional<double> with_copies_s(const LessonResult& result, std::optional<double> kernel_s) {
  if (!kernel_s || !result.transfers) return std::nullopt;
  const std::optional<double> up_s = median_of(result.transfers->to_device);
  const std::optional<double> down_s = median_of(result.transfers->to_host);
  if (!up_s || !down_s) return std::nullopt;
  return *kernel_s + *up_s + *down_s;
}

std::optional<double> speed_up(const ReferenceResult& reference, std::optional<double> seconds) {
  const std::optional<double> reference_s = median_of(reference.timing);
  if (!seconds || !reference_s) return std::nullopt;
  return *reference_s / *seconds;
}

}  // namespace gpulab
