#include "report/devices_json.hpp"

#include <nlohmann/json.hpp>

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json known(T number) {
  return number > 0 ? Json(number) : Json(nullptr);
}

Json known(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json device_json(const DeviceProperties& device) {
  return {{"kind", device.kind},
          {"index", device.index},
          {"name", device.name},
          {"compute_capability", known(device.compute_capability())},
          {"multiprocessors", known(device.multiprocessors)},
          {"max_threads_per_block", known(device.max_threads_per_block)},
          {"max_threads_per_multiprocessor", known(device.max_threads_per_multiprocessor)},
          {"memory_bytes", known(device.memory_bytes)},
          {"free_memory_bytes", known(device.free_memory_bytes)},
          {"l2_bytes", known(device.l2_bytes)},
          {"shared_bytes_per_block", known(device.shared_bytes_per_block)},
          {"shared_bytes_per_multiprocessor", known(device.shared_bytes_per_multiprocessor)},
          {"clock_hz", known(device.clock_hz)},
          {"memory_clock_hz", known(device.memory_clock_hz)},
          {"memory_bus_bits", known(device.memory_bus_bits)},
          {"peak_bytes_per_s", known(device.peak_bytes_per_s)},
          {"driver_version", known(device.driver_version)},
          {"runtime_version", known(device.runtime_version)},
          {"compiler_version", known(device.compiler_version)}};
}

}  // namespace

std::string devices_json(const std::vector<DeviceProperties>& devices) {
  Json document = {{"schema", "gpulab.devices"}, {"schema_version", "1.0.0"}, {"devices", Json::array()}};
  for (const DeviceProperties& device : devices) document["devices"].push_back(device_json(device));
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpulab
