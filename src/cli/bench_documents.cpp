#include "cli/bench_documents.hpp"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/files.hpp"
#include "core/registry.hpp"
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

void sort_as_lessons_do(std::vector<BenchRow>& rows) {
  std::map<std::string, std::size_t> places;
  const auto put = [&](const std::string& name) { places.try_emplace(name, places.size()); };
  for (const Lesson& lesson : all_lessons()) {
    put(lesson.name);
    for (const char* reference : {plain_reference, openmp_reference}) put(lesson.name + " " + reference);
    for (const Variant& variant : lesson.variants) put(lesson.name + " " + variant.name);
  }
  const auto place = [&](const std::string& name) {
    const auto found = places.find(name);
    return found == places.end() ? places.size() : found->second;
  };
  std::ranges::stable_sort(rows, {}, [&](const BenchRow& row) {
    const auto& [lesson, variant, size, seed, options, block_size] = row.what;
    return std::tuple(place(lesson), lesson, size, place(lesson + " " + variant), id_of(row.what));
  });
}

}  // namespace gpulab::cli
