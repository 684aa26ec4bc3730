#include <fmt/format.h>
#include <utility>

#include "core/text.hpp"
#include "report/documents.hpp"
#include "report/layout.hpp"
#include "report/quantity_text.hpp"
#include "report/table.hpp"

namespace gpulab::report {
namespace {

std::string names(const Lesson& lesson) {
  std::string result = lesson.name;
  for (const std::string& alias : lesson.aliases) result += ", " + alias;
  return result;
}

std::string variant_names(const Lesson& lesson) {
  std::string result;
  for (const Variant& variant : lesson.variants) result += (result.empty() ? "" : ", ") + variant.name;
  return result;
}

}  // namespace

std::string catalogue_text(const std::vector<Lesson>& lessons, const TextStyle& style) {
  Table table(
      {{"lesson"}, {"default size", Align::right, 1}, {"what it shows, and its variants", Align::left, 2}});
  for (const Lesson& lesson : lessons) {
    table.add({{names(lesson), Ink::bold}, {lesson.has_size() ? grouped(lesson.default_size) : "-"}},
              lesson.title);
    table.add({{}, {}}, variant_names(lesson));
  }
  return table.text(style);
}

namespace {

std::string or_not_available(bool is_known, std::string text) {
  return is_known ? std::move(text) : not_available;
}

std::string or_not_available(const std::string& text) {
  return or_not_available(!text.empty(), text);
}

std::string capacity(std::size_t bytes) {
  return or_not_available(bytes > 0, capacity_text(static_cast<double>(bytes)));
}

std::string count(std::size_t number) {
  return or_not_available(number > 0, grouped(number));
}

std::string frequency(double hz) {
  return or_not_available(hz > 0, three_digits(hz * 1e-6) + " MHz");
}

// Label and value, in the order in which they are shown.
std::vector<std::pair<std::string, std::string>> facts_of(const DeviceProperties& device) {
  return {{"compute capability", or_not_available(device.compute_capability())},
          {"multiprocessors", count(static_cast<std::size_t>(device.multiprocessors))},
          {"threads per block, at most", count(device.max_threads_per_block)},
          {"threads per multiprocessor, at most", count(device.max_threads_per_multiprocessor)},
          {"memory", capacity(device.memory_bytes) + ", free " + capacity(device.free_memory_bytes)},
          {"L2 cache", capacity(device.l2_bytes)},
          {"shared memory per block", capacity(device.shared_bytes_per_block)},
          {"shared memory per multiprocessor", capacity(device.shared_bytes_per_multiprocessor)},
          {"clock", frequency(device.clock_hz)},
          {"memory clock", frequency(device.memory_clock_hz)},
          {"memory bus",
           or_not_available(device.memory_bus_bits > 0, fmt::format("{} bits", device.memory_bus_bits))},
          {"theoretical peak", or_not_available(device.peak_bytes_per_s > 0,
                                                three_digits(device.peak_bytes_per_s * 1e-9) + " GB/s")},
          {"driver", or_not_available(device.driver_version)},
          {"runtime", or_not_available(device.runtime_version)},
          {"kernel compiler", or_not_available(device.compiler_version)},
          {"as several GPUs", device.simulated() ? "with --gpus; all reach each other's memory" : ""}};
}

std::string device_text(const DeviceProperties& device, const TextStyle& style) {
  const std::string heading = fmt::format("{} {}: {}", device.kind, device.index, device.name);
  std::string result;
  for (const std::string& line : wrapped(heading, style.width, 2))
    result += painted(line, Ink::bold, style) + "\n";
  for (const auto& [label, value] : facts_of(device)) {
    if (value.empty() || (device.simulated() && value == not_available)) continue;  // it has no such thing
    for (const std::string& line : wrapped(fmt::format("  {:<36}{}", label, value), style.width, 4))
      result += line + "\n";
  }
  return result;
}

}  // namespace

std::string devices_text(const std::vector<DeviceProperties>& devices, const TextStyle& style) {
  if (devices.empty()) return "no devices\n";
  std::string result;
  for (const DeviceProperties& device : devices)
    result += (result.empty() ? "" : "\n") + device_text(device, style);
  return result;
}

}  // namespace gpulab::report
