#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "core/defect.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "device/device.hpp"
#include "device/symbols.hpp"

namespace gpulab::device {
namespace {

struct Function {
  std::string symbol;
  std::string name;        // without namespaces: "scale", of a template "scale<float>"
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

// Where the bracket closes that opens there.
std::size_t closing(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '<') ++depth;
    if ((text[at] == ')' || text[at] == '>') && --depth == 0) return at;
  }
  return std::string::npos;
}

// "scale<float>" of "lesson::scale<float>"
std::string last_name(const std::string& qualified) {
  const std::size_t colon = qualified.rfind("::", qualified.find('<'));
  return colon == std::string::npos ? qualified : qualified.substr(colon + 2);
}

// Whether a launch of that name can be one of this function: of a template also without its arguments.
bool is_called(const Function& function, const std::string& name) {
  return function.name == name || function.name.substr(0, function.name.find('<')) == name;
}

// A lambda, or another function that stands in a function, is none that somebody could launch: empty.
std::optional<Function> demangled(const std::string& symbol) {
  std::string whole = demangled_name(symbol);
  erase_prefix(whole, "void ");  // the result of an instantiated template
  constexpr std::string_view anonymous = "(anonymous namespace)::";
  for (std::size_t at; (at = whole.find(anonymous)) != std::string::npos;) whole.erase(at, anonymous.size());
  const std::size_t arguments = whole.find('<'), first_open = whole.find('(');
  const std::size_t after_arguments = arguments < first_open ? closing(whole, arguments) : 0;
  if (after_arguments == std::string::npos) return std::nullopt;
  const std::size_t open = whole.find('(', after_arguments);
  if (open == std::string::npos) return Function{symbol, last_name(whole), ""};
  if (closing(whole, open) != whole.size() - 1) return std::nullopt;
  return Function{symbol, last_name(whole.substr(0, open)), in_source_order(whole.substr(open))};
}

// In a cubin, "$kernel$function" is a device function that was not inlined into the kernel.
std::vector<Function> functions_of(const std::vector<ElfSymbol>& symbols, Unexported unexported) {
  std::vector<Function> functions;
  for (const ElfSymbol& symbol : symbols)
    if (symbol.kind == ElfSymbol::Kind::function && !symbol.name.starts_with('$')) {
      std::optional<Function> function = demangled(symbol.name);
      if (!function) continue;
      function->is_kernel = symbol.exported || unexported == Unexported::may_be_kernels;
      functions.push_back(std::move(*function));
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

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// The parameters as far as a launch depends on them: a pointer that could be one to const, and an integer with
// a sign where the lesson has none, are called with the same words.
std::string as_launched(std::string parameters) {
  replace_all(parameters, "const ", "");
  replace_all(parameters, "volatile ", "");
  replace_all(parameters, " const", "");
  replace_all(parameters, " volatile", "");
  replace_all(parameters, "long long", "long");
  std::string result;
  std::string_view rest = parameters;
  while (!rest.empty()) {
    const std::size_t end = rest.find_first_of(",)", 1);
    std::string one(rest.substr(0, end));
    if (one.find('*') == std::string::npos) {
      replace_all(one, "unsigned ", "");
      replace_all(one, "signed ", "");
    }
    result += one;
    rest.remove_prefix(std::min(end, rest.size()));
  }
  return result;
}

}  // namespace

std::string find_kernel_symbol(const std::vector<ElfSymbol>& symbols, const std::string& file,
                               const std::string& name, const Signature& signature, Unexported unexported) {
  const std::string launched = name + signature.text();
  const std::vector<Function> functions = functions_of(symbols, unexported);
  const Function *other_parameters = nullptr, *alike = nullptr, *no_kernel = nullptr;
  for (const Function& function : functions) {
    if (!is_called(function, name)) continue;
    if (!function.is_kernel) {
      no_kernel = &function;
      continue;
    }
    if (function.parameters.empty() || function.parameters == signature.text()) return function.symbol;
    if (as_launched(function.parameters) == as_launched(signature.text()))
      alike = &function;
    else
      other_parameters = &function;
  }
  if (alike) return alike->symbol;
  if (no_kernel && !other_parameters)
    throw CompileError(file + ": " + name + " is there, but it is no kernel: write __global__ before it", "",
                       {.kind = DefectKind::missing_kernel});
  if (other_parameters)
    throw CompileError(file + ": your kernel is " + name + other_parameters->parameters +
                           ", the lesson launches " + launched,
                       "", {.kind = DefectKind::wrong_parameters});
  throw CompileError(file + " has no kernel " + launched + "; " + what_it_has(functions, name), "",
                     {.kind = DefectKind::missing_kernel});
}

namespace {

// Names in an anonymous namespace are written without it. NVRTC puts that namespace into one of its own.
std::string name_in_source(const std::string& symbol) {
  constexpr std::string_view anonymous = "(anonymous namespace)::";
  const std::string name = demangled_name(symbol);
  const std::size_t at = name.rfind(anonymous);
  return at == std::string::npos ? name : name.substr(at + anonymous.size());
}

// Whether somebody wrote the name in a kernel file: compilers and the simulator make objects of their own,
// and a variable inside a function is not for the host.
bool is_from_source(const std::string& name) {
  const auto can_be_in_a_name = [](unsigned char letter) {
    return std::isalnum(letter) || letter == '_' || letter == ':';
  };
  const bool is_reserved = name.size() > 1 && name[0] == '_' &&
                           (name[1] == '_' || std::isupper(static_cast<unsigned char>(name[1])));
  return !is_reserved && !name.starts_with("gpulab_") && std::ranges::all_of(name, can_be_in_a_name);
}

std::string what_it_has(const std::vector<std::string>& names) {
  if (names.empty()) return "it has none: __constant__ or __device__ before a variable makes it one";
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "it has " : ", ") + name;
  return list;
}

}  // namespace

ElfSymbol find_variable(const std::vector<ElfSymbol>& symbols, const std::string& file,
                        const std::string& name) {
  std::vector<std::string> names;
  for (const ElfSymbol& symbol : symbols) {
    if (symbol.kind != ElfSymbol::Kind::object || symbol.bytes == 0) continue;
    const std::string candidate = name_in_source(symbol.name);
    if (!is_from_source(candidate)) continue;
    if (candidate == name) return symbol;
    names.push_back(candidate);
  }
  throw DeviceError("cuModuleGetGlobal", "CUDA_ERROR_NOT_FOUND",
                    file + " has no variable '" + name + "' for the host to copy to; " +
                        suggestion(name, names, what_it_has(names)));
}

std::size_t constant_bytes(const std::vector<ElfSymbol>& symbols) {
  std::size_t bytes = 0;
  for (const ElfSymbol& symbol : symbols)
    // ptxas has a section for them; the simulator's prelude gives each one of its own.
    if (symbol.section == ".nv.constant3" || symbol.section.starts_with("gpulab_constant."))
      bytes += symbol.bytes;
  return bytes;
}

}  // namespace gpulab::device
