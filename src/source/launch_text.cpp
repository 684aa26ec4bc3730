#include "source/launch_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "lesson/finding.hpp"
#include "source/device_code.hpp"
#include "source/inline_ptx.hpp"
#include "source/statements.hpp"

namespace gpulab::source {
namespace {

bool is_launch_call(std::string_view word) {
  return is_one_of(word, {"cudaLaunchKernel", "cudaLaunchCooperativeKernel", "hipLaunchKernel",
                          "hipLaunchCooperativeKernel"});
}

std::vector<std::size_t> line_begins(std::string_view text) {
  std::vector<std::size_t> begins{0};
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') begins.push_back(i + 1);
  return begins;
}

}  // namespace

RewrittenText::RewrittenText(std::string_view original, std::vector<Edit> edits)
    : original_lines_(line_begins(original)) {
  std::ranges::stable_sort(edits, {}, &Edit::at);
  std::size_t at = 0;
  const auto keep_up_to = [&](std::size_t end) {
    if (end <= at) return;
    pieces_.push_back({text_.size(), at, false});
    text_ += original.substr(at, end - at);
    at = end;
  };
  for (const Edit& edit : edits) {
    keep_up_to(edit.at);
    pieces_.push_back({text_.size(), edit.at, true});
    text_ += edit.inserted;
    at = std::max(at, edit.at + edit.removed);
  }
  keep_up_to(original.size());
  lines_ = line_begins(text_);
}

int RewrittenText::original_column(int line, int column) const {
  if (line < 1 || static_cast<std::size_t>(line) > lines_.size() || column < 1) return column;
  const auto row = static_cast<std::size_t>(line) - 1;
  const std::size_t offset = lines_[row] + static_cast<std::size_t>(column) - 1;
  const auto after = std::ranges::upper_bound(pieces_, offset, {}, &Piece::begin);
  if (after == pieces_.begin()) return column;
  const Piece& piece = *(after - 1);
  const std::size_t original = piece.original + (piece.is_inserted ? 0 : offset - piece.begin);
  const std::size_t begin = original_lines_[std::min(row, original_lines_.size() - 1)];
  return original < begin ? 1 : static_cast<int>(original - begin) + 1;
}

namespace {

// Rewriter of the code of a file or of a macro's body.
class Rewriter {
 public:
  Rewriter(const std::string& file, const Code& code, std::vector<Edit>& edits)
      : file_(file), code_(without_backslashes(code)), edits_(edits) {}

  void rewrite() {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (code_[i].kind == TokenKind::directive && !is_macro_) rewrite_macro(code_[i]);
      if (is_assembly(text(i)) && !is_empty_assembly(code_, i))
        if (const auto ptx = translated_ptx(code_, i)) {
          edits_.push_back({offset_of(i), code_.end_of(ptx->end - 1) - offset_of(i), ptx->statement});
          i = ptx->end;
        }
      if (text(i) == "__global__" || kernel_macros_.contains(text(i))) rewrite_kernel(i);
      if (is_one_of(text(i), {"__device__", "__managed__"}) || device_macros_.contains(text(i))) {
        if (text(i) == "__device__") record_device_function(i);
        rewrite_variable(i);
      }
      if (is_one_of(text(i), {"(", "reinterpret_cast"})) rewrite_cast_of_kernel(i);
      if (const std::string why = refusal_in_kernel(text(i)); !why.empty() && is_device_code(i))
        edits_.push_back({offset_of(i), 0, "[]{static_assert(false,\"" + why + "\");}(),"});
      if (text(i) == "__constant__") rewrite_template_variable(i, "constant");
      if (text(i) == "int" && text(i + 1) == "main" && text(i + 2) == "(") rewrite_main(i + 2);
      // nvcc also accepts "<< <" and ">> >", as some formatters write them.
      if (is_operation(code_, i, "<<") && text(i + 2) == "<" && !(i > 0 && text(i - 1) == "operator"))
        rewrite_launch(i);
      if (const auto macro = configurations_.find(text(i)); macro != configurations_.end())
        rewrite_launch_by_macro(i, macro->second);
    }
  }

 private:
  // Returns a token's text. The limit ends the repeated scans of a text with unclosed brackets.
  std::string_view text(std::size_t i) const {
    constexpr std::size_t max_reads = 200'000'000;
    if (++reads_ > max_reads) refuse(0, "its brackets cannot be matched; perhaps one is not closed");
    return code_.text(i);
  }

  static Code without_backslashes(const Code& code) {
    std::vector<CodeToken> tokens = code.tokens();
    std::erase_if(tokens, [](const CodeToken& token) { return token.text == "\\"; });
    return tokens.size() == code.size() ? code : Code(code, std::move(tokens));
  }

