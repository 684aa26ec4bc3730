#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace gpulab {

// The types that a kernel's arrays and scalars may have.
enum class ElementType { int32, uint32, uint8, float32, float64 };

template <class T>
constexpr ElementType element_type_of() {
  if constexpr (std::is_same_v<T, std::int32_t>)
    return ElementType::int32;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return ElementType::uint32;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return ElementType::uint8;
  else if constexpr (std::is_same_v<T, float>)
    return ElementType::float32;
  else {
    static_assert(std::is_same_v<T, double>, "not a type that a kernel's arrays have");
    return ElementType::float64;
  }
}

// Calls visit with a value of the C++ type that the element type stands for.
template <class Visitor>
constexpr decltype(auto) with_type(ElementType type, Visitor&& visit) {
  switch (type) {
    case ElementType::int32:
      return visit(std::int32_t{});
    case ElementType::uint32:
      return visit(std::uint32_t{});
    case ElementType::uint8:
      return visit(std::uint8_t{});
    case ElementType::float32:
      return visit(float{});
    default:
      return visit(double{});
  }
}

constexpr std::size_t size_of(ElementType type) {
  return with_type(type, [](auto value) { return sizeof(value); });
}

// As it is spelt in CUDA C++, and by a demangler.
constexpr std::string_view name_of(ElementType type) {
  switch (type) {
    case ElementType::int32:
      return "int";
    case ElementType::uint32:
      return "unsigned int";
    case ElementType::uint8:
      return "unsigned char";
    case ElementType::float32:
      return "float";
    default:
      return "double";
  }
}

}  // namespace gpulab
