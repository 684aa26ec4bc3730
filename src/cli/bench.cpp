#include <fmt/format.h>
#include <algorithm>

#include "base/descriptor.hpp"
#include "base/files.hpp"
#include "base/output.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "bench/bench_formats.hpp"
#include "bench/compare.hpp"
#include "bench/plan.hpp"
#include "cli/bench_run.hpp"
#include "cli/command.hpp"
#include "cli/lesson_reports.hpp"
#include "cli/options.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {
namespace {

struct BenchCommandOptions {
  BenchOptions what;
  std::optional<unsigned> runs;
  std::optional<unsigned> process;  // set in a process that measures for another
  std::optional<double> time_budget_s;
  std::optional<std::filesystem::path> output, resume;
  std::string format;
  std::optional<std::filesystem::path> baseline;
  ComparisonOptions rules;
  bool dry_run = false, strict_claims = false, plot = false, quiet = false;

  int processes() const { return static_cast<int>(runs.value_or(what.is_for_gpu() ? 3 : 1)); }
};

bench::MeasureOptions measure_options(const BenchCommandOptions& options, Narrator& narrator) {
  return {.time_budget_s = options.time_budget_s,
          .kernels = options.what.kernels,
          .with_ceilings = options.process.value_or(0) == 0 && !options.resume,
          .remark = [&](const std::string& line) { narrator.remark(line); }};
}

// Measures in this process, and prints a line for each row.
ExitCode measure_here(const BenchCommandOptions& options, const std::vector<std::string>& typed) {
  Narrator narrator(options.quiet);
  device::CompileCache cache;
  const auto [device, fallback] =
      options.what.device.open(cache, [&](const std::string& line) { narrator.remark(line); });
  bench::Request request = request_of(options.what, device->properties().simulated());
  request.process = static_cast<int>(options.process.value_or(0));
  if (options.resume) request.done = ids_of(read_bench_document(*options.resume), request.process);
  const bench::Plan plan = bench::make_plan(request, *device);
  bench::BenchResult facts{.facts = run::run_facts(typed), .device = device->properties()};
  facts.facts.fallback = fallback;
  facts.plan = {
      .order = plan.ids(request), .order_seed = request.order_seed, .time_budget_s = options.time_budget_s};
  facts.plan.rows = facts.plan.order.size();
  ReportOutput output({});
  output.write(bench::bench_facts_line(facts));
  bench::BenchResult end =
      bench::measure(request, plan, measure_options(options, narrator), *device,
                     [&](const bench::BenchRow& row) { output.write(bench::bench_row_line(row)); });
  end.remarks.insert(end.remarks.end(), plan.remarks.begin(), plan.remarks.end());
  output.write(bench::bench_end_line(end));
  return ExitCode::ok;  // what is wrong is in the rows
}

ExitCode show_plan(const BenchCommandOptions& options) {
  Narrator narrator(options.quiet);
  device::CompileCache cache;
  const auto [device, fallback] =
      options.what.device.open(cache, [&](const std::string& line) { narrator.remark(line); });
  const bench::Request request = request_of(options.what, device->properties().simulated());
  const bench::Plan plan = bench::make_plan(request, *device);
  print(plan_text(plan, request, options.processes(), options.time_budget_s, device->properties()));
  return ExitCode::ok;
}

// Measures until all is done, the time is over, a process fails or somebody interrupts it. Returns the exit
// status of a failed process, or 0.
int measure_all(const BenchCommandOptions& options, BenchRun& run, const Interruption& interruption) {
  const double start_s = bench::steady_now_s();
  for (int process = 0; process < options.processes(); ++process) {
    std::vector<std::string> typed = typed_words(options.what);
    bench::ProcessLimits limits{.stop = interruption.request()};
    if (options.time_budget_s) {
      const double left_s = *options.time_budget_s - (bench::steady_now_s() - start_s);
      limits.time_budget_s = std::max(left_s, 0.0) / (options.processes() - process) + 1e-3;
      typed.push_back("--time-budget=" + with_decimals(*limits.time_budget_s, 3));
    }
    run.result.stopped_by.clear();
    if (const int status = run.measure(this_program(), typed, process, limits); status != 0) return status;
  }
  return 0;
}

bench::BenchResult begun(const BenchCommandOptions& options, const std::vector<std::string>& typed) {
  bench::BenchResult result;
  if (options.resume) result = resumable(*options.resume);
  result.facts = run::run_facts(typed);
  result.plan = {.processes = options.processes(),
                 .order_seed = options.what.order_seed,
                 .time_budget_s = options.time_budget_s,
                 .rows = result.plan.rows};
  return result;
}

// Ends a bench without rows. A failed process has said why; an earlier document stays as it is.
ExitCode nothing_measured(const bench::BenchResult& result, ExitCode code) {
  if (code != ExitCode::ok) return code;
  throw UsageError("nothing was measured: " + result.stopped_by +
                   "; allow more time, or ask for smaller sizes");
}

ExitCode run(const BenchCommandOptions& options, const std::vector<std::string>& typed) {
  if (options.process) return measure_here(options, typed);
  if (options.runs == 0u) throw UsageError("--runs 0 would measure nothing; it takes at least 1");
  if (options.dry_run) return show_plan(options);
  request_of(options.what,
             !options.what.is_for_gpu());  // refuses what makes no sense before anything is started
  const bench::ComparisonRules rules = rules_of(options.rules);
  std::vector<bench::BenchResult> baseline;
  if (options.baseline) baseline = read_bench_documents({*options.baseline});
  Narrator narrator(options.quiet);
  BenchRun run(begun(options, typed), options.output ? options.output : options.resume, narrator);
  const Interruption interruption;
  ExitCode code = ExitCode::ok;
  try {
    if (const int status = measure_all(options, run, interruption); status != 0)
      code = static_cast<ExitCode>(status);
  } catch (const WorkStopped&) {
    code = static_cast<ExitCode>(128 + interruption.signal());
    run.result.stopped_by = std::string("it was interrupted by ") + interruption.name();
  }
  if (code != ExitCode::ok && run.result.stopped_by.empty())
    run.result.stopped_by = "a measuring process failed";
  if (run.result.rows.empty()) return nothing_measured(run.result, code);
  std::optional<UsageError> why_not_kept;  // thrown last: the measurements matter more
  try {
    run.finish();
  } catch (const UsageError& error) {
    why_not_kept = error;
  }
  run.print(options.format, options.plot);
  if (why_not_kept) throw *why_not_kept;
  if (code != ExitCode::ok) return code;
  code = options.strict_claims ? strict_exit_code_of(run.result) : bench::exit_code_of(run.result);
  if (options.strict_claims) tell(broken_claims_text(run.result));
  if (!options.baseline) return code;
  const bench::Comparison comparison = bench::compared(baseline, {run.result}, rules);
  const std::string text =
      "\n" + bench::comparison_text(comparison, bench::Shown::changes, style_of_stdout());
  options.format == "json" ? tell(text) : print(text);
  return more_severe(code, bench::exit_code_of(comparison));
}

}  // namespace

