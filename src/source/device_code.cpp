#include "source/device_code.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "source/inline_ptx.hpp"

namespace gpulab::source {
namespace {

// Returns "aligned" for "__aligned__".
std::string_view without_underscores(std::string_view word) {
  if (word.size() > 4 && word.starts_with("__") && word.ends_with("__"))
    return word.substr(2, word.size() - 4);
  return word;
}

bool is_harmless_attribute(std::string_view word) {
  return is_one_of(
      without_underscores(word),
      {"aligned", "packed",    "unused",        "noinline",     "always_inline", "pure",
       "const",   "may_alias", "deprecated",    "device",       "host",          "global",
       "shared",  "constant",  "launch_bounds", "maybe_unused", "nodiscard",     "fallthrough",
       "likely",  "unlikely",  "noreturn",      "gnu",          "nothrow",       "warn_unused_result",
       "alignas", "flatten",   "hot",           "cold",         "leaf",          "noclone"});
}

bool is_harmless_builtin(std::string_view name) {
  return begins_with_one_of(
             name, {"__builtin_assume", "__builtin_popcount", "__builtin_clz", "__builtin_ctz",
                    "__builtin_ffs", "__builtin_bswap", "__builtin_fma", "__builtin_fabs", "__builtin_sqrt",
                    "__builtin_inf", "__builtin_nan", "__builtin_huge_val", "__builtin_is", "__builtin_abs",
                    "__builtin_copysign", "__builtin_bit_cast"}) ||
         is_one_of(name, {"__builtin_expect", "__builtin_unreachable", "__builtin_trap", "__builtin_memcpy",
                          "__builtin_memset", "__builtin_memmove", "__builtin_constant_p",
                          "__builtin_offsetof", "__builtin_prefetch", "__builtin_fmaxf", "__builtin_fminf",
                          "__builtin_fmax", "__builtin_fmin", "__builtin_align_up", "__builtin_align_down"});
}

bool is_harmless_pragma(std::string_view first, std::string_view second) {
  if (first == "GCC") return is_one_of(second, {"unroll", "ivdep", "diagnostic"});
  if (first == "clang") return is_one_of(second, {"loop", "diagnostic"});
  return is_one_of(first, {"unroll", "nounroll", "pack", "once", "STDC", "message", "region", "endregion",
                           "mark"}) ||
         begins_with_one_of(first, {"nv_", "diag_", "hd_", "nvcc"});
}

// Returns why a word is refused everywhere, even in host code: it would disturb the simulator's checks. Empty
// if it is allowed.
std::string objection_to_name(std::string_view word) {
  const std::string name(word);
  if (begins_with_one_of(word, {"gpulab_", "GPULAB_", "__gpulab", "__tsan_", "__asan_", "__ubsan_", "__msan_",
                                "__hwasan_", "__sanitizer_", "__wrap_", "__real_"}))
    return name + " is a name of the simulator's own; choose another one";
  constexpr std::size_t nowhere = std::string_view::npos;
  if (word.find("no_sanitize") != nowhere || word.find("disable_sanitizer") != nowhere ||
      word.starts_with("__SANITIZE_") || word.ends_with("_sanitizer") || word == "no_address_safety_analysis")
    return name + " is for sanitizers, by which the simulator watches; leave it out";
  return "";
}

}  // namespace

bool is_assembly(std::string_view word) {
  return is_one_of(word, {"asm", "__asm", "__asm__"});
}

std::string reason_to_refuse(std::string_view word) {
  const std::string name(word);
  if (const std::string why = objection_to_name(word); !why.empty()) return why;
  if (begins_with_one_of(word, {"__sync_", "__atomic_", "__c11_atomic"}))
    return name + " is not a function of CUDA; atomics are atomicAdd(), atomicCAS() and their like";
  if (word.starts_with("__builtin_") && !is_harmless_builtin(word))
    return name + " is not a function of CUDA";
  if (is_one_of(word, {"thread_local", "__thread", "_Thread_local"}))
    return name + " is not for device code; every thread has its own local variables";
  if (is_assembly(word)) return "the simulator does not have inline PTX (asm)";
  if (is_one_of(word, {"__cxa_atexit", "_init", "_fini", "__libc_start_main"}))
    return name + " belongs to the host's program";
  return "";
}

std::string advice_for_removed(std::string_view name) {
  if (!is_one_of(name, {"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot"}))
    return "";
  return fmt::format(
      "write {}_sync(mask, ...), whose mask names the lanes that take part: 0xffffffff or, for warps of any size, ~decltype(__activemask()){{0}}",
      name);
}

bool is_empty_assembly(const Code& code, std::size_t at) {
  do ++at;
  while (is_one_of(code.text(at), {"volatile", "__volatile__", "inline"}));
  if (code.text(at) != "(" || code.text(at + 1) != "\"\"" || code.text(at + 2).starts_with('"')) return false;
  at += 2;
  while (is_one_of(code.text(at), {":", ","}) || code.text(at).starts_with('"')) ++at;
  return code.text(at) == ")";  // not with operands: the assembly could write them unseen
}

std::string with_alignment_first(const Code& code) {
  std::string text = code.whole();
  const auto offset = [&](std::size_t at) { return static_cast<std::ptrdiff_t>(code.begin_of(at)); };
  for (std::size_t at = 1; at + 1 < code.size(); ++at) {
    if (code.text(at) != "alignas" || code.text(at + 1) != "(") continue;
    std::size_t first = at;
    while (first > 0 && is_one_of(code.text(first - 1), {"__shared__", "extern", "static", "__device__",
                                                         "__constant__", "const", "volatile"}))
      --first;
    const std::size_t last = code.matching(at + 1);
    if (first == at || last >= code.size()) continue;
    std::rotate(text.begin() + offset(first), text.begin() + offset(at), text.begin() + offset(last) + 1);
  }
  return text;
}

namespace {

constexpr const char* no_main = "a kernel file has no main(): gpulab does the host's part";

class TextReader {
 public:
  explicit TextReader(const Code& code) : code_(code) {}

