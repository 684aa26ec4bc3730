#include "device/variable_lookup.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/nearest_name.hpp"
#include "device/demangled_name.hpp"
#include "device/device.hpp"

namespace gpulab {
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

}  // namespace gpulab
