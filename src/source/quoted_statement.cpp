#include "source/quoted_statement.hpp"

#include <algorithm>

#include "source/statements.hpp"

namespace gpulab::source {
namespace {

// Returns whether a pointer gets the address of the array at that token, as in float* all = s.
bool is_alias(const Code& code, std::size_t at) {
  return at > 2 && code.text(at + 1) == ";" && code.text(at - 1) == "=" && code.text(at - 3) == "*";
}

// Returns whether the use of an array at that token is a load, a store or an atomic, as `access` says.
bool is_access(const Code& code, std::size_t at, DefectAccess access) {
  if (is_alias(code, at)) return false;
  const VariableUse use = use_at(code, at);
  if (use == VariableUse::unknown || access == DefectAccess::atomic) return true;
  return access == DefectAccess::load ? use != VariableUse::set : use != VariableUse::read;
}

// Returns whether a pointer is dereferenced at that token, but not to shared memory.
bool is_through_pointer(const Code& code, std::size_t at) {
  if (code.text(at + 1) != "[" && (at == 0 || code.text(at - 1) != "*")) return false;
  const DeclaredType declared = declared_type(code, code.text(at), at);
  return declared.is_pointer && !declared.is_shared;
}

bool has_access(const Code& code, std::size_t begin, std::size_t end, const std::string& array,
                DefectAccess access) {
  if (has_word(code, "__shared__", begin, end)) return false;  // a declaration
  for (std::size_t at = begin; at < end; ++at) {
    if (!code.is_word(at)) continue;
    const bool is_array = array.empty() ? is_through_pointer(code, at) : code.text(at) == array;
    if (is_array && is_access(code, at, access)) return true;
  }
  return false;
}

}  // namespace

int column_of(const Code& code, std::size_t token) {
  const std::size_t from = code.begin_of(token), line_begin = code.whole().rfind('\n', from) + 1;
  return static_cast<int>(from - line_begin) + 1;
}

int column_of_access(const Code& code, int line, const std::string& array, DefectAccess access) {
  std::size_t statements = 0, found = 0;
  int column = 0;
  for (std::size_t begin = code.first_from_line(line); begin < code.size() && code[begin].line == line;) {
    std::size_t end = begin;
    while (end < code.size() && code[end].line == line && !is_one_of(code.text(end), {";", "{", "}"}))
      end = code.text(end) == "(" ? std::max(code.after_bracket(end), end + 1) : end + 1;
    if (end > begin) ++statements;
    if (end > begin && has_access(code, begin, end, array, access)) {
      ++found;
      if (found > 1 || end >= code.size() || code.text(end) != ";") return 0;
      column = column_of(code, begin);
    }
    begin = end + 1;
  }
  return statements > 1 ? column : 0;
}

bool has_several_statements(const Code& code, int line) {
  int ends = 0;
  for (std::size_t at = code.first_from_line(line); at < code.size() && code[at].line == line;) {
    ends += code.text(at) == ";";
    at = code.text(at) == "(" ? std::max(code.after_bracket(at), at + 1) : at + 1;
  }
  return ends > 1;
}

std::string statement_from(const std::string& line, int column) {
  const auto begin = static_cast<std::size_t>(column - 1);
  int depth = 0;
  for (std::size_t at = begin; at < line.size(); ++at) {
    depth += (line[at] == '(') - (line[at] == ')');
    if (line[at] == ';' && depth == 0) return line.substr(begin, at + 1 - begin);
  }
  return line.substr(std::min(begin, line.size()));
}

}  // namespace gpulab::source
