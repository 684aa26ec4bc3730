#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/output.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/lesson_options.hpp"
#include "cli/lesson_reports.hpp"
#include "lesson/lesson.hpp"
#include "lesson/words.hpp"
#include "run/documents.hpp"
#include "run/problems.hpp"
#include "run/run_lesson.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {
namespace {

struct SizedRun {
  run::RunOptions options;
  Problem problem;
};

// Returns a run for each size. Throws UsageError if the options make no sense at some size. Opens no device.
std::vector<SizedRun> sized_runs(const Lesson& lesson, const LessonOptions& options) {
  std::vector<SizedRun> runs;
  for (run::RunOptions& run : run_options_of_sizes(lesson, options)) {
    Problem problem = lesson.problem(run.settings);
    runs.push_back({std::move(run), std::move(problem)});
  }
  return runs;
}

// Connects the runs to the screen. A remark is made once, not at every size.
void connect_to_screen(std::vector<SizedRun>& runs, const Lesson& lesson, Narrator& narrator,
                       GrowingTable& table) {
  const auto remarks_made = std::make_shared<std::set<std::string>>();
  for (auto& [options, problem] : runs) {
    const std::string name =
        lesson.name + (runs.size() > 1 ? " at " + grouped(options.settings.size) : "") + ": ";
    options.progress = [&narrator, name](const std::string& what) { narrator.progress(name + what); };
    options.remark = [&table, remarks_made](const std::string& line) {
      if (remarks_made->insert(line).second) table.remark(line);
    };
    options.on_result = [&table](const LessonResult& so_far) {
      table.show(so_far);
      return true;
    };
  }
}

// Run of the lesson at each size, with its reports. Of several processes, only the first reports.
class LessonCommand {
 public:
  LessonCommand(const Lesson& lesson, const LessonOptions& options, run::ranks::Processes* processes)
      : lesson_(lesson),
        options_(options),
        is_reporting_(!processes || processes->rank() == 0),
        runs_(sized_runs(lesson, options)),
        reports_(options, runs_.size()),
        files_(lesson, runs_.front().options.settings, options, runs_.size() > 1),
        narrator_(options.quiet || !is_reporting_),
        table_(reports_.is_text_on_stdout() && is_reporting_, narrator_) {
    connect_to_screen(runs_, lesson, narrator_, table_);
    for (SizedRun& run : runs_) run.options.processes = processes;
  }

  ExitCode run(const std::vector<std::string>& typed) {
    device::CompileCache cache;
    const RunOptions& first = runs_.front().options;
    const run::OpenedDevice opened =
        options_.device.open(cache, first.remark, first.processes ? first.processes->local_rank() : 0);
    for (const auto& [options, problem] : runs_)
      run::check_size(lesson_, problem, options.settings, opened.device->properties());
    RunFacts facts = run::run_facts(typed);
    facts.fallback = opened.fallback;
    const std::optional<Error> stopped = run_sizes(*opened.device);
    if (!is_reporting_) return code_;
    reports_.finish(facts);
    if (options_.output) mention(*options_.output, narrator_);
    tell(complaints_);
    if (stopped) throw Error(*stopped);
    return code_;
  }

 private:
  using RunOptions = run::RunOptions;

  // Runs the sizes one after another, up to the first error. Returns this error, or throws it if no size ran.
  std::optional<Error> run_sizes(device::Device& device) try {
    for (auto& [options, problem] : runs_) {
      const LessonResult result = run::run_lesson(lesson_, options, std::move(problem), device);
      table_.remove();
      add(result);
      const bool is_last = &options == &runs_.back().options;
      if (is_reporting_ && !is_last && result.has_lost_the_device())
        throw Error(ExitCode::device, "the fault has taken the GPU from this program: the sizes after " +
                                          grouped(result.size) + " need another run");
    }
    return std::nullopt;
  } catch (const Error& error) {
    table_.remove();
    if (reports_.empty() || !is_reporting_) throw;
    return error;
  }

  void add(const LessonResult& result) {
    if (is_reporting_) {
      reports_.add(result);
      files_.write(result, narrator_);
      complaints_ += failures_text(result.lesson, result.variants,
                                   options_.quiet && options_.output ? Told::all : Told::stopped);
      if (options_.strict_claims) complaints_ += broken_claims_text(result);
    }
    const bool is_strict = is_reporting_ && options_.strict_claims;
    code_ = more_severe(code_, is_strict ? strict_exit_code_of(result) : exit_code_of(result));
  }

