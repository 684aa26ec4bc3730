#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/inspection.hpp"
#include "core/launch.hpp"
#include "core/options.hpp"
#include "core/result.hpp"
#include "core/run_facts.hpp"

// What several JSON documents have in common.

namespace gpulab::report {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text);

// A count, a rate or a line whose zero means that nobody knows it.
template <class T>
Json known_or_null(T number) {
  return number > 0 ? Json(number) : Json(nullptr);
}

// A number that is not finite is written as null, by the library.
template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json launch_json(const std::optional<LaunchConfig>& launch);
Json options_json(const std::map<std::string, OptionValue>& options);

// What the lines of a kernel ask of memory, and where that is worst.
Json lines_with_accesses_json(const VariantInspection& variant);
Json worst_json(const VariantInspection& variant);

// As it is printed. Bytes that are not UTF-8, in a file's name or a compiler's message, do not lose it.
std::string document_text(const Json& document);

// What every document with measurements has: how long, on what, by whom.

Json timing_json(const Timing& timing);
Json device_json(const DeviceProperties& device);
Json tool_json(const BuildFacts& build);
Json run_json(const RunFacts& facts);
Json host_json(const RunFacts& facts);

}  // namespace gpulab::report
