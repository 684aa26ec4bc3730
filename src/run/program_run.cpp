#include "base/lists.hpp"
#include "run/run_lesson.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <csignal>

#include "base/text.hpp"
#include "program/compiler.hpp"
#include "program/nvcc.hpp"
#include "program/process.hpp"
#include "run/sampling.hpp"
#include "run/validate/comparison.hpp"
#include "run/variant_run.hpp"

namespace gpulab::run {
namespace {

// Returns the finding that causes the others: a missing wait, if there is one, since data that is read too
// early leads to other findings, too; else the first defect.
const ProgramFinding* cause_in(const std::vector<ProgramFinding>& findings) {
  const auto missing_wait = std::ranges::find_if(findings, [](const ProgramFinding& finding) {
    return !finding.is_note && (finding.pattern == "race-streams" || finding.pattern == "race-host");
  });
  const auto cause = missing_wait != findings.end()
                         ? missing_wait
                         : std::ranges::find_if_not(findings, &ProgramFinding::is_note);
  return cause == findings.end() ? nullptr : &*cause;
}

// Reports how a program without findings ended; the pattern is empty after a normal end.
ProgramFinding end_of(const ProgramResult& run) {
  if (run.limit == ProgramLimit::time)
    return {.pattern = "time-limit",
            .text = "the program was still running when its time was over: does a loop or a wait never end?"};
  if (run.limit == ProgramLimit::output)
    return {.pattern = "too-much-output", .text = "the program prints more than 1 MiB"};
  if (run.limit == ProgramLimit::message)
    return {.pattern = "host-crash", .text = "the program's process sent a message that makes no sense"};
  if (run.signal == SIGSYS)
    return {
        .pattern = "host-crash",
        .text =
            "the program was ended by the sandbox: it made a system call that a program of an exercise must not make"};
  if (run.signal)
    return {.pattern = "host-crash", .text = "the program was ended by signal " + std::to_string(run.signal)};
  const auto cause = std::ranges::find_if(run.report.findings, [](const ProgramFinding& finding) {
    return finding.pattern == "failed-call" || finding.pattern == "launch-failure";
  });
  if (run.status != 0 && cause != run.report.findings.end()) return *cause;
  if (run.status != 0)
    return {.pattern = "exit-code",
            .text = "the program ended with exit code " + std::to_string(run.status) + ", not 0"};
  if (!run.has_report)
    return {.pattern = "host-crash",
            .text = "the program ended without returning from main() or calling exit()"};
  return {};
}

}  // namespace

std::optional<ProgramFinding> wrong_output(const std::string& output, const ProgramTask& task,
                                           std::size_t size, const std::string& subject) {
  const auto difference = validate::first_difference(output, task.prints(size));
  if (!difference) return std::nullopt;
  if (const TypicalOutput* const typical = validate::typical_output(output, task, size))
    return ProgramFinding{.pattern = typical->pattern, .text = typical->explanation};
  const auto& [name, expected, printed] = *difference;
  if (printed.empty())
    return ProgramFinding{.pattern = "no-output",
                          .text = fmt::format("{} prints no line that begins with \"{}\"", subject, name)};
  return ProgramFinding{
      .pattern = "wrong-output",
      .text = fmt::format("{} prints \"{} {}\", expected {}", subject, name, printable(printed).substr(0, 60),
                          validate::number_text(expected))};
}

std::optional<ProgramFault> fault_of(const ProgramResult& run, const ProgramTask& task, std::size_t size,
                                     const std::string& subject) {
  using Kind = ProgramFault::Kind;
  if (const ProgramFinding* const cause = cause_in(run.report.findings))
    return ProgramFault{Kind::defect, *cause};
  if (const ProgramFinding end = end_of(run); !end.pattern.empty())
    return ProgramFault{Kind::abnormal_end, end};
  if (const auto wrong = wrong_output(run.output, task, size, subject))
    return ProgramFault{Kind::output, *wrong};
  return std::nullopt;
}

namespace {

constexpr double time_limit_s = 60;
constexpr const char* subject = "it";  // follows the variant's name
// Measured with events on a GPU; from the timeline's model on the simulator.
constexpr const char* time_figure = "first copy to last";

class ProgramRun {
 public:
  ProgramRun(const RunContext& context, const Variant& variant) : context_(context), variant_(variant) {
    const LaunchContext launch_context = context.launch_context(variant.block.threads);
    result_.name = variant.name;
    result_.expected = variant.expects.at(launch_context);
    result_.size = launch_context.size();
    // A GPU run is not watched for leaks.
    if (!context.is_simulated() && result_.expected == Outcome::leaks) result_.expected = Outcome::right;
  }

  VariantResult run() {
    try {
      if (context_.is_simulated())
        simulate();
      else
        run_on_gpu();
    } catch (...) {
      note_failure(std::current_exception(), context_.is_simulated(), result_);
    }
    if (result_.expected == Outcome::race && result_.observed == Outcome::right &&
        result_.explanation.empty())
      result_.explanation = "that proves nothing, another run may get it wrong";
    return std::move(result_);
  }

