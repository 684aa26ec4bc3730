#include "report/documents.hpp"

#include "core/scaling.hpp"
#include "report/json_values.hpp"
#include "report/words.hpp"

namespace gpulab::report {
namespace {

struct KindJson {
  Json operator()(const Choice& choice) const { return {{"kind", "choice"}, {"choices", choice.words}}; }
  Json operator()(const Count& count) const {
    return {{"kind", "count"}, {"default", count.default_value}, {"min", count.min}, {"max", count.max}};
  }
  Json operator()(const Number& number) const {
    return {{"kind", "number"}, {"default", number.default_value}, {"min", number.min}, {"max", number.max}};
  }
  Json operator()(const InputFile&) const { return {{"kind", "input_file"}}; }
  Json operator()(const OutputFile&) const { return {{"kind", "output_file"}}; }
};

Json option_json(const Option& option) {
  Json json = {{"name", option.name}, {"help", option.help}};
  json.update(std::visit(KindJson{}, option.kind));
  return json;
}

Json lesson_json(const Lesson& lesson) {
  Json options = Json::array(), variants = Json::array(), claims = Json::array();
  for (const Option& option : lesson.options) options.push_back(option_json(option));
  for (const Variant& variant : lesson.variants)
    variants.push_back({{"name", variant.name}, {"kernel", variant.kernel}, {"idea", variant.idea}});
  for (const Claim& claim : lesson.claims)
    claims.push_back({{"text", claim_text(claim)},
                      {"better", claim.better},
                      {"worse", claim.worse},
                      {"min_ratio", claim.ratio}});
  return {{"name", lesson.name},
          {"aliases", lesson.aliases},
          {"title", lesson.title},
          {"episode", lesson.place.episode},
          {"step", lesson.place.step},
          {"page", lesson.page},
          {"kernels", lesson.kernels},
          {"default_size", lesson.has_size() ? Json(lesson.default_size) : Json(nullptr)},
          {"largest_size", lesson.has_size() ? Json(lesson.largest_size) : Json(nullptr)},
          {"options", options},
          {"variants", variants},
          {"claims", claims},
          {"solution", lesson.solution}};
}

}  // namespace

std::string catalogue_json(const std::vector<Lesson>& lessons) {
  Json document = {{"schema", "gpulab.list"}, {"schema_version", "3.0.0"}, {"lessons", Json::array()}};
  for (const Lesson& lesson : lessons) document["lessons"].push_back(lesson_json(lesson));
  return document.dump(2) + "\n";
}

namespace {

Json whole_device_json(const DeviceProperties& device) {
  return {{"kind", device.kind},
          {"index", device.index},
          {"name", device.name},
          {"compute_capability", text_or_null(device.compute_capability())},
          {"multiprocessors", known_or_null(device.multiprocessors)},
          {"max_threads_per_block", known_or_null(device.max_threads_per_block)},
          {"max_threads_per_multiprocessor", known_or_null(device.max_threads_per_multiprocessor)},
          {"memory_bytes", known_or_null(device.memory_bytes)},
          {"free_memory_bytes", known_or_null(device.free_memory_bytes)},
          {"l2_bytes", known_or_null(device.l2_bytes)},
          {"shared_bytes_per_block", known_or_null(device.shared_bytes_per_block)},
          {"shared_bytes_per_multiprocessor", known_or_null(device.shared_bytes_per_multiprocessor)},
          {"clock_hz", known_or_null(device.clock_hz)},
          {"memory_clock_hz", known_or_null(device.memory_clock_hz)},
          {"memory_bus_bits", known_or_null(device.memory_bus_bits)},
          {"peak_bytes_per_s", known_or_null(device.peak_bytes_per_s)},
          {"driver_version", text_or_null(device.driver_version)},
          {"runtime_version", text_or_null(device.runtime_version)},
          {"compiler_version", text_or_null(device.compiler_version)}};
}

}  // namespace

std::string devices_json(const std::vector<DeviceProperties>& devices, const std::vector<DeviceLink>& links,
                         const AllReduceTimes& all_reduce) {
  Json document = {{"schema", "gpulab.devices"},
                   {"schema_version", "1.1.0"},
                   {"devices", Json::array()},
                   {"links", Json::array()}};
  for (const DeviceProperties& device : devices) document["devices"].push_back(whole_device_json(device));
  for (const DeviceLink& link : links)
    document["links"].push_back({{"from", link.from},
                                 {"to", link.to},
                                 {"reaches", link.reaches},
                                 {"nvlinks", link.nvlinks},
                                 {"one_way_bytes_per_s", value_or_null(link.one_way_bytes_per_s)},
                                 {"both_ways_bytes_per_s", value_or_null(link.both_ways_bytes_per_s)},
                                 {"latency_s", value_or_null(link.latency_s)}});
  Json sizes = Json::array();
  for (const auto& [bytes, seconds] : all_reduce.sizes)
    sizes.push_back({{"bytes", bytes},
                     {"called_s", seconds},
                     {"algorithm_bytes_per_s", algorithm_bandwidth(bytes, seconds)},
                     {"bus_bytes_per_s", bus_bandwidth(bytes, seconds, all_reduce.devices)}});
  document["all_reduce"] = {{"library", text_or_null(all_reduce.library)},
                            {"bytes", 1024},
                            {"called_s", value_or_null(all_reduce.called_s)},
                            {"in_graph_s", value_or_null(all_reduce.in_graph_s)},
                            {"devices", all_reduce.devices},
                            {"sizes", sizes}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpulab::report
