#include <unistd.h>
#include <charconv>
#include <memory>

#include "cli/command.hpp"
#include "cli/demo_player.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/terminal_screen.hpp"
#include "core/text.hpp"
#include "demo/demo.hpp"
#include "report/demo.hpp"
#include "run/kernel_files.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;

struct DemoWords {
  std::vector<std::string> lesson;  // LESSON, or mistakes LESSON
  std::string from;
  bool steps = false, plain = false;
  std::optional<fs::path> notes, folder, script;
  DeviceWords device;
};

// A step by its number or its name.
std::size_t step_named(const Demo& demo, const std::string& word) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc{} && end == word.data() + word.size()) {
    if (number >= 1 && number <= demo.steps.size()) return number - 1;
    throw UsageError("--from " + word + ": the demo has " + std::to_string(demo.steps.size()) + " steps");
  }
  std::vector<std::string> names;
  for (const DemoStep& step : demo.steps) {
    if (step.name == word) return names.size();
    names.push_back(step.name);
  }
  throw UsageError("the demo has no step '" + word + "'; " + suggestion(word, names, "--steps lists them"));
}

Demo demo_asked_for(const DemoWords& words, const Lesson& lesson, const std::optional<Exercise>& exercise) {
  if (exercise && words.script) throw UsageError("--script and mistakes exclude each other");
  if (exercise) return demo::mistakes_of(*exercise);
  if (!words.script) return demo::demo_of(lesson);
  constexpr run::TextFileKind script{"the script of a demo", "steps"};
  return demo::parse_script(run::read_text_file(*words.script, script), lesson, words.script->string());
}

ExitCode run(const DemoWords& words, const std::vector<std::string>& typed) {
  const bool has_mistakes = words.lesson.front() == "mistakes";
  if (has_mistakes != (words.lesson.size() == 2))
    throw UsageError("say which: gpulab demo LESSON, or gpulab demo mistakes LESSON");
  const std::string& word = words.lesson.back();
  std::optional<Exercise> exercise;
  if (has_mistakes) exercise = learn::find_exercise(word).exercise;
  const Lesson lesson = find_lesson(exercise ? exercise->lesson : word);
  const Demo demo = demo_asked_for(words, lesson, exercise);
  const std::size_t from = words.from.empty() ? 0 : step_named(demo, words.from);
  if (words.steps) {
    print(report::demo_steps_text(demo, style_of_stdout()));
    return ExitCode::ok;
  }
  DemoNotes notes(words.notes, words.script);
  DemoStage stage(lesson, exercise, demo, words.device, words.folder);
  stage.go_to(from);
  const bool has_terminal = TerminalScreen::is_possible() && ::isatty(STDIN_FILENO) && !words.plain;
  const ExitCode code =
      has_terminal ? play_on_terminal(stage, notes, typed) : play_through(stage, notes, typed);
  if (stage.folder().is_kept() && has_terminal)
    tell("your edits are in " + stage.folder().path().string() + "\n");
  notes.finish();
  return code;
}

}  // namespace

void add_demo(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("demo", "play a lesson to a class: kernel, question, vote, run, answer");
  auto words = std::make_shared<DemoWords>();
  command->add_option("lesson", words->lesson, "the lesson; or: mistakes LESSON, for what learners get wrong")
      ->required()
      ->expected(1, 2)
      ->type_name("LESSON");
  command->add_option("--from", words->from, "begin at this step: its number or its name")->type_name("STEP");
  command->add_flag("--steps", words->steps, "list the steps, and play nothing");
  command->add_flag("--plain", words->plain, "no keys and no colours: print one step after the other");
  command->add_option("--notes", words->notes, "append what to say to this file; follow it with tail -f")
      ->type_name("FILE");
  command->add_option("--folder", words->folder, "where kernels are edited (default: a temporary folder)")
      ->type_name("DIR");
  command->add_option("--script", words->script, "play the steps in this file")->type_name("FILE");
  add_device_options(*command, words->device);
  command->callback(
      [&context, words] { context.action = [&context, words] { return run(*words, context.words); }; });
}

}  // namespace gpulab::cli
