#pragma once

#include <filesystem>
#include <vector>

#include "core/bench_result.hpp"

namespace gpulab::cli {

// A document of `gpulab bench`; "-" is stdin, where nothing at all is a result without rows. Throws
// UsageError, which names the file, for what is no such document.
BenchResult read_bench_document(const std::filesystem::path& file);

// The documents of `gpulab bench` in these files or pipes, of at most 512 MiB each. Throws UsageError, which
// names the file, for what is no such document.
std::vector<BenchResult> read_bench_documents(const std::vector<std::filesystem::path>& files);

// Rows are measured in random order. A reader expects the course's: lesson after lesson, then by size, then
// from the naive kernel to the fast one. What this gpulab does not know comes last, by name.
void sort_as_lessons_do(std::vector<BenchRow>& rows);

}  // namespace gpulab::cli
