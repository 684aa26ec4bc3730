#include <algorithm>
#include <set>

#include "source/cuda_text.hpp"
#include "source/device_code.hpp"

namespace gpulab::source {
namespace {

// Forms are the tokens of each, with blanks between them: "sync*" is any word that begins so, "$" any word,
// "#x" the header x in a directive.
struct UnsupportedFeature {
  std::initializer_list<const char*> forms;
  const char* what;
};

const UnsupportedFeature unsupported[] = {
    {{"asm", "__asm", "asm__", "__asm__"}, "inline PTX (asm)"},
    {{"wmma", "mma_sync", "#mma.h"}, "tensor cores (wmma)"},
    {{"this_grid ( ) . sync", "this_grid ( ) . barrier_*"}, "a barrier for the whole grid (grid.sync())"},
    {{"this_cluster", "cluster_group", "__cluster_dims__", "cluster . sync"}, "thread block clusters"},
    {{"memcpy_async"}, "asynchronous copies (memcpy_async)"},
    {{"__pipeline_*", "#cuda_pipeline*"}, "asynchronous copies (__pipeline_memcpy_async)"},
    {{"#cuda/*", "cuda : :"}, "libcu++, except for cuda::atomic_ref"},
    {{"__barrier_sync*"}, "named barriers (__barrier_sync)"},
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

// Of kernel files alone: a program launches kernels, and includes files of its own.
const UnsupportedFeature unsupported_in_kernel_files[] = {
    {{"cudaLaunchDevice*"}, "launching kernels from kernels"},
    {{"< < <"}, "launching kernels from kernels (<<<...>>>)"},
    {{"#/*", "#*..*"}, "an #include of a file by its path"},
    {{"#include_next"}, "#include_next"},
    {{"#embed"}, "#embed"},
};

bool matches(std::string_view form, std::string_view word) {
  const std::size_t star = form.find('*');
  if (star == std::string_view::npos || form.size() == 1) return form == word;
  const std::string_view head = form.substr(0, star), rest = form.substr(star + 1);
  return word.starts_with(head) &&
         (rest.empty() || word.find(rest.substr(0, rest.size() - 1), head.size()) != std::string_view::npos);
}

// The code, that of directives included; of an #include there is "#" with the header's name.
class FlatCode {
 public:
  explicit FlatCode(const CodeText& code) {
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (code[i].kind == TokenKind::directive)
        add_directive(code[i]);
      else
        tokens_.push_back(code[i]);
    }
  }

  std::size_t size() const { return tokens_.size(); }
  const CodeToken& operator[](std::size_t i) const { return tokens_[i]; }
  std::string_view text(std::size_t i) const { return i < size() ? tokens_[i].text : std::string_view(); }

  bool is_at(std::size_t i, std::string_view form) const {
    if (form.front() == '#')
      return tokens_[i].kind == TokenKind::directive && matches(form.substr(1), tokens_[i].text);
    if (form.front() != tokens_[i].text.front()) return false;  // most do not
    for (; !form.empty(); ++i) {
      const std::string_view part = form.substr(0, form.find(' '));
      form.remove_prefix(std::min(form.size(), part.size() + 1));
      if (i >= tokens_.size() || tokens_[i].kind == TokenKind::string ||
          tokens_[i].kind == TokenKind::directive)
        return false;
      if (part == "$" ? tokens_[i].kind != TokenKind::word : !matches(part, tokens_[i].text)) return false;
    }
    return true;
  }

  // What looks like something that is missing, and is there.
  bool is_supported(std::size_t i) const {
    const std::string_view word = tokens_[i].text;
    if (tokens_[i].kind == TokenKind::directive)
      return word == "cuda/atomic" || word.starts_with("cuda/std/");
    if (word.find("asm") != std::string_view::npos) return is_empty_assembly(*this, i);
    if (word != "cuda") return false;
    std::size_t at = i + 3;
    if (at + 2 < size() && tokens_[at].text == "std" && tokens_[at + 1].text == ":") at += 3;
    for (const char* form : {"atomic_ref", "atomic_thread_fence", "memory_order*", "thread_scope*"})
      if (at < size() && is_at(at, form)) return true;
    return false;
  }

 private:
  void add_directive(const CodeToken& directive) {
    const std::string_view name = directive_name(directive.text);
    if (name == "include_next" || name == "embed")
      return tokens_.push_back({TokenKind::directive, name, directive.line});
    if (const auto include = include_in(directive.text))
      return tokens_.push_back({TokenKind::directive, include->name, directive.line});
    int line = directive.line;
    for (const Token& token : cuda_tokens(directive.text.substr(1))) {
      if (token.kind != TokenKind::space && token.kind != TokenKind::comment)
        tokens_.push_back({token.kind, token.text, line});
      line += static_cast<int>(std::ranges::count(token.text, '\n'));
    }
  }

  std::vector<CodeToken> tokens_;
};

// The first use of each.
template <std::size_t count>
void look_for(const UnsupportedFeature (&features)[count], const FlatCode& code,
              std::vector<UnsupportedUse>& found) {
  std::set<const char*> known;
  for (std::size_t i = 0; i < code.size(); ++i)
    for (const UnsupportedFeature& feature : features)
      for (const char* form : feature.forms)
        if (code.is_at(i, form) && !code.is_supported(i) && known.insert(feature.what).second)
          found.push_back({code[i].line, feature.what});
}

std::size_t past_brackets(const CodeText& code, std::size_t at, std::string_view open,
                          std::string_view close) {
  int depth = 0;
  for (; at < code.size(); ++at) {
    if (code.text(at) == open) ++depth;
    if (code.text(at) == close && --depth == 0) break;
  }
  return at;
}

bool attribute_takes_arguments(std::string_view attribute) {
  return attribute == "__launch_bounds__" || attribute == "__attribute__" || attribute == "__maxnreg__" ||
         attribute == "__align__" || attribute == "alignas";
}

// The word before the parameters of what is declared here; none of something that has no parameters. Goes on
// to there.
std::string_view declared_function(const CodeText& code, std::size_t& at) {
  std::string_view last;
  for (; at < code.size(); ++at) {
    const CodeToken& token = code[at];
    if (token.kind == TokenKind::word) last = token.text;
    if (token.text == ";" || token.text == "{") return {};
    if (token.text == "<") at = past_brackets(code, at, "<", ">");
    if (token.text != "(") continue;
    if (!attribute_takes_arguments(last)) return last;
    at = past_brackets(code, at, "(", ")");
  }
  return {};
}

// "#define KERNEL extern "C" __global__" makes KERNEL another word for it.
std::string_view macro_for_global(std::string_view directive) {
  if (directive_name(directive) != "define") return {};
  Scanner scanner(directive);
  scanner.skip_past("define");
  scanner.blanks();
  const std::string_view name = scanner.word();
  for (const Token& token : cuda_tokens(scanner.rest().substr(0, scanner.rest().find('\n'))))
    if (token.text == "__global__") return name;
  return {};
}

std::vector<std::string> declared_kernels(const CodeText& code) {
  std::set<std::string_view> marks{"__global__"};
  std::vector<std::string> kernels;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at].kind == TokenKind::directive) marks.insert(macro_for_global(code.text(at)));
    if (code[at].kind != TokenKind::word || !marks.contains(code.text(at))) continue;
    if (const std::string_view name = declared_function(code, ++at); !name.empty())
      kernels.emplace_back(name);
  }
  return kernels;
}

