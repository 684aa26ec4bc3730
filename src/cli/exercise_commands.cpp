#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <set>

#include "base/files.hpp"
#include "base/output.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "check/check_formats.hpp"
#include "check/files.hpp"
#include "check/progress.hpp"
#include "cli/command.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "source/device_code.hpp"
#include "source/source_parts.hpp"
#include "teach/submissions.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;

// Puts the starter in place of the learner's file, which is kept as a copy. Returns lines that say so.
std::string restart_exercise(const check::ExerciseFile& exercise) {
  const bool is_new = !is_there(exercise.path);
  const auto copy = check::restore_starter(exercise);  // of the learner's file
  bool has_passed = false;
  save_progress(exercise, [&](ExerciseProgress& progress) {
    has_passed = progress.state == ExerciseState::passed;
    if (!has_passed) progress = {.state = ExerciseState::started, .read_solution = progress.read_solution};
    progress.hints_taken = 0;
    progress.last_pattern.clear();
  });
  const std::string file = exercise.path.string();
  return (is_new ? "wrote " + file + "\n" : file + " is the starter again.\n") +
         (copy ? fmt::format("Your version is now {}.\n", copy->string()) : "") +
         (has_passed ? exercise.exercise.name + " has passed before, and stays passed.\n" : "");
}

ExitCode start_again(const std::vector<std::string>& words) {
  std::vector<check::ExerciseFile> exercises;
  for (const std::string& word : words) exercises.push_back(check::find_exercise(word).with_own_name());
  std::string text;
  for (const auto& exercise : exercises) text += restart_exercise(exercise) + what_to_do(exercise);
  ReportOutput({}).write(text);
  return ExitCode::ok;
}

ExitCode start_all_again() {
  const std::vector<check::ExerciseFile> all = exercises_in_folder();
  if (can_ask() &&
      !ask_yes_no(all.size() == 1 ? "Begin the exercise in this folder again?"
                                  : fmt::format("Begin all {} exercises in this folder again?", all.size())))
    return ExitCode::ok;
  std::string text;
  for (const check::ExerciseFile& exercise : all) text += restart_exercise(exercise);
  ReportOutput({}).write(text);
  return ExitCode::ok;
}

ExitCode start(const std::vector<std::string>& words) {
  std::string text;
  if (words.empty()) {
    print(check::progress_text(check::standings(check::ProgressFile(".").read()), style_of_stdout()) +
          "gpulab start EXERCISE writes its starter into this folder\n");
    return ExitCode::ok;
  }
  std::vector<check::ExerciseFile> exercises;
  for (const std::string& word : words) {
    const std::vector<check::ExerciseFile> found = check::find_exercises(word);
    exercises.insert(exercises.end(), found.begin(), found.end());
  }
  for (check::ExerciseFile& exercise : exercises) {
    exercise = exercise.with_own_name();
    if (!check::write_starter(exercise)) continue;
    save_progress(exercise, mark_started);
    text += fmt::format("wrote {}\n", exercise.path.string()) + what_to_do(exercise);
  }
  if (text.empty())
    throw UsageError(
        fmt::format("{0} already exists; gpulab check {0} checks it, gpulab start {0} --again begins again",
                    exercises.front().path.string()));
  ReportOutput({}).write(text);
  return ExitCode::ok;
}

// Writes all starters, for an instructor to hand out. None of the exercises counts as begun.
ExitCode start_all() {
  std::string text;
  for (const Exercise& exercise : all_exercises())
    if (check::write_starter({exercise, exercise.file})) text += fmt::format("wrote {}\n", exercise.file);
  if (text.empty()) throw UsageError("every exercise has a file here already; nothing was written");
  ReportOutput({}).write(text);
  return ExitCode::ok;
}

}  // namespace

void add_start(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("start", "write the starter of an exercise into this folder");
  struct StartOptions {
    std::vector<std::string> exercises;
    bool again = false, all = false;
  };
  auto options = std::make_shared<StartOptions>();
  add_value(*command, "lesson", options->exercises, "EXERCISE",
            "the lesson, or the file to write; or several; default: list what there is");
  command->add_flag("--again", options->again, "begin again; your file is kept as a copy");
  command->add_flag("--all", options->all,
                    "the starters of all exercises; with --again, of every exercise in this folder");
  command->callback([&context, options] {
    if (options->again && !options->all && options->exercises.empty())
      throw UsageError("--again needs an exercise, or --all for every exercise in this folder");
    if (options->all && !options->exercises.empty())
      throw UsageError("--all means every exercise; leave the name out");
    context.action = [options] {
      if (options->all) return options->again ? start_all_again() : start_all();
      return options->again ? start_again(options->exercises) : start(options->exercises);
    };
  });
}

