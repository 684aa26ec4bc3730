#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "core/scanner.hpp"
#include "program/compiler.hpp"
#include "simulator/compile/compiler.hpp"
#include "simulator/compile/source_scan.hpp"

namespace gpulab::program {
namespace {

struct Use {
  std::string what;
  std::string file;
  int line = 0;
};

const std::set<std::string, std::less<>>& missing_names() {
  static const std::set<std::string, std::less<>> names = [] {
    std::set<std::string, std::less<>> all;
    for (const EmbeddedFile& file : program_headers()) {
      if (std::string_view(file.name) != "missing_names.txt") continue;
      std::istringstream words{std::string(file.text)};
      for (std::string word; words >> word;) all.insert(word);
    }
    return all;
  }();
  return names;
}

// Libraries and interfaces beside the runtime API, by what their names begin with.
std::string library_of(std::string_view word) {
  static const std::pair<std::string_view, const char*> libraries[] = {{"cublas", "cuBLAS"},
                                                                       {"cufft", "cuFFT"},
                                                                       {"cusparse", "cuSPARSE"},
                                                                       {"cusolver", "cuSOLVER"},
                                                                       {"cudnn", "cuDNN"},
                                                                       {"nvml", "NVML"},
                                                                       {"nccl", "NCCL"},
                                                                       {"nvrtc", "NVRTC"},
                                                                       {"nppi", "NPP"},
                                                                       {"nvjpeg", "nvJPEG"},
                                                                       {"MPI_", "MPI"},
                                                                       {"cuMem", "the driver API"},
                                                                       {"cuCtx", "the driver API"},
                                                                       {"cuModule", "the driver API"},
                                                                       {"cuLaunch", "the driver API"},
                                                                       {"cuDevice", "the driver API"},
                                                                       {"cuInit", "the driver API"}};
  for (const auto& [prefix, name] : libraries)
    if (word.starts_with(prefix) && word.size() > prefix.size()) return name;
  return "";
}

// Each once, in the order of the files and lines.
std::vector<Use> uses_of_missing(const SourceFile& source) {
  std::vector<Use> uses;
  std::set<std::string, std::less<>> known;
  int line = 1;
  for (const Token& token : cuda_tokens(source.text)) {
    if (token.kind == TokenKind::directive && directive_name(token.text) == "define") {
      Scanner scanner(token.text);
      scanner.skip_past("define");
      scanner.blanks();
      known.emplace(scanner.word());
    }
    if (token.kind == TokenKind::word && !known.contains(token.text)) {
      if (missing_names().contains(token.text))
        uses.push_back({std::string(token.text), source.name, line}), known.emplace(token.text);
      else if (const std::string library = library_of(token.text);
               !library.empty() && known.insert(library).second)
        uses.push_back({library + " (" + std::string(token.text) + ")", source.name, line});
    }
    line += static_cast<int>(std::count(token.text.begin(), token.text.end(), '\n'));
  }
  // Kernel files have no textures, but programs do.
  for (const simulator::compile::UnsupportedUse& use : simulator::compile::unsupported_uses(source.text))
    if (use.what != "textures and surfaces") uses.push_back({use.what, source.name, use.line});
  std::ranges::stable_sort(uses, {}, &Use::line);
  return uses;
}

}  // namespace

Missing missing_in(const std::vector<SourceFile>& sources) {
  std::vector<Use> all;
  std::set<std::string> known;
  for (const SourceFile& source : sources)
    for (Use& use : uses_of_missing(source))
      if (known.insert(use.what).second) all.push_back(std::move(use));
  if (all.empty()) return {};
  const Use& first = all.front();
  std::string sentence = "the simulated device does not have " + first.what;
  constexpr std::size_t most = 6;
  for (std::size_t i = 1; i < all.size() && i <= most; ++i)
    sentence += (i == 1 ? "; " + std::to_string(all.size() - 1) + " more " +
                              (all.size() == 2 ? "is" : "are") + " missing: "
                        : ", ") +
                all[i].what + " (line " + std::to_string(all[i].line) +
                (all[i].file == first.file ? "" : " of " + all[i].file) + ")";
  if (all.size() > most + 1) sentence += " ...";
  return {sentence, first.file, first.line};
}

}  // namespace gpulab::program
