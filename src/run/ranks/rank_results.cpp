#include "run/ranks/rank_results.hpp"

#include <sstream>

namespace gpulab::run::ranks {
namespace {

// No text has it: what comes of kernels is printable.
constexpr char between_fields = '\x1f';

}  // namespace

std::string text_of(const std::vector<RankResult>& ranks) {
  std::string text;
  for (const auto& [rank, device, node, part, observed, explanation, median_s] : ranks)
    for (const std::string& field :
         {std::to_string(rank), device, node, part, std::to_string(static_cast<int>(observed)), explanation,
          median_s ? std::to_string(*median_s * 1e9) : ""})
      text += field + between_fields;
  return text;
}

std::vector<RankResult> rank_results_of(const std::string& text) {
  std::vector<RankResult> ranks;
  std::vector<std::string> fields;
  std::istringstream all(text);
  for (std::string field; std::getline(all, field, between_fields);) {
    fields.push_back(field);
    if (fields.size() < 7) continue;
    ranks.push_back({.rank = std::stoi(fields[0]),
                     .device = fields[1],
                     .node = fields[2],
                     .part = fields[3],
                     .observed = static_cast<Outcome>(std::stoi(fields[4])),
                     .explanation = fields[5]});
    if (!fields[6].empty()) ranks.back().median_s = std::stod(fields[6]) * 1e-9;
    fields.clear();
  }
  return ranks;
}

}  // namespace gpulab::run::ranks
