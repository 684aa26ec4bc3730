#include <algorithm>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/registry.hpp"
#include "report/documents.hpp"
#include "run/devices.hpp"
#include "run/limits.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {
namespace {

struct LimitsWords {
  std::string format;
  std::vector<std::string> lessons;
  int device_index = 0;
  std::optional<std::filesystem::path> output;
  bool quiet = false;
  run::LimitsOptions limits;
};

std::vector<Lesson> chosen_lessons(const std::vector<std::string>& names) {
  std::vector<Lesson> chosen;
  for (const std::string& name : names) {
    chosen.push_back(find_lesson(name));
    if (chosen.back().limits.empty())
      throw UsageError(chosen.back().name + " has no rung that is measured at the limit");
  }
  return names.empty() ? all_lessons() : chosen;
}

ExitCode run(LimitsWords words, const std::vector<std::string>& typed) {
  const std::vector<Lesson> lessons = chosen_lessons(words.lessons);
  if (std::ranges::all_of(run::all_devices(), &DeviceProperties::simulated))
    throw Error(ExitCode::device,
                "limits measures a GPU, and this machine has none that can be used; gpulab doctor says why");
  Output output(words.output);
  Narrator narrator(words.quiet);
  words.limits.progress = [&](const std::string& what) { narrator.progress("limits: " + what); };
  device::CompileCache cache;
  const auto device = run::open_device(run::DeviceChoice::cuda, words.device_index, cache,
                                       [&](const std::string& line) { narrator.remark(line); });
  const RunFacts facts = run::run_facts(typed);
  const LimitsResult result = run::measure_limits(lessons, words.limits, *device);
  narrator.wipe();
  const report::TextStyle style = output.is_file() ? report::TextStyle{} : style_of_stdout();
  if (words.format == "json")
    output.write(report::limits_json(result, facts));
  else
    output.show(report::limits_text(result, facts, style));
  return exit_code_of(result);
}

}  // namespace

void add_limits(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("limits", "compare the fastest kernels with libraries and ceilings");
  auto words = std::make_shared<LimitsWords>();
  command->add_option("lesson", words->lessons, "only these; all if none is named")->type_name("LESSON");
  command->add_option("--seed", words->limits.seed, "of the random inputs (default 42)")->type_name("N");
  command
      ->add_option("--time-budget", words->limits.time_budget_s,
                   "seconds for each thing that is timed (default 0.5)")
      ->type_name("S")
      ->check(a_number_above_zero());
  command->add_option("--device-index", words->device_index, "which of several GPUs (default 0)")
      ->type_name("N");
  add_format_option(*command, words->format);
  command->add_option("--output", words->output, "write the result here, not to stdout")->type_name("FILE");
  command->add_flag("--quiet", words->quiet, "nothing on stderr but errors");
  command->footer(
      "Needs a GPU. Each result is checked before and after it is timed. A target is a part of a ceiling "
      "that is measured in the same run, so it means the same on every GPU. Exit code 0 means that every "
      "result is right, whether or not a target is met.");
  command->callback(
      [&context, words] { context.action = [&context, words] { return run(*words, context.words); }; });
}

}  // namespace gpulab::cli
