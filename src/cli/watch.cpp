#include <fmt/chrono.h>
#include <fmt/format.h>
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <optional>
#include <set>

#include "base/files.hpp"
#include "base/output.hpp"
#include "base/terminal.hpp"
#include "check/check_formats.hpp"
#include "check/judging.hpp"
#include "check/progress.hpp"
#include "cli/command.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/lesson_options.hpp"
#include "cli/lesson_reports.hpp"
#include "cli/options.hpp"
#include "run/documents.hpp"
#include "run/problems.hpp"
#include "run/run_lesson.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;

// Returns the options of the run to repeat. Throws UsageError for options that need a single run.
run::RunOptions watched_options(const Lesson& lesson, const LessonOptions& options) {
  if (!options.run.kernels)
    throw UsageError(fmt::format(
        "--watch runs the kernel files of a folder again; gpulab show {0} --to DIR writes them, then gpulab {0} --kernels DIR --watch",
        lesson.name));
  if (options.output) throw UsageError("--output keeps one report, and --watch makes many; give one of them");
  if (format_of(options) != "text")
    throw UsageError("--format " + format_of(options) +
                     " writes one document; --watch shows a table, as text");
  std::vector<run::RunOptions> runs = run_options_of_sizes(lesson, options);
  if (runs.size() > 1) throw UsageError("--watch runs one size; give --size one value");
  run::KernelFiles(lesson, options.run.kernels);  // throws if there is nothing to watch
  return std::move(runs.front());
}

std::vector<fs::path> kernel_files_in(const fs::path& folder, const Lesson& lesson) {
  std::set<fs::path> files;
  for (const Variant& variant : lesson.variants) files.insert(folder / lesson.file_of(variant));
  return {files.begin(), files.end()};
}

bool does_not_compile(const VariantResult& variant) {
  return variant.observed == Outcome::fails_to_compile && !variant.as_expected();
}

class LessonWatch {
 public:
  LessonWatch(const Lesson& lesson, const LessonOptions& options, const std::vector<std::string>& typed)
      : lesson_(lesson),
        typed_(typed),
        options_(watched_options(lesson, options)),
        files_(kernel_files_in(*options_.kernels, lesson)),
        outputs_(lesson, options_.settings, options, /*has_several_sizes=*/false),
        narrator_(options.quiet),
        device_(options.device.open(cache_, [this](const std::string& line) { narrator_.remark(line); })),
        events_({*options_.kernels}),
        console_("q quits, r runs all again", /*is_plain=*/false) {
    if (device_.device->properties().simulated() && !options.size && options.own.empty())
      if (const auto smaller = run::smaller_problem(lesson, options_.settings, run::mistake_limit))
        options_.settings = smaller->settings;  // so that a run after a save is short
    options_.progress = [this](const std::string& what) { console_.show_activity("running " + what); };
    options_.remark = [this](const std::string& line) { narrator_.remark(line); };
    options_.on_result = [this](const LessonResult& so_far) { return show_so_far(so_far); };
  }

  ExitCode run() {
    saved_.take_changed(files_);
    run_lesson(/*all=*/true);
    while (!is_over_) {
      const std::string keys = is_superseded_ ? "" : console_.wait(events_, saved_);
      if (is_quit(keys)) break;
      const bool all = keys.find('r') != std::string::npos;
      if (!is_superseded_ && !all && !has_save()) continue;
      if (last_ && last_->has_lost_the_device()) throw Restart{typed_};
      run_lesson(all);
    }
    return ExitCode::ok;
  }

 private:
  bool has_save() { return !events_.saved_of(files_, saved_).empty(); }

  // Returns whether the user quits, or has saved another text of a kernel.
  bool is_stopped() {
    is_over_ = is_over_ || is_quit(console_.pressed());
    is_superseded_ = is_superseded_ || has_save();
    return is_over_ || is_superseded_;
  }

  // Returns whether to go on: not if the run is stopped, or a kernel does not compile, as no kernel of its
  // file would.
  bool show_so_far(const LessonResult& so_far) {
    if (is_stopped() || std::ranges::any_of(so_far.variants, does_not_compile)) return false;
    console_.update(
        [this, so_far](const TextStyle& style) { return run::lesson_rows(so_far, style, last_result()); });
    return true;
  }

