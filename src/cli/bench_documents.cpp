#include "cli/bench_documents.hpp"

#include <unistd.h>

#include "core/files.hpp"
#include "report/bench_json.hpp"

namespace gpulab::cli {
namespace {

constexpr std::size_t max_bytes = std::size_t{512} << 20;

std::string read_stdin() {
  std::string text;
  char piece[1 << 16];
  for (ssize_t got; (got = ::read(STDIN_FILENO, piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(got));
  return text;
}

}  // namespace

BenchResult read_bench_document(const std::filesystem::path& file) {
  if (file == "-") {
    const std::string text = read_stdin();
    return text.empty() ? BenchResult() : report::read_bench_json(text, "stdin");
  }
  const std::string text = read_file(file, max_bytes);
  if (text.size() > max_bytes)
    throw UsageError(file.string() +
                     " is larger than 512 MiB: measure fewer sizes or lessons in one document");
  return report::read_bench_json(text, file.string());
}

std::vector<BenchResult> read_bench_documents(const std::vector<std::filesystem::path>& files) {
  std::vector<BenchResult> results;
  for (const std::filesystem::path& file : files) results.push_back(read_bench_document(file));
  return results;
}

}  // namespace gpulab::cli
