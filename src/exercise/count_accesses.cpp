#include "exercise/count_accesses.hpp"

#include <deque>
#include <map>

namespace gpulab {
namespace {

// Of 32 bytes, as core/access_counts.hpp has them.
constexpr double sector_bytes = 32;

// The arrays and scalars of a launch, in the device's memory for as long as this lives.
class ArgumentMemory {
 public:
  ArgumentMemory(const CountedKernel& counted, Device& device, Stream& stream) : device_(device) {
    for (const SizedArray& array : counted.arrays) {
      const DevicePointer address = arrays_[array.name] = device.allocate(array.bytes());
      device.set(address, 0, array.bytes(), stream);
    }
    for (const Passed& argument : counted.arguments.list()) {
      values_.push_back(argument.is_array() ? arrays_.at(argument.name) : argument.value.value());
      addresses_.push_back(&values_.back());
    }
  }
  ~ArgumentMemory() {
    for (const auto& [name, address] : arrays_) device_.free(address);
  }
  ArgumentMemory(const ArgumentMemory&) = delete;
  ArgumentMemory& operator=(const ArgumentMemory&) = delete;

  void* const* addresses() const { return addresses_.data(); }

 private:
  Device& device_;
  std::deque<std::uint64_t> values_;  // which stay where they are
  std::vector<void*> addresses_;
  std::map<std::string, DevicePointer> arrays_;
};

}  // namespace

void count_accesses(const CountedKernel& counted, Module& module, Device& simulator, Facts& facts) {
  const auto kernel = module.kernel(counted.kernel, counted.arguments.signature());
  const auto stream = simulator.create_stream();
  const ArgumentMemory arguments(counted, simulator, *stream);
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