  const LessonResult* last_result() const { return last_ ? &*last_ : nullptr; }

  // Runs all variants, or those whose file has changed.
  void run_lesson(bool all) {
    if (!stdout_is_terminal()) ReportOutput({}).write("gpulab: running\n");
    console_.show_activity("running");
    is_superseded_ = false;
    try {
      if (!run_) run_.emplace(lesson_, options_, *device_.device);
      const LessonResult now = [&] {
        const StoppableKernels stoppable([this] { return is_stopped(); });
        return run_->run(all);
      }();
      if (!is_over_ && !is_superseded_) return show_result(now);
      run_.reset();
      if (now.has_lost_the_device() && !is_over_) throw Restart{typed_};
    } catch (const Error& error) {
      run_.reset();  // its state is unknown
      show_problem(std::string("gpulab: ") + error.what() + "\n");
    }
  }

  void show_result(LessonResult now) {
    if (now.has_lost_the_device()) run_.reset();
    if (const auto refused = std::ranges::find_if(now.variants, does_not_compile);
        refused != now.variants.end()) {
      const device::KernelSource file =
          run::KernelFiles(lesson_, options_.kernels).of(run::find_variant(lesson_, refused->name));
      const std::string slip = check::refusal_in_source(*refused->failure, file.text).text;
      return show_problem(
          slip.empty() ? failures_text(lesson_.name, {*refused})
                       : fmt::format("gpulab: {}: {} does not compile: {}\n", lesson_.name, file.name, slip),
          refused->compiler_log);
    }
    outputs_.write(now, narrator_);
    console_.show([before = last_, now](const TextStyle& style) {
      return run::lesson_text(now, style, before ? &*before : nullptr);
    });
    last_ = std::move(now);
    print_counts();
  }

  // Shows a problem above the last table, if there is one.
  void show_problem(const std::string& problem, const std::string& compiler_log = "") {
    if (!console_.has_screen()) {
      console_.show_error(problem + compiler_log);
      return print_counts();
    }
    console_.show([problem, compiler_log, last = last_](const TextStyle& style) {
      return paragraph(problem, Ink::plain, style) +
             check::compiler_lines(compiler_log, style, check::Detail::brief) +
             (last ? "\nThe last table:\n\n" + run::lesson_text(*last, style) : "");
    });
  }

  // Prints a line for a program that reads the output, such as an editor; none on a terminal.
  void print_counts() const {
    if (stdout_is_terminal()) return;
    const auto& variants = last_ ? last_->variants : std::vector<VariantResult>{};
    const auto as_expected = std::ranges::count_if(variants, &VariantResult::as_expected);
    ReportOutput({}).write(fmt::format("gpulab: ran, {} as expected, {} not\n", as_expected,
                                       std::ssize(variants) - as_expected));
  }

  const Lesson& lesson_;
  const std::vector<std::string> typed_;
  run::RunOptions options_;
  const std::vector<fs::path> files_;
  LessonFiles outputs_;
  Narrator narrator_;
  device::CompileCache cache_;
  run::OpenedDevice device_;
  std::optional<run::RepeatedRun> run_;
  std::optional<LessonResult> last_;  // the last result in which every kernel compiled
  SavedFiles saved_;
  FolderEvents events_;
  WatchConsole console_;
  bool is_over_ = false, is_superseded_ = false;  // the present run ends since the user quits, or has saved
};

}  // namespace

ExitCode watch_lesson(const Lesson& lesson, const LessonOptions& options,
                      const std::vector<std::string>& typed) {
  shorten_time_limit();
  return LessonWatch(lesson, options, typed).run();
}

namespace {

struct WatchOptions {
  std::vector<std::string> files;
  std::string device = "auto", format = "text";
  bool plain = false;
};

std::vector<check::ExerciseFile> requested_files(const std::vector<std::string>& words) {
  std::vector<check::ExerciseFile> files;
  for (const std::string& word : words)
    for (const check::ExerciseFile& file : exercises_that_are_here(word))
      require_file(files.emplace_back(file));
  return files.empty() ? exercises_in_folder() : files;
}

std::set<fs::path> folders_of(const std::vector<check::ExerciseFile>& files) {
  std::set<fs::path> folders;
  for (const check::ExerciseFile& file : files) folders.insert(file.folder());
  return folders;
}

class Watch {
 public:
  Watch(const WatchOptions& options)
      : requested_(requested_files(options.files)),
        follows_folder_(options.files.empty()),
        folder_(requested_.front().folder()),
        options_{.with_gpu = options.device != "simulator"},
        is_for_editors_(options.format == "gcc"),
        is_log_(options.plain || is_for_editors_ || !stdout_is_terminal()),
        events_(folders_of(requested_)),
        console_("q quits, m more, h hints, n next", options.plain || is_for_editors_) {
    options_.stop = timer_.token();
  }

