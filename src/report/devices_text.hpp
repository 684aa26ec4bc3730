#pragma once

#include <string>
#include <vector>

#include "core/device_properties.hpp"
#include "report/text_style.hpp"

namespace gpulab {

// Every device with its facts, one to a line; "n/a" for what a device does not tell.
std::string devices_text(const std::vector<DeviceProperties>& devices, const TextStyle& style);

}  // namespace gpulab
