#include "suites/observation.hpp"

#include <nlohmann/json.hpp>

namespace gpulab::suites {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SeenDefect, kind, text, line, is_note)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Observation, order, defects, counts, not_run, detail, seconds)

std::string json_of(const Observation& observation) {
  return nlohmann::json(observation).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Observation observation_of(const std::string& json) {
  return nlohmann::json::parse(json).get<Observation>();
}

}  // namespace gpulab::suites
