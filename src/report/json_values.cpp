#include "report/json_values.hpp"

namespace gpulab {
namespace {

Json extent_json(const Extent& extent) {
  return {extent.x, extent.y, extent.z};
}

}  // namespace

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json launch_json(const std::optional<LaunchConfig>& launch) {
  if (!launch) return nullptr;
  return {{"grid", extent_json(launch->grid)},
          {"block", extent_json(launch->block)},
          {"dynamic_shared_bytes", launch->dynamic_shared_bytes}};
}

Json options_json(const std::map<std::string, OptionValue>& options) {
  Json all = Json::object();
  for (const auto& [name, value] : options)
    std::visit([&, &option = name](const auto& chosen) { all[option] = chosen; }, value);
  return all;
}

std::string document_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpulab
