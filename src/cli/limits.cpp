#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "base/descriptor.hpp"
#include "base/output.hpp"
#include "base/terminal.hpp"
#include "bench/crossover.hpp"
#include "bench/limits.hpp"
#include "cli/bench_run.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "run/devices.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {
namespace {

struct LimitsCommandOptions {
  std::string format;
  std::vector<std::string> lessons;
  DeviceOptions device;
  std::optional<std::filesystem::path> output;
  bool quiet = false;
  bench::LimitsOptions limits;
};

bool is_on_gpu(const DeviceOptions& device) {
  if (device.choice() != run::DeviceChoice::automatic) return device.choice() == run::DeviceChoice::cuda;
  return !std::ranges::all_of(run::all_devices(), &DeviceProperties::simulated);
}

std::vector<Lesson> chosen_lessons(const std::vector<std::string>& names, bool on_gpu) {
  std::vector<Lesson> chosen;
  for (const std::string& name : names) {
    chosen.push_back(find_lesson(name));
    if ((on_gpu ? chosen.back().limits : chosen.back().simulated).empty())
      throw UsageError(chosen.back().name + (on_gpu ? " has no variant that is measured at the limit"
                                                    : " has no kernel whose simulation is measured"));
  }
  return names.empty() ? all_lessons() : chosen;
}

bench::LimitsResult measured(const LimitsCommandOptions& options, bool on_gpu, Narrator& narrator) {
  const std::vector<Lesson> lessons = chosen_lessons(options.lessons, on_gpu);
  device::CompileCache cache;
  const auto remark = [&](const std::string& line) { narrator.remark(line); };
  if (on_gpu)
    return bench::measure_limits(lessons, options.limits, *options.device.open(cache, remark).device);
  return bench::measure_simulation(lessons, options.limits, [&] {
    return run::open_device(run::DeviceChoice::simulator, 0, cache, [](const std::string&) {});
  });
}

ExitCode run(LimitsCommandOptions options, const std::vector<std::string>& typed) {
  ReportOutput output(options.output);
  Narrator narrator(options.quiet);
  options.limits.progress = [&](const std::string& what) { narrator.progress("limits: " + what); };
  const RunFacts facts = run::run_facts(typed);
  const bench::LimitsResult result = measured(options, is_on_gpu(options.device), narrator);
  narrator.wipe();
  const TextStyle style = output.is_file() ? TextStyle{} : style_of_stdout();
  if (options.format == "json")
    output.write(bench::limits_json(result, facts));
  else
    output.show(bench::limits_text(result, facts, style));
  return bench::exit_code_of(result);
}

}  // namespace

void add_limits(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("limits", "compare top kernels, or the simulator, with libraries");
  auto options = std::make_shared<LimitsCommandOptions>();
  command->add_option("lesson", options->lessons, "only these; all if none is named")->type_name("LESSON");
  command->add_option("--seed", options->limits.seed, "seed of the random inputs (default 42)")
      ->type_name("N");
  command
      ->add_option("--time-budget", options->limits.time_budget_s,
                   "seconds for each thing that is timed (default 0.5)")
      ->type_name("S")
      ->check(a_number_above_zero());
  add_device_options(*command, options->device);
  add_format_option(*command, options->format);
  command->add_option("--output", options->output, "write the result here, not to stdout")->type_name("FILE");
  command->add_flag("--quiet", options->quiet, "nothing on stderr but errors");
  command->footer(
      "On a GPU: the fastest kernels beside libraries and ceilings. A target is a part of a ceiling that is measured in the same run, or the speed of a library, so it means the same on every GPU. On the "
      "simulator: how many threads of a kernel it runs in a second, on one core and on all, beside the same kernel in OpenCL where the machine has it (PoCL). Each result is checked before and after it is "
      "timed. Exit code 0 means that every result is right, whether or not a target is met.");
  command->callback(
      [&context, options] { context.action = [&context, options] { return run(*options, context.words); }; });
}

