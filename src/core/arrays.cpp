#include "core/arrays.hpp"

#include <algorithm>
#include <stdexcept>

namespace gpulab {

Arrays::Arrays(const std::vector<SizedArray>& arrays, Role role) {
  for (const SizedArray& array : arrays)
    if (array.role == role) arrays_.emplace_back(array);
}

Array* Arrays::find(const std::string& name) {
  const auto found = std::ranges::find(arrays_, name, &Array::name);
  return found == arrays_.end() ? nullptr : &*found;
}

Array& Arrays::of(const ArrayHandle& handle) {
  if (Array* array = find(handle.name); array && array->type() == handle.type) return *array;
  throw std::logic_error("the problem has no array '" + std::string(handle.name) + "' of " +
                         std::string(name_of(handle.type)));
}

}  // namespace gpulab
