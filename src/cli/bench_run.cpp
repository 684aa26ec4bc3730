#include "cli/bench_run.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <iterator>

#include "cli/bench_documents.hpp"
#include "report/bench_plot.hpp"
#include "report/bench_text.hpp"
#include "sandbox/sandbox.hpp"

namespace gpulab::cli {
namespace {

// Cold, steady, energy, inputs and checks of an ordinary size: what rows took on an H200.
constexpr double seconds_for_a_row = 2;

bench::Format format_of_bench() {
  return {.document = [](const BenchResult& result) { return report::bench_json(result); },
          .read_line =
              [](const std::string& line, BenchResult& result) {
                return report::read_bench_line(line, "what a measuring process printed", result);
              }};
}

}  // namespace

BenchResult resumable(const std::filesystem::path& file) {
  BenchResult result = read_bench_document(file);
  if (result.facts.build.revision != build_facts().revision ||
      result.facts.build.version != build_facts().version)
    throw UsageError(
        fmt::format("{} was measured by gpulab {} (revision {}), and this is {} ({}): a document of "
                    "both would compare with nothing; begin anew, without --resume",
                    file.string(), result.facts.build.version, result.facts.build.revision,
                    build_facts().version, build_facts().revision));
  std::erase_if(result.rows, [](const BenchRow& row) { return row.observed == Outcome::not_run; });
  return result;
}

std::set<std::string> ids_of(const BenchResult& result, int process) {
  std::set<std::string> ids;
  for (const BenchRow& row : result.rows)
    if (row.process == process) ids.insert(id_of(row.what));
  return ids;
}

std::string this_program() {
  return sandbox::own_program().string();
}

std::string plan_text(const bench::Plan& plan, const bench::Request& request, int processes,
                      std::optional<double> time_budget_s, const DeviceProperties& device) {
  std::string text;
  const std::vector<std::string> ids = plan.ids(request);
  for (const std::string& id : ids) text += id + "\n";
  for (const std::string& remark : plan.remarks) text += "not measured: " + remark + "\n";
  text += fmt::format("{} {} in {}", ids.size(), ids.size() == 1 ? "row" : "rows",
                      processes == 1 ? "one process" : fmt::format("each of {} processes", processes));
  if (time_budget_s)
    text += fmt::format(", in {} at most", rough_time(*time_budget_s));
  else if (!device.simulated())
    text += fmt::format(", in about {}",
                        rough_time(static_cast<double>(ids.size()) * processes * seconds_for_a_row));
  return text + "\n";
}

namespace {

// A document that is written anew after every row needs a file that can be replaced.
void require_ordinary(const std::filesystem::path& file) {
  std::error_code ignored;
  if (is_written_in_place(file) && file != "/dev/null")
    throw UsageError(file.string() +
                     " is no ordinary file, and the document is written anew after every row; "
                     "--format json prints it once, to stdout");
}

}  // namespace

BenchRun::BenchRun(BenchResult begun, const std::optional<std::filesystem::path>& file, Narrator& narrator)
    : result(std::move(begun)),
      file_(file),
      output_(file),
      narrator_(narrator),
      rows_at_start_(result.rows.size()) {
  if (file_) require_ordinary(*file_);
  if (file_ && *file_ != "/dev/null") lock_.emplace(*file_);
  start_s_ = bench::steady_now_s();
}

int BenchRun::measure(const std::string& program, std::vector<std::string> words, int process,
                      const bench::ProcessLimits& limits) {
  words.insert(words.begin(), program);
  words.insert(words.end(), {"--process", std::to_string(process), "--resume", "-", "--quiet"});
  narrator_.progress("bench: starting process " + std::to_string(process + 1));
  const auto on_row = [&] {
    keep();
    show_progress(process);
  };
  return bench::measure_in_process(words, process, format_of_bench(), limits, on_row, result);
}

void BenchRun::show_progress(int process) {
  const std::set<std::string> done = ids_of(result, process);
  const auto next =
      std::ranges::find_if(result.plan.order, [&](const std::string& id) { return !done.contains(id); });
  const std::size_t left = result.plan.rows - std::min(result.plan.rows, result.rows.size());
  const double spent_s = bench::steady_now_s() - start_s_;
  const double for_one_s =
      spent_s / static_cast<double>(std::max<std::size_t>(result.rows.size() - rows_at_start_, 1));
  narrator_.progress(fmt::format("bench: {} of {} rows, about {} left{}", result.rows.size(),
                                 result.plan.rows, rough_time(for_one_s * static_cast<double>(left)),
                                 next == result.plan.order.end() ? "" : ": " + *next));
}

// What was measured is more than what can be kept just now: a disk that is full may have room again at the
// end.
void BenchRun::keep() {
  if (!file_) return;
  std::vector<BenchRow> rows;  // not copied: they may be long
  std::swap(rows, result.rows);
  BenchResult so_far = result;
  std::swap(rows, so_far.rows);
  if (so_far.stopped_by.empty() && so_far.rows.size() < so_far.plan.rows)
    so_far.stopped_by = "it did not come to its end";
  try {
    output_.write(json_.document(so_far));
  } catch (const UsageError& error) {
    if (!could_not_keep_)
      narrator_.remark(std::string(error.what()) + "; measuring goes on, and it is tried again");
    could_not_keep_ = true;
  }
  std::swap(so_far.rows, result.rows);
}

void BenchRun::finish() {
  narrator_.wipe();
  if (!file_) return;
  output_.write(json_.document(result));
  lock_.reset();
  if (result.complete()) return;
  const std::string rows = result.plan.rows > 0
                               ? fmt::format("{} of {} rows are", result.rows.size(), result.plan.rows)
                               : fmt::format("{} rows are", result.rows.size());
  narrator_.remark(fmt::format("{} in {}; the same command with --resume {} goes on", rows, file_->string(),
                               file_->string()));
}

void BenchRun::print(const std::string& format, bool with_plot) const {
  if (format == "json") return Output({}).write(report::bench_json(result));
  BenchResult shown = result;
  sort_as_lessons_do(shown.rows);
  const report::TextStyle style = style_of_stdout();
  const std::string text =
      report::bench_text(shown, style) + (with_plot ? "\n" + report::bench_plot(shown, style) : "");
  // Whoever interrupts it wants it to end, not to page.
  result.complete() ? Output({}).show(text) : Output({}).write(text);
}

}  // namespace gpulab::cli
