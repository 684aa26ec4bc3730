#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/files.hpp"
#include "base/output.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "base/test_report.hpp"
#include "base/text.hpp"
#include "bench/page/page.hpp"
#include "check/check_formats.hpp"
#include "cli/command.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/lesson_options.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "run/devices.hpp"
#include "run/picture/picture.hpp"
#include "source/code.hpp"
#include "source/device_code.hpp"
#include "teach/submissions.hpp"

namespace gpulab::cli {
namespace {

struct CheckCommandOptions {
  std::vector<std::string> files;
  std::string exercise;
  std::string device = "auto";
  std::string sandbox = "auto";
  std::string gpu = default_gpu;
  std::string format;
  std::optional<std::filesystem::path> output;
  bool verbose = false, watch = false, quiet = false;
  unsigned warp_size = 32;
  TrialOptions trial;
  PictureOptions pictures;
};

// Returns the lesson's exercise; if it has two, the one with the file's extension.
Exercise exercise_for(const std::string& lesson, const std::string& file) {
  const std::vector<check::ExerciseFile> all = check::find_exercises(lesson);
  const auto same_extension = std::ranges::find_if(all, [&](const check::ExerciseFile& candidate) {
    return candidate.path.extension() == std::filesystem::path(file).extension();
  });
  return same_extension == all.end() ? all.front().exercise : same_extension->exercise;
}

// Returns the kernel files in a folder whose names match no exercise: somebody may have renamed one. Leaves
// out whole programs. Also leaves out, with a message, other versions of exercises whose own file is in the
// folder.
std::vector<std::string> oddly_named_files(const std::string& folder, const CheckCommandOptions& options) {
  const std::vector<teach::KnownExercise> known = teach::known_exercises();
  const std::vector<check::ExerciseFile> here = check::exercises_in(folder);
  const auto is_program = [](const std::string& text) {
    return source::refused_main(source::Code(text)).has_value();
  };
  const auto is_version_of_another = [&](const std::string& text) {
    const std::vector<std::string> recognised = teach::exercises_recognised_in(text, known);
    return !recognised.empty() && std::ranges::all_of(recognised, [&](const std::string& exercise) {
      return std::ranges::any_of(
          here, [&](const check::ExerciseFile& file) { return file.exercise.name == exercise; });
    });
  };
  std::vector<std::string> files;
  for (const std::filesystem::path& file : teach::loose_files_in(folder).files) try {
      if (file.extension() != ".cu" || !teach::exercise_from_file_name(file, known).empty()) continue;
      const std::string name = file.lexically_normal().string();
      const std::string text = run::read_text_file(file, run::kernel_file);
      if (is_program(text)) continue;
      const std::string skipped = fmt::format(
          "{0} is not checked, since its exercise has a file of its own name here; gpulab check {0} checks it",
          printable(name));
      if (!is_version_of_another(text))
        files.push_back(name);
      else if (options.format == "github")
        tell(github_line({.severity = Annotation::Severity::note,
                          .file = name,
                          .title = "gpulab check",
                          .message = skipped}));
      else if (!options.quiet)
        tell("gpulab: " + skipped + "\n");
    } catch (const UsageError&) {  // the check says why it cannot be read
      files.push_back(file.lexically_normal().string());
    }
  return files;
}

std::vector<check::ExerciseFile> files_of(const std::string& word, const CheckCommandOptions& options) try {
  if (options.exercise.empty()) return exercises_that_are_here(word);
  return {{exercise_for(options.exercise, word), word}};
} catch (const UsageError&) {
  if (!options.exercise.empty() || !is_file(word)) throw;
  return {exercise_of_file(word)};
}

// Returns the error if no GPU can be used. Tries it in a child process, because this process forks later, and
// a process that has used a GPU must not fork.
std::optional<Error> missing_gpu() try {
  constexpr double time_limit_s = 60;
  ChildWork work([] {
    run::require_gpu();
    return std::string("there is one");
  });
  const ChildEnd end = work.wait(time_limit_s);
  if (end.kind == ChildEnd::Kind::finished && !end.output.empty()) return std::nullopt;
  return Error(ExitCode::device, "the GPU's driver does not answer; gpulab doctor says more");
} catch (const Error& error) {
  return error;
}

// Returns the results in a format other than text.
std::string document(const std::string& format, const std::vector<CheckResult>& results, ExitCode code) {
  if (format == "junit") return check::check_junit(results);
  if (format == "gradescope") return check::check_gradescope(results);
  if (format == "sarif") return check::check_sarif(results, static_cast<int>(code));
  if (format == "github") return check::check_github(results);
  if (format == "gcc") return check::check_gcc(results);
  return check::check_json(results, code);
}

CheckResult not_checked(const std::string& exercise, const std::string& file, const std::string& why) {
  return {.exercise = exercise,
          .file = file,
          .verdict = Verdict::not_checked,
          .pattern = "not-checked",
          .summary = why};
}

constexpr const char* text_if_stopped = "gpulab check was stopped before it finished.";

// Checks of several files. A file that cannot be checked at all does not stop the others.
class Checks {
 public:
  // With an error of missing_gpu(), checks no file and reports the error for each.
  Checks(const CheckCommandOptions& options, std::optional<Error> missing_gpu)
      : options_(options), missing_gpu_(std::move(missing_gpu)) {}

