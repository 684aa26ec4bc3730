#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/files.hpp"
#include "base/output.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "check/own_exercises.hpp"
#include "check/progress.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "run/run_lesson.hpp"
#include "teach/demo.hpp"
#include "teach/submissions.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* exercises_option = "--exercises";
constexpr const char* folder_key = "exercises:";  // in gpulab-progress.txt, before the folder of exercises

// Command that takes --exercises DIR. grade and class have options of the same name that differ from it.
struct ExerciseCommand {
  const char* name;
  bool remembers;  // whether gpulab-progress.txt in the current folder remembers DIR
};
constexpr ExerciseCommand commands[] = {
    {"next", true},      {"start", true}, {"check", true},  {"watch", true},     {"hint", false},
    {"solution", false}, {"diff", false}, {"show", false},  {"progress", false}, {"inspect", false},
    {"estimate", false}, {"demo", false}, {"editor", false}};

fs::path& folder_in_use() {
  static fs::path folder;
  return folder;
}

// Returns the value of --exercises among the words; empty without it.
std::string requested_folder(const std::vector<std::string>& words) {
  const std::string with_value = std::string(exercises_option) + "=";
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (words[i].starts_with(with_value)) return words[i].substr(with_value.size());
    if (words[i] == exercises_option && i + 1 < words.size()) return words[i + 1];
  }
  return "";
}

// Returns the folder of exercises that GPULAB_EXERCISES or else gpulab-progress.txt names; empty if neither
// does.
NamedFolder default_folder() try {
  if (const char* const variable = std::getenv("GPULAB_EXERCISES"); variable && *variable)
    return {variable, "GPULAB_EXERCISES"};
  return {check::ProgressFile(".").read().value_of(folder_key), "gpulab-progress.txt, \"exercises\""};
} catch (const UsageError&) {  // commands that need the progress will say that it cannot be read
  return {};
}

void remember_folder(const std::string& folder) try {
  const std::string value = folder == "none" ? "" : fs::absolute(folder).lexically_normal().string();
  if (value != printable(value) || check::ProgressFile(".").read().value_of(folder_key) == value) return;
  check::ProgressFile(".").change([&](check::Progress& progress) { progress.set_value(folder_key, value); });
} catch (const Error&) {  // a check reports that no progress can be saved here
}

}  // namespace

bool names_a_folder(const std::string& word) {
  const auto lessons = all_lessons();
  return is_folder(word) &&
         std::ranges::none_of(lessons, [&](const Lesson& lesson) { return lesson.is_called(word); });
}

std::vector<std::string> use_folder_of_exercises(const NamedFolder& folder, bool with_course) {
  if (folder.path.empty() || folder.path == "none") return {};
  try {
    std::vector<OwnExercise> exercises = check::read_exercises(folder.path);
    std::vector<std::string> names;
    for (const OwnExercise& own : exercises) names.push_back(own.exercise.name);
    if (with_course)
      for (const Exercise& exercise : all_exercises()) exercises.push_back({lesson_of(exercise), exercise});
    use_exercises(std::move(exercises));
    folder_in_use() = folder.path;
    return names;
  } catch (const UsageError& error) {
    throw UsageError(folder.named_by + ": " + error.what());
  }
}

std::string rules_text(const fs::path& file) {
  constexpr std::size_t max_bytes = std::size_t{1} << 20;
  if (file.empty()) return "";
  const std::string text = read_file(file, max_bytes);
  if (text.size() > max_bytes) throw UsageError(file.string() + " is larger than 1 MiB");
  return text;
}

void use_exercises_of_class(const fs::path& class_toml, const std::string& rules, bool with_course) {
  const std::string named = teach::exercises_folder_in(rules, class_toml.string());
  use_folder_of_exercises(
      named.empty() ? default_folder() : NamedFolder{class_toml.parent_path() / named, class_toml.string()},
      with_course);
}

std::optional<fs::path> folder_of_own_exercise(const Lesson& lesson) {
  if (lesson.kernels_text.empty()) return std::nullopt;
  for (const fs::path& folder : check::exercise_folders(folder_in_use()))
    if (check::exercise_name(folder) == lesson.name) return folder;
  return std::nullopt;
}

