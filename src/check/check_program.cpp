#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "check/checks.hpp"
#include "check/judging.hpp"
#include "lesson/lesson.hpp"
#include "program/compiler.hpp"
#include "program/names.hpp"
#include "program/process.hpp"
#include "run/run_lesson.hpp"
#include "run/validate/comparison.hpp"
#include "source/program_files.hpp"
#include "source/statements.hpp"

namespace gpulab::check {

// Check of a learner's whole program: compiled once, run at several sizes, judged by what watching it finds
// and by what it prints.

namespace {

std::vector<std::size_t> sizes_for(const ProgramTask& task, const device::KernelSource& source,
                                   const Trial& trial) {
  if (trial.settings) return {trial.settings->size};
  constexpr std::uint64_t min_drawn = 2, drawn_sizes = 3000;
  constexpr std::size_t past_short_arrays = 350'003, max_number = std::size_t{1} << 20;
  std::vector<std::size_t> sizes = task.sizes;
  // Exceeds arrays of a fixed length: 2^18 elements, 2^20 bytes, or a number in the text.
  const std::size_t largest = std::max(past_short_arrays, largest_number_in(source.text, max_number) + 1);
  if (largest > *std::ranges::max_element(sizes)) sizes.push_back(largest);
  // Differs from text to text, so that no program can have the results for all sizes in it.
  sizes.push_back(min_drawn + trial.seed.value_or(seed_of(source.text)) % drawn_sizes);
  return sizes;
}

// Returns the beginning of the program's output, as much as a learner reads.
std::string beginning_of(const ProgramResult& run) {
  constexpr std::size_t max_bytes = 4000;
  return (run.output + run.errors).substr(0, max_bytes);
}

bool is_launch_call(const TimelineEntry& call) {
  return call.name.ends_with("<<<>>>");
}

// Returns whether the call can fail in a way that matters: it is neither a query nor a clean-up.
bool has_error_to_check(const TimelineEntry& call) {
  constexpr const char* prefixes[] = {"cudaMalloc",
                                      "cudaHostAlloc",
                                      "cudaHostRegister",
                                      "cudaMemcpy",
                                      "cudaMemset",
                                      "cudaSetDevice",
                                      "cudaStreamCreate",
                                      "cudaStreamSynchronize",
                                      "cudaDeviceSynchronize",
                                      "cudaEventCreate",
                                      "cudaEventSynchronize",
                                      "cudaEventRecord",
                                      "cudaStreamWaitEvent"};
  const auto begins_with = [&](const char* prefix) { return call.name.starts_with(prefix); };
  return is_launch_call(call) || std::ranges::any_of(prefixes, begins_with);
}

// Returns the name of the function or macro that is given the call's error, such as check in
// check(cudaFree(a)); empty if there is none.
std::string name_of_checker(const TimelineEntry& call) {
  const source::Code code(call.place.source);
  for (std::size_t i = 2; i < code.size(); ++i) {
    if (code.text(i) != call.name || code.text(i - 1) != "(") continue;
    const std::string name(code.text(i - 2));
    return name == "if" || name == "while" || !code.is_word(i - 2) ? "" : name;
  }
  return "";
}

// Returns what gives the error of a call to the function or macro that another call has; empty if that and
// `name`, the starter's, are unknown.
std::string checked_call(const ProgramReport& report, std::string name, const TimelineEntry& call) {
  for (const TimelineEntry& other : report.timeline)
    if (const std::string used = name_of_checker(other); !used.empty() && used != name_of_checker(call)) {
      name = used;
      break;
    }
  if (name.empty()) return "";
  return is_launch_call(call) ? name + "(cudaGetLastError()), in the next line"
                              : name + "(" + call.name + "(...))";
}

std::ptrdiff_t lines_in(const std::string& text) {
  return std::ranges::count(text, '\n');
}

class ProgramCheck {
 public:
  ProgramCheck(const Exercise& exercise, const device::KernelSource& source,
               const ProgramCheckOptions& options, CheckResult& result)
      : task_(lesson_of(exercise).program),
        is_own_(!lesson_of(exercise).kernels_text.empty()),
        source_(source),
        options_(options),
        result_(result),
        // Takes the file name from the exercise: the name of a learner's file could be anything.
        sources_{{source.name, exercise.file, source.text, /*is_unit=*/true}} {}

