#include "device/symbols.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "device/device.hpp"
#include "lesson/finding.hpp"

namespace gpulab::device {

std::string demangled_name(const std::string& symbol) {
  // Without the prefix, a name could be read as a type: "f" is how "float" is mangled.
  if (!symbol.starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : symbol;
}

namespace {

// Bounds-checked reads of plain structures out of a file's bytes.
class ElfFile {
 public:
  explicit ElfFile(const std::filesystem::path& path) : path_(path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    bytes_.resize(file ? static_cast<std::size_t>(file.tellg()) : 0);
    file.seekg(0).read(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
    const auto header = read<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) reject();
  }

  template <class T>
  T read(std::size_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) reject();
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  std::string bytes(std::size_t offset, std::size_t count) const {
    if (offset > bytes_.size() || bytes_.size() - offset < count) reject();
    return bytes_.substr(offset, count);
  }

  std::string text(std::size_t offset) const {
    const std::size_t end = offset < bytes_.size() ? bytes_.find('\0', offset) : std::string::npos;
    if (end == std::string::npos) reject();
    return bytes_.substr(offset, end - offset);
  }

 private:
  [[noreturn]] void reject() const {
    throw std::runtime_error(path_.string() + " is not a whole 64-bit ELF file");
  }

  std::filesystem::path path_;
  std::string bytes_;
};

ElfSymbol::Kind kind_of(unsigned char info) {
  switch (ELF64_ST_TYPE(info)) {
    case STT_FUNC:
      return ElfSymbol::Kind::function;
    case STT_OBJECT:
      return ElfSymbol::Kind::object;
    case STT_TLS:
      return ElfSymbol::Kind::thread_local_object;
    default:
      return ElfSymbol::Kind::other;
  }
}

}  // namespace

std::vector<ElfSymbol> elf_symbols(const std::filesystem::path& path) {
  const ElfFile file(path);
  const auto header = file.read<Elf64_Ehdr>(0);
  const auto section = [&](std::size_t index) {
    return file.read<Elf64_Shdr>(header.e_shoff + index * header.e_shentsize);
  };
  const std::size_t section_names = section(header.e_shstrndx).sh_offset;

  std::vector<ElfSymbol> symbols;
  for (std::size_t index = 0; index < header.e_shnum; ++index) {
    const Elf64_Shdr table = section(index);
    if (table.sh_type != SHT_SYMTAB) continue;
    const Elf64_Shdr names = section(table.sh_link);
    for (std::size_t offset = 0; offset + sizeof(Elf64_Sym) <= table.sh_size; offset += sizeof(Elf64_Sym)) {
      const auto symbol = file.read<Elf64_Sym>(table.sh_offset + offset);
      if (symbol.st_shndx == SHN_UNDEF) continue;
      // Indices beyond the sections have special meanings, such as an absolute value.
      const Elf64_Shdr container = symbol.st_shndx < header.e_shnum ? section(symbol.st_shndx) : Elf64_Shdr{};
      symbols.push_back({.name = file.text(names.sh_offset + symbol.st_name),
                         .kind = kind_of(symbol.st_info),
                         .exported = ELF64_ST_BIND(symbol.st_info) != STB_LOCAL,
                         .bytes = symbol.st_size,
                         .value = symbol.st_value,
                         .section = file.text(section_names + container.sh_name),
                         .writable = (container.sh_flags & SHF_WRITE) != 0});
    }
  }
  return symbols;
}

std::vector<ElfReference> elf_references(const std::filesystem::path& path) {
  // On x86, an address relative to an instruction's end is kept relative to that of its last four bytes.
#if defined(__x86_64__)
  constexpr std::size_t operand_bytes = 4;
#else
  constexpr std::size_t operand_bytes = 0;
#endif
  const ElfFile file(path);
  const auto header = file.read<Elf64_Ehdr>(0);
  const auto section = [&](std::size_t index) {
    return file.read<Elf64_Shdr>(header.e_shoff + index * header.e_shentsize);
  };
  std::vector<ElfReference> references;
  for (std::size_t index = 0; index < header.e_shnum; ++index) {
    const Elf64_Shdr table = section(index);
    if (table.sh_type != SHT_RELA || (table.sh_flags & SHF_ALLOC) != 0 || table.sh_info >= header.e_shnum ||
        (section(table.sh_info).sh_flags & SHF_EXECINSTR) == 0)
      continue;
    const std::size_t symbols = section(table.sh_link).sh_offset;
    for (std::size_t at = 0; at + sizeof(Elf64_Rela) <= table.sh_size; at += sizeof(Elf64_Rela)) {
      const auto relocation = file.read<Elf64_Rela>(table.sh_offset + at);
      const auto symbol = file.read<Elf64_Sym>(symbols + ELF64_R_SYM(relocation.r_info) * sizeof(Elf64_Sym));
      const std::size_t offset = ELF64_ST_TYPE(symbol.st_info) == STT_SECTION
                                     ? static_cast<std::size_t>(relocation.r_addend) + operand_bytes
                                     : 0;
      if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) != STT_TLS)
        references.push_back({relocation.r_offset, symbol.st_value + offset});
    }
  }
  return references;
}

