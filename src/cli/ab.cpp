#include <fmt/format.h>
#include <algorithm>

#include "bench/compare.hpp"
#include "bench/interruption.hpp"
#include "cli/bench_run.hpp"
#include "cli/command.hpp"
#include "cli/comparison_options.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {
namespace {

constexpr const char* form = "gpulab ab OLD_PROGRAM NEW_PROGRAM -- bench LESSON...";

struct AbWords {
  std::vector<std::string> programs;
  unsigned runs = 5;
  std::optional<std::filesystem::path> keep;
  ComparisonWords rules;
  ComparisonReport report;
};

// What both programs are to measure: the words behind --. Throws UsageError.
std::vector<std::string> bench_words(const std::vector<std::string>& typed) {
  const auto mark = std::ranges::find(typed, "--");
  if (mark == typed.end() || mark + 1 == typed.end() || *(mark + 1) != "bench")
    throw UsageError(std::string("-- and the words of a bench must come last: ") + form);
  std::vector<std::string> words(mark + 1, typed.end());
  for (const std::string& word : words)
    for (const char* own :
         {"--runs", "--output", "--format", "--resume", "--baseline", "--dry-run", "--process"})
      if (word.substr(0, word.find('=')) == own)
        throw UsageError(std::string(own) +
                         " cannot stand behind --: ab runs each program by itself, and its own options "
                         "stand before --");
  return words;
}

BenchResult begun(const AbWords& words, const std::vector<std::string>& typed) {
  BenchResult result{.facts = run::run_facts(typed)};
  result.plan.processes = static_cast<int>(words.runs);
  return result;
}

std::optional<std::filesystem::path> kept(const AbWords& words, const char* name) {
  return words.keep ? std::optional(*words.keep / name) : std::nullopt;
}

ExitCode run(const AbWords& words, const std::vector<std::string>& typed) {
  if (words.programs.size() != 2) throw UsageError(std::string("ab takes two programs: ") + form);
  if (words.runs == 0) throw UsageError("--runs 0 would measure nothing; it takes at least 1");
  const ComparisonRules rules = rules_of(words.rules);
  const std::vector<std::string> bench = bench_words(typed);
  const Output checked(words.report.output);
  if (words.keep) std::filesystem::create_directories(*words.keep);
  Narrator narrator(words.report.quiet);
  BenchRun before(begun(words, typed), kept(words, "old.json"), narrator);
  BenchRun now(begun(words, typed), kept(words, "new.json"), narrator);
  const bench::Interruption interruption;
  for (int round = 0; round < before.result.plan.processes; ++round) {
    // Old, new, new, old: what drifts meets both alike.
    for (const bool is_new : {round % 2 == 1, round % 2 == 0}) {
      BenchRun& one = is_new ? now : before;
      try {
        const int status =
            one.measure(words.programs[is_new ? 1 : 0], bench, round, {.stop = interruption.request()});
        if (status != 0)
          throw Error(
              static_cast<ExitCode>(status == 127 ? 4 : status),
              words.programs[is_new ? 1 : 0] + " could not measure; exit code " + std::to_string(status));
      } catch (const sandbox::WorkStopped&) {
        return static_cast<ExitCode>(128 + interruption.signal());
      }
    }
  }
  before.finish();
  now.finish();
  return words.report.write(bench::compared({before.result}, {now.result}, rules), typed);
}

}  // namespace

void add_ab(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("ab", "measure with two builds of gpulab in turn, and compare");
  auto words = std::make_shared<AbWords>();
  command->add_option("programs", words->programs, "the old program, and the new one")->type_name("PROGRAM");
  command->add_option("--runs", words->runs, "processes of each program (default 5)")
      ->check(a_whole_number())
      ->type_name("K");
  command->add_option("--keep", words->keep, "keep the documents in this folder, as old.json and new.json")
      ->type_name("DIR");
  add_comparison_options(*command, words->rules);
  add_comparison_report(*command, words->report);
  command->footer(
      std::string("Behind -- stand the words of a bench:\n  ") + form +
      "\nThe programs take turns, so that a GPU that gets warmer, or is used by others, meets both alike. "
      "Exit codes are those of gpulab compare.");
  command->callback(
      [&context, words] { context.action = [&context, words] { return run(*words, context.words); }; });
}

}  // namespace gpulab::cli
