#include "exercise/count_accesses.hpp"

#include <deque>

namespace gpulab {
namespace {

// Of 32 bytes, as core/access_counts.hpp has them.
constexpr double sector_bytes = 32;

// The arrays and scalars of a launch, in the device's memory for as long as this lives.
class Arguments {
 public:
  Arguments(const Parameters& parameters, Device& device, Stream& stream) : device_(device) {
    for (const Parameter& parameter : parameters.list) {
      values_.push_back(parameter.is_array() ? device.allocate(parameter.bytes()) : parameter.bits);
      addresses_.push_back(&values_.back());
      if (!parameter.is_array()) continue;
      arrays_.push_back(values_.back());
      device.set(values_.back(), 0, parameter.bytes(), stream);
    }
  }
  ~Arguments() {
    for (const DevicePointer array : arrays_) device_.free(array);
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  void* const* addresses() const { return addresses_.data(); }

 private:
  Device& device_;
  std::deque<std::uint64_t> values_;  // which stay where they are
  std::vector<void*> addresses_;
  std::vector<DevicePointer> arrays_;
};

}  // namespace

void count_accesses(const CountedKernel& counted, Module& module, Device& simulator, Facts& facts) {
  const auto kernel = module.kernel(counted.kernel, counted.parameters.signature);
  const auto stream = simulator.create_stream();
  const Arguments arguments(counted.parameters, simulator, *stream);
  simulator.take_access_counts();
  simulator.launch(*kernel, counted.config, arguments.addresses(), *stream);
  simulator.synchronize(*stream);
  const AccessCounts counts = simulator.take_access_counts();
  const AccessSums loads = sums_of(counts, AccessKind::global_load);
  facts.set(counted_sectors_per_load, sectors_per_request(counts, AccessKind::global_load));
  facts.set(counted_sectors_per_store, sectors_per_request(counts, AccessKind::global_store));
  facts.set(counted_used_part_of_loads,
            static_cast<double>(loads.bytes) / (static_cast<double>(loads.sectors) * sector_bytes));
}

}  // namespace gpulab
