#include <filesystem>

#include "bench/compare.hpp"
#include "cli/bench_documents.hpp"
#include "cli/command.hpp"
#include "cli/comparison_options.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/sides.hpp"

namespace gpulab::cli {
namespace {

using Files = std::vector<std::filesystem::path>;

constexpr const char* form = "gpulab compare BASE NEW, or gpulab compare BASE... -- NEW...";

struct CompareWords {
  Files files;
  ComparisonWords rules;
  ComparisonReport report;
};

Sides both_sides(const Files& files, const std::vector<std::string>& typed) {
  Sides sides = sides_of(files, typed, form);
  if (!sides.now.empty()) return sides;
  if (files.size() == 2) return {.before = {files[0]}, .now = {files[1]}};
  throw UsageError((files.size() > 2 ? "with more than two files, -- must stand between the two sides: "
                                     : "compare needs two sides: ") +
                   std::string(form));
}

ExitCode run(const CompareWords& words, const std::vector<std::string>& typed) {
  const ComparisonRules rules = rules_of(words.rules);
  const Sides sides = both_sides(words.files, typed);
  const Output checked(words.report.output);
  const Comparison comparison =
      bench::compared(read_bench_documents(sides.before), read_bench_documents(sides.now), rules);
  return words.report.write(comparison, typed);
}

}  // namespace

void add_compare(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("compare", "say what got slower between two runs of bench");
  auto words = std::make_shared<CompareWords>();
  command->add_option("files", words->files, "documents of gpulab bench: BASE NEW, or BASE... -- NEW...")
      ->type_name("FILE");
  add_comparison_options(*command, words->rules);
  add_comparison_report(*command, words->report);
  command->footer(
      "Several files on a side are more processes of the same. A time has regressed when its median over "
      "processes grew by the threshold, the ranges over processes are apart, and the clocks are alike. "
      "Counts of "
      "the simulator are compared exactly. Exit code 0 means that nothing regressed, 5 that something did, 1 "
      "that "
      "a result is wrong. With --strict, what cannot be judged ends with 5, too.");
  command->callback(
      [&context, words] { context.action = [&context, words] { return run(*words, context.words); }; });
}

}  // namespace gpulab::cli