  // Adds the files that a word names. Of a folder's files, each that has passed gets one line.
  void add(const std::string& word, bool is_in_folder = false) {
    std::vector<check::ExerciseFile> files;
    try {
      files = files_of(word, options_);
    } catch (const UsageError& error) {
      results_.push_back(report_not_checked(
          options_.exercise.empty() ? teach::guess_exercise_from_name(word, teach::known_exercises())
                                    : options_.exercise,
          word, error));
    }
    const bool is_brief = is_in_folder || (names_a_folder(word) && files.size() > 1);
    for (check::ExerciseFile& file : files) {
      results_.push_back(not_checked(file.exercise.name, file.path.string(), text_if_stopped));
      to_check_.push_back({std::move(file), results_.size() - 1, is_brief});
    }
  }

  // Checks the files, and writes the document after each: the results so far.
  void run(ReportOutput& output) {
    write_so_far(output);
    for (const auto& [file, index, is_brief] : to_check_) {
      CheckResult& result = results_[index];
      try {
        result = checked(file);
      } catch (const Error& error) {
        result = report_not_checked(file.exercise.name, file.path.string(), error);
        continue;
      }
      if (options_.format == "text") add_text(result, is_brief);
      if (options_.pictures.is_wanted()) add_pictures(file, result);
      write_so_far(output);
    }
  }

  ExitCode exit_code() const { return std::max(failure_, exit_code_of(results_)); }

  // Writes what needs all results: the page of pictures, and the document or the summary.
  void finish(ReportOutput& output, ReportOutput& page) {
    if (page.is_file()) page.write(bench::page::pictures_html("gpulab check", parts_));
    if (options_.format != "text") return output.write(document(options_.format, results_, exit_code()));
    if (results_.size() > 1) write("\n" + check::checks_summary(results_));
    if (options_.output) output.write(text_);
  }

 private:
  CheckResult checked(const check::ExerciseFile& file) const {
    Narrator narrator(options_.quiet);
    narrator.progress("checking " + file.path.string());
    if (missing_gpu_) throw Error(*missing_gpu_);
    require_file(file);
    return check_file(file, {.with_gpu = options_.device != "simulator" && options_.warp_size == 32,
                             .sandbox = sandbox::mode_of(options_.sandbox),
                             .trial = trial_of(file.exercise, options_.trial),
                             .warp_size = WarpSize(options_.warp_size),
                             .gpu = options_.warp_size == 32 ? std::optional(estimate::gpu_of(options_.gpu))
                                                             : std::nullopt});
  }

