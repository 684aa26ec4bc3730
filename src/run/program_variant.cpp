#include "run/program_variant.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "measure/sampling.hpp"
#include "program/nvcc.hpp"
#include "program/process.hpp"
#include "run/variant_run.hpp"
#include "validate/printed_numbers.hpp"

namespace gpulab::run {
namespace {

constexpr double time_limit_s = 60;
// On a GPU as the program measures it by its events, on the simulated device as the model of its timeline has
// it.
constexpr const char* time_figure = "first copy to last";

class ProgramRun {
 public:
  ProgramRun(const RunContext& context, const Variant& variant) : context_(context), variant_(variant) {
    const LaunchContext at = context.launch_context(variant.block.threads);
    result_.name = variant.name;
    result_.expected = variant.expects.at(at);
    result_.size = at.size();
    // Nobody watches it there.
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
    const std::vector<program::SourceFile> sources{{source().name, file, source().text, /*is_unit=*/true}};
    device::CompileCache cache;
    const program::CompiledProgram compiled =
        program::compile(sources, {}, ProgramWatch::defects, sandbox::Mode::automatic, cache);
    const double start_s = measure::steady_now_s();
    const ProgramResult run = program::run(
        compiled,
        {.name = "./" + variant_.name, .arguments = arguments(), .kept = program::Kept{time_limit_s}});
    result_.simulation_s = measure::steady_now_s() - start_s;
    result_.launches = run.report.launches;
    if (run.limit != ProgramLimit::none || (run.status != 0 && !run.has_defect()))
      return fail(run.limit == ProgramLimit::time
                      ? "it was still running after " + with_decimals(time_limit_s, 0) + " s"
                      : "it ended with exit code " + std::to_string(run.status));
    judge_output(run.output);
    judge_findings(run.report);
    result_.timeline = timeline_of(run.report);
    if (result_.timeline.empty()) return;
    const double end_s = std::ranges::max(result_.timeline, {}, &Span::end_s).end_s;
    result_.findings.figures.push_back({time_figure, 1e3 * end_s, "ms"});
  }

  void run_on_gpu() {
    const sandbox::CommandResult run =
        program::run_kept_with_nvcc(context_.lesson.file_of(variant_), source().text, arguments());
    if (run.exit_status != 0)
      return fail("it ended with exit code " + std::to_string(run.exit_status) + ": " +
                  printable(run.output.substr(0, 200)));
    judge_output(run.output);
    if (const auto time = validate::printed_number("milliseconds", run.output))
      result_.findings.figures.push_back({time_figure, *time, "ms"});
  }

  void fail(const std::string& why) {
    result_.observed = Outcome::faults;
    result_.failure = Failure{.kind = DefectKind::time_limit};
    result_.explanation = why;
  }

  void judge_output(const std::string& output) {
    const ProgramTask& task = context_.lesson.program;
    const auto difference = validate::first_difference(output, task.prints(result_.size));
    result_.observed = difference ? Outcome::wrong : Outcome::right;
    if (!difference) return;
    const TypicalOutput* const typical = validate::typical_output(output, task, result_.size);
    result_.pattern = typical ? typical->pattern : "wrong-output";
    result_.explanation = typical ? typical->explanation
                                  : "it prints \"" + difference->name + " " +
                                        printable(difference->printed).substr(0, 60) + "\", and right is " +
                                        validate::number_text(difference->expected);
  }

  // A race is expected to print anything, and what was seen of it says why.
  void judge_findings(const ProgramReport& report) {
    const auto first = std::ranges::find_if_not(report.findings, &ProgramFinding::is_note);
    if (first == report.findings.end()) return;
    result_.explanation = text_of(first->place) + ": " + first->text;
    if (result_.expected == Outcome::race) return;
    const bool only_leaks = std::ranges::all_of(report.findings, [](const ProgramFinding& finding) {
      return finding.is_note || finding.pattern == "memory-leak";
    });
    result_.observed = only_leaks && result_.observed == Outcome::right ? Outcome::leaks : Outcome::defect;
    result_.pattern = first->pattern;
  }

  // From the first copy or launch on: what the host does before that, such as allocating, would hide the
  // rest.
  static Timeline timeline_of(const ProgramReport& report) {
    constexpr const char* not_shown[] = {"cudaMalloc",       "cudaFree",          "cudaHostAlloc",
                                         "cudaMallocHost",   "cudaMallocManaged", "cudaFreeHost",
                                         "cudaSetDevice",    "cudaGetLastError",  "cudaPeekAtLastError",
                                         "cudaEventCreate",  "cudaEventDestroy",  "cudaStreamCreate",
                                         "cudaStreamDestroy"};
    constexpr Span::Kind kinds[] = {Span::Kind::other, Span::Kind::kernel, Span::Kind::to_device,
                                    Span::Kind::to_host, Span::Kind::other};
    Timeline timeline;
    for (const TimelineEntry& entry : report.timeline) {
      if (std::ranges::find(not_shown, entry.name) != std::end(not_shown)) continue;
      timeline.push_back({.stream = entry.stream,
                          .kind = kinds[static_cast<std::size_t>(entry.kind)],
                          .what = entry.name,
                          .start_s = entry.start_s,
                          .end_s = entry.end_s,
                          .bytes = static_cast<double>(entry.bytes)});
    }
    if (timeline.empty()) return timeline;
    const double begin_s = std::ranges::min(timeline, {}, &Span::start_s).start_s;
    for (Span& span : timeline) span.start_s -= begin_s, span.end_s -= begin_s;
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