  std::optional<Refusal> refusal() {
    for (at_ = 0; at_ < code_.size(); ++at_) {
      const CodeToken& token = code_[at_];
      std::string why;
      if (token.kind == TokenKind::directive)
        why = objection_to_directive(token);
      else if (token.kind == TokenKind::word)
        why = objection_to_word(token.text);
      else if (token.text == "[" && code_.text(at_ + 1) == "[" && at_ >= end_of_attributes_)
        why = objection_to_attributes(at_, "[", "]");
      else if (token.kind == TokenKind::symbol)
        why = objection_to_symbol();
      if (!why.empty()) return Refusal{token.line, why};
    }
    return std::nullopt;
  }

 private:
  std::string objection_to_word(std::string_view word) {
    if (word == "_Pragma") return objection_to_pragma(unquoted(code_.text(at_ + 2)));
    if (is_one_of(word, {"__attribute__", "__attribute"}))
      return at_ < end_of_attributes_ ? "" : objection_to_attributes(at_ + 1, "(", ")");
    if (is_assembly(word) && is_empty_assembly(code_, at_)) return "";
    if (word == "__declspec") return "__declspec is not for device code";
    if (is_one_of(word, {"memcpy", "memmove", "memset", "memcmp"}) && code_.text(at_ + 1) != "(" &&
        !is_using_declaration())
      return std::string(word) + "() can be called, but its address cannot be taken: calls must be watched";
    return reason_to_refuse(word);
  }

  // Returns whether this is a using-declaration: "using std::memcpy;".
  bool is_using_declaration() const {
    for (std::size_t back = 1; back <= 4 && back <= at_; ++back)
      if (code_.text(at_ - back) == "using") return code_.text(at_ + 1) == ";";
    return false;
  }

  // Refuses digraphs and backslashes, which cuda_tokens does not translate as a compiler does.
  std::string objection_to_symbol() const {
    const std::string_view first = code_.text(at_), second = code_.text(at_ + 1), third = code_.text(at_ + 2);
    const bool is_together = first.data() + 1 == second.data();
    // "<::" is "<" before a name of the global namespace.
    const bool is_template =
        third == ":" && second.data() + 1 == third.data() && !is_one_of(code_.text(at_ + 3), {":", ">"});
    const bool is_digraph =
        is_together && ((first == "<" && second == "%") || (first == "%" && is_one_of(second, {">", ":"})) ||
                        (first == ":" && second == ">") || (first == "<" && second == ":" && !is_template));
    if (is_digraph)
      return std::string(first) + std::string(second) +
             " is another spelling of a bracket; write the bracket";
    return first == "\\" ? "a backslash is allowed only in literals; write letters as they are" : "";
  }

  // Checks the attributes between brackets of that kind, also nested ones: end_of_attributes_ keeps the
  // caller from checking those again. In __attribute__((...)) attributes are two parentheses deep, and their
  // arguments deeper.
  std::string objection_to_attributes(std::size_t from, std::string_view open, std::string_view close) {
    int depth = 0;
    for (std::size_t i = from; i < code_.size(); ++i) {
      end_of_attributes_ = i;
      if (code_.text(i) == open) ++depth;
      if (code_.text(i) == close && --depth == 0) return "";
      const bool is_attribute = open == "(" ? depth == 2 : depth >= 1;
      if (is_attribute && code_[i].kind == TokenKind::word && !is_harmless_attribute(code_.text(i)))
        return "the attribute " + std::string(code_.text(i)) + " is not for device code";
    }
    return "an attribute is not terminated";
  }

