#pragma once

#include <string>
#include <vector>

#include "core/crossover.hpp"
#include "report/layout.hpp"

namespace gpulab::report {

// A table over size of the times on the CPU and with the GPU, and in words from which size on the GPU is
// faster.
std::string crossover_text(const CrossoverResult& result, const BenchResult& measured,
                           const TextStyle& style);

// The four times over size, drawn with characters.
std::string crossover_plot(const CrossoverResult& result, const TextStyle& style);

// One document, "gpulab.crossover", which matches data/gpulab-crossover.schema.json.
std::string crossover_json(const std::vector<CrossoverResult>& results, const BenchResult& measured);

}  // namespace gpulab::report
