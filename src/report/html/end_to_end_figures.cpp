#include <fmt/format.h>
#include <algorithm>

#include "report/html/figure.hpp"
#include "report/quantity_text.hpp"

namespace gpulab::report::html {
namespace {

struct EndToEnd {
  const ReportedCase* of;
  std::vector<double> parts_s;  // copy to the device, kernel, copy back, CPU
  double whole_s() const { return parts_s[0] + parts_s[1] + parts_s[2] + parts_s[3]; }
};

std::vector<EndToEnd> end_to_end_runs(const std::vector<const ReportedCase*>& cases) {
  std::vector<EndToEnd> runs;
  double longest = 0;
  for (const ReportedCase* one : cases) {
    const auto to_device = one->time_s(BenchTime::to_device), to_host = one->time_s(BenchTime::to_host);
    if (one->kind == BenchKind::cpu || !to_device || !to_host) continue;
    runs.push_back({one, {to_device->value, one->kernel_s()->value, to_host->value, 0}});
    longest = std::max(longest, runs.back().whole_s());
  }
  if (runs.empty()) return runs;
  // A reference that takes many times as long would leave nothing of the others to be seen.
  constexpr double still_seen = 3;
  for (const ReportedCase* one : cases)
    if (one->kind == BenchKind::cpu && one->kernel_s()->value < still_seen * longest)
      runs.push_back({one, {0, 0, 0, one->kernel_s()->value}});
  return runs;
}

}  // namespace

std::vector<Figure> end_to_end_figures(const BenchSection& section, const FigureLimits& limits,
                                       const std::string& id) {
  const std::vector<const ReportedCase*> cases = timed_at_largest(section);
  const std::vector<EndToEnd> runs = end_to_end_runs(cases);
  if (runs.empty() || limits.device.simulated()) return {};
  Figure figure{
      .id = id + "-end-to-end",
      .title = fmt::format("With the copies, at {} work items", size_words(cases.front()->what.size)),
      .sentence = "Stacked bar chart. A run in parts:",
      .note = "Each part was measured by itself; a bar is their sum.",
      .shape = Shape::stack,
      .x = {"time, less is better", Unit::seconds},
      .table = {.titles = {"variant", "copy to device", "kernel", "copy back", "sum"}}};
  const char* const names[] = {"copy to device", "kernel", "copy back", "CPU, no copies"};
  for (std::size_t part = 0; part < std::size(names); ++part) {
    Curve curve{names[part], part == 3 ? Role::reference : Role::part, part == 3 ? 0 : part, {}};
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (runs[i].parts_s[part] > 0)
        curve.points.push_back(
            {runs[i].parts_s[part], static_cast<double>(i), {}, duration_text(runs[i].whole_s())});
    if (!curve.points.empty()) figure.curves.push_back(std::move(curve));
  }
  for (const EndToEnd& run : runs) {
    const std::string name = curve_for(section, *run.of).name;
    const auto words = [](double s) { return s > 0 ? duration_text(s) : std::string(); };
    figure.categories.push_back(name);
    figure.sentence += fmt::format(" {}: {} in all.", name, duration_text(run.whole_s()));
    figure.table.rows.push_back({name, words(run.parts_s[0]), words(run.parts_s[1] + run.parts_s[3]),
                                 words(run.parts_s[2]), duration_text(run.whole_s())});
  }
  for (const ReportedCase* one : cases)
    if (std::ranges::find(runs, one, &EndToEnd::of) == runs.end() && one->kind == BenchKind::cpu)
      figure.note += fmt::format(" Not drawn, since it is much longer: {}, {}.", one->what.variant,
                                 duration_text(one->kernel_s()->value));
  return {figure};
}

}  // namespace gpulab::report::html
