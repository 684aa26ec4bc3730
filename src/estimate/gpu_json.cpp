#include <fmt/ranges.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "estimate/gpu.hpp"

namespace gpulab::estimate {
namespace {

using nlohmann::json;

double number(const json& gpu, const char* field) {
  const auto found = gpu.find(field);
  if (found == gpu.end() || !found->is_object() || !found->contains("value") ||
      !found->at("value").is_number() || !(found->at("value").get<double>() > 0))
    throw std::runtime_error(std::string("it lacks \"") + field +
                             "\": {\"value\": a positive number, \"source\": \"...\"}");
  return found->at("value").get<double>();
}

std::string text(const json& gpu, const char* field) {
  const auto found = gpu.find(field);
  if (found == gpu.end() || !found->is_string())
    throw std::runtime_error(std::string("it lacks the text \"") + field + "\"");
  return found->get<std::string>();
}

}  // namespace

Gpu read_gpu(const std::string& content) {
  const json gpu = json::parse(content);
  if (!gpu.is_object()) throw std::runtime_error("it is not a JSON object");
  return {.name = text(gpu, "name"),
          .short_name = text(gpu, "short_name"),
          .architecture = text(gpu, "architecture"),
          .multiprocessors = number(gpu, "multiprocessors"),
          .clock_hz = number(gpu, "clock_hz"),
          .dram_bytes_per_s = number(gpu, "dram_bytes_per_s"),
          .l2_bytes = number(gpu, "l2_bytes"),
          .l2_bytes_per_s = number(gpu, "l2_bytes_per_s"),
          .l1_latency_s = number(gpu, "l1_latency_s"),
          .l2_latency_s = number(gpu, "l2_latency_s"),
          .dram_latency_s = number(gpu, "dram_latency_s"),
          .launch_s = number(gpu, "launch_s"),
          .atomic_sectors_per_clock = number(gpu, "atomic_sectors_per_clock"),
          .atomic_turn_clocks = number(gpu, "atomic_turn_clocks"),
          .warps = number(gpu, "warps_per_multiprocessor"),
          .blocks = number(gpu, "blocks_per_multiprocessor"),
          .registers = number(gpu, "registers_per_multiprocessor"),
          .shared_bytes = number(gpu, "shared_bytes_per_multiprocessor"),
          .reserved_shared_bytes = number(gpu, "reserved_shared_bytes_per_block"),
          .l1_bytes_per_clock = number(gpu, "l1_bytes_per_clock"),
          .warp_instructions = number(gpu, "warp_instructions_per_clock"),
          .multiply_adds = number(gpu, "float32_per_clock"),
          .float64s = number(gpu, "float64_per_clock"),
          .specials = number(gpu, "special_per_clock")};
}

std::vector<std::string> gpu_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_gpus()) names.push_back(std::filesystem::path(file.name).stem());
  return names;
}

Gpu gpu_of(const std::string& name_or_file) {
  for (const EmbeddedFile& file : embedded_gpus())
    if (name_or_file + ".json" == file.name) return read_gpu(file.text);
  if (!std::filesystem::is_regular_file(name_or_file))
    throw UsageError("there is no GPU '" + name_or_file + "' and no file of that name; the GPUs are " +
                     fmt::format("{}", fmt::join(gpu_names(), ", ")));
  try {
    return read_gpu(read_file(name_or_file, std::size_t{1} << 20));
  } catch (const std::exception& error) {
    throw UsageError(name_or_file + " does not describe a GPU: " + error.what());
  }
}

}  // namespace gpulab::estimate
