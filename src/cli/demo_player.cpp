#include "cli/demo_stage.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "base/files.hpp"
#include "base/lists.hpp"
#include "base/output.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "check/check_formats.hpp"
#include "check/explanations.hpp"
#include "check/own_exercises.hpp"
#include "cli/command.hpp"
#include "cli/demo_steps.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/options.hpp"
#include "run/documents.hpp"
#include "run/run_options.hpp"
#include "source/diff.hpp"
#include "source/source_parts.hpp"
#include "teach/demo.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;

struct DemoOptions {
  std::vector<std::string> lesson;  // LESSON, or mistakes LESSON
  std::string from;
  std::vector<std::string> only;
  bool all = false, steps = false, plain = false;
  std::optional<fs::path> notes, folder, script;
  DeviceOptions device;
};

const std::string word_for_mistakes = "mistakes";

// Tries an instructor's files, each of which needs an answer. Drops keys that are pressed meanwhile.
teach::Demo own_mistakes(const Exercise& exercise, const fs::path& folder, const DemoOptions& options) {
  TerminalKeys keys;
  Narrator narrator(/*quiet=*/false);
  const std::string why = check::why_no_demo(check::read_exercise(folder), folder, options.only,
                                             [&](const std::string& what) { narrator.progress(what); });
  if (!why.empty()) throw UsageError(why);
  teach::Demo demo = teach::mistakes_of(exercise, folder);
  keys.read();
  return demo;
}

teach::Demo requested_demo(const DemoOptions& options, const Lesson& lesson,
                           const std::optional<Exercise>& exercise) {
  if (exercise && options.script) throw UsageError("--script and mistakes exclude each other");
  const std::optional<fs::path> folder = folder_of_own_exercise(lesson);
  if (exercise && folder) return own_mistakes(*exercise, *folder, options);
  if (exercise) return teach::mistakes_of(*exercise);
  const bool has_script = folder && is_there(*folder / "demo.txt");
  if (!options.script && !has_script) return teach::demo_of(lesson);
  const fs::path script = options.script.value_or(folder.value_or("") / "demo.txt");
  return teach::parse_script(run::read_text_file(script, {"the script of a demo", "steps"}), lesson,
                             script.string());
}

// Refuses "mistakes" alone, and two words of which the first is not "mistakes".
[[noreturn]] void refuse_words(const std::vector<std::string>& words) {
  if (words.size() == 1) throw UsageError("say whose mistakes: gpulab demo mistakes LESSON");
  const auto means_mistakes = [](const std::string& word) {
    return word == word_for_mistakes || !nearest_name(word, {&word_for_mistakes, 1}).empty();
  };
  const bool lesson_is_first = means_mistakes(words.back());
  if (lesson_is_first || means_mistakes(words.front()))
    throw UsageError(
        fmt::format("did you mean gpulab demo mistakes {}?", lesson_is_first ? words.front() : words.back()));
  throw UsageError(fmt::format("demo plays one lesson at a time: gpulab demo {}, and then gpulab demo {}",
                               words.front(), words.back()));
}

ExitCode run(const DemoOptions& options, const std::vector<std::string>& typed) {
  const bool has_mistakes = options.lesson.front() == word_for_mistakes;
  if (has_mistakes != (options.lesson.size() == 2)) refuse_words(options.lesson);
  const std::string& word = options.lesson.back();
  std::optional<Exercise> exercise;
  if (has_mistakes) exercise = check::find_exercise(word).exercise;
  const Lesson lesson = find_lesson(exercise ? exercise->lesson : word);
  if (options.all && !has_mistakes)
    throw UsageError("demo plays all steps of a lesson; --all is for: gpulab demo mistakes " + word);
  teach::Demo demo = with_only(requested_demo(options, lesson, exercise), options.only);
  if (has_mistakes && !options.all && !options.steps && options.only.empty())
    if (teach::Demo main = with_main_mistakes(demo); options.from.empty() || find_step(main, options.from))
      demo = std::move(main);
  const std::size_t from = options.from.empty() ? 0 : step_named(demo, options.from);
  if (options.steps) {
    print(teach::demo_steps_text(demo, style_of_stdout()));
    return ExitCode::ok;
  }
  DemoNotes notes(options.notes, options.script);
  DemoStage stage(lesson, exercise, demo, options.device, options.folder);
  stage.go_to(from);
  const bool has_terminal = TerminalScreen::is_possible() && ::isatty(STDIN_FILENO) && !options.plain;
  if (has_terminal) shorten_time_limit();
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
  auto options = std::make_shared<DemoOptions>();
  add_value(*command, "lesson", options->lesson, "LESSON",
            "the lesson; or: mistakes LESSON, for what learners get wrong")
      ->required()
      ->expected(1, 2);
  add_value(*command, "--from", options->from, "STEP", "begin at this step: its number or its name");
  add_value(*command, "--only", options->only, "STEP,...",
            "these steps alone, in this order: numbers, 2-4, names or patterns of mistakes")
      ->delimiter(',');
  command->add_flag("--all", options->all,
                    "of mistakes: all of them, not only the main ones; --only chooses among all");
  command->add_flag("--steps", options->steps, "list the steps, and play nothing");
  command->add_flag("--plain", options->plain, "no keys and no colours: print one step after the other");
  add_value(*command, "--notes", options->notes, "FILE",
            "append what to say to this file; follow it with tail -f");
  add_value(*command, "--folder", options->folder, "DIR",
            "where kernels are edited (default: a temporary folder)");
  add_value(*command, "--script", options->script, "FILE", "play the steps in this file");
  add_device_options(*command, options->device);
  set_action(*command, context, [&context, options] { return run(*options, context.words); });
}