void add_bench(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("bench", "measure lessons over sizes and options");
  auto options = std::make_shared<BenchCommandOptions>();
  add_bench_options(*command, options->what);
  command->option_defaults()->group("How");
  command
      ->add_option("--runs", options->runs,
                   "processes that measure everything anew (default: 3 on a GPU, 1 on the simulator)")
      ->check(a_whole_number())
      ->type_name("K");
  command->add_option("--time-budget", options->time_budget_s, "seconds for everything together")
      ->check(a_number_above_zero())
      ->type_name("S");
  command->add_flag("--dry-run", options->dry_run,
                    "print what would be measured and, on a GPU, for how long");
  command->add_option("--resume", options->resume, "continue where this document ends")->type_name("FILE");
  command->add_option("--baseline", options->baseline, "compare with this document; see gpulab compare")
      ->type_name("FILE");
  add_comparison_options(*command, options->rules);
  command->add_flag("--strict-claims", options->strict_claims,
                    "end with 5 if a claim of a lesson does not hold");
  command->add_option("--process", options->process)->group("");
  command->option_defaults()->group("Output");
  add_format_option(*command, options->format);
  command->add_flag("--plot", options->plot, "draw what was measured over size");
  command->add_option("--output", options->output, "keep the document here, from the first row on")
      ->type_name("FILE");
  command->add_flag("--quiet", options->quiet, "nothing on stderr but errors");
  command->footer(
      "The lessons' own options work here, too, as lists: --distribution uniform,sorted. Every row is checked before and after it is timed. With a GPU bench takes times and energy, without one it counts accesses.");
  command->callback(
      [&context, options] { context.action = [&context, options] { return run(*options, context.words); }; });
}

