#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/handles.hpp"

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

// What a kernel is called with, by the lesson's handles: {A, B, size}. From the handles' types follow the
// signature that the kernel must have and how to call it.

// One argument: an array, or a scalar with the problem's value or one of its own.
struct Passed {
  std::string name;
  ElementType type = ElementType::int32;
  std::optional<Role> role = {};  // of an array; none of a scalar
  std::size_t offset = 0;         // elements of the array before the one that a kernel gets the address of
  std::optional<std::uint64_t> value = {};  // of a scalar that is not the problem's
  std::optional<int> rank = {};             // whose array it is; left out: the launching rank's own

  bool is_array() const { return role.has_value(); }
};

inline Passed passed(const ArrayHandle& handle) {
  return {.name = handle.name, .type = handle.type, .role = handle.role};
}
template <class T>
Passed passed(const Scalar<T>& scalar) {
  return {.name = scalar.name, .type = element_type_of<T>()};
}
template <class T>
Passed passed(const TypedValue<T>& value) {
  return {.name = value.name, .type = value.type, .value = value.bits};
}

template <class P>
struct Argument;

// The type of the kernel's parameter that a handle is passed for.
template <class Handle>
struct ParameterOf;
template <class T>
struct ParameterOf<Input<T>> : std::type_identity<const T*> {};
template <class T>
struct ParameterOf<Output<T>> : std::type_identity<T*> {};
template <class T>
struct ParameterOf<Scratch<T>> : std::type_identity<T*> {};
template <class T>
struct ParameterOf<Scalar<T>> : std::type_identity<T> {};
template <class T>
struct ParameterOf<TypedValue<T>> : std::type_identity<T> {};
template <class P>
struct ParameterOf<Argument<P>> : std::type_identity<P> {};

// What is passed for a parameter of type P, such as const float*: any handle that can be, or a part of one.
template <class P>
struct Argument : Passed {
  template <class Handle>
  requires std::same_as<typename ParameterOf<Handle>::type, P> Argument(const Handle& handle)  // NOLINT
      : Passed(passed(handle)) {}
  explicit Argument(Passed what) : Passed(std::move(what)) {}
};
template <class P>
Passed passed(const Argument<P>& argument) {
  return argument;
}

// An output or scratch that a kernel takes by a pointer to const.
template <class Handle>
auto reads(const Handle& handle) {
  using Pointer = typename ParameterOf<Handle>::type;
  return Argument<const std::remove_pointer_t<Pointer>*>(passed(handle));
}

// An input that a kernel takes by a pointer to vectors of so many elements, such as const float4*.
template <int width, class T>
Argument<const Vector<T, width>*> as_vectors(const Input<T>& handle) {
  return Argument<const Vector<T, width>*>(passed(handle));
}

// The array from that element on, for a kernel that works on a part of it.
template <class Handle>
auto from(std::size_t element, const Handle& handle) {
  Passed part = passed(handle);
  part.offset = element;
  return Argument<typename ParameterOf<Handle>::type>(std::move(part));
}

class Arguments {
 public:
  Arguments() = default;
  template <class... Handles>
  requires(sizeof...(Handles) > 0 && (requires { typename ParameterOf<Handles>::type; } && ...))
      Arguments(const Handles&... handles)  // NOLINT: a lesson writes {A, B, size}
      : list_{passed(handles)...}, signature_(signature_of<typename ParameterOf<Handles>::type...>()) {}

  bool empty() const { return list_.empty(); }
  const std::vector<Passed>& list() const { return list_; }
  const Signature& signature() const { return signature_; }

 private:
  std::vector<Passed> list_;
  Signature signature_;
};

}  // namespace gpulab