void use_requested_exercises(const std::vector<std::string>& words) {
  const auto command = std::ranges::find_if(
      commands, [&](const ExerciseCommand& known) { return words.size() > 1 && words[1] == known.name; });
  if (command == std::end(commands)) return;
  const std::string folder = requested_folder(words);
  use_folder_of_exercises(folder.empty() ? default_folder() : NamedFolder{folder, exercises_option},
                          /*with_course=*/false);
  if (!folder.empty() && command->remembers) remember_folder(folder);
}

void add_exercises_options(CLI::App& app) {
  static std::string unused;  // use_requested_exercises() has read the value before CLI11 parses it
  for (const ExerciseCommand& command : commands)
    app.get_subcommand(command.name)
        ->add_option(
            exercises_option, unused,
            command.remembers
                ? "do the exercises in this folder from now on; the word none goes back to the course's"
                : "take the exercises in this folder; the word none takes the course's")
        ->type_name("DIR");
}

namespace {

ExitCode write_example(const fs::path& typed) {
  const fs::path folder = typed.has_filename() ? typed : typed.parent_path();  // without a / at its end
  if (is_there(folder)) throw UsageError(folder.string() + " is there already; give another name");
  const std::string name = replaced(check::exercise_name(folder), '-', '_');
  make_folder(folder / "mistakes");
  for (const auto& [file, text] : check::example_exercise(name)) create_file(folder / file, text);
  check::read_exercise(folder);
  const std::string parent = folder.has_parent_path() ? folder.parent_path().string() : ".";
  ReportOutput({}).write(
      fmt::format("wrote {}, a small exercise that works; change it into yours\n", folder.string()) +
      rows_text({{"gpulab exercise check " + folder.string(), "tries its starter, solution and mistakes"},
                 {"gpulab next --exercises " + parent, "begins it, as a learner does in another folder"}}));
  return ExitCode::ok;
}

// Reads the exercise's demo, if it has one.
void try_demo(const OwnExercise& own, const fs::path& folder, std::vector<check::TriedFile>& files) {
  const fs::path script = folder / "demo.txt";
  if (!is_there(script)) return;
  check::TriedFile file{.name = "demo.txt", .expected = "be a demo", .found = "a demo"};
  try {
    teach::parse_script(run::read_text_file(script, {"the script of a demo", "steps"}), own.lesson,
                        script.string());
  } catch (const UsageError& error) {
    file.found = "refused";
    file.why = error.what();
  }
  files.push_back(std::move(file));
}

ExitCode try_exercises(const fs::path& folder) {
  bool any_is_unexpected = false, is_first = true;
  for (const fs::path& exercise_folder : check::exercise_folders(folder)) {
    const OwnExercise own = check::read_exercise(exercise_folder);
    use_exercises({own});
    Narrator narrator(/*quiet=*/false);
    narrator.progress("checking " + exercise_folder.string());
    std::vector<check::TriedFile> files = check::try_exercise(own, exercise_folder);
    try_demo(own, exercise_folder, files);
    narrator.wipe();
    any_is_unexpected |= std::ranges::any_of(files, &check::TriedFile::is_unexpected);
    ReportOutput({}).write((is_first ? "" : "\n") + check::tried_text(own, files, style_of_stdout()));
    is_first = false;
  }
  return any_is_unexpected ? ExitCode::wrong_result : ExitCode::ok;
}

}  // namespace

void add_exercise(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("exercise", "write an exercise of your own, or try one");
  auto action = std::make_shared<std::string>();
  auto folder = std::make_shared<fs::path>();
  add_value(*command, "action", *action, "new|check", "new writes an example, check tries what a folder has")
      ->required();
  add_value(*command, "folder", *folder, "DIR", "the folder of an exercise or, for check, of several")
      ->required();
  command->footer(
      "check wants the starter to fail, the solution to pass and each mistake to fail as its first line or its "
      "name says. docs/your-exercises.md says what an exercise consists of.");
  set_action(*command, context, [action, folder] {
    if (*action != "new" && *action != "check")
      throw UsageError(printable(*action) + " is neither new nor check: gpulab exercise new|check DIR");
    return *action == "new" ? write_example(*folder) : try_exercises(*folder);
  });
}

}  // namespace gpulab::cli
