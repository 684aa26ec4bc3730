#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/descriptor.hpp"
#include "base/files.hpp"
#include "base/output.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "bench/bench_formats.hpp"
#include "bench/compare.hpp"
#include "bench/crossover.hpp"
#include "bench/plan.hpp"
#include "cli/bench_run.hpp"
#include "cli/command.hpp"
#include "cli/lesson_reports.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "run/devices.hpp"
#include "run/run_options.hpp"
#include "sandbox/sandbox.hpp"

namespace gpulab::cli {
namespace {

struct BenchCommandOptions {
  BenchOptions what;  // which lessons, sizes and options to measure, and on which device
  std::optional<unsigned> runs;
  std::optional<unsigned> process;  // set in a process that measures for another
  std::optional<double> time_budget_s;
  std::optional<std::filesystem::path> output, resume;
  std::string format;
  std::optional<std::filesystem::path> baseline;
  ComparisonOptions rules;
  std::optional<std::string> against;  // build of gpulab to compare with
  std::optional<std::string> program;  // build of gpulab to measure with; none for this one
  std::string dry_run;                 // "rows", "duration" or, without --dry-run, empty
  bool crossover = false, strict_claims = false, plot = false, quiet = false;

  int processes() const {
    const unsigned default_runs = crossover || !what.device.is_gpu() ? 1 : 3;
    return static_cast<int>(runs.value_or(against ? 5 : default_runs));
  }
};

bench::MeasureOptions measure_options(const BenchCommandOptions& options, Narrator& narrator) {
  return {.time_budget_s = options.time_budget_s,
          .kernels = options.what.kernels,
          .with_ceilings = options.process.value_or(0) == 0 && !options.resume,
          .remark = [&](const std::string& line) { narrator.remark(line); }};
}

// Returns the result without rows: everything that is known before the first one.
bench::BenchResult planned_result(const BenchCommandOptions& options, const std::vector<std::string>& typed,
                                  const bench::Request& request, const bench::Plan& plan,
                                  const device::Device& device, const std::string& fallback) {
  bench::BenchResult result{.facts = run::run_facts(typed), .device = device.properties()};
  result.facts.fallback = fallback;
  if (result.device.simulated()) result.device.compiler_version = run::compiler_of_simulator();
  result.plan = {
      .order = plan.ids(request), .order_seed = request.order_seed, .time_budget_s = options.time_budget_s};
  result.plan.rows = result.plan.order.size();
  result.plan.ruled_out = plan.ruled_out;
  if (options.what.kernels) result.plan.kernels = options.what.kernels->string();
  for (const auto& [file, sentence] : request.unknown_kernels) result.plan.unknown_kernels.push_back(file);
  result.plan.absent_lessons = request.absent_lessons;
  result.plan.unmeasured_edits = edited_but_not_named(options.what);
  for (const bench::PlannedProblem& problem : plan.problems) {
    const double rough_s = result.device.simulated() ? 0.1 + 8e-8 * problem.work : 3;
    result.plan.rough_s.insert(result.plan.rough_s.end(), problem.in_order().size(), rough_s);
    result.plan.kernel_hashes.try_emplace(problem.lesson->name,
                                          run::KernelFiles(*problem.lesson, options.what.kernels).hash());
  }
  return result;
}

// Measures in this process, and prints a line for each row.
ExitCode measure_here(const BenchCommandOptions& options, const std::vector<std::string>& typed) {
  Narrator narrator(options.quiet);
  device::CompileCache cache;
  const auto [device, fallback] =
      options.what.device.open(cache, [&](const std::string& line) { narrator.remark(line); });
  bench::Request request = request_of(options.what, device->properties().simulated());
  request.process = static_cast<int>(options.process.value_or(0));
  if (options.resume)
    request.done = ids_of(read_bench_document(*options.resume, /*may_be_empty=*/options.process.has_value()),
                          request.process);
  const bench::Plan plan = bench::make_plan(request, *device);
  if (options.baseline && !plan.problems.empty())
    bench::require_comparable(read_bench_documents({*options.baseline}), device->properties(),
                              plan.cases(request), rules_of(options.rules));
  ReportOutput output({});
  output.write(bench::bench_facts_line(planned_result(options, typed, request, plan, *device, fallback)));
  bench::BenchResult measured =
      bench::measure(request, plan, measure_options(options, narrator), *device,
                     [&](const bench::BenchRow& row) { output.write(bench::bench_row_line(row)); });
  measured.remarks.insert(measured.remarks.end(), plan.remarks.begin(), plan.remarks.end());
  measured.lesson_remarks = plan.lesson_remarks;
  if (measured.complete()) measured.stopped_by = plan.why_incomplete;
  output.write(bench::bench_end_line(measured));
  return ExitCode::ok;  // the rows say which results are wrong
}

ExitCode show_plan(const BenchCommandOptions& options, const std::vector<std::string>& typed) {
  const bool is_json = options.format == "json";
  Narrator narrator(options.quiet);
  device::CompileCache cache;
  const auto [device, fallback] =
      options.what.device.open(cache, [&](const std::string& line) { narrator.remark(line); });
  bench::Request request = request_of(options.what, device->properties().simulated());
  bench::BenchResult known;
  if (options.resume) known = read_for_resume(*options.resume);
  request.done = ids_in_all_processes(known, options.processes());
  bench::Plan plan = bench::make_plan(request, *device);
  if (options.resume)
    bench::require_same_measurement(planned_result(options, typed, request, plan, *device, fallback), 0,
                                    /*resumes=*/true, known);
  plan.leave_out_done(request);
  if (!is_json) print(plan_text(plan, request));
  if (options.dry_run == "rows") return ExitCode::ok;
  narrator.progress("bench: trying each lesson at small sizes, to say how long it will take");
  std::set<std::string> warned;  // several variants may share a file that does not compile
  ExitCode code = ExitCode::ok;
  const double process_s = bench::estimated_s(
      request, plan, measure_options(options, narrator), *device, [&](const bench::BenchRow& row) {
        if (row.observed == Outcome::fails_to_compile) {
          code = exit_code_of(row);
          if (warned.insert(row.explanation).second) {
            narrator.wipe();
            tell(fmt::format("gpulab: {}: {}\n", row.what.lesson, printable_lines(row.explanation)));
          }
        }
        narrator.long_progress("bench: trying " + row.what.lesson + ", to say how long it will take");
      });
  narrator.wipe();
  if (!is_json) {
    print(
        plan_duration_text(plan.ids(request).size(), options.processes(), process_s, options.time_budget_s));
    return code;
  }
  const double total_s = options.processes() * process_s;
  bench::BenchResult result = planned_result(options, typed, request, plan, *device, fallback);
  result.plan.processes = options.processes();
  result.plan.rows *= static_cast<std::size_t>(options.processes());
  result.remarks = plan.remarks;
  result.stopped_by = "--dry-run measures nothing";
  result.ended_with = code;
  ReportOutput({}).write(
      bench::bench_plan_json(result, std::min(total_s, options.time_budget_s.value_or(total_s))));
  return code;
}

// A build of gpulab, and what it has measured.
struct MeasuringProgram {
  std::string program;
  BenchRun* run;
};

// Measures once with each program. The two builds take turns (old, new, new, old), so that a warmer GPU, or
// one that others use, affects both alike. `left_s` are the seconds left of the budget. Returns the status of
// a process that failed, or 0.
int measure_in_turn(const BenchCommandOptions& options, std::vector<MeasuringProgram> programs, int process,
                    std::optional<double> left_s, const StopToken& stop) {
  if (process % 2 == 1) std::ranges::reverse(programs);
  for (const auto& [program, run] : programs) {
    std::vector<std::string> typed = typed_words(options.what);
    // The first process knows the device and the plan: it refuses at once a baseline that cannot be compared.
    if (options.baseline && *options.baseline != "-" && !options.against && process == 0) {
      typed.push_back("--baseline=" + options.baseline->string());
      for (const std::string& figure : options.rules.allowed) typed.push_back("--allow=" + figure);
    }
    bench::ProcessLimits limits{.stop = stop};
    if (left_s) {
      const double runs_left =
          static_cast<double>(options.processes() - process) * static_cast<double>(programs.size());
      limits.time_budget_s = std::max(*left_s, 0.0) / runs_left + 1e-3;  // --time-budget refuses 0
      typed.push_back("--time-budget=" + with_decimals(*limits.time_budget_s, 3));
    }
    run->result.stopped_by.clear();
    const int status = run->measure(program, typed, process, limits);
    if (status != 0 && programs.size() > 1) {
      const bool is_code_of_gpulab =
          status >= static_cast<int>(ExitCode::usage) && status <= static_cast<int>(ExitCode::device);
      throw Error(is_code_of_gpulab ? static_cast<ExitCode>(status) : ExitCode::usage,
                  status == Child::cannot_execute
                      ? fmt::format("cannot run {}; --against takes another build of gpulab", program)
                      : fmt::format("{} could not measure: it ended with exit code {}", program, status));
    }
    if (status != 0) return status;
  }
  return 0;
}

// Measures until all is done, the time is over or a process fails. Returns a failed process's status, or 0.
int measure_all(const BenchCommandOptions& options, const std::vector<MeasuringProgram>& programs,
                const Interruption& interruption) {
  const double start_s = bench::steady_now_s();
  for (int process = 0; process < options.processes(); ++process) {
    std::optional<double> left_s = options.time_budget_s;
    if (left_s) *left_s -= bench::steady_now_s() - start_s;
    if (process > 0 && left_s.value_or(1) <= 0) {
      for (const auto& [program, run] : programs) run->result.stopped_by = bench::budget_used_up;
      return 0;
    }
    if (const int status = measure_in_turn(options, programs, process, left_s, interruption.stop_token());
        status != 0)
      return status;
  }
  return 0;
}

// Returns the document to continue, or an empty one, with the facts and the plan of this run.
bench::BenchResult initial_result(const BenchCommandOptions& options, const std::vector<std::string>& typed) {
  bench::BenchResult result;
  if (options.resume) result = read_for_resume(*options.resume);
  result.facts = run::run_facts(typed);
  result.plan = {.processes = options.processes(),
                 .order_seed = options.what.order_seed,
                 .time_budget_s = options.time_budget_s,
                 .rows = result.plan.rows,
                 .kernels = result.plan.kernels,
                 .kernel_hashes = result.plan.kernel_hashes};
  return result;
}

// Ends a bench without rows, and leaves an earlier document as it is. A failed process has printed its error.
ExitCode end_without_rows(const bench::BenchResult& result, const Interruption& interruption, ExitCode code,
                          bool has_other_rows) {
  if (interruption.signal() != 0)
    tell(fmt::format("gpulab: {} was measured: {}\n", has_other_rows ? "only the other build" : "nothing",
                     result.stopped_by));
  if (code != ExitCode::ok) return code;
  throw UsageError("nothing was measured: " +
                   (result.stopped_by.empty()
                        ? "none of the variants can run here"
                        : result.stopped_by + (result.stopped_by == bench::budget_used_up
                                                   ? "; allow more time, or ask for smaller sizes"
                                                   : "")));
}

// Writes the document. If that fails, returns the error: the measurements are printed before it is thrown.
std::optional<Error> finish(BenchRun& run) {
  try {
    run.finish();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

// Returns whether --quiet keeps a document that is in a file from being shown.
bool prints_nothing(const BenchCommandOptions& options) {
  return options.quiet && (options.output || options.resume) && !options.crossover && !options.plot;
}

// Prints the table, the document or the crossovers.
void print_result(const BenchCommandOptions& options, const BenchRun& run) {
  if (prints_nothing(options) || (run.result.rows.empty() && options.format != "json")) return;
  if (!options.crossover) return run.print(options.format, options.plot);
  bench::BenchResult sorted = run.result;
  sort_in_course_order(sorted.rows);
  ReportOutput output({});
  show_crossovers(sorted, "this measurement",
                  {.is_json = options.format == "json", .with_plot = options.plot}, output);
}

// Prints what has changed since the baseline. Returns the exit code of the comparison.
ExitCode print_comparison(const BenchCommandOptions& options, const std::vector<bench::BenchResult>& baseline,
                          const bench::BenchResult& result, const bench::ComparisonRules& rules) {
  bench::Comparison comparison = bench::compared(baseline, {result}, rules);
  if (!options.quiet) bench::remark_uncounted(comparison);
  const std::string text = bench::comparison_text(comparison, bench::Shown::changes, style_of_stdout());
  if (options.format != "json")
    print((prints_nothing(options) ? "" : "\n") + text);
  else if (!options.quiet)
    tell("\n" + text);
  const ExitCode code = bench::exit_code_of(comparison);
  if (options.format == "json" && options.quiet && code != ExitCode::ok)
    tell("gpulab: " + bench::comparison_end(comparison) + "\n");
  return code;
}

// Refuses options that exclude each other before anything is started. Returns the lessons that cannot be
// measured, with a sentence about each.
std::map<std::string, std::string> refuse_what_makes_no_sense(const BenchCommandOptions& options) {
  if (options.dry_run == "rows" && options.format == "json")
    throw UsageError("--dry-run=rows prints lines; for --format json, say --dry-run");
  if (options.runs == 0u) throw UsageError("--runs 0 would measure nothing; it takes at least 1");
  constexpr unsigned max_runs = 1000;
  if (options.runs > max_runs)
    throw UsageError(fmt::format("--runs {} is too large; it takes at most {}", *options.runs, max_runs));
  if (options.program && !options.against)
    throw UsageError("--program needs --against: it is the build that is compared with the other one");
  if (options.against && options.resume)
    throw UsageError("--against measures two builds in turn, so it cannot go on with --resume");
  for (const auto& [name, file] : {std::pair("--output", options.output), {"--resume", options.resume}})
    if (options.baseline && file && target_of(*options.baseline) == target_of(*file))
      throw UsageError(fmt::format("--baseline and {} name the same file, which would then be replaced: {}",
                                   name, file->string()));
  const std::string ending = options.output ? options.output->extension().string() : "";
  for (const char* format_of_report : {".csv", ".html", ".md", ".xml"})
    if (ending == format_of_report) {
      const std::string written = options.output->string();
      const std::string document = std::filesystem::path(written).replace_extension(".json").string();
      throw UsageError(
          fmt::format("--output {} would be a JSON document; write {}, and then gpulab report {} --output {}",
                      written, document, document, written));
    }
  if (options.rules.is_any() && !options.baseline && !options.against)
    throw UsageError(
        "--threshold, --min-difference, --allow and --strict apply to a comparison; add --baseline FILE or --against PROGRAM");
  if (options.plot && options.format == "json")
    throw UsageError("--plot draws text; leave out --plot or --format json");
  if (!options.dry_run.empty() && (options.output || options.baseline || options.against))
    throw UsageError("--dry-run measures nothing, so it takes no --output, --baseline or --against");
  if (!options.dry_run.empty() && options.plot)
    throw UsageError("--dry-run measures nothing that --plot could draw; leave it out");
  // Throws UsageError for lessons and their options.
  return request_of(options.what, !options.what.device.is_gpu()).absent_lessons;
}

// Notes named lessons without a kernel file in the document, with the code with which bench then ends.
void note_not_measured(const std::map<std::string, std::string>& absent, bench::BenchResult& result) {
  for (const auto& [lesson, sentence] : absent) add_once(result.remarks, sentence);
  if (!absent.empty()) result.ended_with = more_severe(bench::exit_code_of(result), ExitCode::usage);
}

// Measures with both builds in turn, if --against names another, or else with one. Compares the result with
// that of the other build or with the baseline, if there is one. Adds the lessons that the new build lacks.
ExitCode measure_and_compare(const BenchCommandOptions& options, const std::vector<std::string>& typed,
                             std::map<std::string, std::string>& not_measured) {
  const bench::ComparisonRules rules = rules_of(options.rules);
  std::vector<bench::BenchResult> baseline;
  if (options.baseline && !options.against) baseline = read_bench_documents({*options.baseline});
  Narrator narrator(options.quiet);
  std::optional<BenchRun> other_run;
  std::vector<MeasuringProgram> programs;
  if (options.against)
    programs.push_back(
        {*options.against, &other_run.emplace(initial_result(options, typed), options.baseline, narrator,
                                              /*can_be_resumed=*/false)});
  BenchRun run(initial_result(options, typed), options.output ? options.output : options.resume, narrator,
               /*can_be_resumed=*/!options.against);
  programs.push_back({options.program.value_or(sandbox::own_program().string()), &run});
  const Interruption interruption;
  ExitCode code = ExitCode::ok;
  try {
    if (const int status = measure_all(options, programs, interruption); status != 0)
      code = static_cast<ExitCode>(status);
  } catch (const WorkStopped&) {
    code = static_cast<ExitCode>(128 + interruption.signal());  // as shells do
    for (const MeasuringProgram& program : programs)
      program.run->result.stopped_by = std::string("it was interrupted by ") + interruption.signal_name();
  }
  if (code != ExitCode::ok)
    for (const MeasuringProgram& program : programs) {
      bench::BenchResult& result = program.run->result;
      result.ended_with = code;
      if (result.stopped_by.empty()) result.stopped_by = "a measuring process failed";
    }
  not_measured.insert(run.result.plan.absent_lessons.begin(), run.result.plan.absent_lessons.end());
  note_not_measured(not_measured, run.result);
  for (const auto& [lesson, hash] : run.result.plan.unmeasured_edits) {
    const std::string sentence = bench::unmeasured_edit_text(run.result.plan, lesson);
    add_once(run.result.remarks, sentence);
    if (options.quiet || options.format == "json") tell("gpulab: " + sentence + "\n");
  }
  std::optional<Error> why_not_kept;  // thrown last
  if (other_run && other_run->result.is_measured()) {
    why_not_kept = finish(*other_run);
    baseline.push_back(other_run->result);
  }
  if (!run.result.is_measured()) return end_without_rows(run.result, interruption, code, !baseline.empty());
  if (const auto error = finish(run)) why_not_kept = error;
  print_result(options, run);
  if (options.quiet && (options.output || options.resume)) tell(wrong_results_text(run.result));
  if (options.quiet)
    for (const std::string& remark : run.result.plan.ruled_out) tell("gpulab: " + remark + "\n");
  if (!run.result.complete() && (options.quiet || options.format == "json"))  // else the table says it
    tell("gpulab: not complete: " + bench::rows_measured(run.result) + "\n");
  if (const std::string uncounted =
          bench::uncounted_text(bench::case_figures({run.result}), run.result.device);
      !uncounted.empty() && (options.quiet || options.format == "json"))
    tell("gpulab: " + uncounted + "\n");
  if (why_not_kept) throw *why_not_kept;
  if (code != ExitCode::ok) return code;
  code = options.strict_claims ? strict_exit_code_of(run.result) : bench::exit_code_of(run.result);
  if (other_run) code = more_severe(code, other_run->result.complete() ? ExitCode::ok : ExitCode::regression);
  if (options.strict_claims) tell(broken_claims_text(run.result));
  if (baseline.empty() || run.result.rows.empty()) return code;
  return more_severe(code, print_comparison(options, baseline, run.result, rules));
}

ExitCode run(BenchCommandOptions options, const std::vector<std::string>& typed) {
  if (options.process) return measure_here(options, typed);
  if (options.crossover) prepare_for_crossover(options.what);
  std::map<std::string, std::string> not_measured = refuse_what_makes_no_sense(options);
  const ExitCode code =
      options.dry_run.empty() ? measure_and_compare(options, typed, not_measured) : show_plan(options, typed);
  for (const auto& [lesson, sentence] : not_measured) tell("gpulab: " + sentence + "\n");
  return not_measured.empty() ? code : more_severe(code, ExitCode::usage);
}

}  // namespace

void add_bench(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("bench", "measure lessons over sizes and options");
  auto options = std::make_shared<BenchCommandOptions>();
  add_bench_options(*command, options->what);
  command->option_defaults()->group("How");
  add_value(*command, "--runs", options->runs, "K",
            "processes, each of which measures everything (default: 3 on a GPU, 1 on the simulator)")
      ->check(a_whole_number());
  add_value(*command, "--time-budget", options->time_budget_s, "S", "seconds for everything together")
      ->check(seconds_above_zero());
  command
      ->add_flag("--dry-run{duration}", options->dry_run,
                 "print what would be measured, and for how long; --dry-run=rows tries nothing")
      ->check(one_of({"duration", "rows"}));
  add_value(*command, "--resume", options->resume, "FILE", "continue where this document ends");
  add_value(*command, "--baseline", options->baseline, "FILE",
            "compare with this document; see gpulab report");
  add_value(
      *command, "--against", options->against, "PROGRAM",
      "measure with this other build of gpulab, too, in turn, and compare (default: 5 runs); --baseline keeps its document");
  add_value(*command, "--program", options->program, "PROGRAM",
            "with --against: measure with this build, not this one");
  command->add_flag("--crossover", options->crossover,
                    "find the size from which on a GPU is worth it; implies --one-thread");
  add_comparison_options(*command, options->rules);
  command->add_flag("--strict-claims", options->strict_claims,
                    "end with 5 if a claim of a lesson does not hold");
  command->add_option("--process", options->process)->group("");
  command->option_defaults()->group("Output");
  add_format_option(*command, options->format);
  command->add_flag("--plot", options->plot, "draw what was measured over size");
  add_value(*command, "-o,--output", options->output, "FILE",
            "keep the document here, from the first row on");
  command->add_flag("--quiet", options->quiet,
                    "nothing on stderr but errors; with --output no table on stdout");
  command->footer(
      "The lessons' own options work here, too, as lists: --distribution uniform,sorted. Every row is checked before and after it is timed. With a GPU bench takes times and energy, without one it counts accesses.\n"
      "The two builds of --against take turns, so that a warmer GPU, or one that others use, affects both alike.\n"
      "--crossover measures 2^10..2^28:x4, or 2^8..2^22:x4 for matrices and images, unless --size says otherwise. At each size, the fastest variant counts. GPU times are the host's: from the launch until it is done.");
  set_action(*command, context, [&context, options] { return run(*options, context.words); });
}

}  // namespace gpulab::cli