  ExitCode run() {
    check_what_has_not_passed();
    while (!is_over_) {
      if (to_check_.empty())
        for (const char key : console_.wait(events_, saved_))
          if (!obey(key)) return ExitCode::ok;
      add_saved();
      if (!to_check_.empty()) check();
    }
    return ExitCode::ok;
  }

 private:
  // Returns the requested files, or all exercises that the folder has now.
  std::vector<check::ExerciseFile> files() const {
    return follows_folder_ ? check::exercises_in(folder_) : requested_;
  }

  // Returns the files that were saved since the last call.
  std::vector<check::ExerciseFile> take_saved() {
    std::vector<fs::path> paths;
    const std::vector<check::ExerciseFile> all = files();
    paths.reserve(all.size());
    for (const check::ExerciseFile& file : all) paths.push_back(file.path);
    const std::vector<fs::path> saved_paths = events_.saved_of(paths, saved_);
    std::vector<check::ExerciseFile> result;
    std::ranges::copy_if(all, std::back_inserter(result),
                         [&](const check::ExerciseFile& file) { return contains(saved_paths, file.path); });
    return result;
  }

  // Returns whether the file's present text has passed.
  static bool has_passed(const check::ExerciseFile& file) {
    const ExerciseProgress progress = check::ProgressFile(file.folder()).read().of(file.exercise.name);
    try {
      const auto source = check::learner_file(file.exercise, file.path);
      return progress.hash_of_passed == std::to_string(check::seed_of(source.text));
    } catch (const UsageError&) {
      return false;  // a check says what is wrong with the file
    }
  }

  void check_what_has_not_passed() {
    add_saved();
    const bool is_one =
        !follows_folder_ && requested_.size() == 1;  // its result is shown, also if it has passed
    if (!is_one) attempt([&] { std::erase_if(to_check_, has_passed); });
    check();
  }

  // Adds the files that were saved since the last call to those that are to be checked. Returns them.
  std::vector<check::ExerciseFile> add_saved() {
    std::vector<check::ExerciseFile> saved = take_saved();
    for (const check::ExerciseFile& file : saved)
      if (!contains(to_check_, file.path, &check::ExerciseFile::path)) to_check_.push_back(file);
    return saved;
  }

  // Checks the files. After a save begins again with those that have no result of their present text.
  void check() try {
    const std::vector<check::ExerciseFile> files = to_check_;
    if (is_log_) ReportOutput({}).write("gpulab: checking\n");
    results_.clear();
    errors_.clear();
    is_checking_ = !files.empty();
    detail_ = check::Detail::brief;
    round_ = fmt::format("check {} at {:%H:%M:%S}\n", ++rounds_, fmt::localtime(std::time(nullptr)));
    bool is_any_wrong = false;
    for (const check::ExerciseFile& file : files) {
      if (!is_any_wrong) file_of_hints_ = file;
      console_.show_activity("checking " + file.path.string());
      attempt([&] {
        results_.push_back(check_file(file, options_));
        is_any_wrong |= console_.has_screen() && results_.back().verdict != Verdict::right;
        if (!console_.has_screen())
          console_.show([&](const auto& style) {
            return is_for_editors_ ? check::check_gcc({results_.back()})
                                   : check::check_text(results_.back(), style);
          });
      });
      std::erase_if(to_check_, [&](const auto& other) { return other.path == file.path; });
      console_.update([this](const auto& style) { return text(style); });
    }
    is_checking_ = false;
    if (is_stopped()) throw WorkStopped();
    if (console_.has_screen() || files.empty())
      console_.show([this](const auto& style) { return text(style); });
    const auto passed = std::ranges::count(results_, Verdict::right, &CheckResult::verdict);
    if (is_log_)
      ReportOutput({}).write(fmt::format("gpulab: checked, {} passed, {} failed\n", passed,
                                         static_cast<std::ptrdiff_t>(files.size()) - passed));
    if (std::exchange(wants_next_, false) && passed > 0 && passed == std::ssize(files)) obey('n');
  } catch (const WorkStopped&) {  // run() goes on
  }

