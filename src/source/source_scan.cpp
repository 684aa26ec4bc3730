#include <algorithm>
#include <set>

#include "source/device_code.hpp"
#include "source/inline_ptx.hpp"
#include "source/statements.hpp"

namespace gpulab::source {
namespace {

// A reader of declarations: the words before a body, an initialiser or a semicolon say what each is. It
// matches brackets, but does not understand expressions and types.
class DeclarationReader {
 public:
  explicit DeclarationReader(const Code& code) : code_(code) {}

  std::optional<Refusal> refusal() {
    while (at_ < code_.size() && !refusal_) read_declaration(Scope::outside_classes);
    return refusal_;
  }

 private:
  enum class Scope { outside_classes, in_class };

  struct Declaration {
    std::vector<std::string_view> words;  // outside brackets
    std::string_view name;                // the last word before the first parenthesis, or before the end
    int line = 0;
    bool has_parameters = false;

    bool has(std::initializer_list<std::string_view> wanted) const {
      return std::ranges::find_first_of(words, wanted) != words.end();
    }
  };

  bool is_at(std::string_view text) const { return code_.text(at_) == text; }

  void skip_brackets() { at_ = code_.after_bracket(at_); }
  void skip_to_end_of_statement() { at_ = code_.after_statement(at_); }

