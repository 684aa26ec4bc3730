#include "program/hip.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <initializer_list>
#include <map>
#include <sstream>

#include "base/text.hpp"
#include "device/libraries.hpp"
#include "program/compiler.hpp"
#include "source/cuda_text.hpp"
#include "source/source_parts.hpp"

namespace gpulab::program {
namespace {

using Names = std::map<std::string, std::string, std::less<>>;

// Returns the CUDA names of HIP names that follow no rule: "cudaHostAlloc" for "hipHostMalloc".
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
constexpr std::pair<std::string_view, std::string_view> prefixes[] = {{"hipDeviceAttribute", "cudaDevAttr"},
                                                                      {"make_hip", "make_cuda"},
                                                                      {"hipblas", "cublas"},
                                                                      {"HIPBLAS_", "CUBLAS_"},
                                                                      {"hip", "cuda"}};

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
  const std::string own_text = header_text("hip_api.cuh");
  const auto defined = device::words_of(source::Code(own_text));
  std::string macros = "#define __AMDGCN_WAVEFRONT_SIZE " + std::to_string(warp_size.lanes()) + "\n";
  const auto define = [&](const std::string& hip, const std::string& cuda) {
    const bool is_header = hip.ends_with(".h");
    if (!is_header && !defined.contains(hip)) macros += fmt::format("#define {} {}\n", hip, cuda);
  };
  for (const auto& [hip, cuda] : irregular_names()) define(hip, cuda);
  for (const std::string& cuda : device::words_of(source::Code(runtime_api)))
    if (const std::string hip = hip_name(cuda); hip != cuda && cuda_name(hip) == cuda) define(hip, cuda);
  return macros + own_text;
}

std::string header_in_hip(std::string header) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {{"cublas", "hipblas"},
                                                                     {"CUBLAS_", "HIPBLAS_"},
                                                                     {"CUDA_R_", "HIP_R_"},
                                                                     {"CUDA_C_", "HIP_C_"},
                                                                     {"cudaDataType", "hipDataType"}};
  for (const auto& [cuda, hip] : names)
    for (std::size_t at = 0; (at = header.find(cuda, at)) != std::string::npos; at += hip.size())
      header.replace(at, cuda.size(), hip);
  return header;
}

void translate_to_hip(ProgramReport& report) {
  for (ProgramFinding& finding : report.findings) {
    for (std::string* text : {&finding.text, &finding.correction, &finding.call}) *text = in_hip(*text);
    for (ProgramFinding::Other& other : finding.others)
      for (std::string* text : {&other.text, &other.call}) *text = in_hip(*text);
  }
  for (TimelineEntry& entry : report.timeline) entry.name = in_hip(entry.name);
}

namespace {

// Returns whether a call that returns a mask of lanes begins at the token, and one of `ends` follows it.
bool is_mask_before(const source::Code& code, std::size_t token,
                    std::initializer_list<std::string_view> ends) {
  return is_one_of(code.text(token), {"__ballot", "__ballot_sync", "__activemask", "__match_any_sync"}) &&
         code.text(token + 1) == "(" && is_one_of(code.text(code.matching(token + 1) + 1), ends);
}

// Returns whether the token keeps only 32 bits of a mask: unsigned set = __ballot(x), or __popc(__ballot(x)).
bool cuts_mask(const source::Code& code, std::size_t token) {
  if (is_one_of(code.text(token), {"__popc", "__ffs", "__clz", "__brev"}))
    return code.text(token + 1) == "(" && is_mask_before(code, token + 2, {")"});
  const bool is_declared =
      token >= 2 && code.text(token) == "=" && code.is_word(token - 1) &&
      is_one_of(code.text(token - 2), {"unsigned", "int", "uint", "uint32_t", "int32_t"});
  const bool is_long = token >= 3 && is_one_of(code.text(token - 3), {"long"});
  return is_declared && !is_long && is_mask_before(code, token + 1, {";", ","});
}

// Returns whether threads are divided into groups of 32 at the token: threadIdx.x / 32.
bool has_groups_of_32(const source::Code& code, std::size_t token) {
  const bool is_index = code.text(token) == "threadIdx" && code.text(token + 2) == "x";
  const std::size_t next = is_index ? token + 3 : token + 1;
  if (!is_index && code.text(token) != "hipThreadIdx_x") return false;
  const std::string_view number = code.text(next + 1);
  if (is_one_of(code.text(next), {"/", "%"})) return number == "32";
  return code.text(next) == "&" && is_one_of(number, {"31", "0x1f", "0x1F"});
}

// Returns the lines with a token that satisfies the test. Skips #if, which may be for another
// warp size.
template <class Test>
std::vector<int> lines_where(const source::Code& code, const Test& test) {
  std::vector<int> lines;
  int open_ifs = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].kind == source::TokenKind::directive) {
      const std::string_view name = source::directive_name(code[i].text);
      open_ifs += is_one_of(name, {"if", "ifdef", "ifndef"}) ? 1 : name == "endif" ? -1 : 0;
    } else if (open_ifs == 0 && (lines.empty() || lines.back() != code[i].line) && test(code, i)) {
      lines.push_back(code[i].line);
    }
  }
  return lines;
}

// Adds the line of the finding's function that divides threads into groups of 32.
void add_groups_of_32(const source::Code& code, ProgramFinding& finding) {
  const source::PartLines part = source::part_around(code, finding.place.line);
  const std::vector<int> lines = lines_where(code, has_groups_of_32);
  const auto line = std::ranges::lower_bound(lines, part.first);
  if (line != lines.end() && part.has(*line))
    finding.others.push_back({{finding.place.file, *line}, "this line assumes warps of 32 lanes"});
}

}  // namespace

void add_advice_for_64_lanes(const std::vector<source::SourceFile>& sources, ProgramReport& report) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const source::Code& code = sources[i].code;
    const std::string file = i == 0 ? "" : sources[i].path.filename().string();
    for (ProgramFinding& finding : report.findings)
      if (finding.place.file == file && !finding.is_note &&
          (is_one_of(finding.pattern, {"wrong-mask", "deadlock"}) || finding.pattern.starts_with("race-")))
        add_groups_of_32(code, finding);
    for (const int line : lines_where(code, cuts_mask))
      report.findings.push_back(
          {.pattern = "wrong-mask",
           .is_note = true,
           .place = {file, line},
           .text =
               "a warp has 64 lanes, and this line keeps 32 bits of their mask: lanes 32 to 63 are cut off",
           .correction = "unsigned long long, and __popcll() and the like for 64 bits"});
  }
}

}  // namespace gpulab::program
