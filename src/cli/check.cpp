#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/files.hpp"
#include "base/output.hpp"
#include "base/terminal.hpp"
#include "bench/page/page.hpp"
#include "check/check_formats.hpp"
#include "cli/command.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/lesson_options.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "run/devices.hpp"
#include "run/picture/picture.hpp"
#include "teach/submissions.hpp"

namespace gpulab::cli {
namespace {

struct CheckCommandOptions {
  std::vector<std::string> files;
  std::string exercise;
  std::string device = "auto";
  std::string sandbox = "auto";
  std::string format;
  std::optional<std::filesystem::path> output;
  bool verbose = false;
  TrialOptions trial;
  PictureOptions pictures;
};

// Returns the lesson's exercise. If the lesson has two, it is the one with the file's extension.
Exercise exercise_for(const std::string& lesson, const std::string& file) {
  const std::vector<check::ExerciseFile> all = check::find_exercises(lesson);
  const auto like = std::ranges::find_if(all, [&](const check::ExerciseFile& one) {
    return one.path.extension() == std::filesystem::path(file).extension();
  });
  return like == all.end() ? all.front().exercise : like->exercise;
}

std::vector<check::ExerciseFile> files_of(const std::string& word, const CheckCommandOptions& options) {
  if (word == ".") return all_exercises_here();
  if (options.exercise.empty()) return exercises_that_are_here(word);
  return {{exercise_for(options.exercise, word), word}};
}

// Returns the results in a format that is written only at the end.
std::string document(const std::string& format, const std::vector<CheckResult>& results, ExitCode code) {
  if (format == "junit") return check::check_junit(results);
  if (format == "gradescope") return check::check_gradescope(results);
  if (format == "sarif") return check::check_sarif(results);
  if (format == "github") return check::check_github(results);
  if (format == "gcc") return check::check_gcc(results);
  return check::check_json(results, code);
}

// Checks of several files. A file that cannot be checked at all does not stop the others.
class Checks {
 public:
  explicit Checks(const CheckCommandOptions& options) : options_(options) {}

  // Checks the files that a word stands for; "." is every exercise in this folder, where each file that has
  // passed gets one line.
  void add(const std::string& word) {
    std::vector<check::ExerciseFile> files;
    try {
      files = files_of(word, options_);
    } catch (const UsageError& error) {
      results_.push_back(not_checked(options_.exercise.empty() ? "LESSON" : options_.exercise, word, error));
    }
    is_brief_ = word == "." && files.size() > 1;
    for (const check::ExerciseFile& file : files) add(file);
  }

  void add(const check::ExerciseFile& file) {
    results_.push_back(checked(file));
    const bool was_read = results_.back().verdict != Verdict::not_checked || !results_.back().pattern.empty();
    if (options_.format == "text" && was_read) add_text(results_.back());
    if (options_.pictures.is_wanted() && was_read) add_pictures(file, results_.back());
  }

  // Adds what is missing to the results, if there is no GPU.
  void require_gpu() try {
    device::CompileCache cache;
    run::open_device(run::DeviceChoice::cuda, 0, cache, [](const std::string&) {});
  } catch (const Error& error) {
    results_.push_back(not_checked(results_.empty() ? "" : results_.back().exercise,
                                   results_.empty() ? "" : results_.back().file, error));
  }

  ExitCode exit_code() const { return std::max(failure_, exit_code_of(results_)); }

  void end(ReportOutput& output, ReportOutput& page) {
    if (page.is_file()) page.write(bench::page::pictures_html("gpulab check", parts_));
    if (options_.format != "text") return output.write(document(options_.format, results_, exit_code()));
    if (results_.size() > 1) write("\n" + check::checks_summary(results_));
    if (options_.output) output.write(text_);
  }

