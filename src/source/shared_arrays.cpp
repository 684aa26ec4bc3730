#include "source/shared_arrays.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "lesson/access_counts.hpp"
#include "source/cuda_text.hpp"
#include "source/statements.hpp"

namespace gpulab::source {
namespace {

// Computes constant expressions of whole numbers, as they stand between the brackets of an array.
class ConstantExpressions {
 public:
  explicit ConstantExpressions(const Code& code) : code_(code) {
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (code.text(i).starts_with('#')) add_macro(i);
      if (code.text(i) == "=" && i > 0 && code.is_word(i - 1) && is_constant(i - 1))
        definitions_[code.text(i - 1)].push_back({i, code, i + 1});
    }
  }

  // Returns the value of the expression that begins there, with each constant as it was last defined before.
  std::optional<double> value(std::size_t begin) { return value({begin, code_, begin}); }

 private:
  struct Definition {
    std::size_t token = 0;  // where the file has it
    Code code;              // the file, or the words of a macro
    std::size_t begin = 0;  // of the expression
  };

  bool is_constant(std::size_t name) const {
    for (std::size_t i = name; i-- > 0 && !is_one_of(code_.text(i), {";", "{", "}", "("});)
      if (is_one_of(code_.text(i), {"const", "constexpr"})) return true;
    return false;
  }

  void add_macro(std::size_t directive) {
    const Code words = code_.part(code_.text(directive).substr(1), code_[directive].line);
    if (words.text(0) != "define" || words.size() < 3) return;
    const bool has_parameters = words.text(2) == "(" && words.begin_of(2) == words.end_of(1);
    if (!has_parameters) definitions_[words.text(1)].push_back({directive, words, 2});
  }

  std::optional<double> value(const Definition& definition) {
    constexpr int max_depth = 20;  // levels of constants that name other constants
    if (depth_ >= max_depth) return std::nullopt;
    ++depth_;
    const ComputedValue computed =
        computed_value(definition.code, definition.begin,
                       [&](std::string_view name) { return value_before(definition.token, name); });
    --depth_;
    const std::string_view end = definition.code.text(computed.end);
    const bool is_complete = end.empty() || is_one_of(end, {"]", ")", ";", ","});
    const bool is_whole = computed.value && std::trunc(*computed.value) == *computed.value;
    return is_complete && is_whole ? computed.value : std::nullopt;
  }

  std::optional<double> value_before(std::size_t token, std::string_view name) {
    const auto known = definitions_.find(name);
    if (known == definitions_.end()) return std::nullopt;
    const auto behind = std::ranges::upper_bound(known->second, token, std::less<>(), &Definition::token);
    return behind == known->second.begin() ? std::nullopt : value(*std::prev(behind));
  }

  const Code& code_;
  int depth_ = 0;
  std::map<std::string_view, std::vector<Definition>> definitions_;  // of one name in order
};

std::size_t product(const std::vector<std::size_t>& dimensions) {
  std::size_t elements = 1;
  for (const std::size_t dimension : dimensions) elements *= dimension;
  return elements;
}

// Reads [32][33]; returns nothing if one of the numbers is unknown or too large for shared memory.
std::vector<std::size_t> dimensions_at(const Code& code, std::size_t at, ConstantExpressions& expressions) {
  constexpr double max_elements = 1 << 20;
  std::vector<std::size_t> dimensions;
  for (; code.text(at) == "["; at = code.after_bracket(at)) {
    const std::optional<double> value = expressions.value(at + 1);
    if (!value || *value < 1 || *value > max_elements) return {};
    dimensions.push_back(static_cast<std::size_t>(*value));
    if (static_cast<double>(product(dimensions)) > max_elements) return {};
  }
  return dimensions;
}

}  // namespace

std::size_t SharedArray::elements() const {
  return product(dimensions);
}

std::vector<SharedArray> shared_arrays(const Code& code) {
  std::vector<SharedArray> found;
  std::optional<ConstantExpressions> expressions;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code.text(i) != "__shared__") continue;
    const std::size_t end = code.after_statement(i);
    for (std::size_t name = i + 1; name + 1 < end; ++name) {
      if (!code.is_word(name) || code.text(name + 1) != "[") continue;
      if (!expressions) expressions.emplace(code);
      found.push_back(
          {std::string(code.text(name)), dimensions_at(code, name + 1, *expressions), code[name].line});
    }
  }
  return found;
}

