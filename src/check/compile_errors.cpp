#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <regex>
#include <vector>

#include "base/text.hpp"
#include "check/causes.hpp"
#include "check/explanations.hpp"
#include "check/judging.hpp"
#include "source/device_code.hpp"
#include "source/launch_text.hpp"
#include "source/program_findings.hpp"
#include "source/statements.hpp"

namespace gpulab::check {

// Says what a compiler refuses, and what to write instead. Looks at the kernel's text first, and at the
// compiler's message second: a cause in the text is the same whichever compiler complains.

namespace {

using source::Code, source::LocalVariable;
using CauseOfRefusal = std::optional<RefusalInSource>;

// Tokens of the line that a compiler names.
struct LineOfCode {
  const Code& code;
  int number = 0;
  std::size_t begin = 0, end = 0;

  LineOfCode(const Code& all, int line) : code(all), number(line) {
    while (begin < all.size() && all[begin].line < line) ++begin;
    for (end = begin; end < all.size() && all[end].line == line;) ++end;
  }

  bool calls(std::string_view name) const {
    std::size_t at = begin;
    while (at < end && !(code.text(at) == name && code.text(at + 1) == "(")) ++at;
    return at < end;
  }

  RefusalInSource error(const std::string& pattern, const std::string& text) const {
    return {pattern, fmt::format("line {} {}", number, text), number};
  }
};

// Returns the texts in single quotation marks.
std::vector<std::string> quoted_in(const std::string& complaint) {
  static const std::regex quotation("'(.*?)'");
  std::vector<std::string> names;
  for (std::sregex_iterator match(complaint.begin(), complaint.end(), quotation), end; match != end; ++match)
    names.push_back((*match)[1]);
  return names;
}

bool is_in(const std::string& words, const std::string& complaint) {
  return complaint.find(words) != std::string::npos;
}

// Returns whether a compiler says that it expected one of these, in any quotation marks.
bool expects_one_of(std::string_view symbols, const std::string& complaint) {
  const std::size_t expected = complaint.find("expected ");
  constexpr std::size_t max_distance = 24;  // also in: expected ‘,’ or ‘;’
  return expected != std::string::npos &&
         complaint.substr(expected, max_distance).find_first_of(symbols) != std::string::npos;
}

// Returns the first letter of the line's code that is not ASCII, as UTF-8; empty if there is none.
std::string foreign_letter_in(const LineOfCode& line) {
  const auto is_ascii = [](char letter) { return static_cast<unsigned char>(letter) < 0x80; };
  const std::string& whole = line.code.whole();
  for (std::size_t at = line.begin; at < line.end; ++at) {
    const std::string_view text = line.code.text(at);
    const auto letter = std::ranges::find_if_not(text, is_ascii);
    if (letter == text.end() || line.code[at].kind == source::TokenKind::string) continue;
    const std::size_t begin = line.code.begin_of(at) + static_cast<std::size_t>(letter - text.begin());
    std::size_t end = begin + 1;
    while (end < whole.size() && (static_cast<unsigned char>(whole[end]) & 0xC0) == 0x80) ++end;
    return whole.substr(begin, end - begin);
  }
  return "";
}

// Returns the first comma between a [ and its ], outside of further brackets; code.size() if there is none.
std::size_t comma_in_index(const Code& code, std::size_t bracket) {
  std::size_t at = bracket + 1;
  while (at < code.matching(bracket) && code.text(at) != ",")
    at = code.text(at) == "(" || code.text(at) == "[" ? code.after_bracket(at) : at + 1;
  return at < code.matching(bracket) && code.matching(bracket) < code.size() ? at : code.size();
}

// Finds the destination of a copy that is const, in the call at that token.
CauseOfRefusal const_destination(const LineOfCode& line, std::size_t call, const std::string& complaint) {
  const Code& code = line.code;
  const bool is_copy = code.text(call).starts_with("cudaMemcpy") && code.text(call + 1) == "(";
  const bool drops_const = is_in("const void", complaint) && is_in("'void*'", complaint);
  if (!is_copy || !drops_const || !code.is_word(call + 2)) return std::nullopt;
  return line.error("stores-to-const",
                    fmt::format("has {0} as the destination of {1}, which comes first, and {0} "
                                "is const, so it cannot be one: exchange the two",
                                code.text(call + 2), code.text(call)));
}

// Returns the variable at that token if it has an index, and is neither an array nor a pointer.
std::optional<LocalVariable> scalar_with_index(const Code& code, std::size_t at) {
  if (!code.is_word(at) || code.text(at + 1) != "[") return std::nullopt;
  for (const LocalVariable& variable : source::local_variables(code))
    if (variable.name == code.text(at) && variable.at < at && at < variable.scope_end && !variable.is_array &&
        !variable.is_pointer)
      return variable;
  return std::nullopt;
}

// The arguments of the runtime's functions, as its manual lists them.
constexpr std::pair<std::string_view, std::string_view> runtime_arguments[] = {
    {"cudaMalloc", "&pointer, bytes"},
    {"cudaMallocHost", "&pointer, bytes"},
    {"cudaFree", "pointer"},
    {"cudaMemcpy", "destination, source, bytes, direction"},
    {"cudaMemcpyAsync", "destination, source, bytes, direction, stream"},
    {"cudaMemset", "pointer, value, bytes"},
    {"cudaMemsetAsync", "pointer, value, bytes, stream"},
    {"cudaStreamCreate", "&stream"},
    {"cudaStreamSynchronize", "stream"},
    {"cudaStreamDestroy", "stream"},
    {"cudaStreamWaitEvent", "stream, event"},
    {"cudaEventCreate", "&event"},
    {"cudaEventRecord", "event, stream"},
    {"cudaEventSynchronize", "event"},
    {"cudaEventElapsedTime", "&milliseconds, begin, end"}};

// Returns whether the complaint can be about this function of the runtime, and not about another call in its
// line: a call that it names, or an address that the function takes.
bool may_be_about(std::string_view function, const std::string& complaint) {
  const std::vector<std::string> names = quoted_in(complaint);
  if (names.empty()) return true;
  if (is_in("(", names[0])) return is_in(std::string(function) + "(", names[0]);
  const std::string& wanted = names.back();
  if (!is_in("conver", complaint) || !wanted.ends_with("*")) return true;
  if (function.starts_with("cudaMalloc")) return wanted.ends_with("**");
  return is_in("void", wanted) || is_in("cuda", wanted) || is_in("gpulab", wanted) ||
         function == "cudaEventElapsedTime";
}

// Finds, at that token, a call of the runtime whose arguments the compiler refuses.
CauseOfRefusal wrong_arguments(const LineOfCode& line, std::size_t call, const std::string& complaint) {
  const Code& code = line.code;
  const auto known = std::ranges::find(runtime_arguments, code.text(call),
                                       &std::pair<std::string_view, std::string_view>::first);
  const auto is_about = [&](const char* words) { return is_in(words, complaint); };
  // The last two begin with "too" or "Too", depending on the compiler.
  const char* const refusals[] = {"invalid conversion",  "cannot convert",       "cannot initialize",
                                  "no known conversion", "no matching function", "oo few arguments",
                                  "oo many arguments"};
  if (known == std::end(runtime_arguments) || code.text(call + 1) != "(" ||
      std::ranges::none_of(refusals, is_about) || !may_be_about(known->first, complaint))
    return std::nullopt;
  for (std::size_t at = call + 2; at < code.matching(call + 1); ++at) {
    const bool is_alone = (code.text(at - 1) == "(" || code.text(at - 1) == ",") &&
                          (code.text(at + 1) == ")" || code.text(at + 1) == ",");
    const std::string name(code.text(at));
    if (is_alone && source::has_vector(code, name))
      return line.error("wrong-type",
                        fmt::format("gives {} the std::vector {}, which is no address: write {}.data()",
                                    known->first, name, name));
    const source::DeclaredType declared = source::declared_type(code, name, at);
    if (known->first == "cudaMemcpy" && is_alone && !declared.type.empty() && !declared.is_pointer &&
        at < source::argument_tokens(code, call, 1).second)
      return line.error(
          "wrong-type",
          fmt::format("gives cudaMemcpy the number {0}, which is no address: write &{0}", name));
    if (known->first == "cudaMalloc" && code.text(at - 1) == "&" && !declared.type.empty() &&
        !declared.is_pointer)
      return line.error(
          "wrong-type",
          fmt::format("gives cudaMalloc {0}, which is no pointer: declare it as {1}* {0}, with a star "
                      "of its own",
                      name, declared.type));
  }
  return line.error("wrong-type", fmt::format("calls {0} with other arguments than it takes: write {0}({1})",
                                              known->first, known->second));
}

// Returns whether two semicolons, or the colon of a range, are in the brackets after a for.
bool has_head_of_for(const Code& code, std::size_t bracket) {
  const std::size_t end = code.matching(bracket);
  int semicolons = 0;
  for (std::size_t at = bracket + 1; at < end; ++at) {
    if (code.text(at) == "(" || code.text(at) == "[" || code.text(at) == "{") at = code.matching(at);
    if (at >= code.size() || code.text(at) == ":") return true;
    semicolons += code.text(at) == ";";
  }
  return semicolons == 2 || end == code.size();
}

bool is_in_device_code(const Code& code, std::size_t token) {
  std::size_t at = braces_around(code, token).first;
  for (; at > 0 && code.text(at - 1) != "}" && code.text(at - 1) != ";"; --at)
    if (code.text(at) == "__global__" || code.text(at) == "__device__") return true;
  return code.text(at) == "__global__" || code.text(at) == "__device__";
}

// Finds a slip that the line shows, whatever the compiler says of it.
CauseOfRefusal slip_in(const LineOfCode& line, const std::string& complaint) {
  const Code& code = line.code;
  const bool is_about_vector = is_in("uint3", complaint) || is_in("dim3", complaint);
  if (const std::string letter = foreign_letter_in(line); !letter.empty())
    return line.error("does-not-compile",
                      fmt::format("has {}, a character that C++ does not know: type it again", letter));
  for (std::size_t at = line.begin; at < line.end; ++at) {
    const std::string_view text = code.text(at), next = code.text(at + 1), member = code.text(at + 2);
    const bool is_component = next == "." && (member == "x" || member == "y" || member == "z");
    for (const std::string_view vector : {"threadIdx", "blockIdx", "blockDim", "gridDim"}) {
      if (text == vector && is_about_vector && !is_component)
        return line.error("component-missing", fmt::format("has {0} without .x: write {0}.x", vector));
      if (text == vector && is_component && code.text(at + 3) == "(")
        return line.error(
            "wrong-type",
            fmt::format("calls {0}.{1}, which is a number and no function: leave out the brackets after it",
                        vector, member));
    }
    const std::size_t second = next == "[" ? code.after_bracket(at + 1) : code.size();
    if (is_in("array subscript", complaint) && second < line.end && code.text(second) == "[" &&
        source::is_pointer_parameter(code, text))
      return line.error(
          "wrong-subscript",
          fmt::format("has two indices for {0}, which has one dimension: {0}[row * length + column]", text));
    const bool is_missing = is_in("is not a member of 'std'", complaint) || is_in("not declared", complaint);
    for (const std::string_view host : {"vector", "string", "cout", "cin", "cerr", "endl"})
      if (text == host && is_missing && !is_in_device_code(code, at))
        return line.error("unknown-name",
                          fmt::format("has {}, and no #include names its header: write #include <{}>", host,
                                      host == "vector" || host == "string" ? host : "iostream"));
      else if (text == host && is_in_device_code(code, at))
        return line.error("does-not-compile",
                          fmt::format("has {}, which device code does not have: {}", host,
                                      host == "vector" || host == "string" ? "write the arrays as parameters"
                                                                           : "printf(\"%d\\n\", x); prints"));
    for (const std::string_view concept_name :
         {"integral", "floating_point", "same_as", "convertible_to", "concept", "requires"})
      if (text == concept_name &&
          is_in("'" + std::string(text == "concept" || text == "requires" ? "" : "std::") +
                    std::string(text) + "'",
                complaint))
        return line.error("unknown-name", fmt::format("has {}, which C++20 has: add -std=c++20", text));
    if (text == "span" && is_missing && !is_in_device_code(code, at))
      return line.error("unknown-name", "has std::span, which C++20 has: add -std=c++20 and #include <span>");
    if (code.is_word(at) && code.is_word(at + 1) && text != "return" &&
        (source::is_operation(code, at + 2, "+=") || source::is_operation(code, at + 2, "-=")))
      return line.error("does-not-compile",
                        fmt::format("declares {0} and adds to it at once: leave out {1}, and write {0} {2}=",
                                    next, text, member));
    if (code.is_word(at) && begins_statement(code, at) && text != "else" && member == "[" &&
        source::is_pointer_parameter(code, next) && is_plain_assignment(code, code.after_bracket(at + 2)))
      return line.error("second-variable",
                        fmt::format("declares a second {0}: leave out {1} to store in {0}", next, text));
    if (text == "atomicInc" && next == "(" && is_in("int*", complaint))
      return line.error("wrong-type",
                        "calls atomicInc, which takes the address of an unsigned int and begins "
                        "again at a limit: write atomicAdd(&x[i], 1)");
    if (text.starts_with("atomic") && next == "(" && member == "&")
      if (const std::string type = source::declared_type(code, code.text(at + 3), at).type;
          type == "bool" || type.ends_with("char") || type.ends_with("short"))
        return line.error("wrong-type",
                          fmt::format("calls {} for {}, of type {}: there is none for it, so use int", text,
                                      code.text(at + 3), type));
    if (const std::size_t comma = text == "[" ? comma_in_index(code, at) : code.size(); comma < code.size())
      return line.error("wrong-subscript",
                        fmt::format("has a comma in an index, which drops what is before it: write {}[y][x]",
                                    code.text(at - 1)));
    if (const std::optional<LocalVariable> scalar = scalar_with_index(code, at);
        scalar && is_in("subscript", complaint))
      return line.error(
          "wrong-subscript",
          fmt::format("takes {0} for an array, and line {1} declares a single {2}: write {0}[...] there",
                      text, code[scalar->at].line, scalar->type));
    if (source::is_operation(code, at, "=/") || source::is_operation(code, at, "=%"))
      return line.error("does-not-compile", fmt::format("has ={0}: write {0}=", next));
    const bool is_refused_store = is_in("assign", complaint) || is_in("modifiable", complaint);
    if (is_refused_store && text == "bool" && member == "=" && code.is_word(at + 3) &&
        code.text(at + 4) == "=")
      return line.error("equals-sign", fmt::format("stores {} in {} with =, and does not compare them",
                                                   code.text(at + 5), code.text(at + 3)));
    if (CauseOfRefusal copy = const_destination(line, at, complaint)) return copy;
    if (CauseOfRefusal call = wrong_arguments(line, at, complaint)) return call;
    if (text == "<" && next == "<" && member == "<" &&
        (is_in("void expression", complaint) || is_in("void value", complaint)))
      return line.error("does-not-compile",
                        "uses the value of a launch, which returns nothing: write the launch alone, and ask "
                        "for its error with cudaGetLastError() in the line after it");
    if (text == "[" && next == "]" && code.is_word(at + 2))
      return line.error("wrong-type",
                        fmt::format("has {0}[] {1}: write {0}* {1}", code.text(at - 1), member));
    if ((text == "if" || text == "for" || text == "while") && next != "(" && next != "constexpr")
      return line.error("missing-bracket", fmt::format("has no brackets after {0}: write {0} (...)", text));
    if (text == "for" && !has_head_of_for(code, at + 1))
      return line.error(
          "missing-semicolon",
          "has a for without exactly two semicolons in its brackets: for (begin; condition; step)");
    const bool follows_operand = at > 0 && code.text(at - 1) != "return" &&
                                 (code.is_word(at - 1) || code[at - 1].kind == source::TokenKind::number ||
                                  code.text(at - 1) == ")" || code.text(at - 1) == "]");
    if (source::is_operation(code, at, "**") && follows_operand &&
        (is_in("unary '*'", complaint) || is_in("indirection", complaint)))
      return line.error("wrong-type", "has **, which is no power in C++: write x * x, or powf(x, y)");
    if (text == "[" && next == "]" &&
        (is_in("storage size of", complaint) || is_in("explicit size", complaint)))
      return line.error("run-time-size",
                        "has an array without a size: write it in the [ ], or extern before __shared__");
  }
  return std::nullopt;
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
  if (token < line.end && follows_a_call(line, token))
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
  if (failure.kind != DefectKind::does_not_compile) return unknown;
  const LineOfCode line(code, failure.line);
  std::vector<std::string> names = quoted_in(complaint);
  if (CauseOfRefusal early = early_end(line)) return *early;
  if (CauseOfRefusal slip = slip_in(line, complaint)) return *slip;
  if (CauseOfRefusal single = single_bracket(line, complaint)) return *single;
  const bool ends_declaration = is_in("expected initializer", complaint) && !names.empty() &&
                                names.back() == code.text(line.begin) && line.begin > 0;
  if (expects_one_of(";", complaint) || ends_declaration) return missing_semicolon(line, names);
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
