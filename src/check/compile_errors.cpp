#include <fmt/format.h>
#include <algorithm>
#include <regex>
#include <vector>

#include "check/causes.hpp"
#include "check/explanations.hpp"
#include "check/refused_line.hpp"
#include "source/device_code.hpp"
#include "source/launch_text.hpp"
#include "source/statements.hpp"

namespace gpulab::check {

// Says what a compiler refuses, and what to write instead. Looks at the kernel's text first, and at the
// compiler's message second: a cause in the text is the same whichever compiler complains.

namespace {

using source::Code, source::LocalVariable;

// Returns whether a compiler says that it expected one of these, in any quotation marks.
bool expects_one_of(std::string_view symbols, const std::string& complaint) {
  const std::size_t expected = complaint.find("expected ");
  constexpr std::size_t max_distance = 24;  // also in: expected ‘,’ or ‘;’
  return expected != std::string::npos &&
         complaint.substr(expected, max_distance).find_first_of(symbols) != std::string::npos;
}

// Finds a function, or a variable of the file, in the line that an earlier line defines, too.
CauseOfRefusal second_definition(const LineOfCode& line, const std::string& quoted) {
  const Code& code = line.code;
  const auto [begin, end] = braces_around(code, line.begin);
  if (begin < end) return std::nullopt;
  const Code names(quoted);  // "float step_up(float)"
  int earlier = 0;
  for (std::size_t at = 0; at < line.end; ++at) {
    const bool is_function = code.text(at + 1) == "(";
    const bool is_defined = !is_function || code.text(code.after_bracket(at + 1)) == "{";
    if (code.text(at) == "{") at = code.matching(at);
    if (!code.is_word(at) || !is_defined || !has_word(names, code.text(at), 0, names.size()) ||
        !(is_function || code.text(at + 1) == "[" || code.text(at + 1) == "=" || code.text(at + 1) == ";"))
      continue;
    if (at >= line.begin)
      return line.error("does-not-compile",
                        earlier == 0
                            ? "defines a name for the second time: delete one of them"
                            : fmt::format("defines {}, which line {} has defined: delete one of them",
                                          code.text(at), earlier));
    earlier = code[at].line;
  }
  return std::nullopt;
}

// Returns the first of these words between two tokens, or the end.
std::size_t first_of(const Code& code, std::size_t begin, std::size_t end,
                     std::initializer_list<std::string_view> words) {
  while (begin < end && std::ranges::find(words, code.text(begin)) == words.end()) ++begin;
  return begin;
}

// Finds where a } too many, or a missing {, ends a function before its text does. Compilers complain only of
// the text after that place.
CauseOfRefusal early_end(const LineOfCode& line) {
  const Code& code = line.code;
  std::size_t begin = 0, end = first_of(code, 0, code.size(), {"{", "}"});  // tokens between two functions
  while (code.text(end) == "{") {
    if (first_of(code, begin, end, {"if", "else", "for", "while", "do", "switch"}) < end) break;
    begin = code.after_bracket(end);
    end = first_of(code, begin, code.size(), {"{", "}"});
  }
  if (end == code.size() || end == begin) return std::nullopt;
  std::size_t last = begin;  // token that should be followed by {, or by no }
  std::string text =
      "ends the function, but more of it follows: a } is too many there or before, or a { is missing";
  if (std::size_t head = first_of(code, begin, end, {"__global__", "__device__"}); head < end) {
    do head = first_of(code, head + 1, end, {"("});
    while (head < end && source::takes_arguments(code.text(head - 1)));
    last = code.after_bracket(head);
    text = "has no { after the parameters: write {";
  }
  if (last == 0 || last > end || code[last - 1].line > line.number) return std::nullopt;
  return LineOfCode(code, code[last - 1].line).error("missing-bracket", text);
}

// Finds a bracket without its partner, in the line or, at the end of the text, anywhere.
CauseOfRefusal single_bracket(const LineOfCode& line, const std::string& complaint) {
  const Code& code = line.code;
  if (is_in("missing terminating", complaint)) return std::nullopt;  // a text without its end
  for (std::size_t at = line.begin; at < line.end; ++at) {
    const std::string_view text = code.text(at);
    if (code.matching(at) < code.size()) continue;
    if (text == "(" || text == "[")
      return line.error("missing-bracket", fmt::format("has a {} that is never closed: write {}", text,
                                                       text == "(" ? ")" : "]"));
    if (text == ")" || text == "]" || text == "}")
      return line.error("missing-bracket", fmt::format("has a {} too many: leave it out", text));
  }
  const std::size_t brace = expects_one_of("}", complaint) ? source::open_brace(code) : code.size();
  if (brace == code.size()) return std::nullopt;
  return LineOfCode(code, code[brace].line)
      .error("missing-bracket", "has a { that is never closed: write } where its block ends");
}

// Returns whether a call that begins a statement ends just before that token of the line.
bool follows_a_call(const LineOfCode& line, std::size_t token) {
  const Code& code = line.code;
  if (token <= line.begin || code.text(token - 1) != ")") return false;
  std::size_t open = line.begin;
  while (open < token && (code.text(open) != "(" || code.after_bracket(open) != token)) ++open;
  if (open == token || open == 0 || !code.is_word(open - 1)) return false;
  const std::string_view before = open > 1 ? code.text(open - 2) : "{";
  return before == ")" || before == ";" || before == "{" || before == "}" || before == "else";
}

// Says where a semicolon is missing: before the line if the compiler names the line's first token as
// unexpected, before another token of the line that it names, or at the end of the line.
RefusalInSource missing_semicolon(const LineOfCode& line, const std::vector<std::string>& names) {
  const bool is_first = !names.empty() && line.begin > 0 && names.back() == line.code.text(line.begin);
  const std::size_t token =
      names.size() > 1 && !is_first ? first_of(line.code, line.begin, line.end, {names.back()}) : line.end;
  if (token < line.end && (names.back() == "}" || follows_a_call(line, token)))
    return line.error("missing-semicolon", fmt::format("lacks a semicolon before {}", names.back()));
  if (token < line.end)
    return line.error(
        "missing-semicolon",
        fmt::format("lacks something before {}: an operator such as +, or a semicolon", names.back()));
  return LineOfCode(line.code, is_first ? line.code[line.begin - 1].line : line.number)
      .error("missing-semicolon", "lacks a semicolon: write ; at its end");
}

// Returns the variable in the condition of a for if the token is in the step of that for, and the variable is
// not; empty otherwise.
std::string_view counter_of_step(const Code& code, std::size_t token) {
  for (const source::Loop& loop : source::all_loops(code))
    if (code.text(loop.begin) == "for" && loop.condition_end < token &&
        token < code.matching(loop.begin + 1) && code.is_word(loop.condition) &&
        !has_word(code, code.text(loop.condition), loop.condition_end, code.matching(loop.begin + 1)))
      return code.text(loop.condition);
  return {};
}

// Names the constant, or the const array, to which the line stores.
std::string constant_in(const LineOfCode& line) {
  const std::vector<LocalVariable> variables = source::local_variables(line.code);
  for (std::size_t at = line.begin; at < line.end; ++at) {
    const std::string_view name = line.code.text(at);
    if (!line.code.is_word(at) || source::use_at(line.code, at) == source::VariableUse::read) continue;
    const auto variable = std::ranges::find(variables, name, &LocalVariable::name);
    if (const std::string_view counter = counter_of_step(line.code, at); !counter.empty())
      return fmt::format("changes {0}, which is const, in a loop that counts {1}: change {1} there", name,
                         counter);
    if (variable != variables.end() && variable->is_const && variable->at != at)
      return fmt::format("changes {}, which is const: leave out const in line {}", name,
                         line.code[variable->at].line);
    if (line.code.text(at + 1) == "[")
      return fmt::format("stores in {}, which is const, as inputs are: store in the output", name);
  }
  return "stores in something that is const";
}

}  // namespace

RefusalInSource refusal_in_source(const Failure& failure, const Code& code) {
  // GCC, Clang and NVRTC have different quotation marks.
  const std::string complaint = std::regex_replace(failure.complaint, std::regex("‘|’|\""), "'");
  const RefusalInSource unknown{std::string(name_of(failure.kind)), "", failure.line};
  if (failure.kind == DefectKind::missing_kernel &&
      source::uses_between(code, "__global__", 0, code.size()).empty())
    if (const std::size_t at = first_of(code, 0, code.size(), {"__device__"}); code.text(at + 1) == "void")
      return LineOfCode(code, code[at].line)
          .error(unknown.pattern, "has __device__ before the kernel: write __global__ in its place");
  if (failure.kind != DefectKind::does_not_compile) return unknown;
  const LineOfCode line(code, failure.line);
  std::vector<std::string> names = quoted_in(complaint);
  if (CauseOfRefusal early = early_end(line)) return *early;
  if (CauseOfRefusal slip = slip_in(line, complaint)) return *slip;
  if (CauseOfRefusal single = single_bracket(line, complaint)) return *single;
  const bool ends_declaration = is_in("expected initializer", complaint) && !names.empty() &&
                                names.back() == code.text(line.begin) && line.begin > 0;
  if (expects_one_of(";", complaint) || ends_declaration) return missing_semicolon(line, names);
  if (const std::size_t use = complaint.find(" is used before it has a value");
      names.empty() && use < complaint.size())
    names.push_back(complaint.substr(0, use));
  if (names.empty()) names.emplace_back("something");
  if (is_in("redefinition of", complaint) || is_in("already been defined", complaint))
    if (CauseOfRefusal second = second_definition(line, names[0])) return *second;
  if (const std::string advice = source::advice_for_removed(names[0]); !advice.empty())
    return line.error("does-not-compile",
                      fmt::format("has {}, which CUDA has removed: {}", names[0], advice));
  if (names[0].starts_with("std::vector<") && is_in("convert", complaint))
    return line.error("wrong-type",
                      fmt::format("has a {}, whose elements are in host memory, where a pointer is "
                                  "needed: pass one that cudaMalloc has set",
                                  names[0]));
  if (names.size() > 1 && names[0].ends_with("*") && names[1].ends_with("*") && is_in("convert", complaint) &&
      names[1] != "void*" && names[0] != "const " + names[1])
    return line.error(
        "wrong-type",
        fmt::format("has {} where {} is needed: both are addresses, of elements of different types", names[0],
                    names[1]));
  const bool has_too_few = is_in("oo few arguments", complaint);
  if (const std::size_t open = names[0].find('(');
      (has_too_few || is_in("oo many arguments", complaint)) && open < names[0].size()) {
    const std::size_t name = names[0].rfind(' ', open) + 1;  // after "void "
    return line.error("wrong-type", fmt::format("gives {} arguments than {} has parameters: {}",
                                                has_too_few ? "fewer" : "more",
                                                names[0].substr(name, open - name), names[0].substr(open)));
  }
  if (is_in("gpulab_stream*", complaint))
    return line.error(
        "wrong-type",
        "gives a stream where the bytes of shared memory belong: <<<blocks, threads, 0, stream>>>");
  const bool is_of_host = names[0].starts_with("cuda") && is_in_device_code(code, line.begin);
  for (std::size_t at = line.begin; is_of_host && at < line.end; ++at)  // an argument: cudaMemcpyHostToDevice
    if (code.text(at).starts_with("cuda") && code.text(at + 1) == "(") names[0] = code.text(at);
  if ((is_of_host || source::is_host_library_function(names[0])) && line.calls(names[0]))
    return line.error(
        "does-not-compile",
        fmt::format("calls {}, which is for the host and not for a kernel: {}", names[0],
                    names[0].ends_with("Synchronize") ? "threads of a block wait with __syncthreads();"
                                                      : "leave it out"));
  for (const PatternGroup& group : pattern_groups())
    for (const PatternHint& pattern : group.patterns)
      for (const std::vector<std::string>& words : pattern.compilers) {
        const auto text = words.end() - 1;
        if (std::none_of(words.begin(), text,
                         [&](const std::string& word) { return is_in(word, complaint); }))
          continue;
        if (pattern.pattern == unset_variable)
          if (const Cause hidden = shadowing_variable(code, source::local_variables(code)))
            return {hidden->pattern, hidden->text, hidden->line};
        const std::string advice = pattern.pattern == "unknown-name"
                                       ? advice_for_unknown_name(code, line.number, names)
                                   : pattern.pattern == "stores-to-const" ? constant_in(line)
                                   : names.size() > 1                     ? names[1]
                                                                          : names[0];
        return line.error(pattern.pattern, fmt::format(fmt::runtime(*text), names[0], advice));
      }
  return expects_one_of(")]}", complaint) ? RefusalInSource{"missing-bracket", "", failure.line} : unknown;
}

}  // namespace gpulab::check
