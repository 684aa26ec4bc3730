#include "device/simulator/compile/source_scan.hpp"

#include <algorithm>
#include <regex>

namespace gpulab {
namespace {

// The text with comments and the insides of literals blanked; lines keep their places.
std::string without_comments_and_literals(const std::string& text) {
  std::string code = text;
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to && i < code.size(); ++i)
      if (code[i] != '\n') code[i] = ' ';
  };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (text.compare(i, 2, "//") == 0) {
      end = std::min(text.find('\n', i), text.size());
      blank(i, end);
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t close = text.find("*/", i + 2);
      end = close == std::string::npos ? text.size() : close + 2;
      blank(i, end);
    } else if (text[i] == '"' || text[i] == '\'') {
      while (end < text.size() && text[end] != text[i] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      blank(i + 1, end);
      end = std::min(end + 1, text.size());
    }
    i = end;
  }
  return code;
}

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
  const std::string code = without_comments_and_literals(text);
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

}  // namespace gpulab
