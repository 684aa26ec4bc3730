#include "core/handles.hpp"

namespace gpulab {

std::string text_of(const Extent& extent) {
  std::string text = std::to_string(extent.x);
  if (extent.y == 1 && extent.z == 1) return text;
  text += ", " + std::to_string(extent.y);
  if (extent.z != 1) text += ", " + std::to_string(extent.z);
  return "(" + text + ")";
}

}  // namespace gpulab
