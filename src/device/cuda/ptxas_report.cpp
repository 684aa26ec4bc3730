#include "device/cuda/ptxas_report.hpp"

#include <algorithm>
#include <regex>

namespace gpulab {
namespace {

// What is said of one kernel and then of the functions that it calls, up to the next kernel.
std::string part_about(const std::string& report, const std::string& symbol) {
  const std::string kernel = "Compiling entry function '";
  const std::size_t start = report.find(kernel + symbol + "'");
  if (start == std::string::npos) return {};
  return report.substr(start, report.find(kernel, start + 1) - start);
}

// The number before these words where they are said first; 0 where they are not.
std::size_t number_before(const std::string& words, const std::string& text) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(R"((\d+) )" + words)) ? std::stoull(match[1]) : 0;
}

}  // namespace

std::optional<KernelAttributes> reported_attributes(const std::string& report, const std::string& symbol) {
  const std::string part = part_about(report, symbol);
  if (part.empty()) return std::nullopt;
  KernelAttributes attributes;
  attributes.registers_per_thread = static_cast<int>(number_before("registers", part));
  attributes.static_shared_bytes = number_before("bytes smem", part);
  // The second, of the kernel and what it calls together, is only said where it is not 0 and known.
  attributes.local_bytes_per_thread =
      std::max(number_before("bytes stack frame", part), number_before("bytes cumulative stack size", part));

  static const std::regex spills(R"((\d+) bytes spill stores, (\d+) bytes spill loads)");
  std::size_t stored = 0, loaded = 0;
  for (std::sregex_iterator at(part.begin(), part.end(), spills), end; at != end; ++at) {
    stored += std::stoull((*at)[1]);
    loaded += std::stoull((*at)[2]);
  }
  attributes.spill_store_bytes = stored;
  attributes.spill_load_bytes = loaded;
  return attributes;
}

}  // namespace gpulab
