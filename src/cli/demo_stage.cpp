#include "cli/demo_stage.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <set>
#include <sstream>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/exercise_steps.hpp"
#include "cli/lesson_options.hpp"
#include "lesson/lesson.hpp"
#include "run/run_options.hpp"
#include "source/source_parts.hpp"
#include "teach/demo.hpp"

namespace gpulab::cli {

namespace fs = std::filesystem;

DemoStage::DemoStage(Lesson lesson, std::optional<Exercise> mistakes_of, teach::Demo demo,
                     const DeviceOptions& device, const std::optional<fs::path>& folder)
    : lesson_(std::move(lesson)),
      mistakes_of_(std::move(mistakes_of)),
      demo_(std::move(demo)),
      folder_(folder),
      recorded_(embedded_recorded_figures()),
      states_(demo_.steps.size()) {
  // Opens no device for mistakes: a device has threads, and a check of a mistake forks.
  if (!mistakes_of_) device_ = device.open(cache_, [](const std::string&) {});
  // Prepares each step once, the first one last, so that an error shows before a class sees the demo.
  for (step_ = demo_.steps.size(); step_-- > 0;) try {
      prepare_step();
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("step {} {}: {}", step_ + 1, current().name, error.what()));
    }
  step_ = 0;
}

const teach::DemoReveal* DemoStage::reveal() const {
  return state().is_revealed && state().reveal ? &*state().reveal : nullptr;
}

std::string DemoStage::file_name(const std::string& variant) const {
  return lesson_.file_of(run::find_variant(lesson_, variant));
}

std::string DemoStage::lessons_text(const std::string& variant) const {
  return run::KernelFiles(lesson_, std::nullopt).of(run::find_variant(lesson_, variant)).text;
}

namespace {

// Returns whether a file lacks the kernel, or has a line outside of it that the other file lacks, such as the
// size of an array, or another function.
bool has_own_line_outside(const std::string& text, const std::string& kernel, const std::string& other_text) {
  const std::vector<source::PartLines> parts = source::lines_of_parts(text);
  const auto kernel_lines = std::ranges::find(parts, kernel, &source::PartLines::name);
  if (kernel_lines == parts.end() || !kernel_lines->is_kernel) return true;
  const std::vector<std::string> lines = lines_of(text);
  for (const source::PartLines& part : parts) {
    std::string whole;
    for (int number = part.first; number <= part.last; ++number) whole += lines[number - 1] + "\n";
    if (part.name != kernel && other_text.find(whole) == std::string::npos) return true;
  }
  for (int number = 0; const std::string& line : lines) {
    ++number;
    const bool is_outside = number < kernel_lines->first || number > kernel_lines->last;
    if (is_outside && other_text.find(line) == std::string::npos) return true;
  }
  return false;
}

}  // namespace

// Returns "" if the whole file is to be shown.
std::string DemoStage::kernel_of(const std::string& variant) const {
  if (mistakes_of_) {
    if (mistakes_of_->kind != ExerciseKind::kernel) return "";
    const std::string kernel = run::find_variant(lesson_, lesson_.solution).kernel;
    return has_own_line_outside(current().mistake, kernel, base_text()) ? "" : kernel;
  }
  if (variant.empty() || !current().kernel.empty()) return current().kernel;
  return run::find_variant(lesson_, variant).kernel;
}

std::string DemoStage::file_text(const teach::DemoStep& step) const {
  if (mistakes_of_) return step.mistake;
  if (step.shown.empty()) return "";
  const std::string text = lessons_text(step.shown);
  return step.edits.empty() ? text : check::edited(text, step.edits, kernel_of(step.shown));
}

std::string DemoStage::shown_text() const {
  return state().edited.empty() ? file_text(current()) : state().edited;
}

// Returns whether names that tell the answer are hidden. They are not in an edit that was made after the
// answer.
bool DemoStage::is_anonymised() const {
  return current().question && !state().is_revealed &&
         (state().edited.empty() || !state().edited_anonymous.empty());
}

