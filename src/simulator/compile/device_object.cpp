#include "simulator/compile/device_object.hpp"

#include <dlfcn.h>
#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "device/symbols.hpp"
#include "simulator/compile/code_reader.hpp"

namespace gpulab::simulator::compile {
namespace {

using Words = std::initializer_list<std::string_view>;

bool begins_with_one_of(std::string_view word, Words prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return word.starts_with(prefix); });
}

// A library's own function, not one of those that it uses.
bool has(const char* library, const std::string& name) {
  void* const handle = ::dlopen(library, RTLD_LAZY);
  void* const function = handle ? ::dlsym(handle, name.c_str()) : nullptr;
  Dl_info place{};
  return function && ::dladdr(function, &place) &&
         std::string_view(place.dli_fname).ends_with(std::string("/") + library);
}

// What a processor has no instruction for: "__popcountdi2", "__udivti3", "__mulsc3".
bool is_arithmetic_of_the_compiler(const std::string& name) {
  const bool says_so =
      name.starts_with("__") && (name.ends_with("2") || name.ends_with("3") || name.ends_with("4"));
  return says_so && has("libgcc_s.so.1", name);
}

// Clang asks whether a shared array has a constructor, which it then calls: none has.
constexpr std::string_view of_shared_arrays = "_ZTH";

// The simulator's own, and what a compiler makes calls of.
constexpr std::string_view of_every_object[] = {"threadIdx",
                                                "blockIdx",
                                                "blockDim",
                                                "gridDim",
                                                "memcpy",
                                                "memmove",
                                                "memset",
                                                "memcmp",
                                                "__wrap_memcpy",
                                                "__wrap_memmove",
                                                "__wrap_memset",
                                                "__tls_get_addr",
                                                "__cxa_pure_virtual",
                                                "_GLOBAL_OFFSET_TABLE_"};

}  // namespace

bool is_provided(const std::string& name) {
  // These of libm follow pointers where nobody watches, or change how this machine computes.
  if (begins_with_one_of(name, {"canonicalize", "getpayload", "setpayload", "totalorder", "lgamma_r",
                                "lgammaf_r", "lgammal_r", "fe"}))
    return false;
  return begins_with_one_of(name, {"gpulab_", "__tsan_", "__ubsan_handle_", of_shared_arrays}) ||
         std::ranges::find(of_every_object, name) != std::end(of_every_object) || has("libm.so.6", name) ||
         is_arithmetic_of_the_compiler(name);
}

namespace {

int line_with(const std::string& word, const std::string& text) {
  const CodeText code(text);
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code.text(i) == word) return code[i].line;
  return 0;
}

// "f" of "f(int)" and of "inner::f".
std::string function_of(const std::string& symbol) {
  std::string name = device::demangled_name(symbol);
  name.resize(std::min(name.size(), name.find('(')));
  const std::size_t colon = name.rfind("::");
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

}  // namespace

std::optional<Refusal> refused_hook(const std::filesystem::path& shared_object) {
  for (const device::ElfSymbol& symbol : device::elf_symbols(shared_object))
    if (begins_with_one_of(symbol.name, {"__tsan_", "__ubsan_", "__asan_", "__sanitizer_"}))
      return Refusal{0, objection_to(symbol.name)};
  return std::nullopt;
}

std::optional<Refusal> refused_in_object(const std::filesystem::path& shared_object,
                                         const std::string& text) {
  if (auto refusal = refused_hook(shared_object)) return refusal;
  const device::ElfNeeds needs = device::elf_needs(shared_object);
  // A hooked one has a constructor of the compiler's, which calls this.
  const std::size_t of_the_compiler = std::ranges::count(needs.symbols, "__tsan_init");
  if (needs.run_when_loaded > of_the_compiler)
    return Refusal{0,
                   "a variable's first value is computed when the program starts, which a GPU does not do: "
                   "give it a constant, or compute it in the kernel"};
  for (const std::string& symbol : needs.symbols) {
    if (is_provided(symbol)) continue;
    const std::string name = function_of(symbol);
    if (name.starts_with("__cxa_guard"))
      return Refusal{line_with("static", text),
                     "a static variable of a function needs a constant to begin with"};
    return Refusal{line_with(name, text), name + "() is no function that a GPU has, nor defined in the file"};
  }
  return std::nullopt;
}

}  // namespace gpulab::simulator::compile
