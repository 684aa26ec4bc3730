#pragma once

#include <string>
#include <vector>

#include "core/device_properties.hpp"

namespace gpulab {

// Every device, as one document with "schema": "gpulab.devices"; null for what a device does not tell.
std::string devices_json(const std::vector<DeviceProperties>& devices);

}  // namespace gpulab
