#include <fmt/format.h>
#include <cstdlib>

#include "core/text.hpp"
#include "report/inspection_parts.hpp"
#include "report/quantity_text.hpp"

namespace gpulab::report {
namespace {

constexpr std::int64_t bytes_of_all_banks = 128;

const char* verb_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::global_load:
    case AccessKind::shared_load:
      return "read";
    case AccessKind::global_store:
    case AccessKind::shared_store:
      return "write";
    default:
      return "update";
  }
}

std::string mean_of(const LineAccesses& accesses, std::uint64_t sum) {
  const std::uint64_t requests = accesses.sums.requests;
  return (sum % requests == 0 ? "" : "on average ") + mean_text(sum, requests);
}

std::string min_of(const LineAccesses& accesses, std::uint64_t sum) {
  return mean_text(sum, accesses.sums.requests);
}

bool has_few_lanes(const LineAccesses& accesses) {
  constexpr std::uint64_t many = 24;
  return accesses.sums.active_lanes < many * accesses.sums.requests;
}

// "on average only 5.43 of 32 lanes are active"
std::string few_lanes_text(const LineAccesses& accesses) {
  const std::uint64_t lanes = accesses.sums.active_lanes, requests = accesses.sums.requests;
  return fmt::format("{}only {} of 32 lanes are active", lanes % requests == 0 ? "" : "on average ",
                     mean_text(lanes, requests));
}

// Whether lanes access what lies side by side, but for some that share it.
bool is_dense(const LineAccesses& accesses, std::int64_t stride) {
  constexpr double tolerance = 1.25;
  const auto bytes = static_cast<double>(accesses.sums.bytes);
  return static_cast<double>(std::abs(stride)) * static_cast<double>(accesses.sums.active_lanes) <=
         tolerance * bytes;
}

std::string why_many_sectors(const CostlyAccess& costly) {
  const LineAccesses& accesses = costly.accesses;
  const char* const verb = verb_of(accesses.kind);
  const std::int64_t stride = stride_of(costly).value_or(0);
  if (stride != 0 && !is_dense(accesses, stride))
    return fmt::format("neighbouring threads {} addresses {} bytes apart", verb, std::abs(stride));
  if (has_few_lanes(accesses))
    return fmt::format("{}, with gaps between what they {}", few_lanes_text(accesses), verb);
  if (stride == 0) return fmt::format("its threads {} scattered addresses", verb);
  return fmt::format(
      "neighbouring threads {} neighbouring elements, but these do not begin where a sector does", verb);
}

std::string why_banks_meet(const CostlyAccess& costly) {
  const char* const verb = verb_of(costly.accesses.kind);
  const auto stride = stride_of(costly);
  if (!stride || *stride == 0) return fmt::format("threads {} different words of the same bank", verb);
  return fmt::format(
      "neighbouring threads {} addresses {} bytes apart, {}", verb, std::abs(*stride),
      *stride % bytes_of_all_banks == 0 ? "all in one bank" : "and several fall into one bank");
}

std::string what_happens(const CostlyAccess& costly) {
  const LineAccesses& of = costly.accesses;
  switch (costly.cost) {
    case AccessCost::sectors:
      return fmt::format("each request of a warp touches {} sectors where {} would be enough: {}",
                         mean_of(of, of.sums.sectors), min_of(of, of.pattern.min_sectors),
                         why_many_sectors(costly));
    case AccessCost::bank_conflicts:
      return fmt::format(
          "each request of a warp takes {} passes over shared memory where {} would be enough: {}",
          mean_of(of, of.sums.bank_wavefronts), min_of(of, of.pattern.min_bank_wavefronts),
          why_banks_meet(costly));
    case AccessCost::same_address:
      return fmt::format(
          "{} lanes of a warp update one address and wait for each other; with an address each, none would "
          "wait",
          mean_of(of, of.sums.max_same_address));
    case AccessCost::idle_lanes:
      break;
  }
  return few_lanes_text(of) + "; the others take another path, or have nothing to do";
}

}  // namespace

std::string mean_text(std::uint64_t sum, std::uint64_t requests) {
  if (requests == 0) return not_available;
  if (sum % requests == 0) return grouped(sum / requests);
  return three_digits(static_cast<double>(sum) / static_cast<double>(requests));
}

std::string costly_access_text(const CostlyAccess& costly) {
  const LineAccesses& of = costly.accesses;
  const std::string line = of.line > 0 ? fmt::format("line {}", of.line) : "an unknown line";
  std::string text = fmt::format("{}, {}: {}.", line, name_of(of.kind), what_happens(costly));
  if (const std::string few = few_lanes_text(of); has_few_lanes(of) && text.find(few) == std::string::npos)
    text += " Besides, " + few + ".";
  return text;
}

}  // namespace gpulab::report
