#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "check/checks.hpp"
#include "source/code.hpp"

namespace gpulab::check {

// The host's part of a program, left in the file of a kernel.

namespace {

using source::Code;

// A function or a variable of the file, or a directive: a range of tokens.
struct Part {
  std::size_t begin = 0, end = 0;
  bool is_function = false;
  bool may_be_of_device = false;          // such a part is never left out
  std::set<std::string_view> names = {};  // names that the part declares
};

// Divides the file into its parts, in their order.
std::vector<Part> parts_of(const Code& code) {
  // Kernels can use the file's constants, too.
  static const std::set<std::string_view> device_words{"__global__", "__device__",  "__constant__",
                                                       "__shared__", "__managed__", "const",
                                                       "constexpr",  "namespace"};
  static const std::set<std::string_view> after_variable{";", "=", "[", ","};
  std::vector<Part> parts;
  for (std::size_t at = 0; at < code.size();) {
    Part part{.begin = at, .end = at + 1};
    if (code[at].kind != source::TokenKind::directive) {
      // Reads up to the body of a function or a type, or up to the end of a statement.
      while (at < code.size() && code.text(at) != ";" && code.text(at) != "{" && !part.is_function) {
        const std::string_view text = code.text(at), next = code.text(at + 1);
        part.may_be_of_device |= device_words.contains(text);
        const bool has_parameters = next == "(" && code.is_word(at) && !source::takes_arguments(text);
        if (has_parameters || after_variable.contains(next)) part.names.insert(text);
        part.is_function = has_parameters && code.text(code.after_bracket(at + 1)) == "{";
        const bool may_open = text == "[" || text == "(" || text == "<";  // a < may also compare
        const std::size_t after = may_open ? std::max(at + 1, code.after_bracket(at)) : at + 1;
        at = next == "(" ? code.after_bracket(at + 1) : after;
      }
      const bool is_type = !part.is_function && code.text(at) == "{" && code.text(at - 1) != "=";
      if (is_type) part.may_be_of_device = true;  // a structure, or a namespace
      part.end = part.is_function ? code.after_bracket(at) : code.after_statement(at);
    }
    parts.push_back(part);
    at = std::max(part.end, part.begin + 1);
  }
  return parts;
}

bool is_header_of_host(const Code& code, std::size_t at) {
  static const std::set<std::string_view> headers{"iostream", "iomanip", "fstream", "sstream", "vector",
                                                  "string",   "map",     "set",     "chrono",  "random"};
  const auto included = source::include_in(code.text(at));
  return code[at].kind == source::TokenKind::directive && included && headers.contains(included->name);
}

bool has_kernel_launch(const Code& code, const Part& part) {
  for (std::size_t at = part.begin; at + 2 < part.end; ++at)
    if (code.text(at) == "<" && code.text(at + 1) == "<" && code.text(at + 2) == "<") return true;
  return false;
}

// Returns the words in these parts, without those that a part declares itself.
std::set<std::string_view> words_in(const Code& code, const std::vector<Part>& parts) {
  std::set<std::string_view> words;
  for (const Part& part : parts)
    for (std::size_t at = part.begin; at < part.end; ++at)
      if (code[at].kind == source::TokenKind::directive) {
        const Code directive = code.part(code.text(at), code[at].line);
        for (const source::CodeToken& token : directive.tokens()) words.insert(token.text);
      } else if (code.is_word(at) && !part.names.contains(code.text(at))) {
        words.insert(code.text(at));
      }
  return words;
}

// Returns the host's parts: main(), functions that launch kernels, and what only these parts use. Each round
// finds the parts that only the parts of earlier rounds use. Functions that call each other are never found.
std::vector<Part> parts_of_host(const Code& code) {
  constexpr int max_rounds = 10;  // follows calls from main() to this depth
  std::vector<Part> rest = parts_of(code), hosts;
  const auto move_to_hosts = [&](const auto& is_of_host) {
    const auto first =
        std::stable_partition(rest.begin(), rest.end(), [&](const Part& part) { return !is_of_host(part); });
    const bool is_any_of_host = first != rest.end();
    hosts.insert(hosts.end(), first, rest.end());
    rest.erase(first, rest.end());
    return is_any_of_host;
  };
  bool has_moved = move_to_hosts([&](const Part& part) {
    return part.is_function && !part.may_be_of_device &&
           (part.names.contains("main") || has_kernel_launch(code, part));
  });
  for (int round = 0; has_moved && round < max_rounds; ++round) {
    const std::set<std::string_view> used = words_in(code, rest);
    has_moved = move_to_hosts([&](const Part& part) {
      return !part.may_be_of_device && !part.names.empty() &&
             std::ranges::none_of(part.names, [&](std::string_view name) { return used.contains(name); });
    });
  }
  move_to_hosts([&](const Part& part) { return is_header_of_host(code, part.begin); });
  std::ranges::sort(hosts, {}, &Part::begin);
  return hosts;
}

}  // namespace

std::string without_host_code(const std::string& text, std::vector<std::string>& notes) {
  const Code code(text);
  if (std::ranges::none_of(code.tokens(), [](const auto& token) { return token.text == "__global__"; }))
    return text;
  std::string rest = text;
  std::vector<std::string> lines;
  for (const Part& part : parts_of_host(code)) {
    const std::size_t begin = code.begin_of(part.begin), end = code.end_of(part.end - 1);
    std::replace_if(
        rest.begin() + static_cast<std::ptrdiff_t>(begin), rest.begin() + static_cast<std::ptrdiff_t>(end),
        [](char letter) { return letter != '\n'; }, ' ');
    const auto first = code[part.begin].line;
    const auto last = first + std::count(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                         text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    lines.push_back(first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last));
  }
  if (!lines.empty())
    notes.push_back(fmt::format(
        "the host's part, line {}, was left out: gpulab does that part itself, and gpulab run FILE runs a whole "
        "program",
        fmt::join(lines, " and ")));
  return rest;
}

}  // namespace gpulab::check