  std::size_t offset_of(std::size_t i) const { return code_.begin_of(i); }

  [[noreturn]] void refuse(std::size_t i, const std::string& why) const {
    const int line = code_[i].line;
    throw CompileError(fmt::format("{}, line {}: {}", file_, line, why), "",
                       {.kind = DefectKind::does_not_compile, .line = line});
  }

  // ---- Macros ----

  // Records a macro that contains __global__ or __device__ among attributes, and rewrites any other's body.
  void rewrite_macro(const CodeToken& directive) {
    const std::optional<MacroDefinition> macro = macro_in(directive.text);
    if (!macro) return;
    auto [name, rest] = *macro;
    const bool has_parameters = rest.starts_with('(');
    if (has_parameters) rest.remove_prefix(std::min(rest.find(')'), rest.size() - 1) + 1);
    if (rewrite_configuration(rest)) {
      configurations_[name] = has_parameters;
      return;
    }
    const bool is_attribute_list = rest.find_first_of("({;") == std::string_view::npos;
    if (is_attribute_list && rest.find("__global__") != std::string_view::npos)
      kernel_macros_.insert(name);
    else if (is_attribute_list && rest.find("__device__") != std::string_view::npos)
      device_macros_.insert(name);
    if (is_attribute_list || rest.find_first_of("{<_") == std::string_view::npos) return;
    const std::string_view head = directive.text.substr(0, directive.text.size() - rest.size());
    const int line = directive.line + static_cast<int>(std::ranges::count(head, '\n'));
    Rewriter macro_rewriter(file_, code_.part(rest, line), edits_);
    macro_rewriter.kernel_macros_ = kernel_macros_;
    macro_rewriter.is_macro_ = true;
    macro_rewriter.rewrite();
  }

  // Removes the brackets of "#define ON_ALL(n) <<<blocks(n), 256>>>"; returns whether the body has them.
  bool rewrite_configuration(std::string_view body) {
    const std::size_t begin = body.find_first_not_of(" \t\\\n"), last = body.find_last_not_of(" \t\r\n");
    if (begin == std::string_view::npos || last < begin + 6 || body.substr(begin, 3) != "<<<" ||
        body.substr(last - 2, 3) != ">>>")
      return false;
    const auto at = static_cast<std::size_t>(body.data() - whole().data());
    edits_.push_back({at + begin, 3, "   "});
    edits_.push_back({at + last - 2, 3, "   "});
    return true;
  }

  // ---- Kernels ----

  void rewrite_kernel(std::size_t i) {
    const std::size_t after = after_parameters(i + 1);
    if (after < code_.size()) kernels_.insert(text(code_.opening(after - 1) - 1));
    std::size_t body = after;
    while (body < code_.size() && !is_one_of(text(body), {"{", ";"}))
      body = text(body) == "(" ? code_.after_bracket(body) : body + 1;
    if (text(body) != "{") return;
    const std::size_t end = code_.matching(body);
    if (end >= code_.size()) return;  // the compiler reports it
    device_code_.push_back({body, end});
    std::string captured, given, own;
    for (const auto& [name, is_reference, is_pack] : parameters_before(after - 1)) {
      if (is_reference) captured += ",&" + name + (is_pack ? "..." : "");  // others are copied
      if (is_reference || is_pack || !has_word(code_, name, body, end)) continue;
      given += "GPULAB_GIVEN(" + name + ")";
      own += "GPULAB_OWN(" + name + ")";
    }
    edits_.push_back({offset_of(body) + 1, 0,
                      fmt::format("{}gpulab_enter(__func__,[={}]GPULAB_THREAD{{{}{{{}",
                                  stated_bounds(i, body), captured, given, own)});
    edits_.push_back({offset_of(end), 0, "}});"});
  }

  // Returns a statement with the arguments of __launch_bounds__ in the declaration around `begin`, up to
  // `end`; empty if there are none.
  std::string stated_bounds(std::size_t begin, std::size_t end) const {
    while (begin > 0 && !is_one_of(text(begin - 1), {";", "}", "{"})) --begin;
    std::string words;
    for (std::size_t i = begin; i < end; ++i)
      if (text(i) == "__launch_bounds__" && text(i + 1) == "(")
        words += in_one_line(code_, i + 2, code_.matching(i + 1));
    return words.empty() ? "" : "GPULAB_STATE_BOUNDS(" + words + ")";
  }

  struct Parameter {
    std::string name;
    bool is_reference = false, is_pack = false;
  };

