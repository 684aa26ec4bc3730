#include "device/libraries.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace gpulab::device {
namespace {

using Words = std::set<std::string, std::less<>>;

// Returns the identifiers and keywords of a text in their order.
std::vector<std::string_view> identifiers_in(std::string_view text) {
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && source::is_word_character(text[end])) ++end;
    if (end > at && !std::isdigit(static_cast<unsigned char>(text[at])))
      names.push_back(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return names;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

bool matches(std::string_view pattern, std::string_view word) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == word;
  const std::string_view head = pattern.substr(0, star), tail = pattern.substr(star + 1);
  return word.size() >= head.size() + tail.size() && word.starts_with(head) && word.ends_with(tail);
}

bool has_match(const Words& words, std::string_view pattern) {
  if (pattern.find('*') == std::string_view::npos) return words.contains(pattern);
  const std::string_view head = pattern.substr(0, pattern.find('*'));
  for (auto word = words.lower_bound(head); word != words.end() && word->starts_with(head); ++word)
    if (matches(pattern, *word)) return true;
  return false;
}

// Returns the names that the file defines itself: macros, types, constants.
Words defined_names(const source::Code& code) {
  Words names;
  std::string_view last_word;
  bool in_typedef = false, in_declaration = false, is_after_using = false;
  for (const source::CodeToken& token : code.tokens()) {
    if (token.kind == source::TokenKind::directive && source::directive_name(token.text) == "define")
      if (const auto words = identifiers_in(token.text); words.size() > 1) names.emplace(words[1]);
    if (token.kind == source::TokenKind::word) {
      if (std::exchange(is_after_using, token.text == "using")) names.emplace(token.text);
      in_typedef |= token.text == "typedef";
      for (const char* word : {"const", "constexpr", "struct", "class", "enum"})
        in_declaration |= token.text == word;
      last_word = token.text;
      continue;
    }
    if (token.kind != source::TokenKind::symbol) continue;
    const bool ends_typedef = in_typedef && token.text == ";",
               ends_name = token.text == "=" || token.text == "{";
    if (ends_typedef || (in_declaration && ends_name)) names.emplace(last_word);
    if (token.text == ";") in_typedef = false;
    if (std::string_view(";,={(").find(token.text) != std::string_view::npos) in_declaration = false;
  }
  return names;
}

// Returns whether the code uses the name in a line such as "#define INT_MAX 2147483647" without defining it.
bool is_used(std::string_view line, const Words& defined, const Words& words) {
  const std::vector<std::string_view> names = identifiers_in(line);
  const bool is_macro = line.starts_with("#define");
  if (names.size() < 2 || line.starts_with("//")) return false;
  const std::string_view name = is_macro ? names[1] : names.back();
  if (!words.contains(name)) return false;
  if (line.starts_with("namespace std")) return words.contains("std");
  return !defined.contains(name);
}

// Returns whether a CUDA header in the code includes libcu++. Under NVRTC, that defines its 64-bit integers
// as long long.
bool includes_libcupp(const source::Code& code) {
  const auto includes_it = [](const std::string& header) {
    return header.starts_with("cooperative_groups") || header.starts_with("cuda/");
  };
  return std::ranges::any_of(included_headers(code), includes_it);
}

bool is_for_standard_library(const EmbeddedFile& part) {
  return std::string_view(part.name) == "standard_library.cuh";
}

}  // namespace

Words words_of(const source::Code& code) {
  Words words;
  for (const source::CodeToken& token : code.tokens())
    if (token.kind != source::TokenKind::string)
      for (const std::string_view name : identifiers_in(token.text)) words.emplace(name);
  return words;
}

bool is_needed_for(std::string_view part, const Words& words) {
  constexpr std::string_view mark = "// For: ";
  bool is_for_all = true;
  for (const std::string_view line : lines_of(part)) {
    if (!line.starts_with(mark)) break;
    is_for_all = false;
    std::istringstream patterns{std::string(line.substr(mark.size()))};
    for (std::string pattern; patterns >> pattern;)
      if (has_match(words, pattern)) return true;
  }
  return is_for_all;
}

std::string word_for_header(std::string header) {
  std::ranges::replace_if(
      header, [](char c) { return !source::is_word_character(c); }, '_');
  return "include_" + header;
}