  // Writes the results so far, in case this process is stopped. Not for Gradescope, which would grade them.
  void write_so_far(ReportOutput& output) const {
    if (options_.format == "text" || options_.format == "gradescope") return;
    if (options_.output && !is_written_in_place(*options_.output))
      output.write(document(options_.format, results_, exit_code()));
  }

  // Prints the error, unless it was the last one, too, or the format is github: GitHub's log shows
  // annotations.
  CheckResult report_not_checked(const std::string& exercise, const std::string& file, const Error& error) {
    if (options_.format != "github" && last_error_ != error.what())
      tell("gpulab: " + without_controls(error.what()) + "\n");
    last_error_ = error.what();
    failure_ = std::max(failure_, error.code());
    return not_checked(exercise, file, last_error_);
  }

  void add_text(const CheckResult& result, bool is_brief) {
    const bool is_one_line = is_brief && result.verdict == Verdict::right;
    const bool needs_blank_line = has_written_ && !(is_one_line && last_was_one_line_);
    const TextStyle style = options_.output ? TextStyle{} : style_of_stdout();
    write((needs_blank_line ? "\n" : "") +
          (is_one_line ? check::check_line(result, style)
                       : check::check_text(result, style,
                                           options_.verbose ? check::Detail::all : check::Detail::brief)));
    last_was_one_line_ = is_one_line;
  }

