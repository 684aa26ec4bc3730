#include "device/demangled_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace gpulab {

std::string demangled_name(const std::string& symbol) {
  // Without its prefix a name could be read as a type: "f" is how "float" is mangled.
  if (!symbol.starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : symbol;
}

}  // namespace gpulab