std::vector<DynamicArray> dynamic_arrays(const Code& code) {
  std::vector<DynamicArray> found;
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code.text(i) == "extern" && code.text(i + 1) == "__shared__")
      found.push_back({i + 2, code.after_statement(i) - 4});  // float name [ ] ;
  return found;
}

namespace {

// Returns the names between "namespace" and its brace, one empty name for an unnamed namespace, and moves
// `at` to the brace.
std::vector<std::string> opened_namespaces(const Code& code, std::size_t& at) {
  std::vector<std::string> names;
  for (; at < code.size(); ++at) {
    if (code[at].kind == TokenKind::word && code.text(at) != "inline") names.emplace_back(code.text(at));
    if (code.text(at) == "{") return names.empty() ? std::vector<std::string>{""} : names;
    if (is_one_of(code.text(at), {"=", ";"})) return {};
  }
  return {};
}

// Returns the mangled name of a variable (Itanium C++ ABI).
std::string symbol_in(const std::vector<std::string>& namespaces, const std::string& name) {
  if (namespaces.empty()) return name;
  std::string symbol = "_ZN";
  for (const std::string& scope : namespaces)
    symbol += scope.empty() ? "12_GLOBAL__N_1" : std::to_string(scope.size()) + scope;
  return symbol + std::to_string(name.size()) + name + "E";
}

}  // namespace

void add_shared_macros(const Code& code, SharedMacros& macros) {
  macros["HIP_DYNAMIC_SHARED"] = 1;
  for (const CodeToken& token : code.tokens()) {
    if (token.kind != TokenKind::directive || directive_name(token.text) != "define") continue;
    const Code words = code.part(token.text.substr(1), token.line);
    const std::size_t open = words.text(2) == "(" ? 2 : words.size(), end = words.matching(open);
    for (std::size_t at = end + 1; at < words.size(); ++at)
      for (std::size_t name = open + 1, number = 0; name < end; name += 2, ++number)
        if (words.text(at) == words.text(name) && words.text(at + 1) == "[" && words.text(at + 2) == "]" &&
            has_word(words, "extern", end, at) && has_word(words, "__shared__", end, at))
          macros.emplace(words.text(1), number);
  }
}

std::vector<std::string> dynamic_shared_symbols(const Code& code, const SharedMacros& macros) {
  std::vector<std::vector<std::string>> brackets;  // each with the namespaces that it opens
  std::vector<std::string> symbols;
  const auto add = [&](std::size_t name) {
    std::vector<std::string> namespaces;
    for (const auto& names : brackets) namespaces.insert(namespaces.end(), names.begin(), names.end());
    const std::string symbol = symbol_in(namespaces, std::string(code.text(name)));
    if (code.is_word(name) && std::ranges::find(symbols, symbol) == symbols.end()) symbols.push_back(symbol);
  };
  std::string_view parameter;  // of the macro that is being defined
  bool is_extern = false, is_shared = false;
  for (std::size_t at = 0; at < code.size(); ++at) {
    const std::string_view text = code.text(at);
    is_extern |= text == "extern";
    is_shared |= text == "__shared__";
    if (text == "define" && macros.contains(code.text(at + 1))) {
      parameter = code.text(argument_tokens(code, at + 1, macros.find(code.text(at + 1))->second).begin);
      ++at;
    } else if (const auto macro = macros.find(text); macro != macros.end() && code.text(at + 1) == "(") {
      add(argument_tokens(code, at, macro->second).begin);
    } else if (text == "namespace") {
      ++at;
      if (auto names = opened_namespaces(code, at); !names.empty()) brackets.push_back(std::move(names));
      is_extern = is_shared = false;
    } else if (text == "{") {
      brackets.emplace_back();
    } else if (text == "}" && !brackets.empty()) {
      brackets.pop_back();
    } else if (text == "[" && is_extern && is_shared && code.text(at + 1) == "]") {
      if (code.text(at - 1) != std::exchange(parameter, {})) add(at - 1);
    }
    const bool is_end = is_one_of(text, {";", "{", "}", "["});
    if (is_end || (text == "(" && !(is_extern && is_shared))) is_extern = is_shared = false;
  }
  return symbols;
}

