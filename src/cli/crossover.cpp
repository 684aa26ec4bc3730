#include <fmt/format.h>
#include <algorithm>

#include "base/output.hpp"
#include "base/terminal.hpp"
#include "bench/crossover.hpp"
#include "cli/bench_run.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"

namespace gpulab::cli {
namespace {

// Refuses a document in which nothing can be said of any lesson.
void refuse_nothing_to_compare(const std::vector<bench::CrossoverResult>& results,
                               const bench::BenchResult& measured, const std::string& name) {
  const auto can_be_said = [](const bench::CrossoverResult& result) {
    return result.one_thread.kind != bench::Crossing::Kind::not_measured ||
           result.all_threads.kind != bench::Crossing::Kind::not_measured;
  };
  if (std::ranges::any_of(results, can_be_said)) return;
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
    options.size = std::ranges::all_of(options.lessons, has_size) ? usual_sizes : usual_areas;
  options.one_thread = true;
}

void show_crossovers(const bench::BenchResult& measured, const std::string& name,
                     const CrossoverFormat& format, ReportOutput& output) {
  const std::vector<bench::CrossoverResult> results = bench::crossovers(measured);
  refuse_nothing_to_compare(results, measured, name);
  if (format.is_json) return output.write(bench::crossover_json(results, measured));
  const TextStyle style = output.is_file() ? TextStyle{} : style_of_stdout();
  std::string text;
  for (const bench::CrossoverResult& one : results) {
    text += (text.empty() ? "" : "\n") + bench::crossover_text(one, measured, style);
    if (format.with_plot) text += "\n" + bench::crossover_plot(one, style);
  }
  output.show(text);
}

}  // namespace gpulab::cli