  // Returns the parameters before the closing parenthesis. Of those with names in brackets, only (&array)[4].
  std::vector<Parameter> parameters_before(std::size_t close) const {
    std::vector<Parameter> parameters;
    bool is_reference = false, has_type = false, has_name = false;
    for (std::size_t i = code_.opening(close) + 1; i < close; ++i) {
      if (text(i) == "(" && text(i + 1) == "&") parameters.push_back({std::string(text(i + 2)), true});
      if (is_one_of(text(i), {"(", "[", "<"})) i = code_.matching(i);
      if (text(i) == "&") is_reference = true;
      if (text(i) == ",") is_reference = has_type = has_name = false;
      if (!code_.is_word(i) || has_name) continue;
      const std::string_view next = text(i + 1);
      const bool is_number_type = is_one_of(
          text(i), {"bool", "char", "short", "int", "long", "float", "double", "void", "unsigned", "signed"});
      has_name = has_type && !is_number_type && is_one_of(next, {",", ")", "=", "["});
      if (has_name) parameters.push_back({std::string(text(i)), is_reference, text(i - 1) == "."});
      has_type |= !is_one_of(text(i), {"const", "volatile"});
    }
    return parameters;
  }

  // Returns the token after the parameters of the declared function; the end of the text if it has none.
  std::size_t after_parameters(std::size_t i) const {
    for (; i < code_.size(); ++i) {
      if (is_one_of(text(i), {";", "{"})) return code_.size();
      if (text(i) != "(") continue;
      if (!takes_arguments(text(i - 1))) return code_.after_bracket(i);
      i = code_.matching(i);
    }
    return i;
  }

  // ---- The host's code ----

  // Changes `return;` in main, of which nvcc only warns, to `return 0;`. Leaves functions and classes within
  // main as they are.
  void rewrite_main(std::size_t parameters) {
    const std::size_t begin = code_.after_bracket(parameters);
    if (text(begin) != "{") return;
    const std::size_t end = std::min(code_.matching(begin), code_.size());
    for (std::size_t k = begin + 1; k < end; ++k) {
      if (begins_type(text(k)) || begins_lambda(k)) {
        while (k < end && !is_one_of(text(k), {"{", ";"})) ++k;
        if (text(k) == "{") k = code_.matching(k);
      } else if (text(k) == "return" && text(k + 1) == ";") {
        edits_.push_back({code_.end_of(k), 0, " 0"});
      }
    }
  }

  bool begins_lambda(std::size_t i) const {
    if (text(i) != "[" || code_.matching(i) >= code_.size()) return false;
    const std::string_view next = text(code_.matching(i) + 1);
    return next == "(" || next == "{";
  }

  // ---- Variables ----

  void rewrite_variable(std::size_t i) {
    if (text(i) == "__device__" && i > 0 && text(i - 1) == "__managed__") return;  // __managed__ marks it
    for (std::size_t k = i + 1; k < code_.size(); ++k) {
      if (text(k) == "__managed__") return;  // __managed__ marks it
      if (is_one_of(text(k), {"__shared__", "__constant__", "__global__"})) return;
      if (text(k) == "(" && takes_arguments(text(k - 1))) {
        k = code_.matching(k);
        continue;
      }
      if (text(k) == "operator" || (text(k) == "(" && text(k + 1) != "*")) return;
      k = end_of_template_arguments(k);
      const std::string_view symbol = text(k);
      if (!is_one_of(symbol, {";", "=", "[", "{", "("})) continue;
      if (symbol == "{" && defines_type(i + 1, k)) return;
      if (rewrite_template_variable(i, "device")) return;
      edits_.push_back({code_.end_of(i), 0,
                        text(i) == "__managed__" ? " GPULAB_MANAGED_VARIABLE" : " GPULAB_DEVICE_VARIABLE"});
      return;
    }
  }

  // Marks a variable template by another variable, since compilers put no instance of "template <class T>
  // __constant__ T x[4];" into a section. Returns whether the variable is a template.
  bool rewrite_template_variable(std::size_t i, const std::string& kind) {
    std::size_t begin = i, end = i;
    while (begin > 0 && is_one_of(text(begin - 1), {"static", "inline", "__device__"})) --begin;
    if (begin == 0 || text(begin - 1) != ">") return false;
    begin = code_.opening(begin - 1);
    if (begin == 0 || text(begin - 1) != "template") return false;
    while (end < code_.size() && !is_one_of(text(end), {";", "=", "[", "{"})) {
      if (text(end) == "constexpr") return false;
      end = end_of_template_arguments(end) + 1;
    }
    if (!code_.is_word(end - 1)) return false;  // a specialisation, which is an ordinary variable
    edits_.push_back({offset_of(begin - 1), 0,
                      fmt::format("__attribute__((used)) static const char gpulab_template_{}_{}=0; ", kind,
                                  std::string(text(end - 1)))});
    edits_.push_back({offset_of(i), text(i).size(), " "});
    return true;
  }

