#include "lesson/arrays.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <stdexcept>

#include "lesson/handles.hpp"

namespace gpulab {

std::string index_text(std::size_t index, std::size_t row_length) {
  if (row_length == 0) return fmt::format("[{}]", index);
  return fmt::format("[row {}, column {}]", index / row_length, index % row_length);
}

Arguments::Arguments(std::vector<KernelArgument> list) : list_(std::move(list)) {
  for (const KernelArgument& argument : list_) {
    const std::string type(name_of(argument.type));
    const bool is_input = argument.role == Role::input;
    signature_.types.push_back(argument.is_array() ? (is_input ? "const " : "") + type + "*" : type);
    signature_.sizes.push_back(argument.is_array() ? sizeof(void*) : size_of(argument.type));
  }
}

std::string text_of(const Extent& extent) {
  std::string text = std::to_string(extent.x);
  if (extent.y == 1 && extent.z == 1) return text;
  text += ", " + std::to_string(extent.y);
  if (extent.z != 1) text += ", " + std::to_string(extent.z);
  return "(" + text + ")";
}

std::string Signature::text() const {
  std::string text = "(";
  for (const std::string& type : types) text += (text.size() > 1 ? ", " : "") + type;
  return text + ")";
}

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
  throw std::logic_error(
      fmt::format("the problem has no array '{}' of {}", handle.name, name_of(handle.type)));
}

}  // namespace gpulab
