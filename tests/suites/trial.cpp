#include "suites/trial.hpp"

#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "core/access_counts.hpp"
#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "simulator/device.hpp"
#include "suites/parameters.hpp"

namespace gpulab::suites {
namespace {

constexpr std::size_t guard_bytes = 4096;

std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw UsageError("cannot read " + file.string());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The arrays of a case in the device's memory, each between two guard zones.
class Arrays {
 public:
  explicit Arrays(device::Device& device) : device_(device), stream_(device.create_stream()) {}

  device::Stream& stream() { return *stream_; }

  device::DevicePointer add(const Given& given) {
    const std::size_t bytes = given.bytes.size();
    memories_.emplace_back(device_, bytes + 2 * guard_bytes);
    const device::DevicePointer begin = memories_.back().address(), array = begin + guard_bytes;
    for (const device::DevicePointer zone : {begin, array + bytes}) {
      device_.set(zone, 0xA5, guard_bytes, *stream_);
      device_.instruments()->mark_guard(zone, guard_bytes, *stream_);
    }
    device_.copy_to_device(array, std::as_bytes(std::span(given.bytes)), *stream_);
    if (given.is_unwritten) device_.instruments()->mark_uninitialised(array, bytes, *stream_);
    device_.synchronize(*stream_);
    return array;
  }

 private:
  device::Device& device_;
  std::unique_ptr<device::Stream> stream_;
  std::vector<device::DeviceMemory> memories_;
};

std::map<std::string, double> counted(const AccessCounts& counts) {
  std::map<std::string, double> found;
  AccessSums shared, global;
  for (const AccessKind kind : {AccessKind::shared_load, AccessKind::shared_store}) shared += sums_of(counts, kind);
  for (const AccessKind kind : {AccessKind::global_load, AccessKind::global_store}) global += sums_of(counts, kind);
  const auto loads = sums_of(counts, AccessKind::shared_load), stores = sums_of(counts, AccessKind::shared_store);
  found["extra wavefronts"] = static_cast<double>(shared.bank_wavefronts - shared.requests);
  found["shared load wavefronts"] = static_cast<double>(loads.bank_wavefronts) / std::max<double>(1, loads.requests);
  found["shared store wavefronts"] = static_cast<double>(stores.bank_wavefronts) / std::max<double>(1, stores.requests);
  found["sectors per request"] = static_cast<double>(global.sectors) / std::max<double>(1, global.requests);
  return found;
}

void launch(device::Device& device, const Case& tried, device::Instrumentation instrumentation) {
  const auto module = device.compile({tried.file.filename().string(), text_of_file(tried.file)},
                                     {.instrumentation = instrumentation});
  std::vector<std::string> types;
  for (const Given& given : tried.arguments) types.push_back(given.type);
  const auto kernel = module->kernel(tried.kernel, signature_of_types(types));
  Arrays arrays(device);
  std::vector<std::string> values;
  for (const Given& given : tried.arguments)
    values.push_back(given.is_array ? bytes_of("unsigned long", 0) : given.bytes);
  std::vector<void*> arguments;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (tried.arguments[i].is_array) {
      const device::DevicePointer address = arrays.add(tried.arguments[i]);
      std::memcpy(values[i].data(), &address, sizeof address);
    }
    arguments.push_back(values[i].data());
  }
  device.launch(*kernel, tried.launch, arguments.data(), arrays.stream());
  device.synchronize(arrays.stream());
}

std::string first_line(const std::string& message) {
  return message.substr(0, message.find('\n'));
}

}  // namespace

std::string_view name_of(device::ThreadOrder::Kind kind) {
  constexpr std::string_view names[] = {"forward", "reverse", "preempted"};
  return names[static_cast<std::size_t>(kind)];
}

Observation try_once(const Case& tried, const device::ThreadOrder& order) {
  Observation seen{.order = std::string(name_of(order.kind))};
  device::CompileCache cache;
  const auto device = simulator::open_simulator(cache);
  device::Instruments& instruments = *device->instruments();
  instruments.set_order(order);
  instruments.set_max_accesses(tried.max_accesses);
  const bool is_counted = !tried.counts.empty();
  try {
    launch(*device, tried, is_counted ? device::Instrumentation::counted : device::Instrumentation::checked);
  } catch (const CompileError& error) {
    seen.not_run = error.failure().kind == DefectKind::does_not_compile ? "does not compile" : "no such kernel";
    seen.detail = first_line(error.what());
  } catch (const device::LaunchError& error) {
    seen.not_run = "launch refused";
    seen.detail = first_line(error.what());
  } catch (const device::DeviceError& error) {
    seen.defects.push_back({.kind = std::string(gpulab::name_of(error.failure().kind)),
                            .text = first_line(error.what()),
                            .line = error.failure().line});
  }
  for (const Defect& defect : instruments.take_defects())
    seen.defects.push_back({.kind = std::string(gpulab::name_of(defect.kind)),
                            .text = explanation_of(defect),
                            .line = defect.party.line,
                            .is_note = defect.is_note});
  if (is_counted) seen.counts = counted(instruments.take_access_counts());
  return seen;
}

}  // namespace gpulab::suites