  // Draws the race, if one was found; otherwise the kernel's accesses. A page always has the accesses.
  void add_pictures(const check::ExerciseFile& file, const CheckResult& result) {
    bench::page::PicturePart part{.heading = result.exercise + " · " + result.file,
                                  .is_right = result.verdict == Verdict::right,
                                  .sentences = {result.summary.empty() ? "right" : result.summary},
                                  .variant = inspection_of_file(file, result, WarpSize(options_.warp_size))};
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
  static VariantInspection inspection_of_file(const check::ExerciseFile& file, const CheckResult& result,
                                              WarpSize warp_size) {
    VariantInspection inspection;
    if (result.verdict == Verdict::does_not_compile || file.exercise.kind != ExerciseKind::kernel)
      return inspection;
    const device::KernelSource source = check::learner_file(file.path);
    try {
      const Lesson lesson = find_lesson(file.exercise.lesson);
      inspection =
          check::inspect_file(lesson, {.settings = lesson.default_settings(), .warp_size = warp_size}, source)
              .variants.front();
    } catch (const Error&) {
      // The kernel takes too long or ends its process; the check has reported that.
    }
    inspection.source = source.text;
    inspection.defect = result.defect;
    return inspection;
  }

  // Writes to stdout at once, or collects the text for --output, whose file is written as a whole.
  void write(const std::string& text) {
    has_written_ = true;
    if (options_.output)
      text_ += text;
    else
      ReportOutput({}).write(text);
  }

  const CheckCommandOptions& options_;
  const std::optional<Error> missing_gpu_;
  struct FileToCheck {
    check::ExerciseFile file;
    std::size_t index = 0;  // of its result in results_
    bool is_brief = false;  // whether one line is enough if the file has passed
  };

  bool has_written_ = false, last_was_one_line_ = false;
  std::string text_, last_error_;
  std::vector<FileToCheck> to_check_;
  std::vector<CheckResult> results_;
  std::vector<bench::page::PicturePart> parts_;
  ExitCode failure_ = ExitCode::ok;
};

ExitCode run(const CheckCommandOptions& options) {
  refuse_gpu_where_confined(options.sandbox, options.device);
  refuse_gpu_with_other_warps(options.device == "cuda", options.warp_size);
  ReportOutput output(options.output), page(options.pictures.html);
  Checks checks(options, options.device == "cuda" ? missing_gpu() : std::nullopt);
  for (const std::string& word : options.files.empty() ? std::vector<std::string>{"."} : options.files) {
    std::vector<std::string> oddly_named;
    if (options.exercise.empty() && names_a_folder(word)) oddly_named = oddly_named_files(word, options);
    // A folder that has only oddly named files is no error.
    if (oddly_named.empty() || !check::exercises_in(word).empty()) checks.add(word);
    for (const std::string& file : oddly_named) checks.add(file, /*is_in_folder=*/true);
  }
  checks.run(output);
  checks.finish(output, page);
  return checks.exit_code();
}

// Refuses an --output that has the file name of any exercise: a check finds such files without their names.
void refuse_to_write_over_work(const CheckCommandOptions& options) {
  if (!options.output) return;
  for (const Exercise& exercise : all_exercises())
    if (options.output->filename() == exercise.file)
      throw UsageError(fmt::format("--output {} would replace a file of {}; give it another name",
                                   options.output->string(), exercise.name));
}

// Returns a document that has no result but says why.
std::string document_without_results(const CheckCommandOptions& options, const std::string& why) {
  if (options.format == "gradescope") return check::no_gradescope(why);
  const std::string file = options.files.empty() ? "." : options.files.front();
  return document(options.format, {not_checked("", file, why)}, ExitCode::usage);
}

// Writes a document that says that the check was stopped, in case that happens, and then runs the check,
// which replaces it. Writes none to a pipe, whose output cannot be replaced.
ExitCode run_with_file_first(const CheckCommandOptions& options) {
  refuse_to_write_over_work(options);
  refuse_pictures_in(options.format, options.pictures);
  if (options.files.empty() && !options.exercise.empty())
    throw UsageError("--exercise says which exercise a file belongs to; name the file, too");
  if (options.format == "text" || !options.output || is_written_in_place(*options.output))
    return run(options);
  ReportOutput output(options.output);
  output.write(document_without_results(options, text_if_stopped));
  try {
    return run(options);
  } catch (const Error& error) {
    output.write(document_without_results(options, error.what()));
    throw;
  }
}

}  // namespace

void add_check(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("check", "say what is wrong with your kernels (watch: at every save)");
  auto options = std::make_shared<CheckCommandOptions>();
  add_value(*command, "file", options->files, "FILE",
            "files, lessons or folders; default: every exercise in this folder");
  add_value(*command, "--exercise", options->exercise, "LESSON",
            "the lesson, if neither the file's name nor its kernel says it");
  add_choice(*command, "--device", options->device,
             "where to check; auto adds a GPU if there is one, cuda requires one",
             {"auto", "simulator", "cuda"});
  add_choice(
      *command, "--sandbox", options->sandbox,
      "confine the kernels; with auto as far as this machine can, with require fully or not at all, and on no GPU",
      {"auto", "require", "off"});
  add_gpu_option(*command, options->gpu);
  add_warp_size_option(*command, options->warp_size);
  add_trial_options(*command, options->trial);
  add_choice(*command, "--format", options->format, "how it is written",
             {"text", "json", "junit", "gradescope", "sarif", "github", "gcc"});
  options->format.clear();  // without --format, the ending of --output decides
  add_value(
      *command, "-o,--output", options->output, "FILE",
      "write the result here, not to stdout; without --format a name that ends with .json, .xml or .sarif says how");
  add_picture_options(*command, options->pictures);
  command->add_flag("--verbose", options->verbose, "say all that was found, and how to show it again");
  command->add_flag("--quiet", options->quiet, "nothing on stderr but errors");
  command->add_flag("--watch", options->watch)->group("");  // hidden: it is gpulab watch
  command->callback([&context, options] {
    options->format = format_of_output(options->format, options->output,
                                       {{".json", "json"}, {".xml", "junit"}, {".sarif", "sarif"}});
    context.action = [&context, options] {
      if (!options->watch) return run_with_file_first(*options);
      std::vector<std::string> words = context.words;
      std::erase(words, "--watch");
      // The command alone: a file may be called check, too.
      if (const auto command = std::ranges::find(words, "check"); command != words.end()) *command = "watch";
      throw Restart{std::move(words)};
    };
  });
}

}  // namespace gpulab::cli
