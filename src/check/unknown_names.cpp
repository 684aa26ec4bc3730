#include <fmt/format.h>
#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "check/causes.hpp"

namespace gpulab::check {

using source::Code, source::LocalVariable;

std::pair<std::size_t, std::size_t> braces_around(const Code& code, std::size_t token) {
  for (std::size_t at = 0; at < token; ++at) {
    const bool is_of_namespace =
        at > 1 && (code.text(at - 1) == "namespace" || code.text(at - 2) == "namespace" ||
                   code.text(at - 2) == "extern");
    if (code.text(at) != "{" || is_of_namespace) continue;
    const std::size_t begin = std::exchange(at, code.matching(at));
    if (at > token) return {begin, at};
  }
  return {token, token};
}

namespace {

int lowered(unsigned char letter) {
  return std::tolower(letter);
}

// Returns the name that was probably meant: a variable of the file or a word of CUDA that is written almost
// alike, or a variable that begins so, as number does for num; empty if there is none.
std::string meant_name(const Code& code, const std::string& name) {
  std::vector<std::string> known;
  for (const LocalVariable& variable : source::local_variables(code)) known.emplace_back(variable.name);
  for (const std::size_t mark : source::uses_between(code, "__constant__", 0, code.size()))
    if (code.is_word(mark + 2)) known.emplace_back(code.text(mark + 2));
  const auto words_of_cuda = {"threadIdx",  "blockIdx",   "blockDim",      "gridDim",
                              "warpSize",   "atomicAdd",  "__syncthreads", "__shared__",
                              "__global__", "__device__", "__syncwarp",    "__constant__"};
  known.insert(known.end(), words_of_cuda.begin(), words_of_cuda.end());
  for (const std::string& word : known)
    if (std::ranges::equal(word, name, {}, lowered, lowered)) return word;
  constexpr std::size_t least_letters = 3;
  if (name.size() < least_letters) return "";
  if (const std::string nearest = nearest_name(name, known); !nearest.empty()) return nearest;
  const auto begins_so = [&](const std::string& word) { return word.starts_with(name); };
  const auto longer = std::ranges::find_if(known, begins_so);
  return longer == known.end() ? "" : *longer;
}

}  // namespace

std::string advice_for_unknown_name(const Code& code, int line, const std::vector<std::string>& names) {
  const std::size_t first = code.first_from_line(line), after = code.first_from_line(line + 1);
  const auto [begin, end] = braces_around(code, first);
  for (const LocalVariable& variable : source::local_variables(code)) {
    if (variable.name != names[0] || variable.at < begin || variable.at > end) continue;
    std::size_t first_use = first;
    while (first_use < after && code.text(first_use) != names[0]) ++first_use;
    const bool is_later = first_use < variable.at;
    return fmt::format(fmt::runtime(is_later ? "which is declared only later, in line {}: move that up"
                                             : "which ends with the loop or the braces of line {}: declare "
                                               "it above them"),
                       code[variable.at].line);
  }
  for (std::size_t at = after; at < code.size(); ++at)
    if (code.text(at) == names[0] && code.text(at + 1) == "(" && code.text(code.after_bracket(at + 1)) == "{")
      return fmt::format("which stands below, in line {}: move it up", code[at].line);
  if (names[0] == "then") return "which is not known: C++ has no such word, so leave it out";
  if (names[0] == "get_global_id")
    return "which is not known: CUDA has blockIdx.x * blockDim.x + threadIdx.x";
  for (std::size_t at = 0; at < code.size(); ++at)
    if (code.text(at) != names[0] && std::ranges::equal(code.text(at), names[0], {}, lowered, lowered))
      return fmt::format("which is not known: {} in line {} has other capitals", code.text(at),
                         code[at].line);
  const std::string types[] = {"int", "unsigned", "float", "double", "const", "bool", "char", "long"};
  for (std::size_t at = first; at < after; ++at)
    if (code.text(at) == names[0] && code.is_word(at + 1))  // as in itn i
      if (const std::string type = nearest_name(names[0], types); !type.empty())
        return "which is not known: write " + type;
  constexpr std::string_view names_of_size[] = {"n", "N", "size", "len", "length", "count"};
  if (const std::string_view last = last_parameter(code);
      !last.empty() && std::ranges::find(names_of_size, names[0]) != std::end(names_of_size))
    return source::is_pointer_parameter(code, last)
               ? fmt::format("which is not known: the kernel needs it as a parameter, int {}", names[0])
               : fmt::format("which is not known: is the kernel's last parameter meant, {}?", last);
  for (std::size_t at = first; at < after; ++at)
    if (code.text(at) == names[0] && begins_statement(code, at) && is_plain_assignment(code, at + 1))
      return fmt::format(
          "which is not known: write its type before it, as in {} {} = ...",
          has_word(code, "threadIdx", at, source::end_of_value(code, at + 2)) ? "int" : "float", names[0]);
  if (const std::string meant = meant_name(code, names[0]);
      !meant.empty() && !has_word(code, meant, first, after))
    return "which is not known: write " + meant;
  // The compiler may propose a second name. Nobody means a type of the C library, such as int8_t.
  return "which is not known: " + (names.size() > 1 && !names[1].ends_with("_t")
                                       ? "write " + names[1]
                                       : "look how it is spelt, or declare it above, as in int i = 0;");
}

}  // namespace gpulab::check
