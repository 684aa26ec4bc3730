#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/element_type.hpp"

// The types of a kernel's parameters: the signature that it must have, and how it is called.

namespace gpulab {

// Calls a kernel that was compiled as an ordinary function: arguments[i] points to the i-th argument.
using HostCall = void (*)(void* function, void* const* arguments);

struct Signature {
  std::vector<std::string> types;  // "const float*", "int"
  std::vector<std::size_t> sizes;  // bytes of each argument
  HostCall host_call = nullptr;

  // "(const float*, const float*, float*, int)"
  std::string text() const;
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

// Of a kernel with these parameters: signature_of<const float*, float*, int>().
template <class... Ts>
Signature signature_of() {
  return {.types = {type_name<Ts>()...},
          .sizes = {sizeof(Ts)...},
          .host_call = [](void* function, void* const* arguments) {
            call_on_host<Ts...>(function, arguments, std::index_sequence_for<Ts...>{});
          }};
}

}  // namespace gpulab
