#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
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

// Sizes in x, y and z, as CUDA's dim3.
struct Extent {
  unsigned x = 1, y = 1, z = 1;
  std::size_t volume() const { return std::size_t{x} * y * z; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

// As dim3 is written in code, without the sizes of 1 at its end: "256", "(16, 16)", "(8, 8, 4)".
std::string text_of(const Extent& extent);

// What a lesson calls its arrays and scalars. Each is named once, as a constant of the lesson:
//
//   const Input<float> A{"A"};
//   const Output<int> counts{"counts", Before::cleared};
//   const Scalar<int> size{"size"};
//
// A handle has neither a length nor a value: A(n), image(width, height) and size(n) are the problem's.

// Scratch is memory for what kernels hand on to each other: neither filled nor compared.
enum class Role { input, output, scratch };

// What an output holds before every launch. A kernel that adds to its output needs it cleared; any other
// output is poisoned (0xFF bytes: NaN, -1), so that an element nobody wrote shows.
enum class Before { poisoned, cleared };

// An array of a problem, with its length.
struct SizedArray {
  std::string name;
  ElementType type = ElementType::int32;
  Role role = Role::input;
  std::size_t length = 0;  // elements
  Before before = Before::poisoned;
  Extent shape = {};  // the length as columns and rows

  std::size_t bytes() const { return length * size_of(type); }
};

// An array of any type and role.
struct ArrayHandle {
  const char* name;
  ElementType type;
  Role role;
  Before before = Before::poisoned;

  SizedArray operator()(std::size_t length) const {
    return {name, type, role, length, before, {static_cast<unsigned>(length)}};
  }
  SizedArray operator()(std::size_t width, std::size_t height) const {
    const Extent shape{static_cast<unsigned>(width), static_cast<unsigned>(height)};
    return {name, type, role, width * height, before, shape};
  }
  bool names(const std::string& array) const { return array == name; }
};

// Read by kernels, through a pointer to const.
template <class T>
struct Input : ArrayHandle {
  using Element = T;
  constexpr explicit Input(const char* name) : ArrayHandle{name, element_type_of<T>(), Role::input} {}
};

// Written by kernels, and compared with the reference.
template <class T>
struct Output : ArrayHandle {
  using Element = T;
  constexpr explicit Output(const char* name, Before before = Before::poisoned)
      : ArrayHandle{name, element_type_of<T>(), Role::output, before} {}
};

template <class T>
struct Scratch : ArrayHandle {
  using Element = T;
  constexpr explicit Scratch(const char* name, Before before = Before::poisoned)
      : ArrayHandle{name, element_type_of<T>(), Role::scratch, before} {}
};

// An input, or an output, of any type.
struct AnyInput : ArrayHandle {
  template <class T>
  constexpr AnyInput(const Input<T>& handle) : ArrayHandle(handle) {}  // NOLINT: every input is one
};
struct AnyOutput : ArrayHandle {
  template <class T>
  constexpr AnyOutput(const Output<T>& handle) : ArrayHandle(handle) {}  // NOLINT: every output is one
};

struct ScalarValue {
  std::string name;
  ElementType type = ElementType::int32;
  std::uint64_t bits = 0;  // the value, in the first bytes
};

template <class T>
struct TypedValue : ScalarValue {};

template <class T>
struct Scalar {
  const char* name;

  template <class Value>
  TypedValue<T> operator()(Value value) const {
    const T converted = static_cast<T>(value);
    TypedValue<T> typed{{.name = name, .type = element_type_of<T>()}};
    std::memcpy(&typed.bits, &converted, sizeof(T));
    return typed;
  }
};

}  // namespace gpulab