  void read_declaration(Scope scope) {
    constexpr int max_depth = 200;  // nested namespaces and classes
    if (depth_ > max_depth) {
      refusal_ = Refusal{code_[at_].line, "its namespaces or classes are nested too deeply"};
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
      if (is_one_of(token.text, {";", "=", "{", "}"})) break;
      if (token.text == ":" && code_.text(at_ + 1) != ":" && code_.text(at_ - 1) != ":") {
        if (!read_colon(declaration)) return;  // "public:"
        continue;
      }
      read_word(declaration, token);
    }
    end_declaration(declaration, scope);
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

  // Skips what follows a colon: the bases of a class, or the member initialisers of a constructor. Returns
  // false after "public:".
  bool read_colon(Declaration& declaration) {
    ++at_;
    if (declaration.words.size() == 1 && !declaration.has_parameters &&
        declaration.has({"public", "private", "protected"}))
      return false;
    if (!declaration.has_parameters) return true;
    // A member initialiser in braces looks like the body, but follows a name or a template's >.
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

  void end_declaration(const Declaration& declaration, Scope scope) {
    const bool has_body = is_at("{");
    if (has_body && (declaration.has({"namespace"}) || is_linkage(declaration)))
      return read_group(Scope::outside_classes);
    const bool is_type = declaration.has({"struct", "class", "union", "enum"}) && !declaration.has_parameters;
    if (has_body && is_type) {
      if (declaration.has({"enum"}))
        skip_brackets();
      else
        read_group(Scope::in_class);
      while (takes_arguments(code_.text(at_))) {
        ++at_;
        if (is_at("(")) skip_brackets();
      }
      // A variable of that type may follow, or another name of it.
      if (is_at(";") || scope == Scope::in_class || declaration.has({"typedef"}))
        return skip_to_end_of_statement();
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
    if (declaration.has_parameters) return end_function(declaration, scope);
    if (scope == Scope::in_class) return skip_to_end_of_statement();
    end_variable(declaration);
  }

  static bool is_linkage(const Declaration& declaration) {
    return declaration.words.size() == 2 && declaration.has({"extern"}) && declaration.has({"\""});
  }

  void read_group(Scope scope) {
    ++at_;
    ++depth_;
    while (at_ < code_.size() && !is_at("}") && !refusal_) read_declaration(scope);
    --depth_;
    ++at_;
  }

  // Returns the word that should be __global__, such as _global_ or __Global__.
  static std::string_view misspelt_global(const Declaration& declaration) {
    const auto is_close = [](std::string_view word) {
      std::string letters(word);
      std::erase(letters, '_');
      return letters == "global" || letters == "Global";
    };
    const auto found = std::ranges::find_if(declaration.words, is_close);
    return found == declaration.words.end() ? std::string_view() : *found;
  }

  void end_function(const Declaration& declaration, Scope scope) {
    const bool is_default = is_at("=") && is_one_of(code_.text(at_ + 1), {"default", "delete"});
    const bool is_device_code =
        declaration.has({"__device__", "__global__", "constexpr", "consteval"}) || is_statement(declaration);
    const bool in_class = scope == Scope::in_class;
    const bool is_only_declared = in_class && !is_at("{");  // and perhaps never called
    const bool may_be_macro = !in_class && is_macro_call(declaration);
    if (!is_default && !is_device_code && !is_only_declared && !may_be_macro) {
      const bool is_meant_as_kernel = declaration.name != "main" &&
                                      !code_.has("__global__", {0, code_.size()}) &&
                                      declaration.has({"void"});
      refusal_ =
          Refusal{declaration.line,
                  is_meant_as_kernel ? why_no_kernel(declaration) : why_function_is_refused(declaration),
                  is_meant_as_kernel ? DefectKind::missing_kernel : DefectKind::does_not_compile};
    }
    if (is_at("{"))
      skip_brackets();
    else
      skip_to_end_of_statement();
    if (is_at(";")) ++at_;
  }

  static std::string why_no_kernel(const Declaration& declaration) {
    if (const std::string_view misspelt = misspelt_global(declaration); !misspelt.empty())
      return std::string(misspelt) + " is not known, so the file has no kernel: write __global__";
    return std::string(declaration.name) +
           "() is a function of the host, and the file has no kernel: write __global__ before it";
  }

  std::string why_function_is_refused(const Declaration& declaration) const {
    if (declaration.name == "main") return "a kernel file has no main(): gpulab does the host's part";
    const std::string function = std::string(declaration.name) + "()";
    if (is_at("{"))
      return function + " is a function of the host, which a GPU cannot call: write __device__ before it";
    return function +
           " is declared here as a function of the host, which a GPU cannot call: take it out, or, if it is "
           "yours, write __device__ before it wherever it stands";
  }

  // Returns whether the declaration is a macro call, one word with arguments: MAKE_KERNEL(float).
  static bool is_macro_call(const Declaration& declaration) { return declaration.words.size() < 2; }

  // Returns whether the declaration is in fact a statement outside of functions, after one } too many. The
  // compiler refuses it.
  static bool is_statement(const Declaration& declaration) {
    return std::ranges::count(statements, declaration.words.front()) > 0;
  }
  static constexpr std::string_view statements[] = {"if", "for", "while", "switch", "else", "do", "return"};

  void end_variable(const Declaration& declaration) {
    const std::size_t end = code_.after_statement(at_);
    const bool is_unfinished =  // the compiler will say so
        code_.text(end - 1) != ";" ||
        (is_at("=") && (code_.text(at_ + 1) == ";" || has_word(code_, "__global__", at_, end)));
    if (!is_unfinished &&
        !declaration.has({"__device__", "__constant__", "__shared__", "__managed__", "const", "constexpr"}) &&
        declaration.words.size() > 1)
      refusal_ = Refusal{
          declaration.line,
          std::string(declaration.name) + " is a variable of the host, " +
              (has_word(code_, declaration.name, end, code_.size())
                   ? "which a kernel cannot see: write __constant__ before it if the host sets it, __device__ "
                     "if kernels do, or const if it has its value"
                   : "and no kernel uses it: take it out")};
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

namespace {

// A CUDA feature and its forms: tokens with blanks between them, where "sync*" is any word with that prefix,
// "$" any word, and "#x" an #include of the header x.
struct UnsupportedFeature {
  std::initializer_list<const char*> forms;
  const char* what;
};

const UnsupportedFeature unsupported[] = {
    {{"asm", "__asm", "asm__", "__asm__"}, "inline PTX (asm)"},
    {{"wmma", "mma_sync", "#mma.h"}, "tensor cores (wmma)"},
    {{"this_grid ( ) . barrier_*"}, "a grid's barrier in two parts (barrier_arrive)"},
    {{"this_cluster", "cluster_group", "__cluster_dims__", "cluster . sync"}, "thread block clusters"},
    {{"#cuda/*", "cuda : :"}, "libcu++, except for atomics, barriers, pipelines and semaphores"},
    {{"__pm0", "__pm1", "__pm2", "__pm3", "__prof_trigger"}, "a profiler's counters (__pm0)"},
    {{"cudaTextureObject_t", "cudaSurfaceObject_t", "tex1D* (", "tex1D* <", "tex2D* (", "tex2D* <",
      "tex3D* (", "tex3D* <", "surf1D* (", "surf1D* <", "surf2D* (", "surf2D* <", "surf3D* (", "surf3D* <"},
     "textures and surfaces"},
    {{"texture < $ ,", "texture < $ >", "texture < unsigned $ ,", "texture < unsigned $ >"},
     "texture references (texture<...>)"},
    {{"surface < void ,", "surface < void >"}, "surface references (surface<void, ...>)"},
    {{"cub : :", "#cub/*"}, "CUB"},
    {{"thrust : :", "#thrust/*"}, "Thrust"},
    {{"curand*", "#curand*"}, "cuRAND"},
    {{"__nv_fp8*", "#cuda_fp8.h"}, "8-bit floating point (cuda_fp8.h)"},
};

// Features missing in kernel files only: a program launches kernels, and includes files of its own.
const UnsupportedFeature unsupported_in_kernel_files[] = {
    {{"cudaLaunchDevice*"}, "launching kernels from kernels"},
    {{"__barrier_sync*"}, "named barriers (__barrier_sync)"},
    {{"memcpy_async"}, "asynchronous copies (memcpy_async)"},
    {{"__pipeline_*", "#cuda_pipeline*"}, "asynchronous copies (__pipeline_memcpy_async)"},
    {{"#cuda/barrier", "#cuda/pipeline", "cuda : : barrier", "cuda : : pipeline*", "cuda : : make_pipeline",
      "#cuda/semaphore", "cuda : : binary_semaphore", "cuda : : counting_semaphore"},
     "libcu++'s barriers, pipelines and semaphores"},
    {{"< < <"}, "launches in a kernel file (<<<...>>>): leave the launch out, gpulab launches the kernel"},
    {{"#/*", "#*..*"}, "an #include of a file by its path"},
    {{"#include_next"}, "#include_next"},
    {{"#embed"}, "#embed"},
};

// Returns whether the word has the form: "curand*" is a beginning, "#*..*" a beginning and a later part.
bool matches(std::string_view form, std::string_view word) {
  const std::size_t star = form.find('*');
  if (star == std::string_view::npos || form.size() == 1) return form == word;
  const std::string_view head = form.substr(0, star), rest = form.substr(star + 1);
  return word.starts_with(head) &&
         (rest.empty() || word.find(rest.substr(0, rest.size() - 1), head.size()) != std::string_view::npos);
}

// Returns the code with the tokens of directives; an #include becomes one token with the header's name.
Code with_directives_as_tokens(const Code& code) {
  std::vector<CodeToken> tokens;
  for (const CodeToken& token : code.tokens()) {
    if (token.kind != TokenKind::directive) {
      tokens.push_back(token);
      continue;
    }
    const std::string_view name = directive_name(token.text);
    if (name == "include_next" || name == "embed") {
      tokens.push_back({TokenKind::directive, name, token.line});
    } else if (const auto include = include_in(token.text)) {
      tokens.push_back({TokenKind::directive, include->name, token.line});
    } else {
      const Code inside = code.part(token.text.substr(1), token.line);
      tokens.insert(tokens.end(), inside.tokens().begin(), inside.tokens().end());
    }
  }
  return {code, std::move(tokens)};
}

bool has_form_at(const Code& code, std::size_t i, std::string_view form) {
  if (form.front() == '#')
    return code[i].kind == TokenKind::directive && matches(form.substr(1), code.text(i));
  if (form.front() != code.text(i).front()) return false;  // the usual case
  for (; !form.empty(); ++i) {
    const std::string_view part = form.substr(0, form.find(' '));
    form.remove_prefix(std::min(form.size(), part.size() + 1));
    if (i >= code.size() || code[i].kind == TokenKind::string || code[i].kind == TokenKind::directive)
      return false;
    if (part == "$" ? !code.is_word(i) : !matches(part, code.text(i))) return false;
  }
  return true;
}

// Returns whether a use that looks unsupported is supported.
bool is_supported(const Code& code, std::size_t i) {
  const std::string_view word = code.text(i);
  if (code[i].kind == TokenKind::directive)
    return is_one_of(word, {"cuda/atomic", "cuda/barrier", "cuda/pipeline", "cuda/semaphore"}) ||
           word.starts_with("cuda/std/");
  if (word.find("asm") != std::string_view::npos) return is_empty_assembly(code, i);
  if (word != "cuda") return false;
  if (i >= 3 && is_one_of(code.text(i - 3), {"thrust", "system"})) return true;  // thrust::cuda::par
  std::size_t after_cuda = i + 3;
  if (code.text(after_cuda) == "std" && code.text(after_cuda + 1) == ":" && after_cuda + 2 < code.size())
    after_cuda += 3;
  for (const char* form : {"atomic", "atomic_ref", "atomic_thread_fence", "memory_order*", "thread_scope*",
                           "barrier", "pipeline*", "make_pipeline", "memcpy_async", "aligned_size_t",
                           "binary_semaphore", "counting_semaphore"})
    if (after_cuda < code.size() && has_form_at(code, after_cuda, form)) return true;
  return false;
}

// Returns " (cuda::std::array)" for a qualified name that begins there; empty for another word.
std::string qualified_name(const Code& code, std::size_t i) {
  std::string name(code.text(i));
  for (; code.text(i + 1) == ":" && code.text(i + 2) == ":" && code.is_word(i + 3); i += 3)
    name += "::" + std::string(code.text(i + 3));
  return name.find(':') == std::string::npos ? "" : " (" + name + ")";
}

// Adds the first use of each feature, except for uses that are allowed.
template <std::size_t count>
void add_first_uses(const UnsupportedFeature (&features)[count], const Code& code,
                    std::vector<UnsupportedUse>& found, bool (*is_allowed)(const Code&, std::size_t)) {
  std::set<const char*> known;
  for (std::size_t i = 0; i < code.size(); ++i)
    for (const UnsupportedFeature& feature : features)
      for (const char* form : feature.forms)
        if (has_form_at(code, i, form) && !is_allowed(code, i) && known.insert(feature.what).second)
          found.push_back({code[i].line, std::string(feature.what) + qualified_name(code, i)});
}

// Returns the word before the parameters of the declaration, and moves `at` to them; empty if it has no
// parameters.
std::string_view declared_function(const Code& code, std::size_t& at) {
  std::string_view last;
  for (; at < code.size(); ++at) {
    const CodeToken& token = code[at];
    if (token.kind == TokenKind::word) last = token.text;
    if (token.text == ";" || token.text == "{") return {};
    const bool is_parenthesis = token.text == "(";
    if (is_parenthesis && !takes_arguments(last)) return last;
    if (is_parenthesis || token.text == "<") at = code.matching(at);
  }
  return {};
}

// Returns KERNEL for "#define KERNEL extern "C" __global__", which makes it another word for __global__.
std::string_view macro_for_global(std::string_view directive) {
  const std::optional<MacroDefinition> macro = macro_in(directive);
  if (!macro) return {};
  for (const Token& token : cuda_tokens(macro->rest.substr(0, macro->rest.find('\n'))))
    if (token.text == "__global__") return macro->name;
  return {};
}

std::vector<std::string> declared_kernels(const Code& code) {
  std::set<std::string_view> marks{"__global__"};
  std::vector<std::string> kernels;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at].kind == TokenKind::directive) marks.insert(macro_for_global(code.text(at)));
    if (code[at].kind != TokenKind::word || !marks.contains(code.text(at))) continue;
    ++at;
    if (const std::string_view name = declared_function(code, at); !name.empty()) kernels.emplace_back(name);
  }
  return kernels;
}

}  // namespace

std::vector<UnsupportedUse> unsupported_uses(const Code& code) {
  const Code all = with_directives_as_tokens(code);
  std::vector<UnsupportedUse> found;
  add_first_uses(unsupported, all, found, [](const Code& tokens, std::size_t i) {
    return is_supported(tokens, i) || is_assembly(tokens.text(i));
  });
  std::set<std::string> known;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (is_assembly(all.text(i)) && !is_empty_assembly(all, i))
      if (std::string missing = missing_in_ptx(all, i); !missing.empty() && known.insert(missing).second)
        found.push_back({all[i].line, std::move(missing)});
  std::ranges::stable_sort(found, {}, &UnsupportedUse::line);
  return found;
}

SourceScan scan_source(const Code& code, SharedMacros macros) {
  add_shared_macros(code, macros);
  constexpr std::size_t max_arrays = 1000;
  const Code all = with_directives_as_tokens(code);
  SourceScan scan{.dynamic_shared = dynamic_shared_symbols(all, macros), .kernels = declared_kernels(code)};
  std::vector<UnsupportedUse> found;
  add_first_uses(unsupported, all, found, is_supported);
  add_first_uses(unsupported_in_kernel_files, all, found, [](const Code&, std::size_t) { return false; });
  if (scan.dynamic_shared.size() > max_arrays)
    found.push_back({1, "more than 1 000 extern __shared__ arrays"});
  if (const auto first = std::ranges::min_element(found, {}, &UnsupportedUse::line); first != found.end()) {
    scan.why_refused = "the simulator does not have " + first->what;
    scan.refused_line = first->line;
  }
  return scan;
}

}  // namespace gpulab::source