 private:
  CheckResult checked(const check::ExerciseFile& file) {
    Narrator narrator(false);
    narrator.progress("checking " + file.path.string());
    try {
      require_file(file);
      return check_file(file, {.with_gpu = options_.device != "simulator",
                               .sandbox = sandbox::mode_of(options_.sandbox),
                               .trial = trial_of(file.exercise, options_.trial)});
    } catch (const Error& error) {
      narrator.wipe();
      return not_checked(file.exercise.name, file.path.string(), error);
    }
  }

  // Says why, unless the document does so where the reader sees both.
  CheckResult not_checked(const std::string& exercise, const std::string& file, const Error& error) {
    if (options_.format != "github") tell("gpulab: " + without_controls(error.what()) + "\n");
    failure_ = std::max(failure_, error.code());
    return {.exercise = exercise, .file = file, .verdict = Verdict::not_checked, .summary = error.what()};
  }

  void add_text(const CheckResult& result) {
    const bool is_line = is_brief_ && result.verdict == Verdict::right;
    const bool needs_blank_line = has_written_ && !(is_line && last_was_line_);
    const TextStyle style = options_.output ? TextStyle{} : style_of_stdout();
    write((needs_blank_line ? "\n" : "") +
          (is_line ? check::check_line(result, style)
                   : check::check_text(result, style,
                                       options_.verbose ? check::Detail::all : check::Detail::brief)));
    last_was_line_ = is_line;
  }

  // Draws a race that was found or else, and on a page in any case, the accesses of the kernel.
  void add_pictures(const check::ExerciseFile& file, const CheckResult& result) {
    bench::page::PicturePart part{result.exercise + " · " + result.file,
                                  result.verdict == Verdict::right,
                                  {result.summary.empty() ? "right" : result.summary},
                                  seen_of(file, result)};
    if (!result.hint.empty()) part.sentences.push_back(result.hint);
    const auto race = result.defect ? run::picture::pictures_of(*result.defect, part.variant.source)
                                    : std::vector<run::picture::Picture>();
    VariantInspection drawn = part.variant;
    if (!race.empty()) drawn.counts = {};
    if (options_.pictures.in_text && options_.format == "text")
      write(run::picture::pictures_text(drawn, options_.output ? TextStyle{} : style_of_stdout()));
    parts_.push_back(std::move(part));
  }

  // Counts the accesses of a kernel, if it runs to its end.
  static VariantInspection seen_of(const check::ExerciseFile& file, const CheckResult& result) {
    VariantInspection seen;
    if (result.verdict == Verdict::does_not_compile || file.exercise.kind != ExerciseKind::kernel)
      return seen;
    const device::KernelSource source = check::learners_file(file.path);
    try {
      const Lesson lesson = find_lesson(file.exercise.lesson);
      seen = check::inspect_file(lesson, {.settings = lesson.default_settings()}, source).variants.front();
    } catch (const Error&) {
      // It takes too long, or ends its process, which the check has said.
    }
    seen.source = source.text;
    seen.defect = result.defect;
    return seen;
  }

  // Writes to stdout at once, and collects the text of a file, which is written as a whole.
  void write(const std::string& text) {
    has_written_ = true;
    if (options_.output)
      text_ += text;
    else
      ReportOutput({}).write(text);
  }

