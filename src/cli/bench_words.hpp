#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/plan.hpp"
#include "cli/options.hpp"

namespace gpulab::cli {

// What is measured: the words of `gpulab bench` that a process which measures is given, too.
struct BenchWords {
  std::vector<std::string> lessons, variants;
  std::optional<std::string> size, block_size;
  std::map<std::string, std::string> own;  // options that only some lessons have, as typed: lists
  std::uint64_t seed = 42, order_seed = 1;
  bool one_thread = false;
  DeviceWords device;
  std::optional<std::filesystem::path> kernels;

  // Whether a GPU will do it, as far as can be told without opening it.
  bool is_for_gpu() const;
};

void add_bench_words(CLI::App& command, BenchWords& words);

// Every combination of the lessons' sizes and options. Where no size is asked for, a simulated device gets a
// smaller problem than the lesson's default, because counting takes longer than running. Throws UsageError,
// in one sentence, for what makes no sense.
bench::Request request_of(const BenchWords& words, bool simulated);

// The same as somebody types it: "bench", "histogram", "--size", "2^20", ...
std::vector<std::string> typed_words(const BenchWords& words);

}  // namespace gpulab::cli
