#pragma once

#include <filesystem>
#include <vector>

#include "core/bench_result.hpp"

namespace gpulab::cli {

// A document of `gpulab bench`; "-" is stdin, where nothing at all is a result without rows. Throws UsageError, which names
// the file, for what is no such document.
BenchResult read_bench_document(const std::filesystem::path& file);

// The documents of `gpulab bench` in these files or pipes, of at most 512 MiB each. Throws UsageError, which
// names the file, for what is no such document.
std::vector<BenchResult> read_bench_documents(const std::vector<std::filesystem::path>& files);

}  // namespace gpulab::cli
