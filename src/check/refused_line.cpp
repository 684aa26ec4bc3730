#include "check/refused_line.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <regex>
#include <utility>

#include "check/causes.hpp"
#include "source/launch_text.hpp"
#include "source/program_findings.hpp"
#include "source/statements.hpp"

namespace gpulab::check {

using source::Code, source::LocalVariable;

LineOfCode::LineOfCode(const Code& all, int line) : code(all), number(line) {
  while (begin < all.size() && all[begin].line < line) ++begin;
  for (end = begin; end < all.size() && all[end].line == line;) ++end;
}

bool LineOfCode::calls(std::string_view name) const {
  std::size_t at = begin;
  while (at < end && !(code.text(at) == name && code.text(at + 1) == "(")) ++at;
  return at < end;
}

RefusalInSource LineOfCode::error(const std::string& pattern, const std::string& text) const {
  return {pattern, fmt::format("line {} {}", number, text), number};
}

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

bool is_in_device_code(const Code& code, std::size_t token) {
  std::size_t at = braces_around(code, token).first;
  for (; at > 0 && code.text(at - 1) != "}" && code.text(at - 1) != ";"; --at)
    if (code.text(at) == "__global__" || code.text(at) == "__device__") return true;
  return code.text(at) == "__global__" || code.text(at) == "__device__";
}

namespace {

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
        at < source::argument_tokens(code, call, 1).end)
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

// Finds a vector such as threadIdx that is taken for a number, or for a function.
CauseOfRefusal slip_in_vector(const LineOfCode& line, std::size_t at, const std::string& complaint) {
  const Code& code = line.code;
  const std::string_view text = code.text(at), next = code.text(at + 1), member = code.text(at + 2);
  const bool is_about_vector = is_in("uint3", complaint) || is_in("dim3", complaint);
  const bool is_component = next == "." && (member == "x" || member == "y" || member == "z");
  if (!is_name_of_builtin(text)) return std::nullopt;
  if (is_about_vector && !is_component)
    return line.error("component-missing", fmt::format("has {0} without .x: write {0}.x", text));
  if (is_component && code.text(at + 3) == "(")
    return line.error(
        "wrong-type",
        fmt::format("calls {0}.{1}, which is a number and no function: leave out the brackets after it", text,
                    member));
  return std::nullopt;
}

// Finds a wrong number of indices, a comma in one, an array without a size, and a variable that is no array.
CauseOfRefusal slip_in_index(const LineOfCode& line, std::size_t at, const std::string& complaint) {
  const Code& code = line.code;
  const std::string_view text = code.text(at), next = code.text(at + 1), member = code.text(at + 2);
  const std::size_t second = next == "[" ? code.after_bracket(at + 1) : code.size();
  const auto has_one_dimension = [&](const LocalVariable& local) {
    return local.is_array && local.name == text && code.text(code.after_bracket(local.at + 1)) != "[";
  };
  if (is_in("array subscript", complaint) && second < line.end && code.text(second) == "[" &&
      (source::is_pointer_parameter(code, text) ||
       std::ranges::any_of(source::local_variables(code), has_one_dimension)))
    return line.error(
        "wrong-subscript",
        fmt::format("has two indices for {0}, which has one dimension: {0}[row * length + column]", text));
  if (const std::size_t comma = text == "[" ? comma_in_index(code, at) : code.size(); comma < code.size())
    return line.error("wrong-subscript",
                      fmt::format("has a comma in an index, which drops what is before it: write {}[y][x]",
                                  code.text(at - 1)));
  if (const std::optional<LocalVariable> scalar = scalar_with_index(code, at);
      scalar && is_in("subscript", complaint))
    return line.error(
        "wrong-subscript",
        fmt::format("takes {0} for an array, and line {1} declares a single {2}: write {0}[...] there", text,
                    code[scalar->at].line, scalar->type));
  if (text == "[" && is_in("subscript", complaint))
    for (const LocalVariable& variable : source::local_variables(code))
      if ((variable.type == "float" || variable.type == "double") && !variable.is_array &&
          !variable.is_pointer && variable.at < at && at < variable.scope_end &&
          has_word(code, variable.name, at, code.matching(at)))
        return LineOfCode(code, code[variable.at].line)
            .error("wrong-subscript",
                   fmt::format("declares {0} as {1}, and line {2} has it as an index, which "
                               "is a whole number: write int {0}",
                               variable.name, variable.type, line.number));
  if (text == "sqrt" && code.text(at + 3) == ")" && source::is_pointer_parameter(code, member))
    return line.error(
        "wrong-type",
        fmt::format("takes the root of {0}, which is an address: write sqrt(*{0}), or sqrt({0}[i])", member));
  if (text == "[" && next == "]" && code.is_word(at + 2))
    return line.error("wrong-type", fmt::format("has {0}[] {1}: write {0}* {1}", code.text(at - 1), member));
  if (text == "[" && next == "]" &&
      (is_in("storage size of", complaint) || is_in("explicit size", complaint)))
    return line.error("run-time-size",
                      "has an array without a size: write it in the [ ], or extern before __shared__");
  return std::nullopt;
}

// Headers, or "" for those of the same name, with names of which a compiler may not tell the header.
constexpr std::pair<const char*, const char*> names_of_headers[] = {
    {"iostream", " cout cin cerr endl "},
    {"numeric", " accumulate iota partial_sum inner_product "},
    {"random",
     " mt19937 random_device uniform_real_distribution uniform_int_distribution normal_distribution "},
    {"memory", " unique_ptr make_unique shared_ptr make_shared "},
    {"fstream", " ifstream ofstream "},
    {"algorithm",
     " sort is_sorted max_element min_element fill generate equal transform shuffle all_of any_of copy "
     "lower_bound upper_bound binary_search count count_if find find_if reverse unique stable_sort nth_element "
     "copy_n copy_if fill_n for_each generate_n min max minmax_element any_of none_of replace rotate swap_ranges "},
    {"iomanip", " setw setprecision "},
    {"functional", " function "},
    {"", " vector string map unordered_map unordered_set set thread chrono array "}};

// Finds a part of the C++ library whose header or standard is missing, or that device code lacks.
CauseOfRefusal slip_in_library(const LineOfCode& line, std::size_t at, const std::string& complaint) {
  const Code& code = line.code;
  const std::string_view text = code.text(at);
  const bool is_missing = is_in("is not a member of 'std'", complaint) || is_in("not declared", complaint);
  const bool is_on_device = is_in_device_code(code, at);
  const auto header = std::ranges::find_if(
      names_of_headers, [&](const auto& names) { return is_in(fmt::format(" {} ", text), names.second); });
  if (header != std::end(names_of_headers) && is_missing && !is_on_device &&
      is_in(fmt::format("'{}'", text), complaint))
    return line.error("unknown-name",
                      fmt::format("has {}, and no #include names its header: write #include <{}>", text,
                                  *header->first ? header->first : text));
  for (const std::string_view host : {"vector", "string", "cout", "cin", "cerr", "endl"})
    if (text == host && is_on_device)
      return line.error("does-not-compile",
                        fmt::format("has {}, which device code does not have: {}", host,
                                    host == "vector" || host == "string" ? "write the arrays as parameters"
                                                                         : "printf(\"%d\\n\", x); prints"));
  for (const std::string_view concept_name :
       {"integral", "floating_point", "same_as", "convertible_to", "concept", "requires"})
    if (text == concept_name &&
        is_in("'" + std::string(text == "concept" || text == "requires" ? "" : "std::") + std::string(text) +
                  "'",
              complaint))
      return line.error("unknown-name", fmt::format("has {}, which C++20 has: add -std=c++20", text));
  if (text == "span" && is_missing && !is_in_device_code(code, at))
    return line.error("unknown-name", "has std::span, which C++20 has: add -std=c++20 and #include <span>");
  return std::nullopt;
}

// Finds a declaration where the line should use what an earlier line declares.
CauseOfRefusal slip_in_declaration(const LineOfCode& line, std::size_t at, const std::string&) {
  const Code& code = line.code;
  const std::string_view text = code.text(at), next = code.text(at + 1), member = code.text(at + 2);
  if (code.is_word(at) && code.is_word(at + 1) && text != "return" &&
      (source::is_operation(code, at + 2, "+=") || source::is_operation(code, at + 2, "-=")))
    return line.error("does-not-compile",
                      fmt::format("declares {0} and adds to it at once: leave out {1}, and write {0} {2}=",
                                  next, text, member));
  if (code.is_word(at) && begins_statement(code, at) && text != "else" && member == "[" &&
      source::is_pointer_parameter(code, next) && is_plain_assignment(code, code.after_bracket(at + 2)))
    return line.error("second-variable",
                      fmt::format("declares a second {0}: leave out {1} to store in {0}", next, text));
  return std::nullopt;
}

// Finds an atomic function for a type that has none.
CauseOfRefusal slip_in_atomic(const LineOfCode& line, std::size_t at, const std::string& complaint) {
  const Code& code = line.code;
  const std::string_view text = code.text(at), next = code.text(at + 1), member = code.text(at + 2);
  if (text == "atomicInc" && next == "(" && is_in("int*", complaint))
    return line.error("wrong-type",
                      "calls atomicInc, which takes the address of an unsigned int and begins "
                      "again at a limit: write atomicAdd(&x[i], 1)");
  if (text.starts_with("atomic") && next == "(" && member == "*" && is_in("no matching function", complaint))
    return line.error("wrong-type",
                      fmt::format("calls {0} for *{1}, a value, and it takes the address: write {1}, "
                                  "without the *",
                                  text, code.text(at + 3)));
  if (text.starts_with("atomic") && next == "(" && member == "&")
    if (const std::string type = source::declared_type(code, code.text(at + 3), at).type;
        type == "bool" || type.ends_with("char") || type.ends_with("short"))
      return line.error("wrong-type",
                        fmt::format("calls {} for {}, of type {}: there is none for it, so use int", text,
                                    code.text(at + 3), type));
  return std::nullopt;
}

// Finds an operation that C++ lacks, and = for ==.
CauseOfRefusal slip_in_operation(const LineOfCode& line, std::size_t at, const std::string& complaint) {
  const Code& code = line.code;
  const std::string_view text = code.text(at), next = code.text(at + 1), member = code.text(at + 2);
  if (source::is_operation(code, at, "=/") || source::is_operation(code, at, "=%"))
    return line.error("does-not-compile", fmt::format("has ={0}: write {0}=", next));
  const bool is_refused_store = is_in("assign", complaint) || is_in("modifiable", complaint);
  if (is_refused_store && text == "bool" && member == "=" && code.is_word(at + 3) && code.text(at + 4) == "=")
    return line.error("equals-sign", fmt::format("stores {} in {} with =, and does not compare them",
                                                 code.text(at + 5), code.text(at + 3)));
  if (text == "<" && next == "<" && member == "<" &&
      (is_in("void expression", complaint) || is_in("void value", complaint)))
    return line.error("does-not-compile",
                      "uses the value of a launch, which returns nothing: write the launch alone, and ask "
                      "for its error with cudaGetLastError() in the line after it");
  const bool follows_operand = at > 0 && code.text(at - 1) != "return" &&
                               (code.is_word(at - 1) || code[at - 1].kind == source::TokenKind::number ||
                                code.text(at - 1) == ")" || code.text(at - 1) == "]");
  if (text == "&" && !follows_operand && source::declared_type(code, next, at).is_pointer &&
      (is_in("**' to '", complaint) || is_in("**' for", complaint)))
    return line.error("wrong-type",
                      fmt::format("gives &{0}, the address of the pointer: write {0} without &", next));
  if (source::is_operation(code, at, "**") && follows_operand &&
      (is_in("unary '*'", complaint) || is_in("indirection", complaint)))
    return line.error("wrong-type", "has **, which is no power in C++: write x * x, or powf(x, y)");
  return std::nullopt;
}

// Finds an if or a loop whose brackets are missing or incomplete.
CauseOfRefusal slip_in_statement(const LineOfCode& line, std::size_t at, const std::string&) {
  const Code& code = line.code;
  const std::string_view text = code.text(at), next = code.text(at + 1);
  if ((text == "if" || text == "for" || text == "while") && next != "(" && next != "constexpr")
    return line.error("missing-bracket", fmt::format("has no brackets after {0}: write {0} (...)", text));
  if (text == "for" && !has_head_of_for(code, at + 1))
    return line.error(
        "missing-semicolon",
        "has a for without exactly two semicolons in its brackets: for (begin; condition; step)");
  return std::nullopt;
}

}  // namespace

CauseOfRefusal slip_in(const LineOfCode& line, const std::string& complaint) {
  if (const std::string letter = foreign_letter_in(line); !letter.empty())
    return line.error("does-not-compile",
                      fmt::format("has {}, a character that C++ does not know: type it again", letter));
  for (std::size_t at = line.begin; at < line.end; ++at)
    for (const auto find :
         {slip_in_vector, slip_in_index, slip_in_library, slip_in_declaration, slip_in_atomic,
          slip_in_operation, const_destination, wrong_arguments, slip_in_statement})
      if (CauseOfRefusal slip = find(line, at, complaint)) return slip;
  return std::nullopt;
}

}  // namespace gpulab::check
