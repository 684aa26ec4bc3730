#include "run/counted_run.hpp"

#include <algorithm>

#include "run/variant_run.hpp"

namespace gpulab::run {
namespace {

constexpr AccessKind all_kinds[] = {AccessKind::global_load,   AccessKind::global_store,
                                    AccessKind::global_atomic, AccessKind::shared_load,
                                    AccessKind::shared_store,  AccessKind::shared_atomic};

void add_counts(AccessKind kind, const AccessSums& sums, std::map<std::string, std::uint64_t>& counts) {
  if (sums.requests == 0) return;
  std::string name(name_of(kind));
  std::ranges::replace(name, ' ', '_');
  counts[name + "_requests"] = sums.requests;
  counts[name + "_active_lanes"] = sums.active_lanes;
  if (is_shared(kind)) {
    counts[name + "_wavefronts"] = sums.bank_wavefronts;
  } else {
    counts[name + "_sectors"] = sums.sectors;
    counts[name + "_bytes"] = sums.bytes;
  }
  if (is_atomic(kind)) counts[name + "_lanes_at_one_address"] = sums.max_same_address;
}

}  // namespace

void count_run(const RunContext& context, const Variant& variant, unsigned block_size,
               VariantResult& result) {
  VariantExecution execution(context, variant, block_size, device::Instrumentation::counted);
  execution.reset();
  context.arrays.reset();
  execution.before();
  context.device.instruments()->take_access_counts();
  execution.run();
  context.device.synchronize(context.stream);
  const AccessCounts counts = context.device.instruments()->take_access_counts();
  for (const AccessKind kind : all_kinds) add_counts(kind, sums_of(counts, kind), result.counts);
  judge(context, variant, execution, result);
  if (result.observed != Outcome::right)
    result.explanation = "right before its accesses were counted, but after: " + result.explanation;
}

}  // namespace gpulab::run