std::string DemoStage::text_to_show() const {
  if (mistakes_of_ || !is_anonymised() || shown_text().empty()) return shown_text();
  if (!state().edited.empty()) return state().edited_anonymous;
  return teach::anonymised(shown_text(), kernel_of(current().shown), current().shown_as);
}

std::vector<teach::DemoLine> DemoStage::whole_source() const {
  const std::vector<teach::DemoLine> lines =
      teach::demo_lines({.text = shown_text(),
                         .kernel = mistakes_of_ ? "" : kernel_of(current().shown),
                         .shown_as = is_anonymised() ? current().shown_as : "",
                         .has_all_used = true});
  return !mistakes_of_ && is_anonymised() ? teach::without_comments(lines) : lines;
}

std::string DemoStage::base_text() const {
  if (is_right_by_edit()) return current().mistake;
  if (mistakes_of_ && mistakes_of_->has_questions()) return check::course_file_of(*mistakes_of_);
  if (mistakes_of_) return teach::without_comments(check::course_file_of(*mistakes_of_));
  if (!state().edited.empty()) return file_text(current());
  return current().compared_with.empty() ? "" : lessons_text(current().compared_with);
}

bool DemoStage::is_right_by_edit() const {
  return mistakes_of_ && !state().edited.empty() && state().reveal &&
         state().reveal->check->verdict == Verdict::right;
}

bool DemoStage::has_changes() const {
  const bool is_one_variant = !state().edited.empty() || current().compared_with == current().shown;
  return !base_text().empty() && (!is_one_variant || base_text() != shown_text());
}

std::string DemoStage::name_on_screen() const {
  const std::string kernel = kernel_of(current().shown);
  return kernel.empty() || current().shown_as.empty() ? kernel : current().shown_as;
}

source::VariantSource DemoStage::shown() const {
  const std::string& variant = current().shown;
  if (mistakes_of_ || shows_other_name())
    return {"this", "what is on the screen", scene().source,
            state().edited_anonymous.empty() ? text_to_show() : state().edited_anonymous, name_on_screen()};
  return {variant, state().edited.empty() ? run::find_variant(lesson_, variant).idea : "your edit",
          scene().source, shown_text(), kernel_of(variant)};
}

source::VariantSource DemoStage::base() const {
  if (is_right_by_edit())
    return {"before", "the mistake", "before, " + mistakes_of_->file, base_text(), kernel_of("")};
  if (mistakes_of_)
    return {current().compared_with, "as it should be", current().compared_with + ", " + mistakes_of_->file,
            base_text(), kernel_of("")};
  const bool is_before_edit = !state().edited.empty();
  const std::string& variant = is_before_edit ? current().shown : current().compared_with;
  const bool has_other_text = base_text() != shown_text() || kernel_of(variant) != kernel_of(current().shown);
  source::VariantSource base{
      .name = is_before_edit ? "before" : variant,
      .idea = is_before_edit ? "without the edit" : run::find_variant(lesson_, variant).idea,
      .file = file_name(variant) + (has_other_text ? " (" + (is_before_edit ? "before" : variant) + ")" : ""),
      .file_text = base_text(),
      .kernel = kernel_of(variant)};
  if (!shows_other_name()) return base;
  const std::string name = name_on_screen();
  base.file_text = teach::anonymised(base.file_text, base.kernel, name);
  base.kernel = base.kernel.empty() ? "" : name;
  return base;
}

namespace {

// Parses a step's options as the lesson's own command does.
run::RunOptions step_options(const Lesson& lesson, const std::string& typed) {
  CLI::App command;
  command.set_help_flag();
  LessonOptions options;
  add_run_options(command, lesson, options);
  add_warp_size_option(command, options.device.warp_size);
  std::istringstream stream(typed);
  std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  std::ranges::reverse(words);  // CLI11 takes the words in reverse
  try {
    command.parse(words);
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("the demo's options '{}': {}", typed, error.what()));
  }
  return run_options(lesson, options);
}

}  // namespace

bool DemoStage::shows_host() const {
  return !current().host.empty() && state().edited.empty();
}

