#include "cli/lesson_watch.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "cli/command.hpp"
#include "cli/lesson_files.hpp"
#include "cli/lesson_reports.hpp"
#include "cli/watch_console.hpp"
#include "learn/watched_files.hpp"
#include "report/documents.hpp"
#include "run/kernel_files.hpp"
#include "run/run_lesson.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;

// The options of the one run that is repeated.
run::RunOptions watched_options(const Lesson& lesson, const LessonWords& words) {
  if (!words.run.kernels)
    throw UsageError(fmt::format(
        "--watch runs the kernel files of a folder again; gpulab kernels {0} --to DIR writes them, then "
        "gpulab {0} --kernels DIR --watch",
        lesson.name));
  if (words.output) throw UsageError("--output keeps one report, and --watch makes many; give one of them");
  if (format_of(words) != "text")
    throw UsageError("--format " + format_of(words) + " writes one document; --watch shows a table, as text");
  std::vector<run::RunOptions> options = run_options_of_sizes(lesson, words);
  if (options.size() > 1) throw UsageError("--watch runs one size; give --size one value");
  run::KernelFiles(lesson, words.run.kernels);  // throws if there is nothing to watch
  return std::move(options.front());
}

std::vector<fs::path> files_of(const Lesson& lesson, const fs::path& folder) {
  std::set<fs::path> files;
  for (const Variant& variant : lesson.variants) files.insert(folder / lesson.file_of(variant));
  return {files.begin(), files.end()};
}

bool does_not_compile(const VariantResult& variant) {
  return variant.observed == Outcome::fails_to_compile && !variant.as_expected();
}

class LessonWatch {
 public:
  LessonWatch(const Lesson& lesson, const LessonWords& words, const std::vector<std::string>& typed)
      : lesson_(lesson),
        typed_(typed),
        options_(watched_options(lesson, words)),
        files_(files_of(lesson, *options_.kernels)),
        outputs_(lesson, options_.settings, words, /*has_several_sizes=*/false),
        narrator_(words.quiet),
        device_(words.device.open(cache_, [this](const std::string& line) { narrator_.remark(line); })),
        events_({*options_.kernels}),
        console_("q quits, r runs all again", /*is_plain=*/false) {
    options_.progress = [this](const std::string& what) { console_.working("running " + what); };
    options_.remark = [this](const std::string& line) { narrator_.remark(line); };
    options_.on_result = [this](const LessonResult& so_far) { return take_part(so_far); };
  }

  ExitCode run() {
    saved_.take(files_);
    run_lesson(true);
    while (!is_over_) {
      const std::string keys = console_.wait(events_);
      if (WatchConsole::is_quit(keys)) break;
      const bool all = keys.find('r') != std::string::npos;
      if (!all && events_.saved_of(files_, saved_).empty()) continue;
      if (last_ && last_->has_lost_the_device()) throw StartAnew{typed_};
      run_lesson(all);
    }
    return ExitCode::ok;
  }

 private:
  // Until somebody wants to end, or a kernel does not compile: the others in its file would not either.
  bool take_part(const LessonResult& so_far) {
    is_over_ = WatchConsole::is_quit(console_.pressed());
    if (is_over_ || std::ranges::any_of(so_far.variants, does_not_compile)) return false;
    console_.update([this, so_far](const report::TextStyle& style) {
      return report::lesson_rows(so_far, style, before());
    });
    return true;
  }

  const LessonResult* before() const { return last_ ? &*last_ : nullptr; }

  void run_lesson(bool all) {
    if (!stdout_is_terminal()) Output({}).write("gpulab: running\n");
    console_.working("running");
    try {
      if (!run_) run_.emplace(lesson_, options_, *device_.device);
      take(run_->run(all));
    } catch (const Error& error) {
      run_.reset();  // whatever it was in the middle of
      show_problem(std::string("gpulab: ") + error.what() + "\n");
    }
  }

  void take(LessonResult now) {
    if (is_over_) return;
    if (now.has_lost_the_device()) run_.reset();
    if (const auto refused = std::ranges::find_if(now.variants, does_not_compile);
        refused != now.variants.end())
      return show_problem(failures_text(lesson_.name, {*refused}), refused->compiler_log);
    outputs_.write(now, narrator_);
    console_.show([before = last_, now](const report::TextStyle& style) {
      return report::lesson_text(now, style, before ? &*before : nullptr);
    });
    last_ = std::move(now);
    say_how_it_went();
  }

  // Above the last table that there is.
  void show_problem(const std::string& problem, const std::string& compiler_log = "") {
    if (!console_.has_screen()) {
      console_.show_error(problem + compiler_log);
      return say_how_it_went();
    }
    console_.show([problem, compiler_log, last = last_](const report::TextStyle& style) {
      return report::paragraph(problem, report::Ink::plain, style) + compiler_log +
             (last ? "\nThe last table:\n\n" + report::lesson_text(*last, style) : "");
    });
  }

  // For a program that reads along.
  void say_how_it_went() const {
    if (stdout_is_terminal()) return;
    const auto& variants = last_ ? last_->variants : std::vector<VariantResult>{};
    const auto as_expected = std::ranges::count_if(variants, &VariantResult::as_expected);
    Output({}).write(fmt::format("gpulab: ran, {} as expected, {} not\n", as_expected,
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
  std::optional<LessonResult> last_;  // in which every kernel compiled
  learn::SavedFiles saved_;
  learn::FolderEvents events_;
  WatchConsole console_;
  bool is_over_ = false;
};

}  // namespace

ExitCode watch_lesson(const Lesson& lesson, const LessonWords& words, const std::vector<std::string>& typed) {
  return LessonWatch(lesson, words, typed).run();
}

}  // namespace gpulab::cli
