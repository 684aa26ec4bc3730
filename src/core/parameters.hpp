#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/element_type.hpp"

// What every kernel of a lesson takes, in order, stated once:
//
//   kernel_parameters(input<float>("A", n), input<float>("B", n), output<float>("C", n), scalar<int>("size",
//   n))
//
// From this follow the memory to allocate, the signature that the kernel must have, and how to call it.

namespace gpulab {

// Scratch is memory for what kernels hand on to each other: neither filled nor compared.
enum class Role { input, output, scratch, scalar };

// What an output holds before every launch. A kernel that adds to its output needs it cleared; any other
// output is poisoned (0xFF bytes: NaN, -1), so that an element nobody wrote shows.
enum class Before { poisoned, cleared };

struct Parameter {
  std::string name;
  ElementType type = ElementType::int32;
  Role role = Role::input;
  std::size_t length = 0;  // elements, of an array
  std::size_t offset = 0;  // elements of the array before the one that a kernel gets the address of
  Before before = Before::poisoned;
  std::uint64_t bits = 0;  // the value of a scalar, in its first bytes

  bool is_array() const { return role != Role::scalar; }
  std::size_t bytes() const { return is_array() ? length * size_of(type) : 0; }
};

// Calls a kernel that was compiled as an ordinary function: arguments[i] points to the i-th argument.
using HostCall = void (*)(void* function, void* const* arguments);

struct Signature {
  std::vector<std::string> types;  // "const float*", "int"
  std::vector<std::size_t> sizes;  // bytes of each argument
  HostCall host_call = nullptr;

  // "(const float*, const float*, float*, int)"
  std::string text() const;
};

struct Parameters {
  std::vector<Parameter> list;
  Signature signature;
};

// A vector type of CUDA, such as float4: its pointers are spelt so, and point to arrays of its elements.
template <class T, int width>
struct Vector {
  T lanes[width];
  static std::string name() { return std::string(name_of(element_type_of<T>())) + std::to_string(width); }
};

template <class T>
inline constexpr bool is_vector = false;
template <class T, int width>
inline constexpr bool is_vector<Vector<T, width>> = true;

// A parameter that remembers the C++ type it has in the kernel's signature.
template <class T>
struct TypedParameter {
  Parameter parameter;
};

template <class T>
TypedParameter<const T*> input(std::string name, std::size_t length) {
  return {{.name = std::move(name), .type = element_type_of<T>(), .role = Role::input, .length = length}};
}

template <class T>
TypedParameter<T*> output(std::string name, std::size_t length) {
  return {{.name = std::move(name), .type = element_type_of<T>(), .role = Role::output, .length = length}};
}

// An output that kernels add to: zero before every launch.
template <class T>
TypedParameter<T*> cleared_output(std::string name, std::size_t length) {
  auto typed = output<T>(std::move(name), length);
  typed.parameter.before = Before::cleared;
  return typed;
}

// The memory of float elements, say, that a kernel takes by the pointer type of Vector<float, 4>.
template <class V, class T>
TypedParameter<const V*> read_as(TypedParameter<const T*> typed) {
  return {std::move(typed.parameter)};
}

// What one kernel writes and another takes by a plain pointer, or by a pointer to const.
template <class T>
TypedParameter<T*> scratch(std::string name, std::size_t length) {
  return {{.name = std::move(name), .type = element_type_of<T>(), .role = Role::scratch, .length = length}};
}

// Scratch that is zero before every launch.
template <class T>
TypedParameter<T*> cleared_scratch(std::string name, std::size_t length) {
  auto typed = scratch<T>(std::move(name), length);
  typed.parameter.before = Before::cleared;
  return typed;
}

template <class T>
TypedParameter<const T*> reads(TypedParameter<T*> typed) {
  return {std::move(typed.parameter)};
}

// The array from that element on, for a kernel that works on a part of it.
template <class T>
TypedParameter<T> from(std::size_t element, TypedParameter<T> typed) {
  typed.parameter.offset = element;
  return typed;
}

template <class T, class Value>
TypedParameter<T> scalar(std::string name, Value value) {
  const T converted = static_cast<T>(value);
  TypedParameter<T> typed{{.name = std::move(name), .type = element_type_of<T>(), .role = Role::scalar}};
  __builtin_memcpy(&typed.parameter.bits, &converted, sizeof(T));
  return typed;
}

template <class T>
std::string type_name() {
  if constexpr (std::is_pointer_v<T>) {
    using Pointee = std::remove_pointer_t<T>;
    return (std::is_const_v<Pointee> ? "const " : "") + type_name<std::remove_const_t<Pointee>>() + "*";
  } else if constexpr (is_vector<T>) {
    return T::name();
  } else {
    return std::string(name_of(element_type_of<T>()));
  }
}

template <class... Ts, std::size_t... Is>
void call_on_host(void* function, void* const* arguments, std::index_sequence<Is...>) {
  reinterpret_cast<void (*)(Ts...)>(function)(*static_cast<Ts*>(arguments[Is])...);
}

template <class... Ts>
Parameters kernel_parameters(TypedParameter<Ts>... typed) {
  return {.list = {std::move(typed.parameter)...},
          .signature = {.types = {type_name<Ts>()...},
                        .sizes = {sizeof(Ts)...},
                        .host_call = [](void* function, void* const* arguments) {
                          call_on_host<Ts...>(function, arguments, std::index_sequence_for<Ts...>{});
                        }}};
}

}  // namespace gpulab