namespace {

// Names the array whose index is wrong: an array in the defect's line that the text declares with the
// dimensions in the defect's detail.
void add_name(Defect& defect, const Code& code) {
  std::vector<SharedArray> arrays = shared_arrays(code);
  ConstantExpressions expressions(code);
  for (const LocalVariable& variable : local_variables(code))
    if (variable.is_array && !variable.is_shared)
      arrays.push_back({std::string(variable.name), dimensions_at(code, variable.at + 1, expressions)});
  const auto fits = [&](const SharedArray& array) {
    std::string type;  // "[32]" or "[16][32]": the compiler names the array that has this index
    for (auto length = array.dimensions.rbegin(); length != array.dimensions.rend(); ++length) {
      type = fmt::format("[{}]{}", *length, type);
      if (defect.detail.ends_with(type)) return true;
    }
    return false;
  };
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at].line != defect.party.line || code.text(at + 1) != "[") continue;
    const auto found = std::ranges::find_if(
        arrays, [&](const SharedArray& array) { return array.name == code.text(at) && fits(array); });
    if (found == arrays.end()) continue;
    defect.memory.variable = code.text(at);
    const std::size_t type_end = defect.detail.find(" [");
    if (type_end == std::string::npos) return;
    std::string declared;
    for (const std::size_t length : found->dimensions) declared += "[" + std::to_string(length) + "]";
    defect.detail.replace(type_end, std::string::npos, " " + defect.memory.variable + declared);
    return;
  }
}

// Returns whether the access is in the kernel itself, not in a function or another file.
bool stands_in_kernel(const Defect::Party& party) {
  return party.line > 0 && party.file.empty() && party.callers.empty();
}

// Returns whether the text shows that the read of a race comes before the store, although the store ran
// first: the read precedes the store in the text, or belongs to the loop's previous iteration.
bool is_read_first(const Defect& defect, const Code& code) {
  if (defect.kind != DefectKind::shared_race || !defect.other || !defect.other_work.empty()) return false;
  const bool is_load_and_store =
      defect.party.access == DefectAccess::load && defect.other->access == DefectAccess::store;
  if (!is_load_and_store || !stands_in_kernel(defect.party) || !stands_in_kernel(*defect.other)) return false;
  const int read = defect.party.line, store = defect.other->line;
  const auto has_barrier = [&](std::size_t begin, std::size_t end) {
    return has_word(code, "__syncthreads", begin, end);
  };
  const std::vector<Loop> loops = loops_around(code, {read, store});
  if (store < read) return !loops.empty() && store < defect.barrier_line && defect.barrier_line < read;
  return read < store && !has_barrier(code.first_from_line(read), code.first_from_line(store)) &&
         (loops.empty() || has_barrier(loops.back().begin, loops.back().end));
}

}  // namespace

void add_names_and_dimensions(std::vector<Defect>& defects, const std::string& text) {
  const auto is_about_array = [](const Defect& defect) {
    return !defect.memory.variable.empty() || defect.kind == DefectKind::array_index;
  };
  if (std::ranges::none_of(defects, is_about_array)) return;
  const Code code(text);
  const std::vector<SharedArray> arrays = shared_arrays(code);
  for (Defect& defect : defects) {
    if (defect.kind == DefectKind::array_index && defect.party.file.empty()) add_name(defect, code);
    const bool has_race_with_copy = std::ranges::any_of(defects, [&](const Defect& other) {
      return !other.other_work.empty() && other.party.line == defect.party.line;
    });
    if (!has_race_with_copy && is_read_first(defect, code)) std::swap(defect.party, *defect.other);
    Defect::Memory& memory = defect.memory;
    for (const SharedArray& array : arrays) {
      if (array.name != memory.variable || array.dimensions == memory.dimensions) continue;
      const bool fits = !array.dimensions.empty() && memory.bytes >= array.elements() &&
                        memory.bytes % array.elements() == 0;
      if (!fits) continue;
      if (memory.dimensions.empty()) {
        memory.dimensions = array.dimensions;
        continue;
      }
      memory.dimensions.clear();  // two declarations fit
      break;
    }
  }
}

Defect with_dynamic_name(Defect defect, const Code& code) {
  if (defect.memory.variable != SharedWriters::dynamic_memory) return defect;
  std::string_view name, type;
  for (const DynamicArray& array : dynamic_arrays(code)) {
    const std::string_view name_here = code.text(array.name), type_here = code.text(array.name - 1);
    const bool is_another = !name.empty() && (name_here != name || type_here != type);
    if (is_another || !code.is_word(array.name)) return defect;
    name = name_here;
    type = type_here;
  }
  if (!name.empty()) defect.memory.variable = name;
  constexpr std::size_t bytes_each = 4;  // of a float or an int
  if ((type == "float" || type == "int") && defect.memory.bytes >= bytes_each)
    defect.memory.dimensions = {defect.memory.bytes / bytes_each};
  return defect;
}

}  // namespace gpulab::source