  void record_device_function(std::size_t i) {
    for (std::size_t k = i < 2 ? 0 : i - 2; k <= i + 2; ++k)
      if (text(k) == "__host__") return;  // before or after __device__, perhaps with a word between
    const std::size_t after = after_parameters(i + 1);
    const std::size_t body = text(after) == "const" ? after + 1 : after;
    if (text(body) == "{") device_code_.push_back({body, code_.matching(body)});
  }

  bool is_device_code(std::size_t i) const {
    return std::ranges::any_of(device_code_, [&](const auto& braces) {
      const auto& [open, close] = braces;
      return open < i && i < close;
    });
  }

  static bool begins_type(std::string_view word) {
    return is_one_of(word, {"struct", "class", "union", "enum"});
  }

  bool defines_type(std::size_t from, std::size_t to) const {
    for (std::size_t k = from; k < to; ++k)
      if (begins_type(text(k))) return true;
    return false;
  }

  // Returns the > of the template arguments that begin at i; i if none begin there.
  std::size_t end_of_template_arguments(std::size_t i) const {
    return text(i) == "<" && code_.matching(i) < code_.size() ? code_.matching(i) : i;
  }

  // ---- Launches ----

  void rewrite_launch(std::size_t i) {
    const std::size_t end = end_of_configuration(code_, i + 3);
    if (end >= code_.size())
      refuse(i, code_.text_between(i, code_.after_statement(i)).ends_with(">>>;")
                    ? "this launch has no arguments after its >>>: write (...), or () if there are none"
                    : "this launch has no >>> before its arguments, or a semicolon before it");
    rewrite_as_call(i, end + 3, offset_of(end + 2) + 1, in_one_line(code_, i + 3, end));
  }

  // Replaces a kernel's cast to void*, as in the arguments of a launch or the node of a graph, by an operator
  // that records how to call the kernel: the kernel's type, which the cast would lose, gives its parameters.
  void rewrite_cast_of_kernel(std::size_t begin) {
    const std::size_t open = text(begin) == "(" ? begin : begin + 1, close = code_.matching(open);
    if (close >= code_.size() || close == open + 1) return;
    for (std::size_t k = open + 1; k < close; ++k)
      if (!is_one_of(text(k), {"const", "void", "*"})) return;
    const bool is_argument = begin > 1 && text(begin - 1) == "(" && is_launch_call(text(begin - 2));
    const bool is_graph_node = begin > 1 && text(begin - 1) == "=" && text(begin - 2) == "func";
    std::size_t cast = close + 1;
    while (is_one_of(text(cast), {"(", "&", ":"}) || text(cast + 1) == ":") ++cast;
    if (!is_argument && !is_graph_node && !kernels_.contains(text(cast))) return;
    edits_.push_back({offset_of(begin), offset_of(close) + 1 - offset_of(begin),
                      "gpulab_kernel->*" + blanks_for(offset_of(begin), offset_of(close) + 1)});
  }

  // Returns why a kernel cannot call that function; "" if it can. A static_assert says so, since only the
  // compiler knows whether an #if removes the call.
  static std::string refusal_in_kernel(std::string_view function) {
    if (function == "cudaDeviceSynchronize")
      return "cudaDeviceSynchronize() is for the host and not for a kernel: threads of a block wait with "
             "__syncthreads(); what has to come after kernels that a kernel launches, in cudaStreamTailLaunch";
    if (function.starts_with("cudaMem") && function.ends_with("Async"))
      return "the simulated device does not have " + std::string(function) + "() in kernels";
    return "";
  }

  void rewrite_launch_by_macro(std::size_t i, bool has_arguments) {
    std::size_t arguments = i + 1;
    if (has_arguments && text(arguments) == "(") arguments = code_.after_bracket(arguments);
    if (text(arguments) != "(") return;
    rewrite_as_call(i, arguments, code_.end_of(arguments - 1), in_one_line(code_, i, arguments));
  }

