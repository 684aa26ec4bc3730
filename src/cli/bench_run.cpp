#include "cli/bench_run.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/files.hpp"
#include "base/output.hpp"
#include "base/terminal.hpp"
#include "bench/bench_formats.hpp"
#include "bench/crossover.hpp"
#include "lesson/lesson.hpp"

namespace gpulab::cli {
namespace {

constexpr std::size_t max_bytes = std::size_t{512} << 20;

std::string read_stdin() {
  std::string text;
  char piece[1 << 16];
  for (ssize_t got; (got = ::read(STDIN_FILENO, piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(got));
  return text;
}

}  // namespace

// Compares the whole documents last, because that takes long.
bool is_copy(const bench::BenchResult& first, const bench::BenchResult& second) {
  return first.facts.started_utc == second.facts.started_utc &&
         first.facts.hostname == second.facts.hostname && first.rows.size() == second.rows.size() &&
         bench::bench_json(first) == bench::bench_json(second);
}

bench::BenchResult read_bench_document(const std::filesystem::path& file, bool may_be_empty) {
  if (file == "-") {
    const std::string text = without_byte_order_mark(read_stdin());
    return may_be_empty && text.empty() ? bench::BenchResult() : bench::read_bench_json(text, "stdin");
  }
  const std::string text = read_file(file, max_bytes);
  if (text.size() > max_bytes)
    throw UsageError(file.string() +
                     " is larger than 512 MiB: measure fewer sizes or lessons in one document");
  return bench::read_bench_json(without_byte_order_mark(text), file.string());
}

std::vector<bench::BenchResult> read_bench_documents(const std::vector<std::filesystem::path>& files) {
  std::vector<bench::BenchResult> results;
  for (const std::filesystem::path& file : files) {
    const bench::BenchResult& last = results.emplace_back(read_bench_document(file));
    for (std::size_t i = 0; i + 1 < results.size(); ++i)
      if (is_copy(results[i], last))
        throw UsageError(fmt::format(
            "{} is the document in {}, a second time; a copy is not a further process, so name it once",
            file.string(), files[i].string()));
  }
  return results;
}

void sort_in_course_order(std::vector<bench::BenchRow>& rows) {
  std::map<std::string, std::size_t> positions;  // in the course, of "matmul" and of "matmul tiled"
  const auto append = [&](const std::string& name) { positions.try_emplace(name, positions.size()); };
  for (const Lesson& lesson : all_lessons()) {
    append(lesson.name);
    for (const char* reference : {plain_reference, openmp_reference}) append(lesson.name + " " + reference);
    for (const Variant& variant : lesson.variants) append(lesson.name + " " + variant.name);
  }
  const auto position_of = [&](const std::string& name) {
    const auto found = positions.find(name);
    return found == positions.end() ? positions.size() : found->second;
  };
  std::ranges::stable_sort(rows, {}, [&](const bench::BenchRow& row) {
    const auto& [lesson, variant, size, seed, options, block_size] = row.what;
    return std::tuple(position_of(lesson), lesson, size, position_of(lesson + " " + variant),
                      bench::id_of(row.what));
  });
}

std::string wrong_results_text(const bench::BenchResult& result) {
  using Sizes = std::set<std::size_t>;
  std::map<std::string, Sizes> tried_at, wrong_at;         // by name; by name and reason
  std::vector<std::pair<std::string, std::string>> wrong;  // name and reason, each once
  for (const bench::CaseFigures& tried : bench::case_figures({result})) {
    const bool is_of_file = tried.observed == Outcome::fails_to_compile;
    const std::string name = tried.what.lesson + (is_of_file ? "" : ", " + tried.what.variant);
    tried_at[name].insert(tried.what.size);
    if (tried.valid) continue;
    Sizes& sizes = wrong_at[name + tried.explanation];
    if (sizes.empty()) wrong.emplace_back(name, tried.explanation);
    sizes.insert(tried.what.size);
  }
  std::string text;
  for (const auto& [name, reason] : wrong) {
    std::vector<std::string> sizes;
    for (const std::size_t size : wrong_at[name + reason]) sizes.push_back(grouped(size));
    const bool at_all = sizes.size() == tried_at[name].size();
    text += fmt::format("gpulab: {}{}: {}\n", name,
                        at_all ? "" : fmt::format(" at size {}", fmt::join(sizes, " and ")), reason);
  }
  return text;
}

bench::BenchResult read_for_resume(const std::filesystem::path& file) {
  bench::BenchResult result = read_bench_document(file);
  if (result.facts.build.revision != build_facts().revision ||
      result.facts.build.version != build_facts().version)
    throw UsageError(fmt::format(
        "{} was measured by gpulab {} (revision {}), and this is {} ({}): a document of both cannot be compared with anything; measure again, without --resume",
        file.string(), result.facts.build.version, result.facts.build.revision, build_facts().version,
        build_facts().revision));
  std::erase_if(result.rows, [](const bench::BenchRow& row) { return !bench::was_run(row); });
  return result;
}

std::set<std::string> ids_of(const bench::BenchResult& result, int process) {
  std::set<std::string> ids;
  for (const bench::BenchRow& row : result.rows)
    if (row.process == process) ids.insert(bench::id_of(row.what));
  return ids;
}

std::set<std::string> ids_in_all_processes(const bench::BenchResult& result, int processes) {
  std::set<std::string> ids = ids_of(result, 0);
  for (int process = 1; process < processes; ++process)
    std::erase_if(ids, [others = ids_of(result, process)](const auto& id) { return !others.contains(id); });
  return ids;
}

std::string plan_text(const bench::Plan& plan, const bench::Request& request) {
  std::string text;
  for (const std::string& id : plan.ids(request)) text += id + "\n";
  for (const std::string& remark : plan.remarks) text += "not measured: " + remark + "\n";
  return text;
}

std::string plan_duration_text(std::size_t rows, int processes, double process_s,
                               std::optional<double> time_budget_s) {
  const double seconds = processes * process_s;
  const bool is_limited = time_budget_s && *time_budget_s < seconds;
  return fmt::format("{} {} in {}, in {}\n", rows, rows == 1 ? "row" : "rows",
                     processes == 1 ? "one process" : fmt::format("each of {} processes", processes),
                     is_limited ? rough_time(*time_budget_s) + " at most" : "about " + rough_time(seconds));
}

BenchRun::BenchRun(bench::BenchResult begun, const std::optional<std::filesystem::path>& file,
                   Narrator& narrator, bool can_be_resumed)
    : result(std::move(begun)),
      file_(file),
      output_(file),
      narrator_(narrator),
      can_be_resumed_(can_be_resumed),
      rows_at_start_(result.rows.size()) {
  output_.require_document("gpulab.bench");
  if (file_ && is_written_in_place(*file_) && *file_ != "/dev/null")
    throw UsageError(
        file_->string() +
        " is not an ordinary file, and the document is rewritten after every row; --format json prints it once, to stdout");
  if (file_) previous_ = target_of(*file_) += ".previous";
  if (file_ && *file_ != "/dev/null") lock_.emplace(*file_);
  start_s_ = last_row_s_ = bench::steady_now_s();
}

int BenchRun::measure(const std::string& program, std::vector<std::string> words, int process,
                      bench::ProcessLimits limits) {
  words.insert(words.begin(), program);
  words.insert(words.end(), {"--process", std::to_string(process), "--resume", "-", "--quiet"});
  narrator_.progress("bench: starting process " + std::to_string(process + 1));
  const auto on_row = [&] {
    last_row_s_ = bench::steady_now_s();
    write_so_far();
    show_progress(process);
  };
  limits.resumes = rows_at_start_ > 0;
  limits.on_wait = [&] { show_progress(process); };
  return bench::measure_in_process(words, process, limits, on_row, result);
}

void BenchRun::show_progress(int process) {
  const std::set<std::string> done = ids_of(result, process);
  const auto next =
      std::ranges::find_if(result.plan.order, [&](const std::string& id) { return !done.contains(id); });
  std::map<std::string, double> rough_s;
  double left_s = 0, measured_s = 10;  // as if rows of 10 s had been measured, since the first ones are short
  for (std::size_t i = 0; i < result.plan.order.size(); ++i) {
    const double row_s = i < result.plan.rough_s.size() ? result.plan.rough_s[i] : 1;
    left_s += result.plan.processes * (rough_s[result.plan.order[i]] = row_s);
  }
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const double row_s = rough_s[bench::id_of(result.rows[i].what)];
    left_s -= row_s;
    if (i >= rows_at_start_) measured_s += row_s;
  }
  const double waited_s = bench::steady_now_s() - last_row_s_;
  const double scale = (last_row_s_ - start_s_ + 10) / measured_s;
  const double next_s = next == result.plan.order.end() ? 0 : scale * rough_s[*next];
  // A row that takes longer than expected will take as long again.
  left_s = std::max(scale * left_s - next_s, 0.0) + (waited_s < next_s ? next_s - waited_s : waited_s);
  narrator_.long_progress(fmt::format("bench: {} of {} rows, {}{}", result.rows.size(), result.plan.rows,
                                      result.rows.size() > rows_at_start_
                                          ? "about " + rough_time(left_s) + " left"
                                          : "after " + rough_time(waited_s),
                                      next == result.plan.order.end() ? "" : ": " + *next));
}

// Gives an earlier document a second name before it is replaced, unless it is continued or the name is taken.
void BenchRun::keep_previous() {
  const std::filesystem::path earlier = target_of(*file_);
  const bool is_earlier = !std::exchange(is_written_, true) && rows_at_start_ == 0 && has_content(earlier);
  has_previous_ = has_previous_ || (is_earlier && add_name(earlier, previous_));
}

// Writes the document as it is now. Goes on if that fails: a full disk may have room again at the end.
void BenchRun::write_so_far() {
  if (!file_) return;
  std::vector<bench::BenchRow> rows;  // moved aside while `result` is copied, because rows may be large
  std::swap(rows, result.rows);
  bench::BenchResult so_far = result;
  std::swap(rows, so_far.rows);
  if (so_far.stopped_by.empty() && so_far.rows.size() < so_far.plan.rows)
    so_far.stopped_by = "it did not come to its end";
  try {
    keep_previous();
    output_.write(json_.document(so_far));
  } catch (const Error& error) {
    if (!could_not_keep_)
      narrator_.remark(std::string(error.what()) + "; measuring goes on, and writing is tried again");
    could_not_keep_ = true;
  }
  std::swap(so_far.rows, result.rows);
}

void BenchRun::finish() {
  narrator_.wipe();
  if (!file_) return;
  output_.write(json_.document(result));
  lock_.reset();
  std::error_code ignored;
  if (result.complete()) std::filesystem::remove(previous_, ignored);  // or that of a run that was killed
  if (result.complete()) return;
  if (has_previous_) narrator_.remark("the earlier document is now " + previous_.string());
  if (result.plan.rows > 0 && result.rows.size() >= result.plan.rows) return;  // nothing to go on with
  const std::string rows = result.plan.rows > 0
                               ? fmt::format("{} of {} rows are", result.rows.size(), result.plan.rows)
                               : fmt::format("{} rows are", result.rows.size());
  narrator_.remark(
      fmt::format("{} in {}", rows, file_->string()) +
      (can_be_resumed_ ? fmt::format("; the same command with --resume {} goes on", file_->string()) : ""));
}

void BenchRun::print(const std::string& format, bool with_plot) const {
  if (format == "json") return ReportOutput({}).write(bench::bench_json(result));
  bench::BenchResult shown = result;
  sort_in_course_order(shown.rows);
  const TextStyle style = style_of_stdout();
  const std::string text =
      bench::bench_text(shown, style) + (with_plot ? "\n" + bench::bench_plot(shown, style) : "");
  // Uses no pager after an interruption: the user wants bench to end.
  if (result.complete())
    ReportOutput({}).show(text);
  else
    ReportOutput({}).write(text);
}

namespace {

// Refuses a document that lacks the times for a crossover of every lesson.
void refuse_nothing_to_compare(const std::vector<bench::CrossoverResult>& results,
                               const bench::BenchResult& measured, const std::string& name) {
  const auto is_measured = [](const bench::CrossoverResult& result) {
    return result.one_thread.kind != bench::Crossing::Kind::not_measured ||
           result.all_threads.kind != bench::Crossing::Kind::not_measured;
  };
  if (std::ranges::any_of(results, is_measured)) return;
  throw UsageError(fmt::format(
      "{} {}; measure it on a machine with a GPU: gpulab bench LESSON --crossover --output FILE", name,
      measured.device.simulated() ? "was measured on the simulator, which takes no times"
                                  : "has no times of launches and of the CPU"));
}

}  // namespace

void prepare_for_crossover(BenchOptions& options) {
  if (!options.device.is_gpu())
    throw Error(
        ExitCode::device,
        "--crossover compares a GPU with the CPU, and this machine has no GPU that can be used; gpulab doctor says why, and gpulab report --crossover FILE shows what was measured elsewhere");
  if (options.lessons.empty())
    throw UsageError("--crossover takes the names of lessons, such as gpulab bench histogram --crossover");
  const auto has_size = [](const std::string& name) { return find_lesson(name).has_size(); };
  if (!options.size)
    options.size = std::ranges::all_of(options.lessons, has_size) ? crossover_sizes : crossover_areas;
  options.one_thread = true;
}

void show_crossovers(const bench::BenchResult& measured, const std::string& name,
                     const CrossoverFormat& format, ReportOutput& output) {
  const std::vector<bench::CrossoverResult> results = bench::crossovers(measured);
  refuse_nothing_to_compare(results, measured, name);
  if (format.is_json) return output.write(bench::crossover_json(results, measured));
  const TextStyle style = output.is_file() ? TextStyle{} : style_of_stdout();
  std::string text;
  for (const bench::CrossoverResult& result : results) {
    text += (text.empty() ? "" : "\n") + bench::crossover_text(result, measured, style);
    if (format.with_plot) text += "\n" + bench::crossover_plot(result, style);
  }
  output.show(text);
}

}  // namespace gpulab::cli
