#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gpulab {

// Returns whether an element of the list, which is no text, has this value or, with a projection, this name.
template <class List, class Value, class Projection = std::identity>
requires(!std::is_convertible_v<const List&, std::string>) bool contains(const List& list, const Value& value,
                                                                         Projection projection = {}) {
  return std::ranges::find(list, value, projection) != std::end(list);
}

// Appends the value, unless the list has it.
template <class List, class Value>
void add_once(List& list, Value&& value) {
  if (!contains(list, value)) list.push_back(std::forward<Value>(value));
}

// Appends all elements of another list.
template <class List>
void append(List& list, std::type_identity_t<List> more) {
  std::ranges::move(more, std::back_inserter(list));
}

// Returns what a function, such as the address of a member, makes of each element.
template <class List, class Function>
auto transformed(const List& list, const Function& function) {
  std::vector<std::remove_cvref_t<decltype(std::invoke(function, *std::begin(list)))>> results;
  for (const auto& element : list) results.push_back(std::invoke(function, element));
  return results;
}

// Returns the element with this name; null if there is none.
template <class List, class Value, class Projection>
auto* find_or_null(List& list, const Value& value, Projection projection) {
  const auto found = std::ranges::find(list, value, projection);
  return found == std::end(list) ? nullptr : &*found;
}

}  // namespace gpulab
