#include "simulator/compile/source_scan.hpp"

#include <algorithm>
#include <regex>

#include "core/bare_code.hpp"

namespace gpulab::simulator::compile {
namespace {

struct Unsupported {
  const char* pattern;
  const char* what;
};

constexpr Unsupported unsupported[] = {
    {R"(#\s*include\b)", "#include: a kernel file includes nothing"},
    {R"(\b(__)?asm(__)?\b)", "inline PTX (asm)"},
    {R"(\bwmma\b|\bmma_sync\b)", "tensor cores (wmma)"},
    {R"(\bcooperative_groups\b)", "cooperative groups"},
    {R"(\btex[123]D\w*\s*[<(]|\bsurf[123]D\w*\s*[<(]|\bcudaTextureObject_t\b)", "textures and surfaces"},
    {R"(\bcub::|\bcuda::)", "CUB and libcu++"},
    {R"(<<<)", "launching kernels from kernels (<<<...>>>)"},
};

void look_for_unsupported(const std::string& code, SourceScan& scan) {
  for (const Unsupported& feature : unsupported) {
    std::smatch match;
    if (!std::regex_search(code, match, std::regex(feature.pattern))) continue;
    scan.refused = std::string("the simulator does not have ") + feature.what;
    scan.refused_line = static_cast<int>(1 + std::count(code.begin(), match[0].first, '\n'));
    return;
  }
}

}  // namespace

SourceScan scan_source(const std::string& text) {
  const std::string code = bare_code(text);
  SourceScan scan;
  look_for_unsupported(code, scan);
  static const std::regex declaration(R"(\bextern\s+__shared__\s[^;\[]*?(\w+)\s*\[\s*\])");
  for (std::sregex_iterator at(code.begin(), code.end(), declaration), end; at != end; ++at) {
    const std::string name = (*at)[1];
    if (std::find(scan.dynamic_shared.begin(), scan.dynamic_shared.end(), name) == scan.dynamic_shared.end())
      scan.dynamic_shared.push_back(name);
  }
  return scan;
}

}  // namespace gpulab::simulator::compile
