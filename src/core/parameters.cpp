#include "core/parameters.hpp"

#include <numeric>

namespace gpulab {

std::string Signature::text() const {
  std::string text = "(";
  for (const std::string& type : types) text += (text.size() > 1 ? ", " : "") + type;
  return text + ")";
}

std::size_t Parameters::array_bytes() const {
  return std::accumulate(list.begin(), list.end(), std::size_t{0},
                         [](std::size_t sum, const Parameter& parameter) { return sum + parameter.bytes(); });
}

}  // namespace gpulab
