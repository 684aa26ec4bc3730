#include "suites/parameters.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace gpulab::suites {
namespace {

struct Arithmetic {
  const char* name;
  std::string (*bytes)(double value);
};

template <class T>
std::string bytes_as(double value) {
  const auto converted = static_cast<T>(value);
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &converted, sizeof(T));
  return bytes;
}

constexpr Arithmetic arithmetic_types[] = {
    {"bool", bytes_as<bool>},        {"char", bytes_as<char>},
    {"signed char", bytes_as<char>}, {"unsigned char", bytes_as<unsigned char>},
    {"short", bytes_as<short>},      {"unsigned short", bytes_as<unsigned short>},
    {"int", bytes_as<int>},          {"unsigned int", bytes_as<unsigned int>},
    {"long", bytes_as<long>},        {"unsigned long", bytes_as<unsigned long>},
    {"long long", bytes_as<long>},   {"unsigned long long", bytes_as<unsigned long>},
    {"float", bytes_as<float>},      {"double", bytes_as<double>},
};

// The calling convention puts the first arguments of each kind in registers, and the rest side by side in
// memory, eight bytes each. So a function of all registers and some memory can call any kernel.
#ifdef __x86_64__
constexpr std::size_t integer_registers = 6;
#else
constexpr std::size_t integer_registers = 8;
#endif
constexpr std::size_t float_registers = 8, words_in_memory = 24;

struct Words {
  std::array<std::uint64_t, integer_registers> integers{};
  std::array<double, float_registers> floats{};
  std::array<std::uint64_t, words_in_memory> memory{};
};

struct Parameter {
  bool is_float = false;
  std::size_t bytes = 0;
};

std::vector<Parameter> parameters;  // of the kernel that is launched

Words words_of(void* const* arguments) {
  Words words;
  std::size_t integers = 0, floats = 0, memory = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, arguments[i], parameters[i].bytes);
    if (parameters[i].is_float && floats < float_registers)
      std::memcpy(&words.floats[floats++], &word, sizeof word);
    else if (!parameters[i].is_float && integers < integer_registers)
      words.integers[integers++] = word;
    else
      words.memory.at(memory++) = word;
  }
  return words;
}

template <class T, std::size_t>
using Repeated = T;

template <std::size_t... I, std::size_t... F, std::size_t... M>
void call(void* function, const Words& words, std::index_sequence<I...>, std::index_sequence<F...>,
          std::index_sequence<M...>) {
  using Function =
      void (*)(Repeated<std::uint64_t, I>..., Repeated<double, F>..., Repeated<std::uint64_t, M>...);
  reinterpret_cast<Function>(function)(words.integers[I]..., words.floats[F]..., words.memory[M]...);
}

void call_with_words(void* function, void* const* arguments) {
  call(function, words_of(arguments), std::make_index_sequence<integer_registers>{},
       std::make_index_sequence<float_registers>{}, std::make_index_sequence<words_in_memory>{});
}

}  // namespace

bool is_pointer(const std::string& type) {
  return type.ends_with('*');
}

std::string pointee(const std::string& pointer) {
  std::string type = pointer.substr(0, pointer.size() - 1);
  for (const std::string word : {"const", "volatile"}) {
    if (type.starts_with(word + " ")) type.erase(0, word.size() + 1);
    if (type.ends_with(" " + word)) type.erase(type.size() - word.size() - 1);
  }
  return type;
}

std::string bytes_of(const std::string& type, double value) {
  if (is_pointer(type)) return bytes_as<std::uint64_t>(value);
  for (const Arithmetic& arithmetic : arithmetic_types)
    if (type == arithmetic.name) return arithmetic.bytes(value);
  throw UsageError("'" + type + "' is not an arithmetic type");
}

Signature signature_of_types(const std::vector<std::string>& types) {
  Signature signature{.types = types, .host_call = call_with_words};
  parameters.clear();
  for (const std::string& type : types) {
    const std::size_t bytes = is_pointer(type) ? sizeof(void*) : bytes_of(type, 0).size();
    signature.sizes.push_back(bytes);
    parameters.push_back({.is_float = type == "float" || type == "double", .bytes = bytes});
  }
  return signature;
}

}  // namespace gpulab::suites
