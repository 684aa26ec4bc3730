#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "bench/interruption.hpp"
#include "cli/bench_documents.hpp"
#include "cli/bench_run.hpp"
#include "cli/bench_words.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/crossover.hpp"
#include "core/registry.hpp"
#include "report/crossover.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {
namespace {

constexpr const char* usual_sizes = "2^10..2^28:x4";
constexpr const char* usual_areas = "2^8..2^22:x4";  // of lessons that do much for each element

struct CrossoverWords {
  BenchWords what;
  unsigned runs = 1;
  std::optional<std::filesystem::path> from, output;
  std::string format;
  bool plot = false, quiet = false;
};

BenchResult measured(const CrossoverWords& words, const std::vector<std::string>& typed) {
  if (!words.what.is_for_gpu())
    throw Error(
        ExitCode::device,
        "crossover compares a GPU with the CPU, and this machine has no GPU that can be used; gpulab doctor "
        "says why, and --from FILE shows what was measured elsewhere");
  request_of(words.what, false);
  BenchResult begun{.facts = run::run_facts(typed)};
  begun.plan = {.processes = static_cast<int>(words.runs), .order_seed = words.what.order_seed};
  Narrator narrator(words.quiet);
  BenchRun run(std::move(begun), {}, narrator);
  const bench::Interruption interruption;
  for (int process = 0; process < run.result.plan.processes; ++process) {
    try {
      if (const int status =
              run.measure(this_program(), typed_words(words.what), process, {.stop = interruption.request()});
          status != 0)
        throw Error(static_cast<ExitCode>(status), "the measuring process failed");
    } catch (const sandbox::WorkStopped&) {
      throw Error(static_cast<ExitCode>(128 + interruption.signal()), "interrupted: nothing can be said yet");
    }
  }
  narrator.wipe();
  return std::move(run.result);
}

// Of the lessons that were named, or of all where none was. Throws UsageError where there is none.
BenchResult measured_elsewhere(const std::filesystem::path& file, const std::vector<std::string>& names) {
  BenchResult result = read_bench_document(file);
  std::set<std::string> chosen;
  for (const std::string& name : names) chosen.insert(find_lesson(name).name);
  const bool has_rows = !result.rows.empty();
  if (!chosen.empty())
    std::erase_if(result.rows, [&](const BenchRow& row) { return !chosen.contains(row.what.lesson); });
  if (has_rows && result.rows.empty())
    throw UsageError(fmt::format("{} has no rows of {}", file.string(), fmt::join(chosen, ", ")));
  sort_as_lessons_do(result.rows);
  return result;
}

// Throws UsageError where nothing can be said of any lesson.
void refuse_nothing_to_compare(const std::vector<CrossoverResult>& results, const BenchResult& measured,
                               const std::string& file) {
  const auto can_be_said = [](const CrossoverResult& result) {
    return result.one_thread.kind != Crossing::Kind::not_measured ||
           result.all_threads.kind != Crossing::Kind::not_measured;
  };
  if (std::ranges::any_of(results, can_be_said)) return;
  throw UsageError(
      fmt::format("{} {}; measure it on a machine with a GPU: gpulab bench LESSON --size {} --one-thread "
                  "--output FILE",
                  file,
                  measured.device.simulated() ? "was measured on the simulator, which takes no times"
                                              : "has no times of launches and of the CPU",
                  usual_sizes));
}

void print_text(const std::vector<CrossoverResult>& results, const BenchResult& result, bool with_plot) {
  std::string text;
  for (const CrossoverResult& one : results) {
    text += (text.empty() ? "" : "\n") + report::crossover_text(one, result, style_of_stdout());
    if (with_plot) text += "\n" + report::crossover_plot(one, style_of_stdout());
  }
  print(text);
}

ExitCode run(CrossoverWords words, const std::vector<std::string>& typed) {
  if (words.what.lessons.empty() && !words.from)
    throw UsageError("crossover takes the names of lessons, such as gpulab crossover histogram");
  const auto has_size = [](const std::string& name) { return find_lesson(name).has_size(); };
  if (!words.what.size)
    words.what.size = std::ranges::all_of(words.what.lessons, has_size) ? usual_sizes : usual_areas;
  words.what.one_thread = true;
  Output output(words.output);
  const BenchResult result =
      words.from ? measured_elsewhere(*words.from, words.what.lessons) : measured(words, typed);
  const std::vector<CrossoverResult> results = crossovers(result);
  if (words.from) refuse_nothing_to_compare(results, result, words.from->string());
  const std::string json = report::crossover_json(results, result);
  if (words.output) output.write(json);
  if (words.format == "json" && !words.output)
    output.write(json);
  else
    print_text(results, result, words.plot);
  return exit_code_of(result);
}

}  // namespace

void add_crossover(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("crossover", "find the size from which on a GPU is worth it");
  auto words = std::make_shared<CrossoverWords>();
  add_bench_words(*command, words->what);
  command->option_defaults()->group("How");
  command->add_option("--runs", words->runs, "processes that measure everything anew (default 1)")
      ->check(a_whole_number())
      ->type_name("K");
  command
      ->add_option(
          "--from", words->from,
          "a document of gpulab bench --one-thread, in place of measuring; of LESSONs, or of all in it")
      ->type_name("FILE");
  command->option_defaults()->group("Output");
  command->add_flag("--plot", words->plot, "draw the times over size");
  add_format_option(*command, words->format);
  command->add_option("--output", words->output, "write the JSON here, besides the text on stdout")
      ->type_name("FILE");
  command->add_flag("--quiet", words->quiet, "nothing on stderr but errors");
  command->footer(std::string("Without --size it measures ") + usual_sizes + ", or " + usual_areas +
                  " for matrices and images. Of the variants, the one that is fastest at a size counts. GPU "
                  "times are the host's: from the "
                  "launch until it is done.");
  command->callback(
      [&context, words] { context.action = [&context, words] { return run(*words, context.words); }; });
}

}  // namespace gpulab::cli