DemoNotes::DemoNotes(const std::optional<fs::path>& file, const std::optional<fs::path>& script)
    : file_(file.value_or("")) {
  if (!file) return;
  require_writable(*file);
  std::error_code ignored;
  // Refuses a pipe: opening it would wait for a reader, and writing would fail once the reader has ended.
  if (fs::is_fifo(file_, ignored)) refuse("it is a pipe; name a file, and follow it with tail -f");
  if (script && fs::equivalent(file_, *script, ignored)) refuse("it is the script");
  stream_.open(file_, std::ios::app);
  if (!stream_) refuse(std::strerror(errno));
}

void DemoNotes::add(const teach::Demo& demo, std::size_t step, const teach::DemoReveal* reveal,
                    bool is_edited) {
  if (stream_.is_open()) stream_ << teach::demo_notes(demo, step, reveal, is_edited) << std::flush;
  if (!stream_ && problem_.empty()) problem_ = std::strerror(errno);
}

void DemoNotes::finish() const {
  if (!problem_.empty()) refuse(problem_);
}

void DemoNotes::refuse(const std::string& why) const {
  throw UsageError(fmt::format("cannot write the notes to {}: {}", file_.string(), why));
}

namespace {

// Plays the same demo from a step on, in a process that can use a GPU.
[[noreturn]] void restart_at(std::size_t step, std::vector<std::string> typed) {
  for (std::size_t i = 2; i < typed.size(); ++i) {
    if (!typed[i].starts_with("--from")) continue;
    const std::size_t words = typed[i] == "--from" ? 2 : 1;
    typed.erase(typed.begin() + static_cast<std::ptrdiff_t>(i),
                typed.begin() + static_cast<std::ptrdiff_t>(std::min(i + words, typed.size())));
    --i;
  }
  typed.push_back("--from=" + std::to_string(step + 1));
  throw Restart{std::move(typed)};
}

std::string editor() {
  for (const char* name : {"VISUAL", "EDITOR"})
    if (const char* command = std::getenv(name); command && *command) return command;
  return "vi";
}

// Returns the command that opens a file at a line, for editors that gpulab knows.
std::string command_to_edit(const fs::path& file, int line) {
  const std::string command = editor(), quoted = check::quoted(file.string());
  const std::string name = fs::path(command.substr(0, command.find(' '))).filename();
  const auto is_one_of = [&](std::initializer_list<const char*> names) { return contains(names, name); };
  if (is_one_of({"vi", "vim", "nvim", "nano", "pico", "emacs", "emacsclient", "micro", "joe", "kak", "ne"}))
    return fmt::format("{} +{} {}", command, line, quoted);
  if (is_one_of({"code", "codium"})) return fmt::format("{} -g {}:{}", command, quoted, line);
  return command + " " + quoted;
}

class Player {
 public:
  Player(DemoStage& stage, DemoNotes& notes, std::vector<std::string> typed)
      : stage_(stage), notes_(notes), typed_(std::move(typed)) {}

  ExitCode run() {
    add_notes();
    while (true) {
      draw();
      keys_.wait();
      for (const char key : keys_.read())
        if (!obey(key)) return ExitCode::ok;
      if (keys_.descriptor() < 0) return ExitCode::ok;  // the terminal is gone
    }
  }

 private:
  void add_notes() { notes_.add(stage_.demo(), stage_.step(), nullptr); }