namespace {

constexpr const char* usual_sizes = "2^10..2^28:x4";
constexpr const char* usual_areas = "2^8..2^22:x4";  // for lessons that do much for each element

struct CrossoverCommandOptions {
  BenchOptions what;
  unsigned runs = 1;
  std::optional<std::filesystem::path> from, output;
  std::string format;
  bool plot = false, quiet = false;
};

bench::BenchResult measured(const CrossoverCommandOptions& options, const std::vector<std::string>& typed) {
  if (!options.what.is_for_gpu())
    throw Error(
        ExitCode::device,
        "crossover compares a GPU with the CPU, and this machine has no GPU that can be used; gpulab doctor says why, and --from FILE shows what was measured elsewhere");
  request_of(options.what, false);
  bench::BenchResult begun{.facts = run::run_facts(typed)};
  begun.plan = {.processes = static_cast<int>(options.runs), .order_seed = options.what.order_seed};
  Narrator narrator(options.quiet);
  BenchRun run(std::move(begun), {}, narrator);
  const Interruption interruption;
  for (int process = 0; process < run.result.plan.processes; ++process) {
    try {
      if (const int status = run.measure(this_program(), typed_words(options.what), process,
                                         {.stop = interruption.request()});
          status != 0)
        throw Error(static_cast<ExitCode>(status), "the measuring process failed");
    } catch (const WorkStopped&) {
      throw Error(static_cast<ExitCode>(128 + interruption.signal()), "interrupted: nothing can be said yet");
    }
  }
  narrator.wipe();
  return std::move(run.result);
}

// Reads the rows of the named lessons, or of all if none was named. Throws UsageError if there are none.
bench::BenchResult measured_elsewhere(const std::filesystem::path& file,
                                      const std::vector<std::string>& names) {
  bench::BenchResult result = read_bench_document(file);
  std::set<std::string> chosen;
  for (const std::string& name : names) chosen.insert(find_lesson(name).name);
  const bool has_rows = !result.rows.empty();
  if (!chosen.empty())
    std::erase_if(result.rows, [&](const bench::BenchRow& row) { return !chosen.contains(row.what.lesson); });
  if (has_rows && result.rows.empty())
    throw UsageError(fmt::format("{} has no rows of {}", file.string(), fmt::join(chosen, ", ")));
  sort_as_lessons_do(result.rows);
  return result;
}

// Throws UsageError where nothing can be said of any lesson.
void refuse_nothing_to_compare(const std::vector<bench::CrossoverResult>& results,
                               const bench::BenchResult& measured, const std::string& file) {
  const auto can_be_said = [](const bench::CrossoverResult& result) {
    return result.one_thread.kind != bench::Crossing::Kind::not_measured ||
           result.all_threads.kind != bench::Crossing::Kind::not_measured;
  };
  if (std::ranges::any_of(results, can_be_said)) return;
  throw UsageError(fmt::format(
      "{} {}; measure it on a machine with a GPU: gpulab bench LESSON --size {} --one-thread --output FILE",
      file,
      measured.device.simulated() ? "was measured on the simulator, which takes no times"
                                  : "has no times of launches and of the CPU",
      usual_sizes));
}

void print_text(const std::vector<bench::CrossoverResult>& results, const bench::BenchResult& result,
                bool with_plot) {
  std::string text;
  for (const bench::CrossoverResult& one : results) {
    text += (text.empty() ? "" : "\n") + bench::crossover_text(one, result, style_of_stdout());
    if (with_plot) text += "\n" + bench::crossover_plot(one, style_of_stdout());
  }
  print(text);
}

ExitCode run(CrossoverCommandOptions options, const std::vector<std::string>& typed) {
  if (options.what.lessons.empty() && !options.from)
    throw UsageError("crossover takes the names of lessons, such as gpulab crossover histogram");
  const auto has_size = [](const std::string& name) { return find_lesson(name).has_size(); };
  if (!options.what.size)
    options.what.size = std::ranges::all_of(options.what.lessons, has_size) ? usual_sizes : usual_areas;
  options.what.one_thread = true;
  ReportOutput output(options.output);
  const bench::BenchResult result =
      options.from ? measured_elsewhere(*options.from, options.what.lessons) : measured(options, typed);
  const std::vector<bench::CrossoverResult> results = bench::crossovers(result);
  if (options.from) refuse_nothing_to_compare(results, result, options.from->string());
  const std::string json = bench::crossover_json(results, result);
  if (options.output) output.write(json);
  if (options.format == "json" && !options.output)
    output.write(json);
  else
    print_text(results, result, options.plot);
  return bench::exit_code_of(result);
}

}  // namespace

void add_crossover(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("crossover", "find the size from which on a GPU is worth it");
  auto options = std::make_shared<CrossoverCommandOptions>();
  add_bench_options(*command, options->what);
  command->option_defaults()->group("How");
  command->add_option("--runs", options->runs, "processes that measure everything anew (default 1)")
      ->check(a_whole_number())
      ->type_name("K");
  command
      ->add_option("--from", options->from,
                   "do not measure; show the LESSONs, or all, of this document of gpulab bench --one-thread")
      ->type_name("FILE");
  command->option_defaults()->group("Output");
  command->add_flag("--plot", options->plot, "draw the times over size");
  add_format_option(*command, options->format);
  command->add_option("--output", options->output, "write the JSON here, besides the text on stdout")
      ->type_name("FILE");
  command->add_flag("--quiet", options->quiet, "nothing on stderr but errors");
  command->footer(
      std::string("Without --size it measures ") + usual_sizes + ", or " + usual_areas +
      " for matrices and images. At each size, the fastest variant counts. GPU times are the host's: from the launch until it is done.");
  command->callback(
      [&context, options] { context.action = [&context, options] { return run(*options, context.words); }; });
}

}  // namespace gpulab::cli