  const Lesson& lesson_;
  const LessonOptions& options_;
  bool is_reporting_;
  std::vector<SizedRun> runs_;
  LessonReports reports_;
  LessonFiles files_;
  Narrator narrator_;
  GrowingTable table_;
  ExitCode code_ = ExitCode::ok;
  std::string complaints_;  // lines for stderr
};

// Runs the lesson. For several GPUs, each process of a launcher takes one, and only the first one reports.
ExitCode run(const Lesson& lesson, const LessonOptions& options, const std::vector<std::string>& typed) {
  const std::unique_ptr<run::ranks::Processes> processes =
      lesson.is_divided() ? run::ranks::join_processes() : nullptr;
  if (!processes) return LessonCommand(lesson, options, nullptr).run(typed);
  try {
    return LessonCommand(lesson, options, processes.get()).run(typed);
  } catch (const Error& error) {
    const bool fails_on_every_rank = error.code() == ExitCode::usage;
    if (fails_on_every_rank && processes->rank() == 0) throw;
    // Gives the first process time to report its error, as a rule the same one, and to end all others.
    if (fails_on_every_rank) std::this_thread::sleep_for(std::chrono::seconds(1));
    throw Error(error.code(), fmt::format("rank {}: {}", processes->rank(), error.what()));
  }
}

}  // namespace

void add_lessons(CLI::App& app, CommandContext& context) {
  for (const Lesson& lesson : all_lessons()) {
    CLI::App* command = app.add_subcommand(lesson.name, lesson.title);
    for (const std::string& alias : lesson.aliases) command->alias(alias);
    auto options = std::make_shared<LessonOptions>();
    add_lesson_options(*command, lesson, *options);
    command->footer([&lesson] { return lesson_footer(lesson); });
    set_action(*command, context, [&context, options, &lesson] {
      return options->watch ? watch_lesson(lesson, *options, context.words)
                            : run(lesson, *options, context.words);
    });
  }
}

namespace {

// Returns the heading, the column titles, and as many of the last rows as fit the screen.
std::string fitted(const std::string& text, const ScreenSize& screen) {
  constexpr std::size_t rows_of_progress = 2;
  std::vector<std::string> lines = lines_of(text);
  const std::size_t room = screen.rows - rows_of_progress;
  if (lines.size() <= room) return text;
  const auto first_row = std::ranges::find(lines, "") + 2;  // after the empty line and the titles
  const auto left_out = static_cast<std::ptrdiff_t>(lines.size() - room + 1);
  if (first_row + left_out >= lines.end()) return "";
  lines.erase(first_row, first_row + left_out);
  lines.insert(first_row, "…");
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace

GrowingTable::GrowingTable(bool is_wanted, Narrator& narrator) : narrator_(narrator) {
  if (is_wanted && TerminalScreen::is_possible()) text_.emplace();
}

void GrowingTable::show(const LessonResult& so_far) {
  if (!text_) return;
  if (const auto screen = RedrawnText::screen())
    draw(fitted(run::lesson_rows(so_far, style_of_stdout()), *screen));
}

void GrowingTable::remove() {
  narrator_.wipe();
  if (text_ && !text_->shown().empty()) draw("");
}

void GrowingTable::remark(const std::string& line) {
  const std::string shown = text_ ? text_->shown() : "";
  remove();
  narrator_.remark(line);
  if (!shown.empty()) draw(shown);
}

void GrowingTable::draw(const std::string& text) {
  narrator_.wipe();
  text_->draw(text);
}

namespace {

bool is_broken(const ClaimResult& claim) {
  return claim.verdict == ClaimVerdict::does_not_hold;
}

}  // namespace

ExitCode strict_exit_code_of(const LessonResult& result) {
  const bool broken = std::ranges::any_of(result.claims, is_broken);
  return more_severe(exit_code_of(result), broken ? ExitCode::regression : ExitCode::ok);
}

ExitCode strict_exit_code_of(const bench::BenchResult& result) {
  const bool broken = std::ranges::any_of(result.claims, is_broken, &bench::BenchClaim::result);
  return more_severe(bench::exit_code_of(result), broken ? ExitCode::regression : ExitCode::ok);
}

std::string broken_claims_text(const LessonResult& result) {
  bench::BenchResult measured;
  for (const ClaimResult& claim : result.claims)
    measured.claims.push_back({result.lesson, result.size, claim});
  return broken_claims_text(measured);
}

std::string broken_claims_text(const bench::BenchResult& result) {
  std::string text;
  bool was_tested = false;
  for (const bench::BenchClaim& claim : result.claims) {
    was_tested = was_tested || claim.result.verdict <= ClaimVerdict::inconclusive;
    if (!is_broken(claim.result)) continue;
    const std::string measured =
        claim.result.ratio ? " (" + factor_text(*claim.result.ratio) + ")" : std::string();
    text += fmt::format("gpulab: {}, size {}: does not hold: {}{}\n", claim.lesson, grouped(claim.size),
                        claim_text(claim.result.claim), measured);
  }
  return was_tested ? text : "gpulab: --strict-claims has tested no claim here\n";
}

}  // namespace gpulab::cli