  void draw() {
    const ScreenSize size = screen_.size();
    TextStyle style = style_of_stdout();
    style.width = size.columns;
    if (overlay_) return screen_.show(overlay_rows(style, size.rows));
    teach::DemoScene scene = stage_.scene();
    scene.message = message_;
    screen_.show(teach::demo_screen(scene, style, size.rows));
  }

  std::vector<std::string> overlay_rows(const TextStyle& style, std::size_t rows) {
    std::vector<std::string> shown = page_.shown(lines_of(overlay_text(style)), rows - 2);
    shown.emplace_back();
    shown.push_back(page_.has_more() ? "space more  b up  any other key: back to the step"
                                     : "b up  any other key: back to the step");
    return shown;
  }

  std::string difference(const TextStyle& style) const {
    const source::VariantSource before = stage_.base(), now = stage_.shown();
    if (now.kernel.empty())
      return source::unified_diff({before.name, before.file_text}, {now.name, now.file_text}, style);
    return source::variant_diff(before, now,
                                style.width >= source::width_of_two_columns ? source::DiffLayout::side_by_side
                                                                            : source::DiffLayout::below,
                                style);
  }

  std::string launch_text(const TextStyle& style) const {
    const std::string& launch = stage_.demo().steps[stage_.step()].launch;
    return launch.empty() ? "" : paragraph(launch, Ink::plain, style) + "\n";
  }

  std::string overlay_text(const TextStyle& style) const {
    switch (*overlay_) {
      case 's':
        return stage_.task() + launch_text(style) + teach::whole_source_text(stage_.whole_source(), style);
      case 'd':
        return difference(style);
      case 't':
        return teach::demo_text(stage_.scene(), style, teach::Tables::left_out) +
               (stage_.reveal()->check
                    ? check::check_text(*stage_.reveal()->check, style, check::Detail::brief)
                    : run::lesson_text(stage_.scene().is_edited ? teach::result_for_class(stage_.scene())
                                                                : *stage_.reveal()->result,
                                       style));
      default:
        return teach::demo_keys_text();
    }
  }

  void open_overlay(char key) {
    overlay_ = key;
    page_ = {};
    draw();
  }

  void close_overlay() {
    overlay_.reset();
    wants_view_ = false;
  }

  // Returns whether a key ends the demo. After a key for a view that was not opened, q leaves that view.
  bool quits(char key) {
    const bool may_be_in_view =
        std::exchange(wants_view_, key == 's' || key == 'd' || key == 't' || key == '?');
    return is_quit({&key, 1}) && !(key == 'q' && may_be_in_view);
  }

  // Obeys a key, and returns whether to go on.
  bool obey(char key) {
    message_.clear();
    if (overlay_) {
      if (key == ' ' && page_.has_more())
        page_.page_down();
      else if (key == 'b' && page_.top() > 0)
        page_.page_up();
      else
        close_overlay();
      return true;
    }
    if (quits(key)) return false;
    if (key == ' ' || key == '\n' || key == '\r') return next();
    if (key >= '1' && key <= '9') message_ = stage_.vote(static_cast<std::size_t>(key - '1'));
    if (key == '0') stage_.take_votes_back();
    if (key == 'b' && !stage_.go_back()) message_ = "this is the first step";
    if (key == 'r') return run_again();
    if (key == '+' || key == '-') return scale(key == '+' ? 1 : -1);
    if (key == 'e') return edit();
    if (key == 'u' && !stage_.undo()) message_ = "there is nothing to undo";
    if (key == '?') open_overlay('?');
    const auto open_if = [&](bool is_possible, const char* why_not) {
      if (is_possible)
        open_overlay(key);
      else
        message_ = why_not;
    };
    if (key == 's') open_if(!stage_.shown_text().empty(), "this step shows no kernel");
    if (key == 'd') open_if(stage_.has_changes(), "there is nothing to compare with");
    if (key == 't')
      open_if(stage_.reveal() && (stage_.reveal()->result || stage_.reveal()->check), "nothing has run yet");
    return true;
  }

  bool next() {
    if (stage_.has_to_run()) return run_step();
    if (stage_.has_lost_the_device() && stage_.step() + 1 < stage_.demo().steps.size())
      restart_at(stage_.step() + 1, typed_);
    if (stage_.go_on())
      add_notes();
    else
      message_ = "this was the last step: q quits, b goes back; gpulab explain has the terms";
    return true;
  }

