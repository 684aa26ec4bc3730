#include "simulator/compile/compiler.hpp"

#include <algorithm>
#include <regex>

#include "core/cuda_text.hpp"

namespace gpulab::simulator::compile {
namespace {

struct UnsupportedFeature {
  const char* word;  // which most files do not have, and then a search with the pattern is not worth its time
  const char* pattern;
  const char* what;
};

constexpr UnsupportedFeature unsupported[] = {
    // An empty one is no PTX: it keeps a compiler from moving what stands around it.
    {"asm", R"(\b(__)?asm(__)?\b(?!\s*(volatile|__volatile__)?\s*\(\s*""\s*[:)]))", "inline PTX (asm)"},
    {"mma", R"(\bwmma\b|\bmma_sync\b|#\s*include\s*<mma\.h>)", "tensor cores (wmma)"},
    {"grid", R"(\bthis_grid\s*\(\s*\)\s*\.\s*(sync|barrier_\w+)\b)", "a barrier for the whole grid (grid.sync())"},
    {"cluster", R"(\bthis_cluster\b|\bcluster_group\b|\b__cluster_dims__\b|\bcluster\.sync\b)", "thread block clusters"},
    {"memcpy_async", R"(\bmemcpy_async\b)", "asynchronous copies (memcpy_async)"},
    {"__pipeline", R"(\b__pipeline_\w+|\bcuda_pipeline\w*\.h\b)", "asynchronous copies (__pipeline_memcpy_async)"},
    {"cuda/", R"(#\s*include\s*<cuda/(?!atomic>|std/))", "libcu++, except for cuda::atomic_ref"},
    {"__barrier_sync", R"(\b__barrier_sync\w*)", "named barriers (__barrier_sync)"},
    {"__pm", R"(\b__pm[0-3]\b|\b__prof_trigger\b)", "a profiler's counters (__pm0)"},
    {"cudaTextureObject_t", R"(\bcudaTextureObject_t\b)", "textures and surfaces"},
    {"cudaSurfaceObject_t", R"(\bcudaSurfaceObject_t\b)", "textures and surfaces"},
    {"texture", R"(\btexture\s*<\s*(unsigned\s+)?\w+\s*[,>])", "texture references (texture<...>)"},
    {"surface", R"(\bsurface\s*<\s*void\s*[,>])", "surface references (surface<void, ...>)"},
    {"tex", R"(\btex[123]D\w*\s*[<(])", "textures and surfaces"},
    {"surf", R"(\bsurf[123]D\w*\s*[<(])", "textures and surfaces"},
    {"cub", R"(\bcub::|#\s*include\s*<cub/)", "CUB"},
    {"thrust", R"(\bthrust::|#\s*include\s*<thrust/)", "Thrust"},
    {"curand", R"(\bcurand\w*)", "cuRAND"},
    {"fp8", R"(\b__nv_fp8\w*|\bcuda_fp8\.h\b)", "8-bit floating point (cuda_fp8.h)"},
    {"cuda::",
     R"(\bcuda::(?!(std::)?(atomic_ref|atomic_thread_fence|memory_order\w*|thread_scope\w*)\b))",
     "libcu++, except for cuda::atomic_ref"},
};

// Of kernel files alone: a program launches kernels, and includes files of its own.
constexpr UnsupportedFeature unsupported_in_kernel_files[] = {
    {"cudaLaunchDevice", R"(\bcudaLaunchDevice\w*)", "launching kernels from kernels"},
    {"<<<", R"(<<<)", "launching kernels from kernels (<<<...>>>)"},
    {"include", R"(#\s*include\s*[<"]([^>"\n]*\.\.|/))", "an #include of a file by its path"},
    {"include_next", R"(#\s*include_next\b)", "#include_next"},
    {"embed", R"(#\s*embed\b)", "#embed"},
};

std::optional<UnsupportedUse> first_use(const std::string& code, const UnsupportedFeature& feature) {
  std::smatch match;
  if (code.find(feature.word) == std::string::npos) return std::nullopt;
  if (!std::regex_search(code, match, std::regex(feature.pattern))) return std::nullopt;
  return UnsupportedUse{static_cast<int>(1 + std::count(code.begin(), match[0].first, '\n')), feature.what};
}

// What stands in quotes is blank in the code, but the name of a header is not to be overlooked.
template <std::size_t count>
void look_for(const UnsupportedFeature (&features)[count], const std::string& code,
              std::vector<UnsupportedUse>& found) {
  for (const UnsupportedFeature& feature : features)
    if (auto use = first_use(code, feature)) found.push_back(std::move(*use));
}

void skip_brackets(const std::vector<Token>& tokens, std::size_t& at, char open, char close) {
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    if (tokens[at].kind != TokenKind::symbol) continue;
    if (tokens[at].text[0] == open) ++depth;
    if (tokens[at].text[0] == close && --depth == 0) return;
  }
}

bool takes_arguments(std::string_view attribute) {
  return attribute == "__launch_bounds__" || attribute == "__attribute__" || attribute == "__maxnreg__" ||
         attribute == "__align__" || attribute == "alignas";
}

// The word before the parameters of what is declared here; none of something that has no parameters.
std::string declared_function(const std::vector<Token>& tokens, std::size_t at) {
  std::string_view last;
  for (; at < tokens.size(); ++at) {
    const Token& token = tokens[at];
    if (token.kind == TokenKind::word) last = token.text;
    if (token.kind != TokenKind::symbol) continue;
    if (token.text == ";" || token.text == "{") return {};
    if (token.text == "<") skip_brackets(tokens, at, '<', '>');
    if (token.text != "(") continue;
    if (!takes_arguments(last)) return std::string(last);
    skip_brackets(tokens, at, '(', ')');
  }
  return {};
}

// "#define KERNEL extern "C" __global__" makes KERNEL another word for it.
std::string macro_for_global(std::string_view directive) {
  static const std::regex definition(R"(^#\s*define\s+(\w+)[^\n]*\b__global__\b)");
  std::match_results<std::string_view::const_iterator> match;
  if (!std::regex_search(directive.begin(), directive.end(), match, definition)) return {};
  return match[1];
}

std::vector<std::string> declared_kernels(const std::string& text) {
  const std::vector<Token> tokens = cuda_tokens(text);
  std::vector<std::string> marks{"__global__"}, kernels;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (tokens[at].kind == TokenKind::directive)
      if (const std::string macro = macro_for_global(tokens[at].text); !macro.empty()) marks.push_back(macro);
    if (tokens[at].kind != TokenKind::word) continue;
    if (std::find(marks.begin(), marks.end(), tokens[at].text) == marks.end()) continue;
    if (const std::string name = declared_function(tokens, at + 1); !name.empty()) kernels.push_back(name);
  }
  return kernels;
}

// The names between "namespace" and its bracket; one that is empty for a namespace without a name.
std::vector<std::string> opened_namespaces(const std::vector<Token>& tokens, std::size_t& at) {
  std::vector<std::string> names;
  for (; at < tokens.size(); ++at) {
    if (tokens[at].kind == TokenKind::word && tokens[at].text != "inline") names.emplace_back(tokens[at].text);
    if (tokens[at].text == "{") return names.empty() ? std::vector<std::string>{""} : names;
    if (tokens[at].text == "=" || tokens[at].text == ";") return {};
  }
  return {};
}

std::vector<std::string> namespaces_at(const std::string& code, std::size_t position) {
  const std::vector<Token> tokens = cuda_tokens(std::string_view(code).substr(0, position));
  std::vector<std::vector<std::string>> brackets;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (tokens[at].text == "namespace") {
      if (auto names = opened_namespaces(tokens, ++at); !names.empty()) brackets.push_back(std::move(names));
    } else if (tokens[at].text == "{") {
      brackets.emplace_back();
    } else if (tokens[at].text == "}" && !brackets.empty()) {
      brackets.pop_back();
    }
  }
  std::vector<std::string> all;
  for (const auto& names : brackets) all.insert(all.end(), names.begin(), names.end());
  return all;
}

