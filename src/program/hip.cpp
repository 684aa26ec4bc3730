#include <algorithm>
#include <map>
#include <sstream>

#include "base/text.hpp"
#include "device/libraries.hpp"
#include "program/compiler.hpp"
#include "source/cuda_text.hpp"

namespace gpulab::program {
namespace {

using Names = std::map<std::string, std::string, std::less<>>;

// Returns CUDA's names by HIP's where they follow no rule: "cudaHostAlloc" for "hipHostMalloc".
const Names& irregular_names() {
  static const Names names = [] {
    Names all;
    std::istringstream words(header_text("hip_names.txt"));
    for (std::string hip, cuda; words >> hip >> cuda;) all[hip] = cuda;
    return all;
  }();
  return names;
}

// Pairs of prefixes, HIP's and CUDA's. The longest come first.
constexpr std::pair<std::string_view, std::string_view> prefixes[] = {
    {"hipDeviceAttribute", "cudaDevAttr"}, {"make_hip", "make_cuda"}, {"hip", "cuda"}};

std::string hip_name(std::string_view cuda) {
  for (const auto& [hip, irregular] : irregular_names())
    if (irregular == cuda) return hip;
  for (const auto& [hip_prefix, cuda_prefix] : prefixes)
    if (const std::string_view rest = cuda.substr(std::min(cuda_prefix.size(), cuda.size()));
        cuda.starts_with(cuda_prefix) && !rest.empty() && rest[0] >= 'A' && rest[0] <= 'Z')
      return std::string(hip_prefix) + std::string(rest);
  return std::string(cuda);
}

}  // namespace

std::string in_hip(std::string_view sentence) {
  std::string translated;
  while (!sentence.empty()) {
    const auto end = std::ranges::find_if_not(sentence, source::is_word_character);
    const auto length = static_cast<std::size_t>(end - sentence.begin());
    translated += hip_name(sentence.substr(0, length));
    sentence.remove_prefix(length);
    const auto next = std::ranges::find_if(sentence, source::is_word_character);
    translated.append(sentence.begin(), next);
    sentence.remove_prefix(static_cast<std::size_t>(next - sentence.begin()));
  }
  return translated;
}

std::string cuda_name(const std::string& hip) {
  if (const auto found = irregular_names().find(hip); found != irregular_names().end()) return found->second;
  for (const auto& [hip_prefix, cuda_prefix] : prefixes)
    if (hip.starts_with(hip_prefix)) return std::string(cuda_prefix) + hip.substr(hip_prefix.size());
  return hip;
}

bool is_hip(const std::vector<source::SourceFile>& sources) {
  const std::vector<std::string> headers = source::foreign_headers(sources);
  return sources.front().path.extension() == ".hip" ||
         std::ranges::find(headers, "hip/hip_runtime.h") != headers.end();
}

std::string hip_api(const std::string& runtime_api, WarpSize warp_size) {
  const std::string own = header_text("hip_api.cuh");
  const auto defined = device::words_of(source::Code(own));
  std::string macros = "#define __AMDGCN_WAVEFRONT_SIZE " + std::to_string(warp_size.lanes()) + "\n";
  const auto define = [&](const std::string& hip, const std::string& cuda) {
    const bool is_header = hip.ends_with(".h");
    if (!is_header && !defined.contains(hip)) macros += "#define " + hip + " " + cuda + "\n";
  };
  for (const auto& [hip, cuda] : irregular_names()) define(hip, cuda);
  for (const std::string& cuda : device::words_of(source::Code(runtime_api)))
    if (const std::string hip = hip_name(cuda); hip != cuda && cuda_name(hip) == cuda) define(hip, cuda);
  return macros + own;
}

void translate_to_hip(ProgramReport& report) {
  for (ProgramFinding& finding : report.findings) {
    for (std::string* text : {&finding.text, &finding.instead, &finding.call}) *text = in_hip(*text);
    for (ProgramFinding::Other& other : finding.others) other.text = in_hip(other.text);
  }
  for (TimelineEntry& entry : report.timeline) entry.name = in_hip(entry.name);
}

}  // namespace gpulab::program