// The names between "namespace" and its bracket; one that is empty for a namespace without a name.
std::vector<std::string> opened_namespaces(const FlatCode& code, std::size_t& at) {
  std::vector<std::string> names;
  for (; at < code.size(); ++at) {
    if (code[at].kind == TokenKind::word && code.text(at) != "inline") names.emplace_back(code.text(at));
    if (code.text(at) == "{") return names.empty() ? std::vector<std::string>{""} : names;
    if (code.text(at) == "=" || code.text(at) == ";") return {};
  }
  return {};
}

// How the Itanium C++ ABI names a variable.
std::string symbol_in(const std::vector<std::string>& namespaces, const std::string& name) {
  if (namespaces.empty()) return name;
  std::string symbol = "_ZN";
  for (const std::string& one : namespaces)
    symbol += one.empty() ? "12_GLOBAL__N_1" : std::to_string(one.size()) + one;
  return symbol + std::to_string(name.size()) + name + "E";
}

// The symbols of what is declared extern __shared__ T name[], its words in any order.
std::vector<std::string> dynamic_shared_in(const FlatCode& code) {
  std::vector<std::vector<std::string>> brackets;  // each with the namespaces that it opens
  std::set<std::string> known;
  std::vector<std::string> symbols;
  bool is_extern = false, is_shared = false;
  for (std::size_t at = 0; at < code.size(); ++at) {
    const std::string_view text = code.text(at);
    is_extern |= text == "extern";
    is_shared |= text == "__shared__";
    if (text == "namespace") {
      if (auto names = opened_namespaces(code, ++at); !names.empty()) brackets.push_back(std::move(names));
      is_extern = is_shared = false;
    } else if (text == "{") {
      brackets.emplace_back();
    } else if (text == "}" && !brackets.empty()) {
      brackets.pop_back();
    } else if (text == "[" && is_extern && is_shared && code.text(at + 1) == "]" &&
               code[at - 1].kind == TokenKind::word) {
      std::vector<std::string> namespaces;
      for (const auto& names : brackets) namespaces.insert(namespaces.end(), names.begin(), names.end());
      if (std::string symbol = symbol_in(namespaces, std::string(code.text(at - 1)));
          known.insert(symbol).second)
        symbols.push_back(std::move(symbol));
    }
    const bool is_end = text == ";" || text == "{" || text == "}" || text == "[";
    if (is_end || (text == "(" && !(is_extern && is_shared))) is_extern = is_shared = false;
  }
  return symbols;
}

}  // namespace

std::vector<UnsupportedUse> unsupported_uses(const std::string& text) {
  const CodeText code(text);
  std::vector<UnsupportedUse> found;
  look_for(unsupported, FlatCode(code), found);
  return found;
}

SourceScan scan_source(const std::string& text) {
  constexpr std::size_t most_arrays = 1000;
  const CodeText code(text);
  const FlatCode flat(code);
  SourceScan scan{.dynamic_shared = dynamic_shared_in(flat), .kernels = declared_kernels(code)};
  std::vector<UnsupportedUse> found;
  look_for(unsupported, flat, found);
  look_for(unsupported_in_kernel_files, flat, found);
  if (scan.dynamic_shared.size() > most_arrays)
    found.push_back({1, "more than 1 000 extern __shared__ arrays"});
  if (const auto first = std::ranges::min_element(found, {}, &UnsupportedUse::line); first != found.end()) {
    scan.refused = "the simulator does not have " + first->what;
    scan.refused_line = first->line;
  }
  return scan;
}

}  // namespace gpulab::source
