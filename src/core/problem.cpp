#include "core/problem.hpp"

namespace gpulab {

std::vector<Parameter> Problem::arrays() const {
  std::vector<Parameter> arrays;
  for (const std::vector<Parameter>* list : {&parameters.list, &others})
    for (const Parameter& parameter : *list)
      if (parameter.is_array()) arrays.push_back(parameter);
  return arrays;
}

}  // namespace gpulab
