
#include "bench/limits.hpp"
#include "base/output.hpp"
#include "base/terminal.hpp"
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
  return bench::measure_simulation(lessons, options.limits, [&] { return run::open_simulator(cache); });
}

ExitCode run(LimitsCommandOptions options, const std::vector<std::string>& typed) {
  ReportOutput output(options.output);
  Narrator narrator(options.quiet);
  options.limits.progress = [&](const std::string& what) { narrator.progress("limits: " + what); };
  const RunFacts facts = run::run_facts(typed);
  const bench::LimitsResult result = measured(options, options.device.is_gpu(), narrator);
  narrator.wipe();
  const TextStyle style = output.is_file() ? TextStyle{} : style_of_stdout();
  if (format_of_output(options.format, options.output, {{".json", "json"}}) == "json")
    output.write(bench::limits_json(result, facts));
  else
    output.show(bench::limits_text(result, facts, style));
  return bench::exit_code_of(result);
}

}  // namespace

void add_limits(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("limits", "compare top kernels, or the simulator, with libraries");
  auto options = std::make_shared<LimitsCommandOptions>();
  add_value(*command, "lesson", options->lessons, "LESSON", "only these; all if none is named");
  add_value(*command, "--seed", options->limits.seed, "N", "seed of the random inputs (default 42)");
  add_value(*command, "--time-budget", options->limits.time_budget_s, "S",
            "seconds for each thing that is timed (default 0.5)")
      ->check(seconds_above_zero());
  add_device_options(*command, options->device);
  add_format_option(*command, options->format);
  options->format.clear();  // without --format, the ending of --output decides
  add_value(*command, "-o,--output", options->output, "FILE", "write the result here, not to stdout");
  command->add_flag("--quiet", options->quiet, "nothing on stderr but errors");
  command->footer(
      "On a GPU: the fastest kernels beside libraries and ceilings. A target is a part of a ceiling that is measured in the same run, or the speed of a library, so it means the same on every GPU. On the "
      "simulator: how many threads of a kernel it runs in a second, on one core and on all, beside the same kernel in OpenCL where the machine has it (PoCL). Each result is checked before and after it is "
      "timed. Exit code 0 means that every result is right, whether or not a target is met.");
  set_action(*command, context, [&context, options] { return run(*options, context.words); });
}

}  // namespace gpulab::cli
