#include "simulator/compile/device_code.hpp"

#include <dlfcn.h>
#include <algorithm>
#include <array>
#include <cctype>

#include "device/symbols.hpp"
#include "simulator/compile/code_reader.hpp"

namespace gpulab::simulator::compile {
namespace {

using Words = std::initializer_list<std::string_view>;

bool is_one_of(std::string_view word, Words words) {
  return std::ranges::find(words, word) != words.end();
}

bool begins_with_one_of(std::string_view word, Words prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return word.starts_with(prefix); });
}

// "__aligned__" is "aligned".
std::string_view without_underscores(std::string_view word) {
  if (word.size() > 4 && word.starts_with("__") && word.ends_with("__"))
    return word.substr(2, word.size() - 4);
  return word;
}

bool is_harmless_attribute(std::string_view word) {
  return is_one_of(
      without_underscores(word),
      {"aligned", "packed",    "unused",        "noinline",     "always_inline", "pure",
       "const",   "may_alias", "deprecated",    "device",       "host",          "global",
       "shared",  "constant",  "launch_bounds", "maybe_unused", "nodiscard",     "fallthrough",
       "likely",  "unlikely",  "noreturn",      "gnu",          "nothrow",       "warn_unused_result",
       "alignas", "flatten",   "hot",           "cold",         "leaf",          "noclone"});
}

bool is_harmless_builtin(std::string_view name) {
  return begins_with_one_of(
             name, {"__builtin_assume", "__builtin_popcount", "__builtin_clz", "__builtin_ctz",
                    "__builtin_ffs", "__builtin_bswap", "__builtin_fma", "__builtin_fabs", "__builtin_sqrt",
                    "__builtin_inf", "__builtin_nan", "__builtin_huge_val", "__builtin_is", "__builtin_abs",
                    "__builtin_copysign", "__builtin_bit_cast"}) ||
         is_one_of(name, {"__builtin_expect", "__builtin_unreachable", "__builtin_trap", "__builtin_memcpy",
                          "__builtin_memset", "__builtin_memmove", "__builtin_constant_p",
                          "__builtin_offsetof", "__builtin_prefetch", "__builtin_fmaxf", "__builtin_fminf",
                          "__builtin_fmax", "__builtin_fmin", "__builtin_align_up", "__builtin_align_down"});
}

bool is_harmless_pragma(std::string_view first, std::string_view second) {
  if (first == "GCC") return is_one_of(second, {"unroll", "ivdep", "diagnostic"});
  if (first == "clang") return is_one_of(second, {"loop", "diagnostic"});
  return is_one_of(first, {"unroll", "nounroll", "pack", "once", "STDC", "message", "region", "endregion",
                           "mark"}) ||
         begins_with_one_of(first, {"nv_", "diag_", "hd_", "nvcc"});
}

}  // namespace

std::string objection_to_word(std::string_view word) {
  const std::string name(word);
  if (begins_with_one_of(word, {"gpulab_", "GPULAB_", "__gpulab", "__tsan_", "__asan_", "__ubsan_", "__msan_",
                                "__sanitizer_", "__wrap_", "__real_"}))
    return name + " is a name of the simulator's own; choose another one";
  if (begins_with_one_of(word, {"__sync_", "__atomic_", "__c11_atomic"}))
    return name + " is no function of CUDA; atomics are atomicAdd(), atomicCAS() and their like";
  if (word.starts_with("__builtin_") && !is_harmless_builtin(word)) return name + " is no function of CUDA";
  if (is_one_of(word, {"thread_local", "__thread", "_Thread_local"}))
    return name + " is not for device code; every thread has its own local variables";
  if (is_one_of(word, {"asm", "__asm", "__asm__"})) return "the simulator does not have inline PTX (asm)";
  if (is_one_of(word, {"__cxa_atexit", "_init", "_fini", "__libc_start_main"}))
    return name + " belongs to the host's program";
  return "";
}

namespace {

constexpr const char* no_main = "a kernel file has no main(): gpulab does the host's part";

class TextReader {
 public:
  explicit TextReader(const std::string& text) : code_(text) {}

  std::optional<Refusal> refusal() {
    for (at_ = 0; at_ < code_.size(); ++at_) {
      const CodeToken& token = code_[at_];
      std::string why;
      if (token.kind == TokenKind::directive)
        why = objection_to_directive(token.text);
      else if (token.kind == TokenKind::word)
        why = objection_to_word(token.text);
      else if (token.text == "[" && code_.text(at_ + 1) == "[")
        why = objection_to_attributes(at_, "[", "]");
      if (!why.empty()) return Refusal{token.line, why};
    }
    return std::nullopt;
  }

