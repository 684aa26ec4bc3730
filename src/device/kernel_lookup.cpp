#include "device/kernel_lookup.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "device/demangled_name.hpp"

namespace gpulab {
namespace {

struct Function {
  std::string symbol;
  std::string name;
  std::string parameters;  // "(const float*, int)"; empty for extern "C"
  bool is_kernel = true;
};

// The demangler writes "float const*"; people write "const float*".
std::string in_source_order(std::string parameters) {
  const std::string suffix = " const";
  for (std::size_t at = 0; (at = parameters.find(suffix, at)) != std::string::npos; at += suffix.size()) {
    std::size_t start = parameters.find_last_of("(,", at) + 1;
    if (parameters[start] == ' ') ++start;
    if (parameters.find_first_of("*&", start) < at) continue;  // it is the pointer that is const
    parameters.erase(at, suffix.size());
    parameters.insert(start, "const ");
  }
  return parameters;
}

void erase_prefix(std::string& text, std::string_view prefix) {
  if (text.starts_with(prefix)) text.erase(0, prefix.size());
}

Function demangled(const std::string& symbol) {
  std::string whole = demangled_name(symbol);
  erase_prefix(whole, "void ");  // the result of an instantiated template
  erase_prefix(whole, "(anonymous namespace)::");
  const std::size_t open = whole.find('(');
  if (open == std::string::npos) return {symbol, whole, ""};
  return {symbol, whole.substr(0, open), in_source_order(whole.substr(open))};
}

// In a cubin, "$kernel$function" is a device function that was not inlined into the kernel.
std::vector<Function> functions_of(const std::vector<ElfSymbol>& symbols, Unexported unexported) {
  std::vector<Function> functions;
  for (const ElfSymbol& symbol : symbols)
    if (symbol.kind == ElfSymbol::Kind::function && !symbol.name.starts_with('$')) {
      functions.push_back(demangled(symbol.name));
      functions.back().is_kernel = symbol.exported || unexported == Unexported::may_be_kernels;
    }
  return functions;
}

std::string what_it_has(const std::vector<Function>& functions, const std::string& name) {
  std::vector<std::string> names;
  std::string list;
  for (const Function& function : functions) {
    if (!function.is_kernel) continue;
    names.push_back(function.name);
    // Names that are not mangled are left out: a shared object has some that nobody wrote.
    if (!function.parameters.empty()) list += (list.empty() ? "" : ", ") + function.name;
  }
  if (const std::string nearest = nearest_name(name, names); !nearest.empty())
    return "it has " + nearest + ": is that the one, misspelt?";
  return list.empty() ? "it has no kernel at all" : "it has " + list;
}

}  // namespace

std::string find_kernel_symbol(const std::vector<ElfSymbol>& symbols, const std::string& file,
                               const std::string& name, const Signature& signature, Unexported unexported) {
  const std::string launched = name + signature.text();
  const std::vector<Function> functions = functions_of(symbols, unexported);
  const Function* other_parameters = nullptr;
  for (const Function& function : functions) {
    if (function.name != name) continue;
    if (!function.is_kernel)
      throw CompileError(file + ": " + name + " is there, but it is no kernel: write __global__ before it",
                         "", {.kind = FailureKind::missing_kernel});
    if (function.parameters.empty() || function.parameters == signature.text()) return function.symbol;
    other_parameters = &function;
  }
  if (other_parameters)
    throw CompileError(file + ": your kernel is " + name + other_parameters->parameters +
                           ", the lesson launches " + launched,
                       "", {.kind = FailureKind::wrong_parameters});
  throw CompileError(file + " has no kernel " + launched + "; " + what_it_has(functions, name), "",
                     {.kind = FailureKind::missing_kernel});
}

}  // namespace gpulab