std::string elf_note(const std::filesystem::path& path, const std::string& owner, std::uint32_t type) {
  const ElfFile file(path);
  const auto header = file.read<Elf64_Ehdr>(0);
  const auto padded = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
  for (std::size_t index = 0; index < header.e_shnum; ++index) {
    const auto section = file.read<Elf64_Shdr>(header.e_shoff + index * header.e_shentsize);
    if (section.sh_type != SHT_NOTE) continue;
    const std::size_t end = section.sh_offset + section.sh_size;
    for (std::size_t at = section.sh_offset; at + sizeof(Elf64_Nhdr) <= end;) {
      const auto note = file.read<Elf64_Nhdr>(at);
      const std::size_t name = at + sizeof note, content = name + padded(note.n_namesz);
      if (note.n_type == type && file.text(name) == owner) return file.bytes(content, note.n_descsz);
      at = content + padded(note.n_descsz);
    }
  }
  throw std::runtime_error(path.string() + " has no note of " + owner);
}

ElfNeeds elf_needs(const std::filesystem::path& path) {
  constexpr unsigned indirect_function = 10;  // STT_GNU_IFUNC
  const ElfFile file(path);
  const auto header = file.read<Elf64_Ehdr>(0);
  const auto section = [&](std::size_t index) {
    return file.read<Elf64_Shdr>(header.e_shoff + index * header.e_shentsize);
  };
  ElfNeeds needs;
  for (std::size_t index = 0; index < header.e_shnum; ++index) {
    const Elf64_Shdr table = section(index);
    const bool is_list_of_functions = table.sh_type == SHT_INIT_ARRAY || table.sh_type == SHT_FINI_ARRAY ||
                                      table.sh_type == SHT_PREINIT_ARRAY;
    if (is_list_of_functions) needs.run_when_loaded += table.sh_size / sizeof(Elf64_Addr);
    const std::size_t dynamic_bytes = table.sh_type == SHT_DYNAMIC ? table.sh_size : 0;
    for (std::size_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic_bytes; at += sizeof(Elf64_Dyn)) {
      const auto entry = file.read<Elf64_Dyn>(table.sh_offset + at);
      if (entry.d_tag == DT_INIT || entry.d_tag == DT_FINI) ++needs.run_when_loaded;
    }
    if (table.sh_type != SHT_DYNSYM && table.sh_type != SHT_SYMTAB) continue;
    const Elf64_Shdr names = section(table.sh_link);
    for (std::size_t at = sizeof(Elf64_Sym); at + sizeof(Elf64_Sym) <= table.sh_size;
         at += sizeof(Elf64_Sym)) {
      const auto symbol = file.read<Elf64_Sym>(table.sh_offset + at);
      if (ELF64_ST_TYPE(symbol.st_info) == indirect_function) ++needs.run_when_loaded;
      if (table.sh_type == SHT_DYNSYM && symbol.st_shndx == SHN_UNDEF)
        needs.symbols.push_back(file.text(names.sh_offset + symbol.st_name));
    }
  }
  return needs;
}

