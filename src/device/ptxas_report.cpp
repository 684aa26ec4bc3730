#include "device/ptxas_report.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>
#include <vector>

namespace gpulab::device {
namespace {

// Returns the report on one kernel and the functions that it calls, up to the next kernel.
std::string part_about(const std::string& report, const std::string& symbol) {
  const std::string kernel = "Compiling entry function '";
  const std::size_t start = report.find(kernel + symbol + "'");
  if (start == std::string::npos) return {};
  return report.substr(start, report.find(kernel, start + 1) - start);
}

// Returns each number that is followed by these words.
std::vector<std::size_t> numbers_before(const std::string& words, const std::string& text) {
  std::vector<std::size_t> numbers;
  for (std::size_t at = text.find(" " + words); at != std::string::npos;
       at = text.find(" " + words, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1]))) --begin;
    if (begin == at) continue;
    std::from_chars(text.data() + begin, text.data() + at, numbers.emplace_back());
  }
  return numbers;
}

std::size_t first_number_before(const std::string& words, const std::string& text) {
  const std::vector<std::size_t> numbers = numbers_before(words, text);
  return numbers.empty() ? 0 : numbers.front();
}

std::size_t sum_before(const std::string& words, const std::string& text) {
  const std::vector<std::size_t> numbers = numbers_before(words, text);
  return std::accumulate(numbers.begin(), numbers.end(), std::size_t{0});
}

}  // namespace

std::optional<KernelAttributes> reported_attributes(const std::string& report, const std::string& symbol) {
  const std::string part = part_about(report, symbol);
  if (part.empty()) return std::nullopt;
  KernelAttributes attributes;
  attributes.registers_per_thread = static_cast<int>(first_number_before("registers", part));
  attributes.static_shared_bytes = first_number_before("bytes smem", part);
  // The second includes called functions. ptxas reports it only if it is known and not 0.
  attributes.local_bytes_per_thread = std::max(first_number_before("bytes stack frame", part),
                                               first_number_before("bytes cumulative stack size", part));
  attributes.spill_store_bytes = sum_before("bytes spill stores", part);
  attributes.spill_load_bytes = sum_before("bytes spill loads", part);
  return attributes;
}

}  // namespace gpulab::device
