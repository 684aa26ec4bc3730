#include "report/json_fields.hpp"

#include <stdexcept>

namespace gpulab::report {
namespace {

void require_object(const Json& json) {
  if (!json.is_object()) refuse_field("something with fields", json);
}

}  // namespace

void refuse_field(const std::string& name, const Json& value) {
  constexpr std::size_t enough = 40;
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  throw std::runtime_error("'" + name + "' is " +
                           (text.size() > enough ? text.substr(0, enough) + " ..." : text));
}

const Json* find_field(const Json& object, const std::string& name) {
  require_object(object);
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

Field field(const Json& object, const std::string& name) {
  require_object(object);
  const auto found = object.find(name);
  if (found == object.end()) throw std::runtime_error("it has no '" + name + "'");
  return {name, *found};
}

const Json& list_field(const Json& object, const std::string& name) {
  static const Json nothing = Json::array();
  const Json* const found = find_field(object, name);
  if (found && !found->is_array()) refuse_field(name, *found);
  return found ? *found : nothing;
}

}  // namespace gpulab::report