  // Turns a launch into a call. The launch's configuration extends from token i to the offset `end`; the
  // kernel's arguments begin at the token `arguments`.
  void rewrite_as_call(std::size_t i, std::size_t arguments, std::size_t end,
                       const std::string& configuration) {
    const std::size_t last = code_.matching(arguments);
    if (last >= code_.size()) refuse(i, "the arguments of this launch have no )");
    const std::size_t first = begin_of_kernel(i);
    if (first == i) refuse(i, "there is no kernel before <<<");
    if (first + 1 == i) require_kernel(first);
    edits_.push_back({offset_of(first), 0, "(gpulab_configure(" + configuration + "),"});
    edits_.push_back({offset_of(i), end - offset_of(i), blanks_for(offset_of(i), end)});
    edits_.push_back({offset_of(last) + 1, 0, ")"});
  }

  // Refuses a launched function that the file defines as a plain one, if nothing else in it has that name.
  void require_kernel(std::size_t launched) const {
    std::size_t defined = code_.size();
    for (std::size_t k = 0; k < code_.size(); ++k) {
      const std::string_view word = text(k);
      for (const std::string_view reason : {text(launched), std::string_view("include \"")})
        if (code_[k].kind == TokenKind::directive && word.find(reason) != word.npos) return;
      if (word != text(launched) || is_operation(code_, k + 1, "<<<")) continue;
      if (!is_plain_function(k)) return;
      defined = k;
    }
    if (defined < code_.size())
      refuse(defined, fmt::format("a kernel needs __global__, and line {} launches '{}'",
                                  code_[launched].line, text(launched)));
  }

  // Returns whether "void name(...) {" begins there, with no word before it that may stand for __global__.
  bool is_plain_function(std::size_t name) const {
    std::size_t begin = name > 0 ? name - 1 : 0;
    if (text(begin) != "void" || text(code_.after_bracket(name + 1)) != "{") return false;
    while (begin > 0 && is_one_of(text(begin - 1), {"static", "inline", "__host__", "__device__"})) --begin;
    return begin == 0 || is_one_of(text(begin - 1), {";", "}"}) || text(begin - 1).starts_with("#include");
  }

  // Returns the first token of the launched expression: a name with its template arguments, an element, a
  // member or an expression in parentheses.
  std::size_t begin_of_kernel(std::size_t i) const {
    while (i > 0) {
      const std::string_view last = text(i - 1);
      if (is_one_of(last, {">", "]", ")"})) {
        i = code_.opening(i - 1);
        const bool has_more = i > 0 && (code_.is_word(i - 1) || is_one_of(text(i - 1), {">", "]"}));
        if (last == ")" && (!has_more || begins_statement(text(i - 1)))) return i;
        continue;
      }
      if (!code_.is_word(i - 1)) return i;
      --i;
      if (text(i) == "#") return i;
      while (i > 0 && text(i - 1) == "template") --i;
      if (i >= 2 && text(i - 1) == ":" && text(i - 2) == ":") {
        i -= 2;
        if (i == 0 || !(code_.is_word(i - 1) || text(i - 1) == ">")) return i;
        if (code_.is_word(i - 1) && begins_statement(text(i - 1))) return i;
        continue;
      }
      if (i >= 1 && text(i - 1) == ".")
        --i;
      else if (i >= 2 && text(i - 1) == ">" && text(i - 2) == "-")
        i -= 2;
      else
        return i;
    }
    return i;
  }

  static bool begins_statement(std::string_view word) {
    return is_one_of(word, {"if", "while", "for", "switch", "else", "do", "return"});
  }

  // Returns blanks in place of a part of the text; its line ends and the backslashes before them stay.
  std::string blanks_for(std::size_t from, std::size_t to) const {
    std::string blanks(whole().substr(from, to - from));
    for (std::size_t i = 0; i < blanks.size(); ++i) {
      const bool joins_lines = blanks[i] == '\\' && i + 1 < blanks.size() && blanks[i + 1] == '\n';
      if (blanks[i] != '\n' && !joins_lines) blanks[i] = ' ';
    }
    return blanks;
  }

  std::string_view whole() const { return code_.whole(); }

  const std::string& file_;
  const Code code_;
  std::vector<Edit>& edits_;
  bool is_macro_ = false;
  mutable std::size_t reads_ = 0;
  std::set<std::string_view> kernels_, kernel_macros_, device_macros_;
  // Braces of the bodies of functions that the host cannot call.
  std::vector<std::pair<std::size_t, std::size_t>> device_code_;
  // Macros whose body is "<<<...>>>", and whether they have parameters.
  std::map<std::string_view, bool> configurations_;
};

}  // namespace

RewrittenText rewritten(const std::string& file, const Code& code) {
  std::vector<Edit> edits;
  const Code aligned(with_alignment_first(code));
  Rewriter(file, aligned, edits).rewrite();
  return {aligned.whole(), std::move(edits)};
}

}  // namespace gpulab::source
