#include "run/shown_figures.hpp"

#include <algorithm>
#include <iterator>

#include "cuda/support.hpp"

namespace gpulab::run {
namespace {

// The GPU of the course's notebooks, a T4, and one of today.
constexpr const char* architectures_without_a_gpu[] = {"sm_75", "sm_90"};

std::vector<Figure> attribute_figures(const device::KernelAttributes& kernel, const std::string& where) {
  std::vector<Figure> figures{{"registers" + where, static_cast<double>(kernel.registers_per_thread)},
                              {"local" + where, static_cast<double>(kernel.local_bytes_per_thread), "bytes"}};
  if (kernel.spill_store_bytes && kernel.spill_load_bytes)
    figures.push_back({"spilled" + where,
                       static_cast<double>(*kernel.spill_store_bytes + *kernel.spill_load_bytes), "bytes"});
  return figures;
}

std::vector<Figure> figures_without_a_gpu(const device::KernelSource& source, const std::string& kernel,
                                          const Signature& signature) {
  std::vector<Figure> figures;
  device::CompileCache cache;
  for (const char* architecture : architectures_without_a_gpu) {
    const auto attributes = cuda::support().attributes_for(architecture, source, kernel, signature, cache);
    if (!attributes) return {};
    std::ranges::move(attribute_figures(*attributes, std::string(" on ") + architecture),
                      std::back_inserter(figures));
  }
  return figures;
}

double value_of(AccessMetric metric, const AccessCounts& counts) {
  switch (metric) {
    case AccessMetric::sectors_per_load:
      return sectors_per_request(counts, AccessKind::global_load);
    case AccessMetric::sectors_per_store:
      return sectors_per_request(counts, AccessKind::global_store);
    case AccessMetric::lanes_per_request:
      return active_lanes_per_request(counts);
    case AccessMetric::bank_ways_per_load:
      return wavefronts_per_request(counts, AccessKind::shared_load);
    case AccessMetric::bank_ways_per_store:
      return wavefronts_per_request(counts, AccessKind::shared_store);
    default:
      return max_same_address_per_request(counts);
  }
}

constexpr const char* rate_to_device = "to the device";
constexpr const char* rate_to_host = "to the host";

// The time in which at least one of the spans was going on.
double busy_s(std::vector<Span> spans) {
  std::ranges::sort(spans, {}, &Span::start_s);
  double busy = 0, until = 0;
  for (const Span& span : spans) {
    busy += std::max(0.0, span.end_s - std::max(until, span.start_s));
    until = std::max(until, span.end_s);
  }
  return busy;
}

void add_copy_rate(const Timeline& timeline, Span::Kind direction, const std::string& name,
                   std::vector<Figure>& figures) {
  std::vector<Span> copies;
  double bytes = 0;
  for (const Span& span : timeline) {
    if (span.kind != direction) continue;
    copies.push_back(span);
    bytes += span.bytes;
  }
  const double seconds = busy_s(std::move(copies));
  if (seconds > 0) figures.push_back({name, bytes / seconds * 1e-9, "GB/s"});
}

}  // namespace

std::vector<Figure> register_figures(const RunContext& context, const Variant& variant,
                                     VariantExecution& execution) {
  if (!context.is_simulated()) return attribute_figures(execution.attributes(), "");
  // A compiler for a device that nothing runs on has no say in what comes of the variant.
  try {
    return figures_without_a_gpu(context.files.of(variant), variant.kernel,
                                 execution.arguments().signature());
  } catch (const Error&) {
    return {};
  }
}

std::vector<Figure> copy_rate_figures(const Timeline& timeline) {
  std::vector<Figure> figures;
  add_copy_rate(timeline, Span::Kind::to_device, rate_to_device, figures);
  add_copy_rate(timeline, Span::Kind::to_host, rate_to_host, figures);
  return figures;
}

std::vector<Figure> link_figures(const std::vector<Figure>& copy_rates, const TransferResult& link) {
  const double up = link.bytes_to_device / link.to_device.median_s * 1e-9;
  const double down = link.bytes_to_host / link.to_host.median_s * 1e-9;
  std::vector<Figure> figures;
  for (const Figure& rate : copy_rates) {
    if (rate.name == rate_to_device) figures.push_back({"of the link up", 100 * rate.value / up, "%"});
    if (rate.name == rate_to_host) figures.push_back({"of the link down", 100 * rate.value / down, "%"});
  }
  return figures;
}

AccessCounts count_accesses(const RunContext& context, VariantExecution& execution) {
  execution.reset();
  context.arrays.reset();
  execution.before();
  context.device.instruments()->take_access_counts();
  execution.run();
  context.device.synchronize(context.stream);
  return context.device.instruments()->take_access_counts();
}

std::vector<Figure> access_figures(const AccessCounts& counts, const std::vector<AccessMetric>& metrics) {
  std::vector<Figure> figures;
  for (const AccessMetric metric : metrics)
    figures.push_back({std::string(name_of(metric)), value_of(metric, counts)});
  return figures;
}

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

std::map<std::string, std::uint64_t> named_counts(const AccessCounts& counts) {
  std::map<std::string, std::uint64_t> named;
  for (const AccessKind kind : all_kinds) add_counts(kind, sums_of(counts, kind), named);
  return named;
}

}  // namespace gpulab::run
