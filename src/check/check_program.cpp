#include <algorithm>
#include <chrono>

#include "base/text.hpp"
#include "check/checks.hpp"
#include "lesson/lesson.hpp"
#include "program/compiler.hpp"
#include "run/program_run.hpp"
#include "run/validate/comparison.hpp"
#include "source/program_files.hpp"

namespace gpulab::check {

// Check of a learner's whole program: compiled once, run at several sizes, judged by what watching it finds
// and by what it prints.

namespace {

ProgramTask task_of(const Exercise& exercise) {
  for (const Lesson& lesson : all_lessons())
    if (lesson.name == exercise.lesson) return lesson.program;
  throw std::logic_error("there is no lesson " + exercise.lesson);
}

std::vector<std::size_t> sizes_for(const ProgramTask& task, const device::KernelSource& source,
                                   const Trial& trial) {
  if (trial.settings) return {trial.settings->size};
  constexpr std::uint64_t largest_drawn = 3000;
  std::vector<std::size_t> sizes = task.sizes;
  sizes.push_back(2 + trial.seed.value_or(seed_of(source.text)) % largest_drawn);
  return sizes;
}

// Returns the beginning of what it wrote, as much as somebody reads.
std::string beginning_of(const ProgramResult& run) {
  constexpr std::size_t most = 4000;
  return (run.output + run.errors).substr(0, most);
}

class ProgramCheck {
 public:
  ProgramCheck(const Exercise& exercise, const device::KernelSource& source,
               const ProgramCheckOptions& options, CheckResult& result)
      : task_(task_of(exercise)),
        source_(source),
        options_(options),
        begin_(Clock::now()),
        result_(result),
        // Takes the exercise's name: the name of a learner's file could be anything.
        sources_{{source.name, exercise.file, source.text, /*is_unit=*/true}} {}

  bool compile() try {
    program::require_exercise_text(sources_.front());
    compiled_ = program::compile(sources_, {}, ProgramWatch::defects, options_.sandbox, cache_);
    program::require_exercise_object(sources_.front(), compiled_);
    return true;
  } catch (const CompileError& error) {
    judge_compile_error(error, source_, result_);
    return false;
  }

  void run() {
    for (const std::size_t size : sizes_for(task_, source_, options_.trial)) {
      judge(run_at(size), size);
      if (result_.verdict != Verdict::right) return;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  ProgramResult run_at(std::size_t size) {
    constexpr double most_for_one_s = 10, least_s = 0.1;
    const double left_s =
        options_.time_limit_s - std::chrono::duration<double>(Clock::now() - begin_).count();
    const std::string name = sources_.front().path.stem().string();
    return program::run(
        compiled_, {.name = "./" + name,
                    .arguments = {std::to_string(size)},
                    .sandbox = options_.sandbox,
                    .kept = program::Kept{std::clamp(left_s, least_s, most_for_one_s), options_.stop, true}});
  }

  // Judges a run. An exercise asks for more than the absence of defects.
  void judge(const ProgramResult& run, std::size_t size) {
    const auto fault = run::fault_of(run, task_, size);
    if (fault && fault->kind == run::ProgramFault::Kind::defect)
      judge_findings(run, fault->finding, size);
    else if (fault && fault->kind == run::ProgramFault::Kind::end)
      refuse(fault->finding);
    else if (run.report.launches == 0)
      refuse("no-launch", "no kernel ran on the device");
    else if (fault)
      refuse(fault->finding);
    else if (const std::string missing = missing_from_device(run.report, size); !missing.empty())
      refuse("computed-on-host", missing);
    else if (const auto objection = task_.objection ? task_.objection(run.report, size) : std::nullopt)
      refuse(*objection, Verdict::defect);
    for (const ProgramFinding& finding : run.report.findings)
      if (finding.is_note && finding.text != result_.summary && result_.notes.size() < 5) add_note(finding);
    if (result_.verdict == Verdict::right) return;
    result_.size = size;
    result_.tried_with = TriedWith{.size = size};
    result_.printed = beginning_of(run);
  }

  void refuse(const std::string& pattern, const std::string& summary, Verdict verdict = Verdict::wrong) {
    result_.verdict = verdict;
    result_.pattern = pattern;
    result_.summary = summary;
  }

  void refuse(const ProgramFinding& finding, Verdict verdict = Verdict::wrong) {
    refuse(finding.pattern, finding.text, verdict);
    place(finding);
  }

  // Checks that the device computed what is printed: its results have come back from it, and were not given
  // to it. Returns what is wrong.
  std::string missing_from_device(const ProgramReport& report, std::size_t size) const {
    constexpr std::size_t telling = 100;  // with fewer elements the inputs may have the same numbers
    if (!task_.results) return "";
    const auto [name, numbers] = task_.results(size);
    const std::string values = "the " + grouped(numbers.size()) + " values of " + name;
    if (!run::validate::holds(report.brought_back, numbers))
      return "what is printed was not computed by the device: " + values + " never came back from its memory";
    if (size < telling) return "";
    if (report.sent.size() >= most_kept_of_copies)
      return "far more is copied to the device than the program's arrays hold";
    if (run::validate::holds(report.sent, numbers))
      return "what is printed was not computed by the device: " + values + " were given to it";
    return "";
  }

  void add_note(const ProgramFinding& finding) {
    const std::string place = finding.place.line > 0 ? text_of(finding.place) + ": " : "";
    const std::string note = place + finding.text;
    if (std::ranges::find(result_.notes, note) == result_.notes.end()) result_.notes.push_back(note);
  }

  int line_of_main(const SourcePlace& place) const { return place.file.empty() ? place.line : 0; }

  void judge_findings(const ProgramResult& run, const ProgramFinding& cause, std::size_t size) {
    const bool is_result_right = run.status == 0 && !run::wrong_output(run.output, task_, size);
    refuse(cause, is_result_right ? Verdict::defect : Verdict::wrong);
    for (const ProgramFinding& finding : run.report.findings) {
      const bool is_cause = finding.pattern == cause.pattern && finding.place == cause.place;
      if (finding.is_note || is_cause) continue;
      result_.details.push_back(text_of(finding.place) + ": " + finding.text);
      if (const int line = line_of_main(finding.place))
        result_.related.push_back(
            {.line = line, .source = finding.place.source, .pattern = finding.pattern, .text = finding.text});
    }
  }

  void place(const ProgramFinding& finding) {
    result_.line = line_of_main(finding.place);
    result_.source = finding.place.source;
    if (!finding.instead.empty()) result_.details.push_back("write: " + finding.instead);
    for (const ProgramFinding::Other& other : finding.others) {
      if (other.place.line <= 0) continue;
      result_.details.push_back(text_of(other.place) + ": " + other.text);
      if (const int line = line_of_main(other.place))
        result_.related.push_back({.line = line, .source = other.place.source, .text = other.text});
    }
  }

  ProgramTask task_;
  const device::KernelSource& source_;
  const ProgramCheckOptions& options_;
  Clock::time_point begin_;
  CheckResult& result_;
  std::vector<source::SourceFile> sources_;
  device::CompileCache cache_;
  program::CompiledProgram compiled_;
};

}  // namespace

CheckResult check_program(const Exercise& exercise, const device::KernelSource& source,
                          const ProgramCheckOptions& options) {
  CheckResult result{.exercise = exercise.name, .file = source.name};
  result.is_program = true;
  ProgramCheck check(exercise, source, options, result);
  if (check.compile()) check.run();
  if (options.trial.is_limited() && result.verdict == Verdict::right)
    result.notes.push_back("only this size was checked, so the exercise does not count as passed");
  return result;
}

}  // namespace gpulab::check
