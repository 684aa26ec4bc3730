#pragma once

#include <string>
#include <vector>

#include "core/device_properties.hpp"
#include "core/lesson.hpp"
#include "report/layout.hpp"

namespace gpulab::report {

// The lessons in the order given, for people: names and aliases, default size, title, and variants.
std::string catalogue_text(const std::vector<Lesson>& lessons, const TextStyle& style);

// The lessons in the order given, as one document with "schema": "gpulab.list".
std::string catalogue_json(const std::vector<Lesson>& lessons);

// Every device with its facts, one to a line; "n/a" for what a device does not tell.
std::string devices_text(const std::vector<DeviceProperties>& devices, const TextStyle& style);

// Every device, as one document with "schema": "gpulab.devices"; null for what a device does not tell.
std::string devices_json(const std::vector<DeviceProperties>& devices);

}  // namespace gpulab::report
