#include "report/case_text.hpp"

#include <utility>

namespace gpulab::report {
namespace {

std::vector<std::pair<std::string, std::string>> parts_of(const BenchCase& what) {
  std::vector<std::pair<std::string, std::string>> parts;
  for (const auto& [name, value] : what.options) parts.emplace_back(name, text_of(value));
  parts.emplace_back("seed", std::to_string(what.seed));
  parts.emplace_back("block", what.block_size > 0 ? std::to_string(what.block_size) : "own");
  return parts;
}

}  // namespace

CaseDifferences::CaseDifferences(const std::vector<BenchCase>& cases) {
  for (const BenchCase& what : cases)
    for (const auto& [name, value] : parts_of(what)) values_[what.lesson][name].insert(value);
}

std::string CaseDifferences::text(const BenchCase& what) const {
  std::string text;
  for (const auto& [name, value] : parts_of(what))
    if (values_.at(what.lesson).at(name).size() > 1) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

}  // namespace gpulab::report
