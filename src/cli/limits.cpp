#include <algorithm>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/registry.hpp"
#include "report/limits.hpp"
#include "run/devices.hpp"
#include "run/limits.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {
namespace {

struct LimitsWords {
  std::string format;
  std::vector<std::string> lessons;
  DeviceWords device;
  std::optional<std::filesystem::path> output;
  bool quiet = false;
  run::LimitsOptions limits;
};

bool is_on_gpu(const DeviceWords& device) {
  if (device.choice() != run::DeviceChoice::automatic) return device.choice() == run::DeviceChoice::cuda;
  return !std::ranges::all_of(run::all_devices(), &DeviceProperties::simulated);
}

std::vector<Lesson> chosen_lessons(const std::vector<std::string>& names, bool on_gpu) {
  std::vector<Lesson> chosen;
  for (const std::string& name : names) {
    chosen.push_back(find_lesson(name));
    if ((on_gpu ? chosen.back().limits : chosen.back().simulated).empty())
      throw UsageError(chosen.back().name + (on_gpu ? " has no rung that is measured at the limit"
                                                    : " has no kernel whose simulation is measured"));
  }
  return names.empty() ? all_lessons() : chosen;
}

LimitsResult measured(const LimitsWords& words, bool on_gpu, Narrator& narrator) {
  const std::vector<Lesson> lessons = chosen_lessons(words.lessons, on_gpu);
  device::CompileCache cache;
  const auto remark = [&](const std::string& line) { narrator.remark(line); };
  if (on_gpu) return run::measure_limits(lessons, words.limits, *words.device.open(cache, remark).device);
  return run::measure_simulation(lessons, words.limits, [&] {
    return run::open_device(run::DeviceChoice::simulator, 0, cache, [](const std::string&) {});
  });
}

ExitCode run(LimitsWords words, const std::vector<std::string>& typed) {
  Output output(words.output);
  Narrator narrator(words.quiet);
  words.limits.progress = [&](const std::string& what) { narrator.progress("limits: " + what); };
  const RunFacts facts = run::run_facts(typed);
  const LimitsResult result = measured(words, is_on_gpu(words.device), narrator);
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
  CLI::App* command = app.add_subcommand("limits", "compare top kernels, or the simulator, with libraries");
  auto words = std::make_shared<LimitsWords>();
  command->add_option("lesson", words->lessons, "only these; all if none is named")->type_name("LESSON");
  command->add_option("--seed", words->limits.seed, "of the random inputs (default 42)")->type_name("N");
  command
      ->add_option("--time-budget", words->limits.time_budget_s,
                   "seconds for each thing that is timed (default 0.5)")
      ->type_name("S")
      ->check(a_number_above_zero());
  add_device_options(*command, words->device);
  add_format_option(*command, words->format);
  command->add_option("--output", words->output, "write the result here, not to stdout")->type_name("FILE");
  command->add_flag("--quiet", words->quiet, "nothing on stderr but errors");
  command->footer(
      "On a GPU: the fastest kernels beside libraries and ceilings. A target is a part of a ceiling that is "
      "measured in the same run, or the speed of a library, so it means the same on every GPU. On the "
      "simulator: how many threads of a kernel it runs in a second, on one core and on all, beside the same "
      "kernel in OpenCL where the machine has it (PoCL). Each result is checked before and after it is "
      "timed. "
      "Exit code 0 means that every result is right, whether or not a target is met.");
  command->callback(
      [&context, words] { context.action = [&context, words] { return run(*words, context.words); }; });
}

}  // namespace gpulab::cli
