#include "core/problem.hpp"

#include <algorithm>

namespace gpulab {

std::vector<Parameter> Problem::arrays() const {
  std::vector<Parameter> arrays;
  for (const std::vector<Parameter>* list : {&parameters.list, &others})
    for (const Parameter& parameter : *list)
      if (parameter.is_array()) arrays.push_back(parameter);
  return arrays;
}

bool Problem::copies(const std::string& array) const {
  if (!copied.empty()) return std::ranges::find(copied, array) != copied.end();
  return std::ranges::find(parameters.list, array, &Parameter::name) != parameters.list.end();
}

}  // namespace gpulab