 private:
  const device::KernelSource& source() const { return context_.files.of(variant_); }
  std::vector<std::string> arguments() const { return {std::to_string(result_.size)}; }

  void simulate() {
    const std::string& file = context_.lesson.file_of(variant_);
    const std::vector<source::SourceFile> sources{{source().name, file, source().text, /*is_unit=*/true}};
    device::CompileCache cache;
    const program::CompiledProgram compiled =
        program::compile(sources, {}, ProgramWatch::defects, sandbox::Mode::automatic, cache);
    const double start_s = steady_now_s();
    const ProgramResult run =
        program::run(compiled, {.name = "./" + variant_.name,
                                .arguments = arguments(),
                                .captured = program::CapturedRun{.time_limit_s = time_limit_s}});
    result_.simulation_s = steady_now_s() - start_s;
    result_.launches = run.report.launches;
    const auto fault = fault_of(run, context_.lesson.program, result_.size, subject);
    if (fault && fault->kind == ProgramFault::Kind::abnormal_end) {
      if (run.limit == ProgramLimit::time)
        return fail("it was still running after " + with_decimals(time_limit_s, 0) + " s",
                    DefectKind::time_limit);
      return fail(run.status != 0 ? "it ended with exit code " + std::to_string(run.status)
                                  : fault->finding.text);
    }
    judge_output(run.output);
    if (fault && fault->kind == ProgramFault::Kind::defect) judge_defect(fault->finding, run.report);
    result_.timeline = timeline_of(run.report);
    if (result_.timeline.empty()) return;
    const double end_s = std::ranges::max(result_.timeline, {}, &Span::end_s).end_s;
    result_.findings.figures.push_back({time_figure, 1e3 * end_s, "ms"});
  }

  void run_on_gpu() {
    const sandbox::CommandResult run =
        program::run_captured_with_nvcc(context_.lesson.file_of(variant_), source().text, arguments());
    if (run.exit_status != 0)
      return fail(fmt::format("it ended with exit code {}: {}", run.exit_status,
                              printable(run.output.substr(0, 200))));
    judge_output(run.output);
    if (const auto time = validate::printed_number("milliseconds", run.output))
      result_.findings.figures.push_back({time_figure, *time, "ms"});
  }

  void fail(const std::string& why, DefectKind kind = DefectKind::other) {
    result_.observed = Outcome::faults;
    result_.failure = Failure{.kind = kind};
    result_.explanation = why;
  }

  void judge_output(const std::string& output) {
    const auto wrong = wrong_output(output, context_.lesson.program, result_.size, subject);
    result_.observed = wrong ? Outcome::wrong : Outcome::right;
    if (!wrong) return;
    result_.pattern = wrong->pattern;
    result_.explanation = wrong->text;
  }

  // Takes the finding for the explanation. A program with a race may print anything.
  void judge_defect(const ProgramFinding& cause, const ProgramReport& report) {
    result_.explanation = text_of(cause.place) + ": " + cause.text;
    if (result_.expected == Outcome::race) return;
    const bool only_leaks = std::ranges::all_of(report.findings, [](const ProgramFinding& finding) {
      return finding.is_note || finding.pattern == "memory-leak";
    });
    result_.observed = only_leaks && result_.observed == Outcome::right ? Outcome::leaks : Outcome::defect;
    result_.pattern = cause.pattern;
  }

  // Begins at the first copy or launch: earlier host work, such as allocation, would dwarf the rest.
  static Timeline timeline_of(const ProgramReport& report) {
    constexpr const char* not_shown[] = {"cudaMalloc",       "cudaFree",          "cudaHostAlloc",
                                         "cudaMallocHost",   "cudaMallocManaged", "cudaFreeHost",
                                         "cudaSetDevice",    "cudaGetLastError",  "cudaPeekAtLastError",
                                         "cudaEventCreate",  "cudaEventDestroy",  "cudaStreamCreate",
                                         "cudaStreamDestroy"};
    // In the order of TimelineEntry::Kind.
    constexpr Span::Kind kinds[] = {Span::Kind::other, Span::Kind::kernel, Span::Kind::to_device,
                                    Span::Kind::to_host, Span::Kind::other};
    Timeline timeline;
    for (const TimelineEntry& entry : report.timeline) {
      if (contains(not_shown, entry.name)) continue;
      timeline.push_back({.stream = entry.stream,
                          .kind = kinds[static_cast<std::size_t>(entry.kind)],
                          .what = entry.name,
                          .start_s = entry.start_s,
                          .end_s = entry.end_s,
                          .bytes = static_cast<double>(entry.bytes)});
    }
    if (timeline.empty()) return timeline;
    const double begin_s = std::ranges::min(timeline, {}, &Span::start_s).start_s;
    for (Span& span : timeline) {
      span.start_s -= begin_s;
      span.end_s -= begin_s;
    }
    return timeline;
  }

  const RunContext& context_;
  const Variant& variant_;
  VariantResult result_;
};

}  // namespace

VariantResult run_program(const RunContext& context, const Variant& variant) {
  return ProgramRun(context, variant).run();
}

}  // namespace gpulab::run