void add_hint(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("hint", "give one more hint each time");
  auto word = std::make_shared<std::string>();
  add_value(*command, "lesson", *word, "EXERCISE",
            "the lesson, or its file; default: the last that was checked, or the next");
  set_action(*command, context, [word] {
    print(word->empty() ? hint_of_current_exercise() : next_hint(check::find_exercise(*word)));
    return ExitCode::ok;
  });
}

namespace {

struct SolutionOptions {
  std::string exercise;
  bool anyway = false;
};

ExitCode show_solution(const SolutionOptions& options) {
  const check::ExerciseFile exercise = asked_or_last_checked(options.exercise);
  if (!may_see_course_solution(exercise, "solution", options.anyway)) return ExitCode::ok;
  const std::string text = check::course_file_of(exercise.exercise);
  print(exercise.exercise.has_questions() ? text : source::source_text(text, style_of_source()));
  return ExitCode::ok;
}

}  // namespace

void add_solution(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("solution", "the course's solution, once you have passed (diff compares)");
  auto options = std::make_shared<SolutionOptions>();
  add_value(*command, "lesson", options->exercise, "EXERCISE",
            "the lesson, or its file; default: the last that was checked, or the next");
  command->add_flag("--anyway", options->anyway, "show it before you have passed, without asking");
  set_action(*command, context, [options] { return show_solution(*options); });
}

namespace {

struct ProgressOptions {
  std::string format;
  std::optional<std::string> share, name;
};

std::string change_sharing(const ProgressOptions& options) {
  if (!options.share) throw UsageError("--name needs --share DIR: it is the name that the class sees");
  if (*options.share == "none") {
    const bool was_shared = teach::stop_sharing(".");
    return was_shared ? "Your progress in this folder is not shared any more.\n"
                      : "Your progress in this folder is not shared.\n";
  }
  const auto shared = teach::start_sharing(".", *options.share, options.name.value_or(""));
  return fmt::format(
             "From now on, each check in this folder also writes\n  {}\nyour name, the exercises that you have begun or passed, the number of checks of\neach, its last pattern and how many checks have found it, and when you checked\nlast. Nothing of your files is in it. gpulab progress --share none ends it.\n",
             shared.file.string()) +
         (shared.has_namesakes
              ? fmt::format(
                    "Another folder shares as {0}, too, so the class sees {0} and {0} (2);\n--name chooses another name.\n",
                    shared.name)
              : "");
}

ExitCode show_progress(const ProgressOptions& options) {
  if (options.share || options.name) {
    ReportOutput({}).write(change_sharing(options));
    return ExitCode::ok;
  }
  const auto all = check::standings(check::ProgressFile(".").read());
  if (options.format == "json")
    ReportOutput({}).write(check::progress_json(all));
  else
    print(check::progress_text(all, style_of_stdout()));
  return ExitCode::ok;
}

}  // namespace

void add_progress(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("progress", "list the exercises, and which have passed in this folder");
  auto options = std::make_shared<ProgressOptions>();
  add_value(*command, "--share", options->share, "DIR",
            "let gpulab class DIR see how far you are; none ends that");
  add_value(*command, "--name", options->name, "NAME",
            "with --share: what you are called there (default: your user name)");
  add_format_option(*command, options->format);
  set_action(*command, context, [options] { return show_progress(*options); });
}

