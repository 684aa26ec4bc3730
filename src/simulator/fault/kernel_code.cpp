#include "simulator/fault/kernel_code.hpp"

#include <dlfcn.h>
#include <link.h>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <mutex>
#include <sstream>
#include <string_view>
#include <utility>

#include "sandbox/command.hpp"

namespace gpulab::simulator::fault {
namespace {

struct Search {
  std::uintptr_t function;
  KernelCode found;
};

int look_in(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    const KernelCode code{begin, begin + segment.p_memsz};
    if (!code.contains(search.function)) continue;
    search.found = code;
    return 1;
  }
  return 0;
}

int look_around(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  std::uintptr_t begin = ~std::uintptr_t{0}, end = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    begin = std::min<std::uintptr_t>(begin, object->dlpi_addr + segment.p_vaddr);
    end = std::max<std::uintptr_t>(end, object->dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  if (search.function < begin || search.function >= end) return 0;
  search.found = {begin, end};
  return 1;
}

}  // namespace

count::AddressRange image_around(const void* function) {
  Search search{reinterpret_cast<std::uintptr_t>(function), {}};
  ::dl_iterate_phdr(look_around, &search);
  return {search.found.begin, search.found.end - search.found.begin};
}

KernelCode code_around(const void* function) {
  Search search{reinterpret_cast<std::uintptr_t>(function), {}};
  ::dl_iterate_phdr(look_in, &search);
  return search.found;
}

namespace {

std::string hexadecimal(std::uintptr_t number) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

}  // namespace

int line_number(const std::string& source_line) {
  int number = 0;
  const std::size_t colon = source_line.rfind(':');
  if (colon != std::string::npos)
    std::from_chars(source_line.data() + colon + 1, source_line.data() + source_line.size(), number);
  return number;
}

std::string source_line(std::uintptr_t instruction) {
  return source_lines({&instruction, 1}).front();
}

namespace {

// Whether a mangled name is that of a copy or move constructor or assignment: _ZN6NumberC2ERKS_,
// _ZN1n6NumberaSEOS0_.
bool copies_a_structure(std::string_view function) {
  if (!function.starts_with("_ZN") || !function.ends_with('_')) return false;
  std::string_view before =
      function.substr(0, function.rfind('S'));  // a substitution: the structure's own name
  for (const std::string_view reference : {"ERK", "EO"})
    if (before.ends_with(reference)) before.remove_suffix(reference.size());
  if (before.ends_with("aS")) return true;
  return before.size() > 2 && before[before.size() - 2] == 'C' && before.back() >= '1' &&
         before.back() <= '5';
}

std::vector<std::string> lines_by_addr2line(const std::string& file,
                                            std::span<const std::uintptr_t> offsets) {
  std::vector<std::string> lines(offsets.size());
  std::vector<std::string> command{"addr2line", "-a", "-f", "-s", "-i", "-e", file};
  for (const std::uintptr_t offset : offsets) command.push_back(hexadecimal(offset));
  const sandbox::CommandResult found = sandbox::run_command(command, "/");
  if (found.exit_status != 0) return lines;

  // -a begins each answer with the address. -i unrolls inlining, innermost first, each time with the function
  // (-f) and the place. The kernel's own line is the first that is neither in the prelude nor in an inlined
  // copy of a structure, which has the line of the structure. That one is taken where there is no other.
  std::istringstream answers(found.output);
  std::size_t answered = 0;
  bool is_settled = false;
  for (std::string function, place; std::getline(answers, function);) {
    if (function.starts_with("0x")) {
      if (++answered > lines.size()) break;
      is_settled = false;
      continue;
    }
    if (!std::getline(answers, place) || answered == 0 || is_settled) continue;
    place.resize(std::min(place.size(), place.find(" (discriminator")));
    if (place.find('?') != std::string::npos || place.starts_with("prelude.cuh")) continue;
    lines[answered - 1] = place;
    is_settled = !copies_a_structure(function);
  }
  return lines;
}

// Each place is looked up once: a lesson may launch a kernel hundreds of times, and to start addr2line takes
// longer than to run it. A compiled file is named after what it was compiled from, so its lines do not
// change.
std::vector<std::string> remembered_lines(const std::string& file, std::span<const std::uintptr_t> offsets) {
  if (file.starts_with("/proc/"))
    return lines_by_addr2line(file, offsets);  // a file without a name of its own
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::uintptr_t>, std::string> known;
  const std::lock_guard lock(mutex);
  std::vector<std::uintptr_t> unknown;
  for (const std::uintptr_t offset : offsets)
    if (!known.contains({file, offset})) unknown.push_back(offset);
  if (!unknown.empty()) {
    const std::vector<std::string> found = lines_by_addr2line(file, unknown);
    for (std::size_t i = 0; i < unknown.size(); ++i) known[{file, unknown[i]}] = found[i];
  }
  std::vector<std::string> lines;
  for (const std::uintptr_t offset : offsets) lines.push_back(known.at({file, offset}));
  return lines;
}

LineFinder line_finder = remembered_lines;

// By the copy, of all modules that were loaded from one.
std::mutex origins_mutex;
std::map<std::string, std::string> origins;

std::string origin_of(const std::string& file) {
  const std::lock_guard lock(origins_mutex);
  const auto found = origins.find(file);
  return found == origins.end() ? file : found->second;
}

}  // namespace

void set_origin(const std::string& copy, const std::string& original) {
  const std::lock_guard lock(origins_mutex);
  if (original.empty())
    origins.erase(copy);
  else
    origins[copy] = original;
}

namespace {
std::string main_file;
}

void set_main_file(std::string name) {
  main_file = std::move(name);
}

std::string other_file(const std::string& source_line) {
  const std::string file = source_line.substr(0, source_line.rfind(':'));
  return main_file.empty() || file == main_file ? "" : file;
}

LineFinder set_line_finder(LineFinder finder) {
  return std::exchange(line_finder, std::move(finder));
}

std::vector<std::string> found_lines(const std::string& file, std::span<const std::uintptr_t> offsets) {
  return line_finder(file, offsets);
}

std::vector<std::string> source_lines(std::span<const std::uintptr_t> instructions) {
  struct Module {
    std::vector<std::uintptr_t> offsets;
    std::vector<std::size_t> places;  // in the list
  };
  std::map<std::string, Module> modules;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    Dl_info info{};
    if (!::dladdr(reinterpret_cast<void*>(instructions[i]), &info) || !info.dli_fname) continue;
    Module& module = modules[info.dli_fname];
    module.offsets.push_back(instructions[i] - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
    module.places.push_back(i);
  }
  std::vector<std::string> lines(instructions.size());
  for (const auto& [file, module] : modules) {
    const std::vector<std::string> found = found_lines(origin_of(file), module.offsets);
    for (std::size_t i = 0; i < found.size(); ++i) lines[module.places[i]] = found[i];
  }
  return lines;
}

}  // namespace gpulab::simulator::fault