  // Changes the size. Runs the step again if its answer was on the screen.
  bool scale(int doublings) {
    const bool was_revealed = stage_.is_revealed();
    message_ = stage_.scale(doublings);
    return message_.empty() && was_revealed ? run_step() : true;
  }

  bool run_again() {
    if (!stage_.runs_something()) {
      message_ = "this step runs nothing";
      return true;
    }
    stage_.forget_run();
    return run_step();
  }

  // Runs the step; returns false if the user quits. Other keys that are pressed meanwhile are dropped.
  bool run_step() {
    if (stage_.has_lost_the_device()) restart_at(stage_.step(), typed_);
    bool is_quitting = false;
    const auto goes_on = [&] {
      for (const char key : keys_.read()) is_quitting |= quits(key);
      return !is_quitting;
    };
    try {
      stage_.run(
          [&](const std::string& what) {
            message_ = "running: " + what + " ...";
            draw();
          },
          goes_on);
      notes_.add(stage_.demo(), stage_.step(), stage_.reveal(), stage_.scene().is_edited);
      message_ = has_printed() ? "the kernel has printed something: t shows it" : "";
    } catch (const WorkStopped&) {
      return false;
    } catch (const Error& error) {
      message_ = error.what();
    }
    return goes_on();
  }

  bool has_printed() const {
    const std::optional<LessonResult>& result = stage_.reveal()->result;
    return result && std::ranges::any_of(result->variants, [](const VariantResult& variant) {
             return !variant.printed.empty();
           });
  }

  // Edits the kernel. Runs the step again if its answer was on the screen.
  bool edit() try {
    const bool was_revealed = stage_.is_revealed();
    const fs::path file = stage_.file_to_edit();
    const std::string command = command_to_edit(file, stage_.line_to_edit());
    keys_.leave();
    screen_.leave();
    captured_.reset();
    const int status = run_in_shell(command);
    captured_.emplace(STDERR_FILENO);
    screen_.enter();
    keys_.enter();
    if (status != 0) message_ = editor() + " failed; set EDITOR to the editor of your choice";
    if (!stage_.take_edit()) return true;
    if (was_revealed) return run_step();
    message_ = "space runs the edited kernel";
    return true;
  } catch (const Error& error) {
    message_ = error.what();
    return true;
  }

  DemoStage& stage_;
  DemoNotes& notes_;
  const std::vector<std::string> typed_;
  TerminalKeys keys_;
  std::optional<CapturedOutput> captured_{std::in_place, STDERR_FILENO};
  TerminalScreen screen_;
  std::string message_;
  std::optional<char> overlay_;  // key that opened the overlay; none if the step is shown
  Page page_;                    // page of an overlay
  bool wants_view_ = false;      // whether the last key was for an overlay
};

}  // namespace

ExitCode play_on_terminal(DemoStage& stage, DemoNotes& notes, const std::vector<std::string>& typed) {
  return Player(stage, notes, typed).run();
}

ExitCode play_through(DemoStage& stage, DemoNotes& notes, const std::vector<std::string>& typed) {
  bool all_answers_fit = true;  // whether each run gave an answer that is a choice, with a reason
  TextStyle plain = style_of_stdout();
  plain.colour = false;
  constexpr unsigned width_of_paper = 80;
  if (!stdout_is_terminal() && !wanted_columns()) plain.width = width_of_paper;
  do {
    ReportOutput({}).write(teach::demo_text(stage.scene(), plain));
    notes.add(stage.demo(), stage.step(), nullptr);
    if (!stage.has_to_run()) continue;
    Narrator narrator(/*quiet=*/false);
    stage.run([&](const std::string& what) { narrator.progress(what); }, [] { return true; });
    narrator.wipe();
    ReportOutput({}).write(teach::demo_text(stage.scene(), plain));
    notes.add(stage.demo(), stage.step(), stage.reveal());
    const teach::DemoReveal& reveal = *stage.reveal();
    const teach::DemoStep& step = stage.demo().steps[stage.step()];
    const bool needs_reason = step.mistake.empty();  // an instructor's mistake need not have one
    if (step.question && reveal.unknown.empty()) {
      const bool lacks_reason =
          needs_reason && reveal.choice && step.question->choices[*reveal.choice].because.empty();
      all_answers_fit = all_answers_fit && reveal.choice && !lacks_reason;
    }
    if (stage.has_lost_the_device() && stage.step() + 1 < stage.demo().steps.size() && all_answers_fit)
      restart_at(stage.step() + 1, typed);
  } while (stage.go_on());
  return all_answers_fit ? ExitCode::ok : ExitCode::wrong_result;
}

}  // namespace gpulab::cli
