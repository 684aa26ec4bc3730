#include "cli/demo_stage.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <algorithm>
#include <ctime>
#include <sstream>

#include "cli/exercise_steps.hpp"
#include "cli/lesson_options.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/registry.hpp"
#include "demo/demo.hpp"
#include "report/demo.hpp"
#include "run/kernel_files.hpp"

namespace gpulab::cli {

namespace fs = std::filesystem;

DemoStage::DemoStage(Lesson lesson, std::optional<Exercise> mistakes_of, Demo demo, const DeviceWords& device,
                     const std::optional<fs::path>& folder)
    : lesson_(std::move(lesson)),
      mistakes_of_(std::move(mistakes_of)),
      demo_(std::move(demo)),
      folder_(folder),
      recorded_(embedded_recorded_figures()),
      standings_(demo_.steps.size()) {
  // A check forks, so it must not meet the threads of a device.
  if (!mistakes_of_) device_ = device.open(cache_, [](const std::string&) {});
  for (step_ = demo_.steps.size(); step_-- > 0;) try {
      arrive();
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("step {} {}: {}", step_ + 1, current().name, error.what()));
    }
  step_ = 0;
}

const DemoReveal* DemoStage::reveal() const {
  return standing().is_revealed && standing().reveal ? &*standing().reveal : nullptr;
}

std::string DemoStage::file_name(const std::string& variant) const {
  return lesson_.file_of(run::find_variant(lesson_, variant));
}

std::string DemoStage::kernel_of(const std::string& variant) const {
  if (mistakes_of_)
    return mistakes_of_->kind == ExerciseKind::kernel ? run::find_variant(lesson_, lesson_.solution).kernel
                                                      : "";
  if (variant.empty() || !current().kernel.empty()) return current().kernel;
  return run::find_variant(lesson_, variant).kernel;
}

std::string DemoStage::file_text(const DemoStep& step) const {
  if (mistakes_of_) return step.mistake;
  if (step.shown.empty()) return "";
  const std::string text = run::embedded_kernel_file(file_name(step.shown));
  return step.edits.empty() ? text : demo::edited(text, kernel_of(step.shown), step.edits);
}

std::string DemoStage::shown_text() const {
  return standing().edited.empty() ? file_text(current()) : standing().edited;
}

std::string DemoStage::base_text() const {
  if (mistakes_of_) return course_file_of(*mistakes_of_);
  if (!standing().edited.empty()) return file_text(current());
  if (!current().edits.empty()) return run::embedded_kernel_file(file_name(current().shown));
  return current().since.empty() ? "" : run::embedded_kernel_file(file_name(current().since));
}

report::VariantSource DemoStage::shown() const {
  const std::string& variant = current().shown;
  return {.name = mistakes_of_ ? "this" : variant,
          .idea = mistakes_of_ ? "what was handed in" : run::find_variant(lesson_, variant).idea,
          .file = scene().source,
          .file_text = shown_text(),
          .kernel = kernel_of(variant)};
}

report::VariantSource DemoStage::base() const {
  if (mistakes_of_)
    return {"the course's", "as it should be", "the course's " + mistakes_of_->file, base_text(),
            kernel_of("")};
  const bool is_before_edits = !standing().edited.empty() || !current().edits.empty();
  const std::string& variant = is_before_edits ? current().shown : current().since;
  return {.name = is_before_edits ? "before" : variant,
          .idea = run::find_variant(lesson_, variant).idea,
          .file = file_name(variant) + (is_before_edits ? ", before" : ""),
          .file_text = base_text(),
          .kernel = kernel_of(variant)};
}

void DemoStage::arrive() {
  const bool is_excerpt = !current().excerpt.empty() && standing().edited.empty();
  const std::string text = is_excerpt ? current().excerpt : shown_text();
  const bool is_own_base = !standing().edited.empty() || !current().edits.empty();
  lines_.clear();
  if (!text.empty())
    lines_ = report::demo_lines({.text = text,
                                 .kernel = kernel_of(current().shown),
                                 .base = is_excerpt ? "" : base_text(),
                                 .base_kernel = kernel_of(is_own_base ? current().shown : current().since),
                                 .shown_as = current().shown_as,
                                 .look_at = current().look_at});
  standing().votes.resize(current().question ? current().question->choices.size() : 0);
  if (mistakes_of_) {
    problem_ = "checked as gpulab check does";
    return;
  }
  run::RunOptions options = this->options();
  options.variants = current().run;
  run::check_options(lesson_, options);
  const Settings& settings = options.settings;
  const DeviceProperties& properties = device_.device->properties();
  problem_ = fmt::format("{}: {}, seed {}", properties.simulated() ? "simulated" : properties.name,
                         lesson_.problem(settings).description, settings.seed);
}

namespace {

// Whether the run has shown something about that line.
bool names(const DemoReveal& reveal, int line) {
  return (reveal.check && reveal.check->line == line) ||
         std::ranges::any_of(reveal.findings, [&](const DemoFinding& finding) {
           return std::ranges::find(finding.lines, line) != finding.lines.end();
         });
}

}  // namespace

