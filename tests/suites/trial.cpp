#include "suites/trial.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <vector>

#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "lesson/access_counts.hpp"
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

  device::DevicePointer add(const GivenArgument& given) {
    const std::string data = bytes_of(given);
    const std::size_t bytes = data.size();
    memories_.emplace_back(device_, bytes + 2 * guard_bytes);
    const device::DevicePointer begin = memories_.back().address(), array = begin + guard_bytes;
    for (const device::DevicePointer zone : {begin, array + bytes}) {
      device_.set(zone, 0xA5, guard_bytes, *stream_);
      device_.instruments()->mark_guard(zone, guard_bytes, *stream_);
    }
    device_.copy_to_device(array, std::as_bytes(std::span(data)), *stream_);
    if (const std::size_t written = given.written_bytes.value_or(bytes); written < bytes)
      device_.instruments()->mark_uninitialised(array + written, bytes - written, *stream_);
    device_.synchronize(*stream_);
    return array;
  }

 private:
  device::Device& device_;
  std::unique_ptr<device::Stream> stream_;
  std::vector<device::DeviceMemory> memories_;
};

double per_request(std::uint64_t sum, const AccessSums& sums) {
  return sums.requests == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(sums.requests);
}

std::map<std::string, double> counted(const AccessCounts& counts, const LaunchConfig& launch) {
  const AccessSums loads = sums_of(counts, AccessKind::shared_load),
                   stores = sums_of(counts, AccessKind::shared_store);
  AccessSums global = sums_of(counts, AccessKind::global_load);
  global += sums_of(counts, AccessKind::global_store);
  const std::size_t warps = launch.grid.volume() * ((launch.block.volume() + 31) / 32);
  const std::uint64_t extra =
      loads.bank_wavefronts - loads.requests + stores.bank_wavefronts - stores.requests;
  return {{"extra wavefronts per warp", static_cast<double>(extra) / static_cast<double>(warps)},
          {"wavefronts per shared load", per_request(loads.bank_wavefronts, loads)},
          {"wavefronts per shared store", per_request(stores.bank_wavefronts, stores)},
          {"sectors per request", per_request(global.sectors, global)},
          {"sectors per store", sectors_per_request(counts, AccessKind::global_store)}};
}

void launch(device::Device& device, const Case& test_case, device::Instrumentation instrumentation) {
  const auto module = device.compile({test_case.file.filename().string(), text_of_file(test_case.file)},
                                     {.instrumentation = instrumentation});
  std::vector<std::string> types;
  for (const GivenArgument& given : test_case.arguments) types.push_back(given.type);
  const auto kernel = module->kernel(test_case.kernel, signature_of_types(types));
  Arrays arrays(device);
  std::vector<std::string> values;
  for (const GivenArgument& given : test_case.arguments)
    values.push_back(given.is_array ? std::string(sizeof(device::DevicePointer), '\0') : bytes_of(given));
  std::vector<void*> arguments;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (test_case.arguments[i].is_array) {
      const device::DevicePointer address = arrays.add(test_case.arguments[i]);
      std::memcpy(values[i].data(), &address, sizeof address);
    }
    arguments.push_back(values[i].data());
  }
  device.launch(*kernel, test_case.launch, arguments.data(), arrays.stream());
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

Observation try_once(const Case& test_case, const device::ThreadOrder& order) {
  Observation seen{.order = std::string(name_of(order.kind))};
  device::CompileCache cache;
  const auto device = simulator::open_simulator(cache);
  device::Instruments& instruments = *device->instruments();
  instruments.begin_run(order);
  instruments.set_max_accesses(test_case.max_accesses);
  std::optional<SeenDefect> stopped;
  const bool is_counted = !test_case.counts.empty();
  try {
    launch(*device, test_case,
           is_counted ? device::Instrumentation::counted : device::Instrumentation::checked);
  } catch (const CompileError& error) {
    seen.not_run =
        error.failure().kind == DefectKind::does_not_compile ? "does not compile" : "no such kernel";
    seen.detail = first_line(error.what());
  } catch (const device::LaunchError& error) {
    seen.not_run = "launch refused";
    seen.detail = first_line(error.what());
  } catch (const device::DeviceError& error) {
    stopped = {.kind = std::string(gpulab::name_of(error.failure().kind)),
               .text = first_line(error.what()),
               .line = error.failure().line};
  } catch (const Error& error) {  // the kernel calls a function that is missing
    seen.not_run = "does not load";
    seen.detail = first_line(error.what());
  }
  for (const Defect& defect : instruments.take_defects())
    seen.defects.push_back({.kind = std::string(gpulab::name_of(defect.kind)),
                            .text = explanation_of(defect),
                            .line = defect.party.line,
                            .is_note = defect.is_note});
  // A defect that ended the launch is in the list already.
  const bool is_listed =
      std::ranges::any_of(seen.defects, [](const SeenDefect& defect) { return !defect.is_note; });
  if (stopped && !(is_listed && stopped->kind == gpulab::name_of(DefectKind::other)))
    seen.defects.push_back(*stopped);
  if (is_counted) seen.counts = counted(instruments.take_access_counts(), test_case.launch);
  return seen;
}

}  // namespace gpulab::suites