namespace {

// Puts host code above the kernel. Its lines are in no file, so they have no numbers; all stay on the screen.
void put_host_above(const std::vector<std::string>& host, std::vector<teach::DemoLine>& lines) {
  std::vector<teach::DemoLine> all;
  for (const std::string& text : host) all.push_back({.text = text, .matters = true, .is_named = true});
  std::ranges::move(lines, std::back_inserter(all));
  lines = std::move(all);
}

}  // namespace

void DemoStage::prepare_step() {
  const bool is_excerpt = !current().excerpt.empty() && state().edited.empty();
  const std::string text = is_excerpt ? current().excerpt : shown_text();
  const bool has_own_base = !state().edited.empty();  // the base is the step before the edit
  lines_.clear();
  if (!text.empty())
    lines_ = teach::demo_lines(
        {.text = text,
         .kernel = mistakes_of_ ? "" : kernel_of(current().shown),
         .base = is_excerpt ? "" : base_text(),
         .base_kernel =
             mistakes_of_ ? "" : kernel_of(has_own_base ? current().shown : current().compared_with),
         .shown_as = current().shown_as,
         .look_at = current().look_at});
  if (shows_host()) put_host_above(current().host, lines_);
  state().votes.resize(current().question ? current().question->choices.size() : 0);
  if (mistakes_of_) {
    std::vector<std::string> words;
    if (!current().launched_with.empty()) words.push_back(current().launched_with);
    if (!demo_.about.empty()) words.push_back(demo_.about);
    if (words.empty()) words.push_back("checked as gpulab check does");
    if (!task().empty()) words.push_back("s: the task");
    problem_ = fmt::format("{}", fmt::join(words, "; "));
    return;
  }
  run::RunOptions options = this->options();
  options.variants = current().run;
  run::check_options(lesson_, options);
  const Settings& settings = options.settings;
  const DeviceProperties& properties = device_of(options).properties();
  const std::string warps = properties.warp_size == 32 ? "" : ", warps of 64 lanes";
  // A step's texts have the numbers of the original size, and keep them when the size is changed.
  text_is_for_ =
      doublings_ == 0 ? "" : lesson_.problem(step_options(lesson_, typed_options()).settings).description;
  const std::string scale = doublings_ > 0   ? fmt::format(" at {} x", 1U << doublings_)
                            : doublings_ < 0 ? fmt::format(" at 1/{} x", 1U << -doublings_)
                                             : "";
  problem_ = fmt::format("{}{}{}: {}, seed {}", properties.simulated() ? "simulated" : properties.name, warps,
                         scale, lesson_.problem(settings).description, settings.seed);
}

teach::DemoScene DemoStage::scene() const {
  std::string source = mistakes_of_              ? mistakes_of_->file
                       : current().shown.empty() ? ""
                                                 : file_name(current().shown);
  if (shows_host()) source = source.empty() ? "on the host" : "on the host, and " + source;
  if (!state().edited.empty()) source += ", edited " + state().edited_at;
  const bool is_still_mistake = mistakes_of_ && !is_right_by_edit();
  teach::DemoScene scene{.demo = &demo_,
                         .step = step_,
                         .problem = problem_,
                         .text_is_for = text_is_for_,
                         .source = source,
                         .compared_with = state().edited.empty() || is_still_mistake ? current().compared_with
                                                                                     : "before your edit",
                         .is_edited = !state().edited.empty(),
                         .lines = lines_,
                         .votes = state().votes,
                         .reveal = reveal()};
  if (!mistakes_of_ && is_anonymised()) scene.lines = teach::without_comments(lines_);
  if (mistakes_of_ && !scene.reveal) {
    scene.lines = teach::without_marks(lines_);
    scene.hides_mistake = !mistakes_of_->has_questions();
    if (kernel_of(current().shown).empty()) teach::keep_calls(shown_text(), mistakes_of_->kind, scene.lines);
    if (scene.is_edited) teach::keep_edited(shown_text(), current().mistake, scene.lines);
  }
  if (!scene.is_edited) teach::mark_quoted(current(), scene.reveal, scene.votes, scene.lines);
  if (!scene.reveal) return scene;
  const std::set<int> named = teach::lines_named(*scene.reveal, current());
  if (current().run == std::vector{current().shown}) teach::add_named(named, shown_text(), scene.lines);
  for (teach::DemoLine& line : scene.lines)
    if (line.number > 0) line.is_named = named.contains(line.number);  // host code stays
  return scene;
}