  const CheckCommandOptions& options_;
  bool is_brief_ = false, has_written_ = false, last_was_line_ = false;
  std::string text_;
  std::vector<CheckResult> results_;
  std::vector<bench::page::PicturePart> parts_;
  ExitCode failure_ = ExitCode::ok;
};

ExitCode run(const CheckCommandOptions& options) {
  refuse_gpu_where_confined(options.sandbox, options.device);
  ReportOutput output(options.output), page(options.pictures.html);
  Checks checks(options);
  for (const std::string& word : options.files.empty() ? std::vector<std::string>{"."} : options.files)
    checks.add(word);
  // A missing GPU is a failure. This comes last: a process that has used one must not fork, and checks run in
  // child processes.
  if (options.device == "cuda") checks.require_gpu();
  checks.end(output, page);
  return checks.exit_code();
}

// Refuses every exercise's file name, since a check may find its files without being told their names.
void refuse_to_write_over_work(const CheckCommandOptions& options) {
  if (!options.output) return;
  for (const Exercise& exercise : all_exercises())
    if (options.output->filename() == exercise.file)
      throw UsageError("--output " + options.output->string() + " would replace a file of " + exercise.name +
                       "; give it another name");
}

// Writes a result for Gradescope first, in case this process is stopped. Output to a pipe could not be
// replaced later.
ExitCode run_with_file_first(const CheckCommandOptions& options) {
  refuse_to_write_over_work(options);
  refuse_pictures_in(options.format, options.pictures);
  if (options.files.empty() && !options.exercise.empty())
    throw UsageError("--exercise says of a file which exercise it is; name the file, too");
  if (options.format != "gradescope" || !options.output || is_written_in_place(*options.output))
    return run(options);
  ReportOutput output(options.output);
  output.write(check::no_gradescope("gpulab check was stopped before it finished."));
  try {
    return run(options);
  } catch (const Error& error) {
    output.write(check::no_gradescope(error.what()));
    throw;
  }
}

}  // namespace

void add_check(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("check", "check your kernels and answers, and say what is wrong");
  auto options = std::make_shared<CheckCommandOptions>();
  command->add_option("file", options->files, "files or lessons; default: every exercise in this folder")
      ->type_name("FILE");
  command->add_option("--exercise", options->exercise, "the lesson, if the file's name does not say it")
      ->type_name("LESSON");
  add_choice(*command, "--device", options->device,
             "where to check; auto adds a GPU if there is one, cuda requires one",
             {"auto", "simulator", "cuda"});
  add_choice(
      *command, "--sandbox", options->sandbox,
      "confine the kernels; with auto as far as this machine can, with require fully or not at all, and on no GPU",
      {"auto", "require", "off"});
  add_trial_options(*command, options->trial);
  add_choice(*command, "--format", options->format, "how it is written",
             {"text", "json", "junit", "gradescope", "sarif", "github", "gcc"});
  command->add_option("--output", options->output, "write the result here, not to stdout")->type_name("FILE");
  add_picture_options(*command, options->pictures);
  command->add_flag("--verbose", options->verbose, "say all that was found, and how to show it again");
  command->callback(
      [&context, options] { context.action = [options] { return run_with_file_first(*options); }; });
}

namespace {

namespace fs = std::filesystem;

struct ClassOptions {
  fs::path folder;
  std::string format;
};

std::vector<std::string> lines_for(const fs::path& folder, const ScreenSize& size) {
  TextStyle style = style_of_stdout();
  style.width = size.columns;
  // The last row says what q does.
  std::vector<std::string> lines = teach::class_lines(teach::class_in(folder), style, size.rows - 1);
  lines.resize(size.rows);
  lines.back() = painted("q quits; redrawn at each check", Ink::faint, style);
  return lines;
}

// Redraws at intervals, too: minutes pass without a save, and network file systems may not report one.
void show_live(const fs::path& folder) {
  constexpr int look_every_ms = 2000;
  TerminalKeys keys;
  TerminalScreen screen;
  const FolderEvents events({folder});
  for (;;) {
    screen.show(lines_for(folder, screen.size()));
    const bool is_saved = keys.wait(events.descriptor(), look_every_ms);
    if (is_quit(keys.read())) return;
    if (is_saved) events.wait_until_quiet();
  }
}

ExitCode show(const ClassOptions& options) {
  const teach::ClassResult result =
      teach::class_in(options.folder);  // refuses what is no folder before a screen is drawn
  if (options.format == "json") {
    ReportOutput({}).write(teach::class_json(result));
  } else if (TerminalScreen::is_possible()) {
    show_live(options.folder);
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
  command
      ->add_option("folder", options->folder, "the folder that the class shares: gpulab progress --share DIR")
      ->required()
      ->type_name("DIR");
  add_format_option(*command, options->format);
  command->callback([&context, options] { context.action = [options] { return show(*options); }; });
}

}  // namespace gpulab::cli