namespace {

constexpr std::string_view anonymous = "(anonymous namespace)::";

struct Function {
  std::string symbol;
  std::string name;        // without namespaces: "scale", for a template "scale<float>"
  std::string parameters;  // "(const float*, int)"; empty for extern "C"
  bool is_kernel = true;
};

// Returns "const float*" for the demangler's "float const*".
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

// Returns where the bracket that opens at `open` is closed.
std::size_t closing(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '<') ++depth;
    const bool closes = text[at] == ')' || text[at] == '>';
    if (closes) --depth;
    if (closes && depth == 0) return at;
  }
  return std::string::npos;
}

// Returns "scale<float>" for "lesson::scale<float>".
std::string last_name(const std::string& qualified) {
  const std::size_t colon = qualified.rfind("::", qualified.find('<'));
  return colon == std::string::npos ? qualified : qualified.substr(colon + 2);
}

// Returns whether a launch of that name can mean this function; a template's arguments may be left out.
bool can_be_launched_as(const Function& function, const std::string& name) {
  return function.name == name || function.name.substr(0, function.name.find('<')) == name;
}

// Returns the function of that symbol; none for a lambda or a local function, which nobody can launch.
std::optional<Function> demangled(const std::string& symbol) {
  std::string whole = demangled_name(symbol);
  erase_prefix(whole, "void ");  // the return type of an instantiated template
  for (std::size_t at; (at = whole.find(anonymous)) != std::string::npos;) whole.erase(at, anonymous.size());
  const std::size_t arguments = whole.find('<'), first_open = whole.find('(');
  const std::size_t after_arguments = arguments < first_open ? closing(whole, arguments) : 0;
  if (after_arguments == std::string::npos) return std::nullopt;
  const std::size_t open = whole.find('(', after_arguments);
  if (open == std::string::npos) return Function{symbol, last_name(whole), /*parameters=*/""};
  if (closing(whole, open) != whole.size() - 1) return std::nullopt;
  return Function{symbol, last_name(whole.substr(0, open)), in_source_order(whole.substr(open))};
}

// Returns the functions without those of names such as "$kernel$function": in a cubin, that is a device
// function that was not inlined into the kernel.
std::vector<Function> functions_of(const std::vector<ElfSymbol>& symbols, LocalFunctions local) {
  std::vector<Function> functions;
  for (const ElfSymbol& symbol : symbols)
    if (symbol.kind == ElfSymbol::Kind::function && !symbol.name.starts_with('$')) {
      std::optional<Function> function = demangled(symbol.name);
      if (!function) continue;
      function->is_kernel = symbol.exported || local == LocalFunctions::may_be_kernels;
      functions.push_back(std::move(*function));
    }
  return functions;
}

std::string kernels_in_file(const std::vector<Function>& functions, const std::string& name) {
  std::vector<std::string> names;
  std::string list;
  for (const Function& function : functions) {
    if (!function.is_kernel) continue;
    names.push_back(function.name);
    // Unmangled names are left out: a shared object has some that nobody wrote.
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

// Returns a form of the parameters in which types are equal if a launch passes the same bits for them:
// without const, volatile and signs of integers, and with long for long long.
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
    std::string parameter(rest.substr(0, end));
    if (parameter.find('*') == std::string::npos) {
      replace_all(parameter, "unsigned ", "");
      replace_all(parameter, "signed ", "");
    }
    result += parameter;
    rest.remove_prefix(std::min(end, rest.size()));
  }
  return result;
}

}  // namespace

std::string kernel_name(const std::string& symbol) {
  const std::optional<Function> function = demangled(symbol);
  return function ? function->name : demangled_name(symbol);
}