bool DemoStage::runs_something() const {
  return !current().run.empty() || !current().mistake.empty() || current().question;
}

bool DemoStage::go_on() {
  if (step_ + 1 == demo_.steps.size()) return false;
  go_to(step_ + 1);
  return true;
}

bool DemoStage::go_back() {
  if (state().is_revealed) {
    state().is_revealed = false;
    return true;
  }
  if (step_ == 0) return false;
  go_to(step_ - 1);
  state().is_revealed = state().reveal.has_value();
  return true;
}

// Goes to a step, which begins from the course's kernel. Resets the size if it is now too large.
void DemoStage::go_to(std::size_t step) {
  undo();
  step_ = step;
  state().is_revealed = false;
  try {
    prepare_step();
  } catch (const UsageError&) {
    doublings_ = 0;
    for (StepState& changed : states_) changed.reveal.reset();
    prepare_step();
  }
}

namespace {

void scale_by(const Lesson& lesson, Settings& settings, int doublings) {
  const auto scaled = [&](std::uint64_t value) {
    return std::max<std::uint64_t>(doublings >= 0 ? value << doublings : value >> -doublings, 1);
  };
  if (lesson.has_size()) settings.size = scaled(settings.size);
  for (const std::string& side : lesson.sides) settings.options[side] = scaled(settings.count(side));
}

}  // namespace

const std::string& DemoStage::typed_options() const {
  const bool simulated = device_.device->properties().simulated();
  return simulated && !current().simulated_with.empty() ? current().simulated_with : current().with;
}

run::RunOptions DemoStage::options() const {
  run::RunOptions options = step_options(lesson_, typed_options());
  scale_by(lesson_, options.settings, doublings_);
  return options;
}

// Returns the device that runs the step. Warps of 64 lanes have a simulated one of their own.
device::Device& DemoStage::device_of(const run::RunOptions& options) {
  if (options.warp_size.lanes() == device_.device->properties().warp_size) return *device_.device;
  if (!with_other_warps_) with_other_warps_ = run::open_simulator(cache_, options.warp_size);
  return *with_other_warps_;
}

bool DemoStage::has_one_element() const {
  const Settings settings = options().settings;
  return (!lesson_.has_size() || settings.size == 1) &&
         std::ranges::all_of(lesson_.sides,
                             [&](const std::string& side) { return settings.count(side) == 1; });
}

std::string DemoStage::scale(int doublings) {
  if (mistakes_of_ || (!lesson_.has_size() && lesson_.sides.empty()))
    return "there is no size to change here";
  if (doublings < 0 && has_one_element()) return "this is the smallest size";
  doublings_ += doublings;
  try {
    prepare_step();
  } catch (const Error& error) {
    doublings_ -= doublings;
    prepare_step();
    return error.what();
  }
  for (StepState& changed : states_) changed.reveal.reset();
  state().is_revealed = false;
  return "";
}

namespace {

// Checks a mistake, and reports the seconds that this takes. A thread could not count, because the check
// forks.
teach::DemoReveal checked_with_progress(const teach::DemoStep& step, const Exercise& exercise,
                                        const std::function<void(const std::string&)>& progress,
                                        const std::function<bool()>& goes_on) {
  const auto start = std::chrono::steady_clock::now();
  std::int64_t seconds = 0;
  const StopTimer timer([&] {
    const auto passed =
        std::chrono::floor<std::chrono::seconds>(std::chrono::steady_clock::now() - start).count();
    if (passed > seconds) progress(fmt::format("checking {}, {} s", exercise.file, passed));
    seconds = passed;
    return !goes_on();
  });
  progress("checking " + exercise.file);
  return teach::reveal_mistake(step, exercise, timer.token());
}

}  // namespace