// How the Itanium C++ ABI names a variable.
std::string symbol_in(const std::vector<std::string>& namespaces, const std::string& name) {
  if (namespaces.empty()) return name;
  std::string symbol = "_ZN";
  for (const std::string& one : namespaces)
    symbol += one.empty() ? "12_GLOBAL__N_1" : std::to_string(one.size()) + one;
  return symbol + std::to_string(name.size()) + name + "E";
}

}  // namespace

std::vector<UnsupportedUse> unsupported_uses(const std::string& text) {
  std::vector<UnsupportedUse> found;
  look_for(unsupported, strip_comments(text), found);
  std::ranges::stable_sort(found, {}, &UnsupportedUse::line);
  return found;
}

SourceScan scan_source(const std::string& text) {
  const std::string code = strip_comments(text);
  SourceScan scan;
  std::vector<UnsupportedUse> found;
  look_for(unsupported, code, found);
  look_for(unsupported_in_kernel_files, code, found);
  if (const auto first = std::ranges::min_element(found, {}, &UnsupportedUse::line); first != found.end()) {
    scan.refused = "the simulator does not have " + first->what;
    scan.refused_line = first->line;
  }
  scan.kernels = declared_kernels(text);
  if (code.find("extern") == std::string::npos) return scan;
  static const std::regex declaration(
      R"(\b(?:extern\b[^;{}\[()]*__shared__|__shared__\b[^;{}\[()]*\bextern)\b[^;\[]*?(\w+)\s*\[\s*\])");
  for (std::sregex_iterator at(code.begin(), code.end(), declaration), end; at != end; ++at) {
    const std::string name = symbol_in(namespaces_at(code, static_cast<std::size_t>(at->position())), (*at)[1]);
    if (std::find(scan.dynamic_shared.begin(), scan.dynamic_shared.end(), name) == scan.dynamic_shared.end())
      scan.dynamic_shared.push_back(name);
  }
  return scan;
}

}  // namespace gpulab::simulator::compile