  // Returns whether q was pressed during a check, or the file was saved that is checked. Drops other keys,
  // but obeys n later, if all files pass.
  bool is_stopped() {
    const std::string keys = console_.pressed();
    wants_next_ |= keys.find('n') != std::string::npos;
    is_over_ |= is_quit(keys);
    const std::vector<check::ExerciseFile> saved = add_saved();
    return is_over_ ||
           (!to_check_.empty() && contains(saved, to_check_.front().path, &check::ExerciseFile::path));
  }

  std::string text(const TextStyle& style) const {
    if (results_.empty() && errors_.empty() && !is_checking_)
      return "nothing is left to check until a file is saved\n";
    return (console_.has_screen() ? painted(round_, Ink::faint, style) : "") + errors_ +
           (results_.empty() ? "" : check::checks_text(results_, style, detail_));
  }

  // Obeys a key, and returns whether to go on.
  bool obey(char key) {
    if (is_quit({&key, 1})) return false;
    if (key == 'h') show([&] { return next_hint(file_of_hints_ ? *file_of_hints_ : requested_.front()); });
    if (key == 'n') show([&] { return next_exercise(); });
    constexpr std::string_view scroll_keys = "mb ";  // with the space bar
    const bool asks_for_more = key == 'm' && detail_ == check::Detail::brief && !results_.empty();
    if (console_.has_screen() && asks_for_more) {
      detail_ = check::Detail::all;
      console_.show([this](const auto& style) { return text(style); });
    } else if (console_.has_screen() && key != 'h' && key != 'n')
      console_.show_activity(scroll_keys.find(key) != std::string_view::npos
                                 ? "all is shown; h hints, n next"
                                 : "no such key; h hints, n next");
    return true;
  }

  std::string next_exercise() {
    const BegunExercise begun = start_next_exercise(folder_);
    if (begun.file) file_of_hints_ = begun.file;
    follows_folder_ = true;
    take_saved();  // so that the starter, which has just been written, is not checked before it is edited
    return begun.text;
  }

  template <class Step>
  void show(Step step) {
    try {
      console_.show([text = step()](const TextStyle&) { return text; });
    } catch (const Error& error) {
      console_.show_error(std::string("gpulab: ") + error.what() + "\n");
    }
  }

  // Shows the error of a step: it may succeed after the next save.
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

  std::vector<check::ExerciseFile> requested_;
  bool follows_folder_;
  fs::path folder_;
  check::CheckOptions options_;
  bool is_for_editors_;
  bool is_log_;  // for an editor, which looks for the first and the last line of each round
  SavedFiles saved_;
  FolderEvents events_;
  std::optional<check::ExerciseFile> file_of_hints_;  // announced, or the first not passed, or the last
  std::vector<check::ExerciseFile> to_check_;         // beginning with the one that is checked now
  std::vector<CheckResult> results_;
  bool is_over_ = false;
  bool is_checking_ = false;  // whether an empty screen only means that there is no result yet
  bool wants_next_ = false;
  check::Detail detail_ = check::Detail::brief;
  std::string errors_, round_;
  unsigned rounds_ = 0;
  StopTimer timer_{[this] { return is_stopped(); }};
  WatchConsole console_;  // last, so that its destructor can show the members above
};

}  // namespace

void add_watch(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("watch", "check at every save (q: quit, h: hint, n: next, m: more)");
  auto options = std::make_shared<WatchOptions>();
  add_value(*command, "file", options->files, "FILE",
            "files, lessons or folders; default: every exercise in this folder");
  add_choice(*command, "--device", options->device, "where to check; auto adds a GPU if there is one",
             {"auto", "simulator"});
  add_choice(*command, "--format", options->format,
             "how it is written; with gcc a line for each error, for editors", {"text", "gcc"});
  command->add_flag("--plain", options->plain, "print without keys, colour or a screen, as in a pipe");
  set_action(*command, context, [options] { return Watch(*options).run(); });
}

}  // namespace gpulab::cli
