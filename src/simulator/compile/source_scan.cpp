#include "simulator/compile/compiler.hpp"

#include <algorithm>
#include <regex>

#include "core/cuda_text.hpp"

namespace gpulab::simulator::compile {
namespace {

struct Unsupported {
  const char* word;  // which most files do not have, and then a search with the pattern is not worth its time
  const char* pattern;
  const char* what;
};

constexpr Unsupported unsupported[] = {
    {"include", R"(#\s*include\b)", "#include: a kernel file includes nothing"},
    {"asm", R"(\b(__)?asm(__)?\b)", "inline PTX (asm)"},
    {"mma", R"(\bwmma\b|\bmma_sync\b)", "tensor cores (wmma)"},
    {"cooperative_groups", R"(\bcooperative_groups\b)", "cooperative groups"},
    {"tex", R"(\btex[123]D\w*\s*[<(])", "textures and surfaces"},
    {"surf", R"(\bsurf[123]D\w*\s*[<(])", "textures and surfaces"},
    {"cudaTextureObject_t", R"(\bcudaTextureObject_t\b)", "textures and surfaces"},
    {"cub::", R"(\bcub::)", "CUB and libcu++"},
    {"cuda::", R"(\bcuda::)", "CUB and libcu++"},
    {"<<<", R"(<<<)", "launching kernels from kernels (<<<...>>>)"},
};

void look_for_unsupported(const std::string& code, SourceScan& scan) {
  for (const Unsupported& feature : unsupported) {
    std::smatch match;
    if (code.find(feature.word) == std::string::npos) continue;
    if (!std::regex_search(code, match, std::regex(feature.pattern))) continue;
    scan.refused = std::string("the simulator does not have ") + feature.what;
    scan.refused_line = static_cast<int>(1 + std::count(code.begin(), match[0].first, '\n'));
    return;
  }
}

}  // namespace

SourceScan scan_source(const std::string& text) {
  const std::string code = strip_comments(text);
  SourceScan scan;
  look_for_unsupported(code, scan);
  if (code.find("extern") == std::string::npos) return scan;
  static const std::regex declaration(R"(\bextern\s+__shared__\s[^;\[]*?(\w+)\s*\[\s*\])");
  for (std::sregex_iterator at(code.begin(), code.end(), declaration), end; at != end; ++at) {
    const std::string name = (*at)[1];
    if (std::find(scan.dynamic_shared.begin(), scan.dynamic_shared.end(), name) == scan.dynamic_shared.end())
      scan.dynamic_shared.push_back(name);
  }
  return scan;
}

}  // namespace gpulab::simulator::compile
