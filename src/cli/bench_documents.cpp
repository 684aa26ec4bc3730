#include "cli/bench_documents.hpp"

#include "core/files.hpp"
#include "report/bench_json.hpp"

namespace gpulab::cli {
namespace {

constexpr std::size_t max_bytes = std::size_t{512} << 20;

BenchResult read_bench_document(const std::filesystem::path& file) {
  const std::string text = read_file(file, max_bytes);
  if (text.size() > max_bytes)
    throw UsageError(file.string() +
                     " is larger than 512 MiB: measure fewer sizes or lessons in one document");
  return report::read_bench_json(text, file.string());
}

}  // namespace

std::vector<BenchResult> read_bench_documents(const std::vector<std::filesystem::path>& files) {
  std::vector<BenchResult> results;
  for (const std::filesystem::path& file : files) results.push_back(read_bench_document(file));
  return results;
}

}  // namespace gpulab::cli
