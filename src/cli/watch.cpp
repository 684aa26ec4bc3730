#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "cli/command.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/watch_console.hpp"
#include "learn/progress.hpp"
#include "learn/watched_files.hpp"
#include "report/check_formats.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;

struct WatchWords {
  std::vector<std::string> files;
  std::string device = "auto", format = "text";
  bool plain = false;
};

std::vector<learn::ExerciseFile> asked_files(const std::vector<std::string>& words) {
  std::vector<learn::ExerciseFile> files;
  for (const std::string& word : words)
    for (const learn::ExerciseFile& file : exercises_that_are_here(word))
      require_file(files.emplace_back(file));
  return files.empty() ? all_exercises_here() : files;
}

std::set<fs::path> folders_of(const std::vector<learn::ExerciseFile>& files) {
  std::set<fs::path> folders;
  for (const learn::ExerciseFile& file : files) folders.insert(file.folder());
  return folders;
}

class Watch {
 public:
  Watch(const WatchWords& words)
      : asked_(asked_files(words.files)),
        follows_folder_(words.files.empty()),
        folder_(asked_.front().folder()),
        options_{.with_gpu = words.device != "simulator"},
        is_for_editors_(words.format == "gcc"),
        is_log_(words.plain || is_for_editors_ || !stdout_is_terminal()),
        events_(folders_of(asked_)),
        console_("q quits, h hints, n next", words.plain || is_for_editors_) {
    options_.stop = {.descriptor = console_.descriptor(),
                     .is_made = [this] { return WatchConsole::is_quit(console_.pressed()); }};
  }

  ExitCode run() try {
    check_what_has_not_passed();
    while (true) {
      for (const char key : console_.wait(events_))
        if (!obey(key)) return ExitCode::ok;
      if (const auto files = saved(); !files.empty()) check(files);
    }
  } catch (const learn::WorkStopped&) {
    return ExitCode::ok;
  }

 private:
  // Also those that have appeared since.
  std::vector<learn::ExerciseFile> files() const {
    return follows_folder_ ? learn::exercises_in(folder_) : asked_;
  }

  std::vector<learn::ExerciseFile> saved() {
    std::vector<fs::path> paths;
    const std::vector<learn::ExerciseFile> all = files();
    paths.reserve(all.size());
    for (const learn::ExerciseFile& file : all) paths.push_back(file.path);
    const std::vector<fs::path> taken = events_.saved_of(paths, saved_);
    std::vector<learn::ExerciseFile> result;
    std::ranges::copy_if(all, std::back_inserter(result), [&](const learn::ExerciseFile& file) {
      return std::ranges::find(taken, file.path) != taken.end();
    });
    return result;
  }

  static bool has_passed(const learn::ExerciseFile& file) {
    const learn::Progress progress = learn::ProgressFile(file.folder()).read();
    return progress.of(file.exercise.name).state == ExerciseState::passed;
  }

  void check_what_has_not_passed() {
    std::vector<learn::ExerciseFile> all = saved();
    attempt([&] { std::erase_if(all, has_passed); });
    check(all);
  }

  void check(const std::vector<learn::ExerciseFile>& files) {
    if (is_log_) Output({}).write("gpulab: checking\n");
    results_.clear();
    errors_.clear();
    for (const learn::ExerciseFile& file : files) {
      last_ = file;
      console_.working("checking " + file.path.string());
      attempt([&] {
        results_.push_back(check_file(file, options_));
        if (!console_.has_screen())
          console_.show([&](const auto& style) {
            return is_for_editors_ ? report::check_gcc({results_.back()})
                                   : report::check_text(results_.back(), style);
          });
      });
      console_.update([this](const auto& style) { return text(style); });
    }
    // What was pressed in the meantime was meant for what the screen showed then.
    if (WatchConsole::is_quit(console_.pressed())) throw learn::WorkStopped();
    if (console_.has_screen() || files.empty())
      console_.show([this](const auto& style) { return text(style); });
    const auto passed = std::ranges::count(results_, Verdict::right, &CheckResult::verdict);
    if (is_log_)
      Output({}).write(fmt::format("gpulab: checked, {} passed, {} failed\n", passed,
                                   static_cast<std::ptrdiff_t>(files.size()) - passed));
  }

  std::string text(const report::TextStyle& style) const {
    if (results_.empty() && errors_.empty()) return "nothing is left to check until a file is saved\n";
    return errors_ + (results_.empty() ? "" : report::checks_text(results_, style));
  }

  // Returns whether to go on.
  bool obey(char key) {
    if (WatchConsole::is_quit({key})) return false;
    if (key == 'h') show([&] { return next_hint(last_ ? *last_ : asked_.front()); });
    if (key == 'n') show([&] { return next_exercise(); });
    return true;
  }

  std::string next_exercise() {
    const std::string text = go_on(folder_);
    follows_folder_ = true;
    saved();  // the starter is not checked before it was edited
    return text;
  }

  template <class Step>
  void show(Step step) {
    try {
      console_.show([text = step()](const report::TextStyle&) { return text; });
    } catch (const Error& error) {
      console_.show_error(std::string("gpulab: ") + error.what() + "\n");
    }
  }

  // What cannot be done now may be possible after the next save.
  template <class Step>
  void attempt(Step step) {
    try {
      step();
    } catch (const Error& error) {
      const std::string message = std::string("gpulab: ") + error.what() + "\n";
      if (console_.has_screen())
        errors_ += message;
      else
        console_.show_error(message);
    }
  }

  std::vector<learn::ExerciseFile> asked_;
  bool follows_folder_;
  fs::path folder_;
  learn::CheckOptions options_;
  bool is_for_editors_;
  bool is_log_;  // for an editor, which looks for the first and the last line of each round
  learn::SavedFiles saved_;
  learn::FolderEvents events_;
  std::optional<learn::ExerciseFile> last_;
  std::vector<CheckResult> results_;
  std::string errors_;
  WatchConsole console_;  // shows the last of these when it ends
};

}  // namespace

void add_watch(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("watch", "check at every save (q: quit, h: hint, n: next, m: more)");
  auto words = std::make_shared<WatchWords>();
  command->add_option("file", words->files, "files or lessons; default: every exercise in this folder")
      ->type_name("FILE");
  add_choice(*command, "--device", words->device, "on the simulator, and on a GPU if there is one",
             {"auto", "simulator"});
  add_choice(*command, "--format", words->format, "gcc: one line for each thing that is wrong, for editors",
             {"text", "gcc"});
  command->add_flag("--plain", words->plain, "print without keys, colour or a screen, as in a pipe");
  command->callback([&context, words] { context.action = [words] { return Watch(*words).run(); }; });
}

}  // namespace gpulab::cli