  static std::string_view unquoted(std::string_view text) {
    return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
  }

  std::string objection_to_pragma(std::string_view text) const {
    const Code words = code_.part(text, 0);
    if (words.size() == 0 || is_harmless_pragma(words.text(0), words.text(1))) return "";
    return "#pragma " + std::string(text) + " is not for device code";
  }

  std::string objection_to_directive(const CodeToken& directive) const {
    const std::string_view name = directive_name(directive.text);
    if (name == "include") return "";
    if (const auto pragma = pragma_in(directive.text)) return objection_to_pragma(*pragma);
    return "#" + std::string(name) + " is not for device code";
  }

  const Code& code_;
  std::size_t at_ = 0, end_of_attributes_ = 0;
};

// Checks words, also of directives and of the text of a _Pragma. A directive may contain a _Pragma; anything
// nested deeper is not a pragma to any compiler.
std::optional<Refusal> refused_name_in(const Code& code, int depth = 0) {
  constexpr int max_depth = 2;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto& [kind, text, line] = code[i];
    const std::string why = kind == TokenKind::word ? objection_to_name(text) : "";
    if (!why.empty()) return Refusal{line, why};
    const bool is_pragma =
        kind == TokenKind::string && i >= 2 && code.text(i - 2) == "_Pragma" && code.text(i - 1) == "(";
    if ((kind != TokenKind::directive && !is_pragma) || depth == max_depth) continue;
    // Skips the # of a directive, or a string's " or R"(.
    const std::string_view words = text.substr(std::min(text.find_first_not_of("#\"R( \t"), text.size()));
    if (auto refusal = refused_name_in(code.part(words, line), depth + 1)) return refusal;
  }
  return std::nullopt;
}

// Returns whether the type of a number, or a pointer to void, begins there.
bool is_type_of_value(const Code& code, std::size_t i) {
  return is_one_of(code.text(i), {"int", "float", "double", "bool", "char", "short", "long", "unsigned",
                                  "signed", "size_t"}) ||
         (code.text(i) == "void" && code.text(i + 1) == "*");
}

// Returns the line of a kernel that returns a value; 0 if there is none.
int line_of_non_void_kernel(const Code& code) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code.text(i) != "__global__") continue;
    std::size_t type = i + 1;
    while (takes_arguments(code.text(type)) || is_one_of(code.text(type), {"static", "inline", "const"}))
      type = takes_arguments(code.text(type)) ? code.after_bracket(type + 1) : type + 1;
    if (is_type_of_value(code, type) || (i > 0 && is_type_of_value(code, i - 1))) return code[i].line;
  }
  return 0;
}

}  // namespace

std::optional<Refusal> refused_in_text(const Code& code) {
  if (auto refusal = TextReader(code).refusal()) return refusal;
  return refused_declaration(code);
}

std::optional<Refusal> refused_name(const Code& code) {
  if (const int line = line_of_non_void_kernel(code); line > 0)
    return Refusal{
        line, "a __global__ function must have a void return type: a kernel writes its results to memory"};
  return refused_name_in(code.with_lines_joined());
}

std::optional<Refusal> refused_include(const Code& code) {
  for (const CodeToken& token : code.tokens()) {
    const auto include = token.kind == TokenKind::directive ? include_in(token.text) : std::nullopt;
    if (include && (include->name.starts_with('/') || include->name.find("..") != std::string_view::npos))
      return Refusal{
          token.line,
          "an #include of a file by its path is not for device code: a kernel file has all it needs in it"};
  }
  return std::nullopt;
}

std::optional<Refusal> refused_main(const Code& code) {
  for (std::size_t i = 0; i + 1 < code.size(); ++i)
    if (code.text(i) == "main" && code.text(i + 1) == "(") return Refusal{code[i].line, no_main};
  return std::nullopt;
}

namespace {

// Returns whether the text has a spelling that compilers translate and cuda_tokens does not: joined lines,
// digraphs, trigraphs, raw strings, universal character names, characters that only some take for line ends.
bool has_odd_spelling(const std::string& text) {
  for (const char* spelling : {"%:", "??", "R\"", "\\u", "\\U"})
    if (text.find(spelling) != std::string::npos) return true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_lone_return = text[i] == '\r' && text.compare(i, 2, "\r\n") != 0;
    const bool is_control =
        static_cast<unsigned char>(text[i]) < ' ' && !std::isspace(static_cast<unsigned char>(text[i]));
    if (is_lone_return || is_control || splice_length(std::string_view(text).substr(i)) > 0) return true;
  }
  return false;
}

// Returns whether a directive is the same to every compiler, and changes no other line.
bool is_plain(std::string_view directive) {
  const std::string_view name = directive_name(directive);
  if (directive.find("/*") != std::string_view::npos) return false;
  return name == "pragma" || (name == "include" && include_in(directive));
}

