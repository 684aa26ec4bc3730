#include "core/arguments.hpp"

namespace gpulab {

std::string Signature::text() const {
  std::string text = "(";
  for (const std::string& type : types) text += (text.size() > 1 ? ", " : "") + type;
  return text + ")";
}

}  // namespace gpulab
