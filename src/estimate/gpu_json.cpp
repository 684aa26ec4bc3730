#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <stdexcept>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "estimate/gpu.hpp"
#include "lesson/json_fields.hpp"

namespace gpulab::estimate {
namespace {

struct NumberField {
  const char* name;
  double Gpu::*member;
};
constexpr NumberField numbers[] = {
    {"multiprocessors", &Gpu::multiprocessors},
    {"clock_hz", &Gpu::clock_hz},
    {"dram_bytes_per_s", &Gpu::dram_bytes_per_s},
    {"l2_bytes", &Gpu::l2_bytes},
    {"l2_bytes_per_s", &Gpu::l2_bytes_per_s},
    {"l1_latency_s", &Gpu::l1_latency_s},
    {"l2_latency_s", &Gpu::l2_latency_s},
    {"dram_latency_s", &Gpu::dram_latency_s},
    {"launch_s", &Gpu::launch_s},
    {"atomic_sectors_per_clock", &Gpu::atomic_sectors_per_clock},
    {"atomic_turn_clocks", &Gpu::atomic_turn_clocks},
    {"host_bytes_per_s", &Gpu::host_bytes_per_s},
    {"warps_per_multiprocessor", &Gpu::max_warps},
    {"blocks_per_multiprocessor", &Gpu::max_blocks},
    {"registers_per_multiprocessor", &Gpu::registers},
    {"shared_bytes_per_multiprocessor", &Gpu::shared_bytes},
    {"reserved_shared_bytes_per_block", &Gpu::reserved_shared_bytes},
    {"l1_bytes_per_clock", &Gpu::l1_bytes_per_clock},
    {"warp_instructions_per_clock", &Gpu::warp_instructions_per_clock},
    {"float32_per_clock", &Gpu::float32_per_clock},
    {"float64_per_clock", &Gpu::float64_per_clock},
    {"special_per_clock", &Gpu::special_per_clock},
};

struct TextField {
  const char* name;
  std::string Gpu::*member;
};
constexpr TextField texts[] = {
    {"name", &Gpu::name}, {"short_name", &Gpu::short_name}, {"architecture", &Gpu::architecture}};

GpuFigure figure_in(const std::string& name, const Json& field) {
  const auto has = [&](const char* key, auto is_of_type) {
    return field.is_object() && field.contains(key) && (field.at(key).*is_of_type)();
  };
  if (!has("value", &Json::is_number) || !has("source", &Json::is_string) || field.at("value") <= 0.0)
    throw std::runtime_error("\"" + name + "\" is not {\"value\": a positive number, \"source\": \"...\"}");
  return {name, field.at("value").get<double>(), field.at("source").get<std::string>()};
}

}  // namespace

Gpu read_gpu(const std::string& content) {
  const Json fields = parsed_json(content);
  if (!fields.is_object()) throw std::runtime_error("it is not a JSON object");
  Gpu gpu;
  for (const auto& [name, field] : fields.items()) {
    const auto number = std::ranges::find(numbers, name, &NumberField::name);
    const auto text = std::ranges::find(texts, name, &TextField::name);
    if (number != std::end(numbers)) {
      gpu.figures.push_back(figure_in(name, field));
      gpu.*number->member = gpu.figures.back().value;
    } else if (text != std::end(texts) && field.is_string()) {
      gpu.*text->member = field.get<std::string>();
    } else {
      throw std::runtime_error(
          "\"" + name + (text != std::end(texts) ? "\" is not a string" : "\" is not a field of a GPU"));
    }
  }
  for (const NumberField& number : numbers)
    if (gpu.*number.member == 0) throw std::runtime_error(std::string("it lacks \"") + number.name + "\"");
  for (const TextField& text : texts)
    if ((gpu.*text.member).empty()) throw std::runtime_error(std::string("it lacks \"") + text.name + "\"");
  return gpu;
}

std::vector<std::string> gpu_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_gpus()) names.push_back(std::filesystem::path(file.name).stem());
  return names;
}

std::string text_of_gpu(const std::string& name_or_file) {
  std::string name = name_or_file;
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  for (const EmbeddedFile& file : embedded_gpus())
    if (name + ".json" == file.name) return std::string(file.text);
  if (!std::filesystem::is_regular_file(name_or_file))
    throw UsageError(fmt::format("there is no GPU '{}' and no file of that name; the GPUs are {}",
                                 name_or_file, fmt::join(gpu_names(), ", ")));
  const std::string text = read_file(name_or_file, std::size_t{1} << 20);
  try {
    read_gpu(text);
  } catch (const std::exception& error) {
    throw UsageError(fmt::format(
        "{} does not describe a GPU: {}; the files of data/gpus are examples, and data/gpulab-gpu.schema.json lists the fields",
        name_or_file, error.what()));
  }
  return text;
}

Gpu gpu_of(const std::string& name_or_file) {
  return read_gpu(text_of_gpu(name_or_file));
}

}  // namespace gpulab::estimate