void DemoStage::run(const std::function<void(const std::string&)>& progress,
                    const std::function<bool()>& goes_on) {
  if (!state().reveal && mistakes_of_) {
    teach::DemoStep step = current();
    step.mistake = shown_text();
    if (!state().edited.empty()) step.pattern.clear();
    folder_.put(step_, edited_file(), step.mistake);  // for whoever looks into the folder
    state().reveal = checked_with_progress(step, *mistakes_of_, progress, goes_on);
  }
  if (!state().reveal) {
    run::RunOptions options = this->options();
    options.progress = progress;
    options.on_result = [&](const LessonResult&) { return goes_on(); };
    if (!state().edited.empty() || !current().edits.empty())
      options.kernels = folder_.put(step_, edited_file(), shown_text()).parent_path();
    const teach::DemoStep step =
        state().edited.empty() ? current() : teach::with_choices_for_any_kernel(current());
    const StoppableKernels stoppable([&] { return !goes_on(); });
    teach::DemoReveal reveal = teach::reveal(step, lesson_, options, device_of(options), recorded_);
    if (!goes_on()) throw WorkStopped();
    has_lost_the_device_ = reveal.result && reveal.result->has_lost_the_device();
    state().reveal = std::move(reveal);
  }
  state().is_revealed = true;
  if (is_right_by_edit()) prepare_step();  // marks the lines against another base
}

void DemoStage::forget_run() {
  state().reveal.reset();
  state().is_revealed = false;
}

std::string DemoStage::vote(std::size_t choice) {
  if (state().votes.empty()) return "this step asks nothing";
  if (state().is_revealed) return "the answer is here already: b goes back to the question";
  if (choice >= state().votes.size())
    return fmt::format("there is no such choice: 1 to {} vote", state().votes.size());
  ++state().votes[choice];
  return "";
}

void DemoStage::take_votes_back() {
  std::ranges::fill(state().votes, 0U);
}

namespace {

// Returns the lines that keep the numbers on the screen: an editor does not get them.
std::string empty_lines_above(const std::string& text) {
  return text.substr(0, text.find_first_not_of('\n'));
}

}  // namespace

fs::path DemoStage::file_to_edit() {
  if (shown_text().empty()) throw UsageError("this step shows no kernel");
  const std::string text = text_to_show();
  return folder_.put(step_, edited_file(), text.substr(empty_lines_above(text).size()));
}

int DemoStage::line_to_edit() const {
  const auto first =
      std::ranges::find_if(lines_, [](const teach::DemoLine& line) { return line.number > 0; });
  const auto above = static_cast<int>(empty_lines_above(text_to_show()).size());
  return first == lines_.end() ? 1 : std::max(first->number - above, 1);
}

bool DemoStage::take_edit() {
  const std::string before = text_to_show();
  const std::string left = run::read_text_file(folder_.path_of(step_, edited_file()), run::kernel_file);
  const std::string text = empty_lines_above(before) + left;
  if (text == before) return false;
  if (trimmed(left).empty())
    throw UsageError("the editor has left an empty file: the kernel is the one before");
  folder_.keep();
  const bool was_anonymised = is_anonymised() && !mistakes_of_;
  state().edited_anonymous = was_anonymised ? text : "";
  state().edited = was_anonymised ? teach::restored(text, file_text(current()), kernel_of(current().shown),
                                                    current().shown_as)
                                  : text;
  if (state().edited == file_text(current())) state().edited.clear();
  state().edited_at = fmt::format("{:%H:%M:%S}", fmt::localtime(std::time(nullptr)));
  forget_run();
  prepare_step();
  return true;
}

bool DemoStage::undo() {
  if (state().edited.empty()) return false;
  state().edited.clear();
  state().edited_anonymous.clear();
  forget_run();
  prepare_step();
  return true;
}

}  // namespace gpulab::cli