std::string library_for(const source::Code& code) {
  const Words words = words_of(code);
  const Words defined = defined_names(code);
  const bool has_libcupp = includes_libcupp(code);
  std::string library;
  const auto add_line = [&](std::string_view line) {
    const bool is_in_libcupp = has_libcupp && line.starts_with("typedef") && line.ends_with("int64_t;");
    if (is_in_libcupp) library += "#ifdef GPULAB_SIMULATED\n";
    library += std::string(line) + "\n";
    if (is_in_libcupp) library += "#endif\n";
  };
  for (const EmbeddedFile& part : library_parts()) {
    if (std::string_view(part.name) != "c_names.cuh") {
      const bool lacks_std = is_for_standard_library(part) && !words.contains("std");
      if (is_needed_for(part.text, words) && !lacks_std) library += part.text;
      continue;
    }
    for (const std::string_view line : lines_of(part.text))
      if (is_used(line, defined, words)) add_line(line);
  }
  return library;
}

std::string math_constants() {
  std::string constants;
  for (const EmbeddedFile& part : library_parts())
    if (std::string_view(part.name) == "c_names.cuh")
      for (const std::string_view line : lines_of(part.text))
        if (line.starts_with("#define CUDART_")) constants += std::string(line) + "\n";
  return constants;
}

const Words& empty_headers() {
  static const Words headers{
      // C++
      "algorithm", "cassert", "cfloat", "climits", "cmath", "cstddef", "cstdint", "cstdio", "cstdlib",
      "cstring", "functional", "initializer_list", "limits", "type_traits", "utility",
      // C
      "assert.h", "float.h", "limits.h", "math.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h",
      "string.h",
      // CUDA
      "cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "builtin_types.h", "common_functions.h",
      "device_atomic_functions.h", "device_double_functions.h", "device_functions.h",
      "device_launch_parameters.h", "driver_types.h", "host_defines.h", "math_constants.h",
      "math_functions.h", "sm_20_intrinsics.h", "sm_30_intrinsics.h", "sm_32_intrinsics.h",
      "sm_35_intrinsics.h", "sm_20_atomic_functions.h", "sm_32_atomic_functions.h",
      "sm_60_atomic_functions.h", "sm_61_intrinsics.h", "vector_functions.h", "vector_types.h",
      "device_types.h", "crt/device_functions.h", "crt/math_functions.h"};
  return headers;
}

const Words& cuda_headers() {
  static const Words headers{"cuda_fp16.h",
                             "cuda_bf16.h",
                             "cuComplex.h",
                             "cooperative_groups.h",
                             "cooperative_groups/reduce.h",
                             "cooperative_groups/scan.h",
                             "cuda/atomic",
                             "cuda/std/atomic"};
  return headers;
}

std::vector<std::string> included_headers(const source::Code& code) {
  std::vector<std::string> headers;
  for (const source::IncludeDirective& include : source::includes_in(code))
    headers.emplace_back(include.name);
  return headers;
}

namespace {

struct OpenedLibrary {
  std::unique_ptr<const YardstickLibrary> library;
  std::string problem;
};

// Opens a library the first time. It stays open until the process ends, because its calls are in use.
const OpenedLibrary& opened_library(const std::string& name) {
  static std::map<std::string, OpenedLibrary> all;
  const auto [entry, is_new] = all.try_emplace(name);
  if (!is_new) return entry->second;
  try {
    entry->second.library = std::make_unique<const YardstickLibrary>(name);
  } catch (const std::runtime_error& error) {
    entry->second.problem = error.what();
  }
  return entry->second;
}

}  // namespace

YardstickLibrary::YardstickLibrary(const std::string& name) : library_(places_of_module(name)) {
  GpulabYardsticksFunction* offered = nullptr;
  library_.find(offered, "gpulab_yardsticks");
  offered_ = offered();
  if (offered_.count == 0) throw std::runtime_error(offered_.library);
}

const GpulabYardstick* YardstickLibrary::find(const std::string& call) const {
  for (int i = 0; i < offered_.count; ++i)
    if (call == offered_.list[i].name) return &offered_.list[i];
  return nullptr;
}

const YardstickLibrary* library_of_yardstick(const std::string& call) {
  return opened_library(call.substr(0, call.find('-'))).library.get();
}

const GpulabYardstick* find_yardstick(const std::string& call) {
  const YardstickLibrary* const library = library_of_yardstick(call);
  return library ? library->find(call) : nullptr;
}

std::vector<LibraryStatus> yardstick_status(const std::vector<std::string>& names) {
  std::vector<LibraryStatus> all;
  for (const std::string& name : names) {
    const auto& [library, problem] = opened_library(name);
    all.push_back({.name = name, .version = library ? library->version() : "", .problem = problem});
  }
  return all;
}

}  // namespace gpulab::device
