#include <algorithm>

#include "source/device_code.hpp"

namespace gpulab::source {

namespace {

// Reads declarations one after another: the words before a body, an initial value or a semicolon say what
// each is. It does not understand expressions and types, only where brackets begin and end.
class DeclarationReader {
 public:
  explicit DeclarationReader(const Code& code) : code_(code) {}

  std::optional<Refusal> refusal() {
    while (at_ < code_.size() && !refusal_) read_declaration(false);
    return refusal_;
  }

 private:
  struct Declaration {
    std::vector<std::string_view> words;  // outside brackets
    std::string_view name;                // the last word before the first round bracket, or before the end
    int line = 0;
    bool has_parameters = false;

    bool has(std::initializer_list<std::string_view> some) const {
      return std::ranges::find_first_of(words, some) != words.end();
    }
  };

  bool is_at(std::string_view text) const { return code_.text(at_) == text; }

  void skip_brackets() { at_ = code_.behind(at_); }
  void skip_to_end_of_statement() { at_ = code_.behind_statement(at_); }

  void read_declaration(bool in_class) {
    constexpr int deepest = 200;  // of namespaces and classes in each other
    if (depth_ > deepest) {
      refusal_ = Refusal{code_[at_].line, "its namespaces or classes stand in each other too deeply"};
      return;
    }
    Declaration declaration{.line = code_[at_].line};
    while (at_ < code_.size()) {
      const CodeToken& token = code_[at_];
      if (token.kind == TokenKind::directive) {
        ++at_;
        if (declaration.words.empty() && at_ < code_.size()) declaration.line = code_[at_].line;
        continue;
      }
      if (token.text == ";" || token.text == "=" || token.text == "{" || token.text == "}") break;
      if (token.text == ":" && code_.text(at_ + 1) != ":" && code_.text(at_ - 1) != ":") {
        if (!read_colon(declaration)) return;  // "public:"
        continue;
      }
      read_word(declaration, token);
    }
    end_declaration(declaration, in_class);
  }

  void read_word(Declaration& declaration, const CodeToken& token) {
    if (token.kind == TokenKind::word) {
      declaration.words.push_back(token.text);
      if (!declaration.has_parameters) declaration.name = token.text;
      ++at_;
      if (token.text == "template" && is_at("<")) skip_brackets();
      if (takes_arguments(token.text) && is_at("(")) skip_brackets();
      return;
    }
    if (token.kind == TokenKind::string) declaration.words.emplace_back("\"");
    if (token.text == "(") declaration.has_parameters = true;
    if (token.text == "(" || token.text == "[")
      skip_brackets();
    else
      ++at_;
  }

  // The bases of a class and the initial values of a constructor's members stand behind a colon. Returns
  // false behind "public:".
  bool read_colon(Declaration& declaration) {
    ++at_;
    if (declaration.words.size() == 1 && !declaration.has_parameters &&
        declaration.has({"public", "private", "protected"}))
      return false;
    if (!declaration.has_parameters) return true;
    // Members' values in braces would look like the body: each follows a name or a template's bracket.
    while (at_ < code_.size() && !is_at(";")) {
      if (is_at("{")) {
        const CodeToken& before = code_[at_ - 1];
        if (before.kind != TokenKind::word && before.text != ">") return true;
      }
      if (is_at("(") || is_at("{"))
        skip_brackets();
      else
        ++at_;
    }
    return true;
  }

  void end_declaration(const Declaration& declaration, bool in_class) {
    const bool has_body = is_at("{");
    if (has_body && (declaration.has({"namespace"}) || is_linkage(declaration))) return read_group(false);
    const bool is_type = declaration.has({"struct", "class", "union", "enum"}) && !declaration.has_parameters;
    if (has_body && is_type) {
      if (declaration.has({"enum"}))
        skip_brackets();
      else
        read_group(true);
      while (takes_arguments(code_.text(at_))) {
        ++at_;
        if (is_at("(")) skip_brackets();
      }
      // What follows is a variable of that type, if anything does, or another name of it.
      if (is_at(";") || in_class || declaration.has({"typedef"})) return skip_to_end_of_statement();
      Declaration variable = declaration;
      variable.name = code_.text(at_);
      variable.words.push_back(variable.name);
      return end_variable(variable);
    }
    if (is_at("}")) {
      ++at_;
      return;
    }
    if (declaration.words.empty() || is_type || declaration.has({"namespace"}) ||
        declaration.has({"using", "typedef", "static_assert", "friend", "concept", "asm", "__asm__"}))
      return skip_to_end_of_statement();
    if (declaration.has_parameters) return end_function(declaration, in_class);
    if (in_class) return skip_to_end_of_statement();
    end_variable(declaration);
  }

  static bool is_linkage(const Declaration& declaration) {
    return declaration.words.size() == 2 && declaration.has({"extern"}) && declaration.has({"\""});
  }

  void read_group(bool is_class) {
    ++at_;
    ++depth_;
    while (at_ < code_.size() && !is_at("}") && !refusal_) read_declaration(is_class);
    --depth_;
    ++at_;
  }

  void end_function(const Declaration& declaration, bool in_class) {
    const bool is_default =
        is_at("=") && (code_.text(at_ + 1) == "default" || code_.text(at_ + 1) == "delete");
    const bool is_of_the_device = declaration.has({"__device__", "__global__", "constexpr", "consteval"});
    // A class may declare what nobody calls.
    const bool matters = is_at("{") || !in_class;
    if (!is_default && !is_of_the_device && matters && !(is_macro_call(declaration) && !in_class)) {
      const std::string name(declaration.name);
      refusal_ = Refusal{declaration.line, name == "main"
                                               ? "a kernel file has no main(): gpulab does the host's part"
                                               : name +
                                                     "() is a function of the host, which a GPU cannot call: "
                                                     "write __device__ before it"};
    }
    if (is_at("{"))
      skip_brackets();
    else
      skip_to_end_of_statement();
    if (is_at(";")) ++at_;
  }

  // MAKE_KERNEL(float) is one word and its arguments.
  static bool is_macro_call(const Declaration& declaration) { return declaration.words.size() < 2; }

  void end_variable(const Declaration& declaration) {
    if (!declaration.has({"__device__", "__constant__", "__shared__", "__managed__", "const", "constexpr"}) &&
        declaration.words.size() > 1)
      refusal_ = Refusal{declaration.line, std::string(declaration.name) +
                                               " is a variable of the host, which a kernel cannot see: write "
                                               "__device__ or const before it"};
    skip_to_end_of_statement();
  }

  const Code& code_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::optional<Refusal> refusal_;
};

}  // namespace

std::optional<Refusal> refused_declaration(const Code& code) {
  return DeclarationReader(code).refusal();
}

}  // namespace gpulab::source
