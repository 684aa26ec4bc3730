#pragma once

#include "lesson/arrays.hpp"
#include "run/validate/comparison.hpp"
#include "test.hpp"

namespace gpulab::run::validate {

template <class T>
Array array_of(const std::vector<T>& values, InitialContents initial = InitialContents::poisoned) {
  Array array({.name = "C",
               .type = element_type_of<T>(),
               .role = Role::output,
               .length = values.size(),
               .initial_contents = initial});
  std::ranges::copy(values, array.as<T>().begin());
  return array;
}

// Returns first, first + 1, first + 2, ...: from 1 on, no two are equal and none is zero.
template <class T>
std::vector<T> counting(std::size_t length, T first = T{1}) {
  std::vector<T> values(length);
  for (std::size_t i = 0; i < length; ++i) values[i] = first + static_cast<T>(i);
  return values;
}

// Returns the value of an element that nobody wrote.
template <class T>
T poison() {
  T value;
  std::ranges::fill(std::as_writable_bytes(std::span(&value, 1)), std::byte{poison_of(element_type_of<T>())});
  return value;
}

}  // namespace gpulab::run::validate
