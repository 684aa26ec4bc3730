#include <cxxabi.h>
#include <elf.h>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "device/symbols.hpp"

namespace gpulab::device {

std::string demangled_name(const std::string& symbol) {
  // Without its prefix a name could be read as a type: "f" is how "float" is mangled.
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
      // Beyond the sections are numbers with a meaning of their own, such as that of an absolute value.
      const Elf64_Shdr place = symbol.st_shndx < header.e_shnum ? section(symbol.st_shndx) : Elf64_Shdr{};
      symbols.push_back({.name = file.text(names.sh_offset + symbol.st_name),
                         .kind = kind_of(symbol.st_info),
                         .exported = ELF64_ST_BIND(symbol.st_info) != STB_LOCAL,
                         .bytes = symbol.st_size,
                         .value = symbol.st_value,
                         .section = file.text(section_names + place.sh_name),
                         .writable = (place.sh_flags & SHF_WRITE) != 0});
    }
  }
  return symbols;
}

ElfNeeds elf_needs(const std::filesystem::path& path) {
  constexpr unsigned chosen_function = 10;  // STT_GNU_IFUNC
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
    for (std::size_t at = 0; table.sh_type == SHT_DYNAMIC && at + sizeof(Elf64_Dyn) <= table.sh_size;
         at += sizeof(Elf64_Dyn)) {
      const auto entry = file.read<Elf64_Dyn>(table.sh_offset + at);
      if (entry.d_tag == DT_INIT || entry.d_tag == DT_FINI) ++needs.run_when_loaded;
    }
    if (table.sh_type != SHT_DYNSYM && table.sh_type != SHT_SYMTAB) continue;
    const Elf64_Shdr names = section(table.sh_link);
    for (std::size_t at = sizeof(Elf64_Sym); at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = file.read<Elf64_Sym>(table.sh_offset + at);
      if (ELF64_ST_TYPE(symbol.st_info) == chosen_function) ++needs.run_when_loaded;
      if (table.sh_type == SHT_DYNSYM && symbol.st_shndx == SHN_UNDEF)
        needs.symbols.push_back(file.text(names.sh_offset + symbol.st_name));
    }
  }
  return needs;
}

}  // namespace gpulab::device
