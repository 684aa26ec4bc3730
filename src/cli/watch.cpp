#include <poll.h>
#include <algorithm>
#include <set>

#include "cli/command.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/terminal_keys.hpp"
#include "learn/progress.hpp"
#include "learn/watched_files.hpp"
#include "report/documents.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;

struct WatchWords {
  std::vector<std::string> files;
  std::string device = "auto";
};

std::vector<learn::ExerciseFile> asked_files(const std::vector<std::string>& words) {
  std::vector<learn::ExerciseFile> files;
  for (const std::string& word : words) require_file(files.emplace_back(learn::find_exercise(word)));
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
        events_(folders_of(asked_)) {
    options_.stop = {.descriptor = keys_.descriptor(), .is_made = [this] { return is_quit(keys_.read()); }};
  }

  ExitCode run() try {
    check_what_has_not_passed();
    while (true) {
      wait();
      for (const char key : keys_.read())
        if (!obey(key)) return ExitCode::ok;
      check_what_was_saved();
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
    std::vector<fs::path> taken = saved_.take(paths);
    if (taken.empty()) return {};
    events_.wait_until_quiet();
    std::ranges::copy(saved_.take(paths), std::back_inserter(taken));
    std::vector<learn::ExerciseFile> result;
    std::ranges::copy_if(all, std::back_inserter(result), [&](const learn::ExerciseFile& file) {
      return std::ranges::find(taken, file.path) != taken.end();
    });
    return result;
  }

  static bool has_passed(const learn::ExerciseFile& file) {
    const learn::Progress progress = learn::ProgressFile(file.folder()).read();
    return progress.of(file.exercise.lesson).state == ExerciseState::passed;
  }

  void check_what_has_not_passed() {
    attempt([&] {
      std::vector<learn::ExerciseFile> all = saved();
      std::erase_if(all, has_passed);
      check(all);
    });
  }

  void check_what_was_saved() {
    if (const auto files = saved(); !files.empty()) check(files);
  }

  void check(const std::vector<learn::ExerciseFile>& files) {
    clear_screen();
    for (const learn::ExerciseFile& file : files) {
      last_ = file;
      Narrator narrator(false);
      narrator.progress("checking " + file.path.string());
      attempt([&] {
        const CheckResult result = check_file(file, options_);
        narrator.wipe();
        Output({}).write(report::check_text(result, style_of_stdout()) + "\n");
      });
    }
    // What was pressed in the meantime was meant for what the screen showed then.
    if (is_quit(keys_.read())) throw learn::WorkStopped();
    show_keys();
  }

  // Something may be saved, a key pressed, or it is time to look by ourselves.
  void wait() const {
    constexpr int look_every_ms = 250;
    pollfd sources[] = {{.fd = keys_.descriptor(), .events = POLLIN, .revents = 0},
                        {.fd = events_.descriptor(), .events = POLLIN, .revents = 0}};
    ::poll(sources, std::size(sources), look_every_ms);
    events_.drain();
  }

  static bool is_quit(char key) {
    constexpr char end_of_input = 4;
    return key == 'q' || key == end_of_input;
  }
  static bool is_quit(const std::string& keys) {
    return std::ranges::any_of(keys, [](char key) { return is_quit(key); });
  }

  // Returns whether to go on.
  bool obey(char key) {
    if (is_quit(key)) return false;
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

  template <class Text>
  void show(Text text) const {
    clear_screen();
    attempt([&] { Output({}).write(text() + "\n"); });
    show_keys();
  }

  void show_keys() const {
    if (keys_.descriptor() >= 0)
      Output({}).write(
          report::painted("watching: q quits, h hints, n next", report::Ink::faint, style_of_stdout()) +
          "\n");
  }

  // What cannot be done now may be possible after the next save.
  template <class Step>
  static void attempt(Step step) {
    try {
      step();
    } catch (const Error& error) {
      tell(std::string("gpulab: ") + error.what() + "\n");
    }
  }

  std::vector<learn::ExerciseFile> asked_;
  bool follows_folder_;
  fs::path folder_;
  learn::CheckOptions options_;
  learn::SavedFiles saved_;
  learn::FolderEvents events_;
  TerminalKeys keys_;
  std::optional<learn::ExerciseFile> last_;
};

}  // namespace

void add_watch(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("watch", "check at every save (q: quit, h: hint, n: next)");
  auto words = std::make_shared<WatchWords>();
  command->add_option("file", words->files, "files or lessons; default: every exercise in this folder")
      ->type_name("FILE");
  add_choice(*command, "--device", words->device, "on the simulator, and on a GPU if there is one",
             {"auto", "simulator"});
  command->callback([&context, words] { context.action = [words] { return Watch(*words).run(); }; });
}

}  // namespace gpulab::cli
