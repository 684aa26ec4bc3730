#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gpulab {

// The types of a kernel's arrays and scalars.
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

// Calls visit with a value of the C++ type of the element type.
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

// Returns the name in CUDA C++, as a demangler prints it.
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

// Sizes in x, y and z, like CUDA's dim3.
struct Extent {
  unsigned x = 1, y = 1, z = 1;
  std::size_t volume() const { return std::size_t{x} * y * z; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

// Formats like dim3 in code, without trailing sizes of 1: "256", "(16, 16)", "(8, 8, 4)".
std::string text_of(const Extent& extent);

// Handles of a lesson's arrays and scalars. Each is named once, as a constant of the lesson:
//
//   const Input<float> A{"A"};
//   const Output<int> counts{"counts", InitialContents::cleared};
//   const Scalar<int> size{"size"};
//
// A handle has no length or value; A(n), image(width, height) and size(n) give the problem's.

// Scratch is memory that kernels pass data through: neither filled nor compared.
enum class Role { input, output, scratch };

// Contents of an output before every launch. Outputs that a kernel adds to are cleared; all others are
// poisoned (NaN, or an integer of bytes 0xA7), so that unwritten elements show.
enum class InitialContents { poisoned, cleared };

// An array of a problem, with its length.
struct SizedArray {
  std::string name;
  ElementType type = ElementType::int32;
  Role role = Role::input;
  std::size_t length = 0;  // elements
  InitialContents initial_contents = InitialContents::poisoned;
  Extent shape = {};  // length as columns and rows

  std::size_t bytes() const { return length * size_of(type); }
  std::size_t row_length() const { return shape.y > 1 ? shape.x : 0; }  // 0 without rows
};

// Returns "[7]" or, in an array with rows, "[row 1, column 2]".
std::string index_text(std::size_t index, std::size_t row_length);

// An array of any type and role.
struct ArrayHandle {
  const char* name;
  ElementType type;
  Role role;
  InitialContents initial_contents = InitialContents::poisoned;

  SizedArray operator()(std::size_t length) const {
    return {name, type, role, length, initial_contents, {static_cast<unsigned>(length)}};
  }
  SizedArray operator()(std::size_t width, std::size_t height) const {
    const Extent shape{static_cast<unsigned>(width), static_cast<unsigned>(height)};
    return {name, type, role, width * height, initial_contents, shape};
  }
  bool is_called(const std::string& array) const { return array == name; }
};

// An array that kernels read, through a pointer to const.
template <class T>
struct Input : ArrayHandle {
  using Element = T;
  constexpr explicit Input(const char* name) : ArrayHandle{name, element_type_of<T>(), Role::input} {}
};

// An array that kernels write, compared with the reference.
template <class T>
struct Output : ArrayHandle {
  using Element = T;
  constexpr explicit Output(const char* name, InitialContents initial_contents = InitialContents::poisoned)
      : ArrayHandle{name, element_type_of<T>(), Role::output, initial_contents} {}
};

template <class T>
struct Scratch : ArrayHandle {
  using Element = T;
  constexpr explicit Scratch(const char* name, InitialContents initial_contents = InitialContents::poisoned)
      : ArrayHandle{name, element_type_of<T>(), Role::scratch, initial_contents} {}
};

// An input or output of any type.
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

// Kernel parameter types: the required signature, and how to call it.

// Calls a kernel compiled as an ordinary function: arguments[i] points to the i-th argument.
using HostCall = void (*)(void* function, void* const* arguments);

struct Signature {
  std::vector<std::string> types;  // "const float*", "int"
  std::vector<std::size_t> sizes;  // bytes of each argument
  HostCall host_call = nullptr;    // null if the types are known only at run time

  // Returns "(const float*, const float*, float*, int)".
  std::string text() const;
};

// A CUDA vector type, such as float4. A lesson passes an array of floats where a kernel takes float4*.
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

// Makes the signature of a kernel with these parameters: signature_of<const float*, float*, int>().
template <class... Ts>
Signature signature_of() {
  return {.types = {type_name<Ts>()...},
          .sizes = {sizeof(Ts)...},
          .host_call = [](void* function, void* const* arguments) {
            call_on_host<Ts...>(function, arguments, std::index_sequence_for<Ts...>{});
          }};
}

// Kernel arguments, written with the lesson's handles: {A, B, size}. The handles' types determine the
// required signature and how to call it.

// One argument: an array, or a scalar with the problem's value or its own.
struct KernelArgument {
  std::string name;
  ElementType type = ElementType::int32;
  std::optional<Role> role = {};            // role of an array; none for a scalar
  std::size_t offset = 0;                   // elements of the array before the address passed
  std::optional<std::uint64_t> value = {};  // a scalar's own value, if not the problem's
  std::optional<int> rank = {};             // rank that owns the array; by default the launching rank

  bool is_array() const { return role.has_value(); }
};

inline KernelArgument argument_for(const ArrayHandle& handle) {
  return {.name = handle.name, .type = handle.type, .role = handle.role};
}
template <class T>
KernelArgument argument_for(const Scalar<T>& scalar) {
  return {.name = scalar.name, .type = element_type_of<T>()};
}
template <class T>
KernelArgument argument_for(const TypedValue<T>& value) {
  return {.name = value.name, .type = value.type, .value = value.bits};
}

template <class P>
struct Argument;

// The kernel parameter type for a handle.
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

// An argument for a parameter of type P, such as const float*: any matching handle, or a part of one.
template <class P>
struct Argument : KernelArgument {
  template <class Handle>
  requires std::same_as<typename ParameterOf<Handle>::type, P> Argument(const Handle& handle)  // NOLINT
      : KernelArgument(argument_for(handle)) {}
  explicit Argument(KernelArgument what) : KernelArgument(std::move(what)) {}
};
template <class P>
KernelArgument argument_for(const Argument<P>& argument) {
  return argument;
}

// Passes an output or scratch as a pointer to const.
template <class Handle>
auto reads(const Handle& handle) {
  using Pointer = typename ParameterOf<Handle>::type;
  return Argument<const std::remove_pointer_t<Pointer>*>(argument_for(handle));
}

// Passes an input as a pointer to vectors of `width` elements, such as const float4*.
template <int width, class T>
Argument<const Vector<T, width>*> as_vectors(const Input<T>& handle) {
  return Argument<const Vector<T, width>*>(argument_for(handle));
}

// Passes the array from the given element on, for a kernel that works on a part of it.
template <class Handle>
auto from(std::size_t element, const Handle& handle) {
  KernelArgument part = argument_for(handle);
  part.offset = element;
  return Argument<typename ParameterOf<Handle>::type>(std::move(part));
}

class Arguments {
 public:
  Arguments() = default;
  template <class... Handles>
  requires(sizeof...(Handles) > 0 && (requires { typename ParameterOf<Handles>::type; } && ...))
      Arguments(const Handles&... handles)  // NOLINT: a lesson writes {A, B, size}
      : list_{argument_for(handles)...}, signature_(signature_of<typename ParameterOf<Handles>::type...>()) {}

  // The arguments of a kernel whose parameters are known only at run time.
  explicit Arguments(std::vector<KernelArgument> list);

  bool empty() const { return list_.empty(); }
  const std::vector<KernelArgument>& list() const { return list_; }
  const Signature& signature() const { return signature_; }

 private:
  std::vector<KernelArgument> list_;
  Signature signature_;
};

}  // namespace gpulab