std::string find_kernel_symbol(const std::vector<ElfSymbol>& symbols, const std::string& file,
                               const std::string& name, const Signature& signature, LocalFunctions local) {
  const std::string launched = name + signature.text();
  const std::vector<Function> functions = functions_of(symbols, local);
  const Function* with_other_parameters = nullptr;
  const Function* same_when_launched = nullptr;  // its parameters differ, but not in the bits that are passed
  const Function* not_a_kernel = nullptr;
  for (const Function& function : functions) {
    if (!can_be_launched_as(function, name)) continue;
    if (!function.is_kernel) {
      not_a_kernel = &function;
      continue;
    }
    if (function.parameters.empty() || function.parameters == signature.text()) return function.symbol;
    if (as_launched(function.parameters) == as_launched(signature.text()))
      same_when_launched = &function;
    else
      with_other_parameters = &function;
  }
  if (same_when_launched) return same_when_launched->symbol;
  if (not_a_kernel && !with_other_parameters)
    throw CompileError(fmt::format("{}: {} is not a kernel: write __global__ before it", file, name), "",
                       {.kind = DefectKind::missing_kernel});
  if (with_other_parameters)
    throw CompileError(fmt::format("{}: your kernel is {}{}, the lesson launches {}", file, name,
                                   with_other_parameters->parameters, launched),
                       "", {.kind = DefectKind::wrong_parameters});
  throw CompileError(fmt::format("{} has no kernel {}; {}", file, launched, kernels_in_file(functions, name)),
                     "", {.kind = DefectKind::missing_kernel});
}

namespace {

// Returns the name as the source has it: without an anonymous namespace, and without the namespace that NVRTC
// puts around that.
std::string name_in_source(const std::string& symbol) {
  const std::string name = demangled_name(symbol);
  const std::size_t at = name.rfind(anonymous);
  return at == std::string::npos ? name : name.substr(at + anonymous.size());
}

// Returns whether a compiler or the simulator made the object.
bool is_generated(const std::string& name) {
  const bool is_reserved = name.size() > 1 && name[0] == '_' &&
                           (name[1] == '_' || std::isupper(static_cast<unsigned char>(name[1])));
  return is_reserved || name.find("gpulab_") != std::string::npos;
}

// Returns whether the host can name the variable: it cannot name one inside a function.
bool is_from_source(const std::string& name) {
  const auto can_be_in_a_name = [](unsigned char letter) {
    return std::isalnum(letter) || letter == '_' || letter == ':';
  };
  return !is_generated(name) && std::ranges::all_of(name, can_be_in_a_name);
}

std::string variables_in_file(const std::vector<std::string>& names) {
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
                    fmt::format("{} has no variable '{}' for the host to copy to; {}", file, name,
                                suggestion(name, names, variables_in_file(names))));
}

namespace {

// Returns whether a variable is __constant__. ptxas puts all of these into one section, the simulator's
// prelude puts each into a section of its own.
bool is_constant(const ElfSymbol& symbol) {
  return symbol.section == ".nv.constant3" || symbol.section.starts_with("gpulab_constant.");
}

}  // namespace

std::vector<ElfSymbol> writable_variables(const std::vector<ElfSymbol>& symbols) {
  std::vector<ElfSymbol> variables;
  std::ranges::copy_if(symbols, std::back_inserter(variables), [](const ElfSymbol& symbol) {
    return symbol.kind == ElfSymbol::Kind::object && symbol.bytes > 0 && symbol.writable &&
           !is_constant(symbol) && !is_generated(name_in_source(symbol.name));
  });
  return variables;
}

std::size_t constant_bytes(const std::vector<ElfSymbol>& symbols) {
  std::size_t bytes = 0;
  for (const ElfSymbol& symbol : symbols)
    if (is_constant(symbol)) bytes += symbol.bytes;
  return bytes;
}

}  // namespace gpulab::device