DemoScene DemoStage::scene() const {
  std::string source = mistakes_of_              ? mistakes_of_->file
                       : current().shown.empty() ? ""
                                                 : file_name(current().shown);
  if (!standing().edited.empty()) source += ", edited " + standing().edited_at;
  DemoScene scene{.demo = &demo_,
                  .step = step_,
                  .problem = problem_,
                  .source = source,
                  .lines = lines_,
                  .votes = standing().votes,
                  .reveal = reveal()};
  if (scene.reveal)
    for (DemoLine& line : scene.lines) line.is_named = line.number > 0 && names(*scene.reveal, line.number);
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
  if (standing().is_revealed) {
    standing().is_revealed = false;
    return true;
  }
  if (step_ == 0) return false;
  go_to(step_ - 1);
  standing().is_revealed = standing().reveal.has_value();
  return true;
}

// The next step begins from the course's kernel, and from its own size where so many times that is too much.
void DemoStage::go_to(std::size_t step) {
  if (!standing().edited.empty()) undo();
  step_ = step;
  standing().is_revealed = false;
  try {
    arrive();
  } catch (const UsageError&) {
    doublings_ = 0;
    for (Standing& one : standings_) one.reveal.reset();
    arrive();
  }
}

namespace {

// What a step's options mean, as the lesson's own command has them.
run::RunOptions options_typed(const Lesson& lesson, const std::string& typed) {
  CLI::App command;
  command.set_help_flag();
  LessonWords words;
  add_what_runs(command, lesson, words);
  std::istringstream stream(typed);
  std::vector<std::string> all{std::istream_iterator<std::string>(stream), {}};
  std::ranges::reverse(all);
  try {
    command.parse(all);
  } catch (const CLI::ParseError& error) {
    throw UsageError("the demo's options '" + typed + "': " + error.what());
  }
  return run_options(lesson, words);
}

void scale_by(const Lesson& lesson, Settings& settings, int doublings) {
  const auto scaled = [&](std::uint64_t value) {
    return std::max<std::uint64_t>(doublings >= 0 ? value << doublings : value >> -doublings, 1);
  };
  if (lesson.has_size()) settings.size = scaled(settings.size);
  for (const std::string& side : lesson.sides) settings.options[side] = scaled(settings.count(side));
}

}  // namespace

run::RunOptions DemoStage::options() const {
  const bool simulated = device_.device->properties().simulated();
  const std::string& typed =
      simulated && !current().simulated_with.empty() ? current().simulated_with : current().with;
  run::RunOptions options = options_typed(lesson_, typed);
  scale_by(lesson_, options.settings, doublings_);
  return options;
}

bool DemoStage::is_of_size_one() const {
  const Settings settings = options().settings;
  return (!lesson_.has_size() || settings.size == 1) &&
         std::ranges::all_of(lesson_.sides,
                             [&](const std::string& side) { return settings.count(side) == 1; });
}

std::string DemoStage::scale(int doublings) {
  if (mistakes_of_ || (!lesson_.has_size() && lesson_.sides.empty()))
    return "there is no size to change here";
  if (doublings < 0 && is_of_size_one()) return "this is the smallest size";
  doublings_ += doublings;
  try {
    arrive();
  } catch (const Error& error) {
    doublings_ -= doublings;
    arrive();
    return error.what();
  }
  for (Standing& one : standings_) one.reveal.reset();
  standing().is_revealed = false;
  return "";
}

void DemoStage::run(const std::function<void(const std::string&)>& progress,
                    const std::function<bool()>& goes_on) {
  if (!standing().reveal && mistakes_of_) {
    progress("checking " + mistakes_of_->file);
    DemoStep step = current();
    step.mistake = shown_text();
    standing().reveal =
        demo::reveal_mistake(step, *mistakes_of_, folder_.put(step_, edited_file(), step.mistake));
  }
  if (!standing().reveal) {
    run::RunOptions options = this->options();
    options.progress = progress;
    options.on_result = [&](const LessonResult&) { return goes_on(); };
    if (!standing().edited.empty() || !current().edits.empty())
      options.kernels = folder_.put(step_, edited_file(), shown_text()).parent_path();
    DemoReveal reveal = demo::reveal(current(), lesson_, options, *device_.device, recorded_);
    has_lost_the_device_ = reveal.result && reveal.result->has_lost_the_device();
    standing().reveal = std::move(reveal);
  }
  standing().is_revealed = true;
}

void DemoStage::forget_run() {
  standing().reveal.reset();
  standing().is_revealed = false;
}

void DemoStage::vote(std::size_t choice) {
  if (choice < standing().votes.size() && !standing().is_revealed) ++standing().votes[choice];
}

void DemoStage::take_votes_back() {
  std::ranges::fill(standing().votes, 0U);
}

fs::path DemoStage::file_to_edit() {
  if (shown_text().empty()) throw UsageError("this step shows no kernel");
  return folder_.put(step_, edited_file(), shown_text());
}

int DemoStage::line_to_edit() const {
  const auto first = std::ranges::find_if(lines_, [](const DemoLine& line) { return line.number > 0; });
  return first == lines_.end() ? 1 : first->number;
}

void DemoStage::take_edit() {
  const std::string text = run::read_text_file(folder_.path_of(step_, edited_file()), run::kernel_file);
  if (text == shown_text()) return;
  if (text.empty()) throw UsageError("the editor has left an empty file: the kernel is the one before");
  folder_.keep();
  standing().edited = text == file_text(current()) ? "" : text;
  standing().edited_at = fmt::format("{:%H:%M:%S}", fmt::localtime(std::time(nullptr)));
  forget_run();
  arrive();
}

void DemoStage::undo() {
  standing().edited.clear();
  forget_run();
  arrive();
}

}  // namespace gpulab::cli