  bool compile() try {
    program::require_exercise_text(sources_.front());
    try {
      compiled_ = program::compile(sources_, {.warp_size = options_.warp_size.lanes()}, ProgramWatch::defects,
                                   options_.sandbox, cache_);
    } catch (const program::UndefinedName& error) {
      program::refuse_exercise_function(sources_.front(), error.name());
    }
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
  ProgramResult run_at(std::size_t size, std::size_t failing_call = 0) {
    constexpr double max_run_s = 10;
    const std::string name = sources_.front().path.stem().string();
    return program::run(compiled_, {.name = "./" + name,
                                    .arguments = {std::to_string(size)},
                                    .sandbox = options_.sandbox,
                                    .captured = program::CapturedRun{
                                        .time_limit_s = std::min(options_.time_limit_s, max_run_s),
                                        .stop = options_.stop,
                                        .reports_copied_data = failing_call == 0,
                                        .failing_call = failing_call}});
  }

  // Judges a run. An exercise asks for more than the absence of defects.
  void judge(const ProgramResult& run, std::size_t size) {
    constexpr std::size_t max_notes = 5;
    const auto fault = run::fault_of(run, task_, size);
    if (fault && fault->kind == run::ProgramFault::Kind::defect)
      judge_findings(run, fault->finding, size);
    else if (fault && fault->kind == run::ProgramFault::Kind::abnormal_end)
      refuse(fault->finding);
    else if (run.report.launches == 0)
      refuse("no-launch", "no kernel ran on the device");
    else if (fault)
      refuse_output(run, fault->finding);
    else if (const std::string missing = missing_from_device(run.report, size); !missing.empty())
      refuse("computed-on-host", missing);
    else
      test_demands(run, size);
    for (const ProgramFinding& finding : run.report.findings)
      if (finding.pattern == "idle-threads")
        note_idle_threads(finding);
      else if (finding.is_note && finding.text != result_.summary && result_.notes.size() < max_notes)
        add_note(finding);
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
    add_place(finding);
  }

  // Names the launch that leaves elements out, or gives a fraction to an integer, if there is one, as the
  // reason of a wrong output. What has
  // come back does not stay on the device, but it may be another array than that of the result.
  void refuse_output(const ProgramResult& run, const ProgramFinding& output) {
    const bool has_come_back =
        std::ranges::count(run.report.timeline, TimelineEntry::Kind::to_host, &TimelineEntry::kind) > 0;
    if (output.pattern == "stays-on-device" && has_come_back) {
      const auto unread =
          std::ranges::find(run.report.findings, "result-not-copied", &ProgramFinding::pattern);
      if (unread != run.report.findings.end()) return refuse(*unread);
      return refuse("wrong-output", "a copy has come back, and the output is still as if no kernel had run");
    }
    const auto launch = std::ranges::find_if(run.report.findings, [](const ProgramFinding& finding) {
      return finding.pattern == "grid-too-small" || finding.pattern == "converted-argument";
    });
    if (output.pattern != "wrong-output" || launch == run.report.findings.end()) return refuse(output);
    refuse(*launch);
    result_.details.insert(result_.details.begin(), output.text);
  }

  void test_demands(const ProgramResult& run, std::size_t size) {
    ProgramRecord record{run.report, size, task_.prints(size)};
    for (PrintedNumber& number : record.printed)
      number.value = run::validate::printed_number(number.name, run.output).value_or(number.value);
    for (const Demand<ProgramRecord>& demand : task_.demands) {
      const auto violation = demand.violation(record);
      if (!violation) continue;
      refuse(demand.pattern, violation->text, Verdict::defect);
      add_place(*violation);
      result_.details.push_back("asked for: " + demand.sentence);
      return;
    }
    if (are_errors_tested_) return;
    are_errors_tested_ = true;
    test_errors(run, size);
  }

  // Makes calls return an error, though they do their work, and tests whether the program notices.
  void test_errors(const ProgramResult& run, std::size_t size) {
    if (task_.errors_to_check == ErrorsToCheck::any && !notices_failure(run, every_call, size)) {
      refuse("unnoticed-error",
             "when every call of the runtime returns an error, the program goes on and prints its result",
             Verdict::defect);
      result_.details.push_back("asked for: check() ends the program if a call of the runtime has failed");
    }
    if (task_.errors_to_check != ErrorsToCheck::every) return;
    const auto unnoticed = unnoticed_failure(run, size);
    if (!unnoticed) return;
    const bool is_launch = is_launch_call(*unnoticed);
    const bool is_before_launch = std::ranges::any_of(run.report.timeline, [&](const TimelineEntry& entry) {
      return is_launch_call(entry) && entry.start_s > unnoticed->start_s;
    });
    refuse({.pattern = "unnoticed-error",
            .place = unnoticed->place,
            .text = std::string("when this ") + (is_launch ? "launch fails" : "call returns an error") +
                    ", the program goes on and prints its result: nothing looks at " +
                    (is_launch ? "the error of the launch" : "what " + unnoticed->name + " returns") +
                    (is_before_launch ? " before the next launch" : ""),
            .correction = checked_call(run.report, is_own_ ? "" : "check", *unnoticed)},
           Verdict::defect);
    result_.details.push_back(
        fmt::format("asked for: {}; a launch returns none, so ask for it",
                    is_own_ ? "look at the error of each call" : "give each error to check()"));
  }

  // Returns the first call whose error the program does not notice. Of the calls whose errors go to the same
  // checking function or macro, tries only one. Sticky errors, of a wait or of the device, are tried last:
  // later calls return them too, so a program that notices such an error may have found it in a later call.
  std::optional<TimelineEntry> unnoticed_failure(const ProgramResult& run, std::size_t size) {
    std::set<std::string> tried;
    for (const bool is_sticky : {false, true}) {
      std::size_t number = 0;
      for (const TimelineEntry& call : run.report.timeline) {
        if (call.kind != TimelineEntry::Kind::call) continue;
        ++number;
        if (!has_error_to_check(call) || is_sticky_error(call.name) != is_sticky) continue;
        const std::string checker = name_of_checker(call);
        const bool is_tried = checker.empty() || tried.insert(checker).second;
        if (is_tried && !notices_failure(run, number, size)) return call;
      }
    }
    return std::nullopt;
  }

  // Returns whether the program ends in another way, or prints something else, than in `before`, the run
  // without an error.
  bool notices_failure(const ProgramResult& before, std::size_t call, std::size_t size) {
    const ProgramResult run = run_at(size, call);
    return run.status != before.status || run.limit != ProgramLimit::none ||
           run::wrong_output(run.output, task_, size) || lines_in(run.output) != lines_in(before.output) ||
           lines_in(run.errors) != lines_in(before.errors);
  }

  // Returns why the device cannot have computed what is printed: the results were never copied back from it,
  // or were copied to it. Empty if the device may have computed them.
  std::string missing_from_device(const ProgramReport& report, std::size_t size) const {
    constexpr std::size_t few = 100;  // with fewer elements, inputs and results may be equal by chance
    if (!task_.results) return "";
    for (const auto& [name, numbers] : task_.results(size)) {
      const std::string values =
          numbers.size() == 1 ? name : fmt::format("the {} values of {}", grouped(numbers.size()), name);
      if (!run::validate::holds_all_numbers(report.brought_back, numbers))
        return "what is printed was not computed by the device: " + values +
               " never came back from its memory";
      if (size < few) continue;
      if (report.sent.size() >= max_kept_copy_bytes)
        return "far more is copied to the device than the program's arrays hold";
      if (numbers.size() > 1 && run::validate::holds_all_numbers(report.sent, numbers))
        return "what is printed was not computed by the device: " + values + " were given to it";
    }
    return "";
  }

  void add_note(const ProgramFinding& finding) {
    const std::string place = finding.place.line > 0 ? text_of(finding.place) + ": " : "";
    const std::string note = place + finding.text;
    if (std::ranges::find(result_.notes, note) == result_.notes.end()) result_.notes.push_back(note);
  }

  // Notes idle threads only at the first size, and not beside another note.
  void note_idle_threads(const ProgramFinding& launch) {
    if (result_.verdict == Verdict::right && result_.notes.empty())
      result_.notes.push_back(fmt::format("right, and yet {} ({})", launch.text, text_of(launch.place)));
  }

  int line_in_learners_file(const SourcePlace& place) const { return place.file.empty() ? place.line : 0; }

  // Names the first finding. Where that is a leak and the result is wrong, names a grid that is too small
  // instead, if there is one: a leak makes no result wrong.
  void judge_findings(const ProgramResult& run, const ProgramFinding& first, std::size_t size) {
    const bool is_result_right = run.status == 0 && !run::wrong_output(run.output, task_, size);
    const auto launch = std::ranges::find(run.report.findings, "grid-too-small", &ProgramFinding::pattern);
    const bool is_launch_to_blame =
        !is_result_right && first.pattern == "memory-leak" && launch != run.report.findings.end();
    const ProgramFinding& cause = is_launch_to_blame ? *launch : first;
    refuse(cause, is_result_right ? Verdict::defect : Verdict::wrong);
    for (const ProgramFinding& finding : run.report.findings) {
      const bool is_cause = finding.pattern == cause.pattern && finding.place == cause.place;
      if (finding.is_note || is_cause) continue;
      result_.details.push_back(text_of(finding.place) + ": " + finding.text);
      if (const int line = line_in_learners_file(finding.place))
        result_.related.push_back(
            {.line = line, .source = finding.place.source, .pattern = finding.pattern, .text = finding.text});
    }
  }

  void add_place(const ProgramFinding& finding) {
    result_.line = line_in_learners_file(finding.place);
    result_.source = finding.place.source;
    if (!finding.correction.empty()) result_.details.push_back("write: " + finding.correction);
    for (const ProgramFinding::Other& other : finding.others) {
      if (other.place.line <= 0) continue;
      result_.details.push_back(text_of(other.place) + ": " + other.text);
      if (const int line = line_in_learners_file(other.place))
        result_.related.push_back({.line = line, .source = other.place.source, .text = other.text});
    }
  }

  ProgramTask task_;
  bool is_own_;  // an instructor's, whose programs need not have a function check()
  const device::KernelSource& source_;
  const ProgramCheckOptions& options_;
  CheckResult& result_;
  std::vector<source::SourceFile> sources_;
  device::CompileCache cache_;
  program::CompiledProgram compiled_;
  bool are_errors_tested_ = false;
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
  constexpr const char* choice = "cudaSetDevice";
  const source::Code code(source.text);
  if (result.verdict == Verdict::right && exercise.starter.find(choice) != std::string::npos &&
      !source::has_word(code, choice, 0, code.size()))
    result.notes.push_back(
        "right, and yet the exercise asks for cudaSetDevice: without it, a program uses device 0");
  return result;
}

}  // namespace gpulab::check