namespace {

constexpr const char* ab_form = "gpulab ab OLD_PROGRAM NEW_PROGRAM -- bench LESSON...";

struct AbOptions {
  std::vector<std::string> programs;
  unsigned runs = 5;
  std::optional<std::filesystem::path> keep;
  ComparisonOptions rules;
  ComparisonReport report;
};

// Returns the words behind --: the bench that both programs run. Throws UsageError.
std::vector<std::string> bench_words(const std::vector<std::string>& typed) {
  const auto mark = std::ranges::find(typed, "--");
  if (mark == typed.end() || mark + 1 == typed.end() || *(mark + 1) != "bench")
    throw UsageError(std::string("-- and the words of a bench must come last: ") + ab_form);
  std::vector<std::string> options(mark + 1, typed.end());
  for (const std::string& word : options)
    for (const char* own :
         {"--runs", "--output", "--format", "--resume", "--baseline", "--dry-run", "--process"})
      if (word.substr(0, word.find('=')) == own)
        throw UsageError(
            std::string(own) +
            " cannot stand behind --: ab runs each program by itself, and its own options stand before --");
  return options;
}

bench::BenchResult begun(const AbOptions& options, const std::vector<std::string>& typed) {
  bench::BenchResult result{.facts = run::run_facts(typed)};
  result.plan.processes = static_cast<int>(options.runs);
  return result;
}

std::optional<std::filesystem::path> kept(const AbOptions& options, const char* name) {
  return options.keep ? std::optional(*options.keep / name) : std::nullopt;
}

ExitCode run(const AbOptions& options, const std::vector<std::string>& typed) {
  if (options.programs.size() != 2) throw UsageError(std::string("ab takes two programs: ") + ab_form);
  if (options.runs == 0) throw UsageError("--runs 0 would measure nothing; it takes at least 1");
  const bench::ComparisonRules rules = rules_of(options.rules);
  const std::vector<std::string> bench = bench_words(typed);
  const ReportOutput checked(options.report.output);
  if (options.keep) std::filesystem::create_directories(*options.keep);
  Narrator narrator(options.report.quiet);
  BenchRun before(begun(options, typed), kept(options, "old.json"), narrator);
  BenchRun now(begun(options, typed), kept(options, "new.json"), narrator);
  const Interruption interruption;
  for (int round = 0; round < before.result.plan.processes; ++round) {
    // Runs old, new, new, old, so that drift affects both alike.
    for (const bool is_new : {round % 2 == 1, round % 2 == 0}) {
      BenchRun& one = is_new ? now : before;
      try {
        const int status =
            one.measure(options.programs[is_new ? 1 : 0], bench, round, {.stop = interruption.request()});
        if (status != 0)
          throw Error(
              static_cast<ExitCode>(status == 127 ? 4 : status),
              options.programs[is_new ? 1 : 0] + " could not measure; exit code " + std::to_string(status));
      } catch (const WorkStopped&) {
        return static_cast<ExitCode>(128 + interruption.signal());
      }
    }
  }
  before.finish();
  now.finish();
  return options.report.write(bench::compared({before.result}, {now.result}, rules), typed);
}

}  // namespace

void add_ab(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("ab", "measure with two builds of gpulab in turn, and compare");
  auto options = std::make_shared<AbOptions>();
  command->add_option("programs", options->programs, "the old program, and the new one")
      ->type_name("PROGRAM");
  command->add_option("--runs", options->runs, "processes of each program (default 5)")
      ->check(a_whole_number())
      ->type_name("K");
  command->add_option("--keep", options->keep, "keep the documents in this folder, as old.json and new.json")
      ->type_name("DIR");
  add_comparison_options(*command, options->rules);
  add_comparison_report(*command, options->report);
  command->footer(
      std::string("The words of a bench follow --:\n  ") + ab_form +
      "\nThe programs take turns, so that a warmer GPU, or one that others use, affects both alike. Exit codes are those of gpulab compare.");
  command->callback(
      [&context, options] { context.action = [&context, options] { return run(*options, context.words); }; });
}

}  // namespace gpulab::cli