 private:
  std::string objection_to_word(std::string_view word) {
    if (word == "_Pragma") return objection_to_pragma(unquoted(code_.text(at_ + 2)));
    if (is_one_of(word, {"__attribute__", "__attribute"})) return objection_to_attributes(at_ + 1, "(", ")");
    if (is_one_of(word, {"asm", "__asm", "__asm__"}) && is_empty_assembly()) return "";
    if (word == "__declspec") return objection_to_attributes(at_ + 1, "(", ")");
    return compile::objection_to_word(word);
  }

  // asm volatile("" ::: "memory") keeps a compiler from moving accesses, and is nothing else.
  bool is_empty_assembly() const {
    std::size_t at = at_ + 1;
    while (is_one_of(code_.text(at), {"volatile", "__volatile__", "inline"})) ++at;
    return code_.text(at) == "(" && code_.text(at + 1) == "\"\"" && is_one_of(code_.text(at + 2), {":", ")"});
  }

  // Between brackets of that kind.
  std::string objection_to_attributes(std::size_t from, std::string_view open, std::string_view close) const {
    int depth = 0;
    for (std::size_t i = from; i < code_.size(); ++i) {
      if (code_.text(i) == open) ++depth;
      if (code_.text(i) == close && --depth == 0) break;
      const bool is_argument = open == "(" ? depth > 2 : false;
      if (code_[i].kind == TokenKind::word && !is_argument && !is_harmless_attribute(code_.text(i)) &&
          depth >= (open == "(" ? 2 : 1))
        return "the attribute " + std::string(code_.text(i)) + " is not for device code";
    }
    return "";
  }

  static std::string_view unquoted(std::string_view text) {
    return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
  }

  static std::string objection_to_pragma(std::string_view text) {
    const CodeText words{std::string(text)};
    if (words.size() == 0 || is_harmless_pragma(words.text(0), words.text(1))) return "";
    return "#pragma " + std::string(text) + " is not for device code";
  }

  static std::string objection_to_directive(std::string_view directive) {
    constexpr std::string_view pragma = "pragma";
    const std::size_t begin = directive.find(pragma);
    if (begin == std::string_view::npos) return "";
    const std::size_t word = directive.find_first_not_of(" \t", begin + pragma.size());
    return word == std::string_view::npos ? "" : objection_to_pragma(directive.substr(word));
  }

  CodeText code_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<Refusal> refused_in_text(const std::string& text) {
  if (auto refusal = TextReader(text).refusal()) return refusal;
  return refused_declaration(CodeText(text));
}

std::optional<Refusal> refused_name(const std::string& text) {
  const std::string code = strip_comments(text);
  for (const char* prefix : {"gpulab_", "GPULAB_"}) {
    const std::size_t at = code.find(prefix);
    if (at == std::string::npos) continue;
    const auto end =
        std::find_if_not(code.begin() + static_cast<std::ptrdiff_t>(at), code.end(), is_word_character);
    return Refusal{
        static_cast<int>(1 + std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at), '\n')),
        objection_to_word(std::string(code.begin() + static_cast<std::ptrdiff_t>(at), end))};
  }
  return std::nullopt;
}

std::optional<Refusal> refused_main(const std::string& text) {
  const CodeText code(text);
  for (std::size_t i = 0; i + 1 < code.size(); ++i)
    if (code.text(i) == "main" && code.text(i + 1) == "(") return Refusal{code[i].line, no_main};
  return std::nullopt;
}

bool needs_preprocessing(const std::string& text) {
  if (text.find("%:") != std::string::npos || text.find("\\\n") != std::string::npos) return true;
  const CodeText code(text);
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code[i].kind == TokenKind::directive && code.text(i).find("pragma") == std::string_view::npos &&
        code.text(i).find("include") == std::string_view::npos)
      return true;
  return false;
}

namespace {

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

}  // namespace

bool is_provided(const std::string& name) {
  return begins_with_one_of(name, {"gpulab_", "__tsan_", "__ubsan_handle_", of_shared_arrays}) ||
         is_one_of(name, {"threadIdx", "blockIdx", "blockDim", "gridDim", "memcpy", "memmove", "memset", "memcmp",
                          "__wrap_memcpy", "__wrap_memmove", "__wrap_memset", "__tls_get_addr",
                          "__cxa_pure_virtual", "_GLOBAL_OFFSET_TABLE_"}) ||
         has("libm.so.6", name) || is_arithmetic_of_the_compiler(name);
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

std::optional<Refusal> refused_in_object(const std::filesystem::path& shared_object,
                                         const std::string& text) {
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