namespace {

struct ClassOptions {
  fs::path folder;
  std::string exercises, format;
};

// Returns the class as it is now, by the rules of its class.toml. Uses the exercises that class.toml names.
teach::ClassResult class_now(const ClassOptions& options) {
  const fs::path class_toml = options.folder / "class.toml";
  if (!options.exercises.empty()) return teach::class_in(options.folder);
  const std::string text = fs::exists(class_toml) ? rules_text(class_toml) : "";
  use_exercises_of_class(class_toml, text, /*with_course=*/false);
  return teach::class_in(options.folder, teach::parse_class_rules(text, class_toml.string()));
}

// Returns the lines of the screen: the class or, until it is corrected, the error in its class.toml.
std::vector<std::string> lines_for(const ClassOptions& options, const ScreenSize& size) {
  TextStyle style = style_of_stdout();
  style.width = size.columns;
  std::vector<std::string> lines;
  try {
    // The last row says what q does.
    lines = teach::class_lines(class_now(options), style, size.rows - 1);
  } catch (const UsageError& error) {
    lines = wrapped(error.what(), style.width);
  }
  lines.resize(size.rows);
  lines.back() = painted("q quits; redrawn at each check", Ink::faint, style);
  return lines;
}

// Draws at each save, and every two seconds: minutes pass on the screen, and network file systems may not
// report a save.
void show_live(const ClassOptions& options) {
  constexpr int redraw_every_ms = 2000;
  TerminalKeys keys;
  TerminalScreen screen;
  const FolderEvents events({options.folder});
  for (;;) {
    screen.show(lines_for(options, screen.size()));
    const bool is_saved = keys.wait(events.descriptor(), redraw_every_ms);
    if (is_quit(keys.read())) return;
    if (is_saved) events.wait_until_quiet();
  }
}

ExitCode show(const ClassOptions& options) {
  if (!options.exercises.empty())
    use_folder_of_exercises({options.exercises, "--exercises"}, /*with_course=*/false);
  const teach::ClassResult result = class_now(options);  // throws for a wrong folder before a screen is drawn
  if (options.format == "json") {
    ReportOutput({}).write(teach::class_json(result));
  } else if (TerminalScreen::is_possible()) {
    show_live(options);
  } else {
    std::string text;
    for (const std::string& line : teach::class_lines(result, style_of_stdout(), SIZE_MAX))
      text += line + "\n";
    ReportOutput({}).write(text);
  }
  return ExitCode::ok;
}

}  // namespace

void add_class(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("class", "show the progress of all who share it");
  auto options = std::make_shared<ClassOptions>();
  add_value(*command, "folder", options->folder, "DIR",
            "the folder that the class shares: gpulab progress --share DIR")
      ->required();
  add_value(*command, "--exercises", options->exercises, "DIR",
            "the folder of your own exercises (default: as class.toml in the shared folder says)");
  add_format_option(*command, options->format);
  set_action(*command, context, [options] { return show(*options); });
}

void add_next(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("next", "begin the next exercise: say what it is and write its starter");
  auto goes_back = std::make_shared<bool>(false);
  command->add_flag("--previous", *goes_back, "go back to the exercise before that one");
  set_action(*command, context, [goes_back] {
    ReportOutput({}).write(start_next_exercise(".", *goes_back).text);
    return ExitCode::ok;
  });
}