// A line marker of a preprocessor. # 12 "file.cu" 3 4 says that the next line is line 12 of file.cu. Flag 3
// marks a system header, where compilers suppress warnings.
struct LineMarker {
  int line = 0;
  std::string file;
  std::string_view flags;
};

std::optional<LineMarker> line_marker_in(std::string_view directive) {
  Scanner scanner(directive);
  scanner.take("#");
  scanner.skip_blanks();
  const std::optional<int> line = scanner.take_number();
  scanner.skip_blanks();
  if (!line || !scanner.take("\"")) return std::nullopt;
  std::string file;
  while (!scanner.is_at_end() && !scanner.rest().starts_with('"')) {
    if (scanner.take("\\") && scanner.rest().size() >= 3 &&
        std::isdigit(static_cast<unsigned char>(scanner.rest()[0]))) {
      file += static_cast<char>(std::strtol(std::string(scanner.rest().substr(0, 3)).c_str(), nullptr, 8));
      scanner.take(scanner.rest().substr(0, 3));
      continue;
    }
    file += scanner.rest().substr(0, 1);
    scanner.take(scanner.rest().substr(0, 1));
  }
  scanner.take("\"");
  return LineMarker{*line, std::filesystem::path(file).lexically_normal(), scanner.rest()};
}

}  // namespace

bool needs_preprocessing(const Code& code) {
  if (has_odd_spelling(code.whole())) return true;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool is_directive = code[i].kind == TokenKind::directive;
    if (code.text(i) == "#" || (is_directive && !is_plain(code.text(i)))) return true;
    if (is_one_of(code.text(i), {"_Pragma", "__COUNTER__", "__INCLUDE_LEVEL__"})) return true;
  }
  return false;
}

OwnText own_text_in(const std::string& preprocessed, const std::string& file,
                    const std::set<std::string>& others) {
  std::string text, indentation;
  int line = 1, expected_line = 0;  // where the text ends, and where it should end
  bool is_ours = false, follows_directive = false, follows_newline = false;
  for (const Token& token : cuda_tokens(preprocessed)) {
    const auto newlines = static_cast<int>(std::ranges::count(token.text, '\n'));
    const auto marker = token.kind == TokenKind::directive ? line_marker_in(token.text) : std::nullopt;
    if (marker) {
      is_ours = marker->file == file;
      expected_line = marker->line - 1;
      const bool is_known = is_ours || marker->file.starts_with('<') || others.contains(marker->file);
      if (!is_known || (is_ours && marker->flags.find_first_of("34") != std::string_view::npos))
        return {"", Refusal{line, "#line and #include of a file by its path are not for device code"}};
      continue;
    }
    if (token.kind == TokenKind::space) {
      indentation = token.text.substr(token.text.rfind('\n') + 1);
      follows_newline |= newlines > 0;
      expected_line += newlines;
      continue;
    }
    if (is_ours) {
      const bool is_directive = token.kind == TokenKind::directive;
      const bool is_new_line = follows_directive || (is_directive && !text.empty() && text.back() != '\n');
      const int missing = std::max(expected_line - line, is_new_line ? 1 : 0);
      text.append(static_cast<std::size_t>(missing), '\n');
      if (missing == 0 && follows_newline) text += ' ';
      text += std::exchange(indentation, "");
      text += token.text;
      line += missing + newlines;
      follows_directive = is_directive;
      follows_newline = false;
    }
    expected_line += newlines;
  }
  return {text + "\n", std::nullopt};
}

std::optional<Refusal> refused_in_program(const std::string& preprocessed,
                                          const std::set<std::string>& files) {
  std::string own_text;
  int line = 1;
  bool is_ours = false;
  for (const Token& token : cuda_tokens(preprocessed)) {
    if (const auto marker = token.kind == TokenKind::directive ? line_marker_in(token.text) : std::nullopt) {
      is_ours = files.contains(marker->file);
      line = marker->line - 1;
    } else if (is_ours) {
      own_text += token.text;
      if (token.kind == TokenKind::string && token.text.find("GPULAB_") != std::string_view::npos)
        return Refusal{line, "it spells a name of the simulator's own"};
    }
    line += static_cast<int>(std::ranges::count(token.text, '\n'));
  }
  const Code code(std::move(own_text));
  if (auto refusal = refused_name_in(code)) return Refusal{0, refusal->why};  // its line counts in `own_text`
  for (std::size_t i = 0; i < code.size(); ++i)
    if (is_assembly(code.text(i)) && !is_empty_assembly(code, i) && !translated_ptx(code, i))
      return Refusal{0, reason_to_refuse(code.text(i))};
  return std::nullopt;
}

}  // namespace gpulab::source