namespace {

struct EditorOptions {
  std::string editor;
  fs::path folder = ".";
};

struct EditorFile {
  const char* name;         // in data/editors/
  const char* destination;  // path in the user's folder
};

struct Editor {
  const char* name;
  std::vector<EditorFile> files;
  bool reads_prelude;  // whether clangd completes kernels with the declarations of gpulab's prelude
  const char* next;    // what to do once the files are written
};

constexpr EditorFile clangd_file{"clangd.yaml", ".clangd"};
constexpr const char* needs_clangd =
    "Kernel files are completed and underlined by clangd (Debian: apt-get install clangd).\n";

const std::vector<Editor>& editors() {
  static const std::vector<Editor> all{
      {"vscode",
       {clangd_file,
        {"settings.json", ".vscode/settings.json"},
        {"tasks.json", ".vscode/tasks.json"},
        {"extensions.json", ".vscode/extensions.json"}},
       /*reads_prelude=*/true,
       "Open this folder in VS Code and install the extension that it recommends, clangd.\n"
       "Run Build Task checks the file; Run Task, gpulab watch checks at every save, gpulab run runs a program.\n"},
      {"vim",
       {clangd_file, {"gpulab.vim", "gpulab.vim"}},
       /*reads_prelude=*/true,
       "vim -S gpulab.vim FILE.cu, and :make checks the file; gpulab.vim says how to have it always.\n"},
      {"clangd",
       {clangd_file},
       /*reads_prelude=*/true,
       "Any editor that uses clangd now understands the kernel files of exercises here.\n"},
      {"notebook",
       {{"gpulab_magic.py", "gpulab_magic.py"}},
       /*reads_prelude=*/false,
       "In a notebook beside it, type %load_ext gpulab_magic, then %%gpulab check LESSON above a kernel.\n"},
  };
  return all;
}

// Escapes a path for a quoted string of YAML.
std::string escaped(const std::string& path) {
  std::string text;
  for (const char letter : path) {
    if (letter == '"' || letter == '\\') text += '\\';
    if (static_cast<unsigned char>(letter) < ' ')
      text += fmt::format("\\x{:02x}", static_cast<unsigned>(letter));
    else
      text += letter;
  }
  return text;
}

// Returns the names of kernel files, without .cu, as a regular expression. Programs of exercises are none.
std::string names_of_kernel_files() {
  std::set<std::string> names;
  for (const EmbeddedFile& file : embedded_kernels())
    if (!source::refused_main(file.text)) names.insert(fs::path(file.name).stem().string());
  for (const Exercise& exercise : all_exercises())
    if (exercise.kind == ExerciseKind::kernel) names.insert(fs::path(exercise.file).stem().string());
  for (const EmbeddedExercise& exercise : embedded_exercises())
    if (exercise.kind == ExerciseKind::program) names.erase(exercise.folder);
  return fmt::format("{}", fmt::join(names, "|"));
}

std::string text_of(const EditorFile& file, const std::string& prelude) {
  const auto& all = embedded_editor_files();
  std::string text = std::ranges::find_if(all, [&](const EmbeddedFile& embedded) {
                       return embedded.name == std::string_view(file.name);
                     })->text;
  const std::string values[][2] = {{"@prelude@", prelude}, {"@files@", names_of_kernel_files()}};
  for (const auto& [placeholder, value] : values)
    for (std::size_t found = text.find(placeholder); found != std::string::npos;
         found = text.find(placeholder, found + value.size()))
      text.replace(found, placeholder.size(), value);
  return text;
}

std::string as_code_block(const std::string& text) {
  std::string result;
  for (const std::string& line : lines_of(text)) result += line.empty() ? "\n" : "    " + line + "\n";
  return result;
}

ExitCode write_files(const EditorOptions& options) {
  const Editor& editor = *std::ranges::find(editors(), options.editor, &Editor::name);
  if (!is_folder(options.folder))
    throw UsageError(fmt::format("there is no folder {}; make it first", options.folder.string()));
  const std::string prelude = editor.reads_prelude ? escaped(check::editor_prelude().string()) : "";
  std::string report, to_add;
  for (const EditorFile& file : editor.files) {
    const fs::path path = (options.folder / file.destination).lexically_normal();
    if (path.parent_path().filename() == ".vscode") make_folder(path.parent_path());
    const std::string text = text_of(file, prelude);
    if (create_file(path, text)) {
      report += fmt::format("wrote {}\n", path.string());
    } else if (has_text(path, text)) {
      report += fmt::format("{} is there already\n", path.string());
    } else {
      report += fmt::format("kept {}: its text differs\n", path.string());
      to_add += fmt::format("\nTo have it all, add this to {}:\n{}", path.string(), as_code_block(text));
    }
  }
  ReportOutput({}).write(report + editor.next + (editor.reads_prelude ? needs_clangd : "") + to_add);
  return to_add.empty() ? ExitCode::ok : ExitCode::usage;
}

}  // namespace

void add_editor(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("editor", "set up VS Code, Vim, clangd or a notebook");
  auto options = std::make_shared<EditorOptions>();
  add_value(*command, "editor", options->editor, "vscode|vim|clangd|notebook", "which one")
      ->required()
      ->check(one_of({"vscode", "vim", "clangd", "notebook"}));
  add_value(*command, "folder", options->folder, "DIR",
            "the folder with the kernel files (default: this one)");
  command->footer(
      "It never overwrites a file: it keeps one that is there, and prints what to add to it (code 2).");
  set_action(*command, context, [options] { return write_files(*options); });
}

}  // namespace gpulab::cli
