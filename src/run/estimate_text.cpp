#include <fmt/format.h>
#include <algorithm>
#include <string>
#include <vector>

#include "base/plot.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "lesson/words.hpp"
#include "run/documents.hpp"

namespace gpulab::run {
namespace {

constexpr std::size_t columns_of_bar = 24;
// Bounds that are shorter than this part of the longest bound are left out.
constexpr double part_shown = 0.01;

// Returns a row for each bound, with a bar for its time. The first, the longest, is the limiter.
Table bounds_table(const Estimate& estimate) {
  Table table({{"bound"}, {"time", Align::right}, {""}});
  const double longest = estimate.bounds.front().seconds;
  for (const Bound& bound : estimate.bounds)
    if (bound.seconds >= part_shown * longest)
      table.add({{std::string(name_of(bound.limiter))},
                 {duration_text(bound.seconds)},
                 {bar_text(bound.seconds / longest, columns_of_bar), Ink::cyan}});
  return table;
}

// Describes how a launch fills the GPU.
std::string launch_line(const LaunchEstimate& launch) {
  const KernelWork& work = launch.work;
  const std::string waves = launch.waves < 1 ? "less than one wave" : three_digits(launch.waves) + " waves";
  std::string line = fmt::format("{}: {} x {} threads, {}; occupancy {}, limited by {}", work.kernel,
                                 text_of(work.config.grid), text_of(work.config.block), waves,
                                 percent_text(launch.occupancy), launch.occupancy_limit);
  if (work.registers > 0) line += fmt::format("; {} registers", work.registers);
  if (work.shared_bytes > 0) line += "; " + bytes_text(static_cast<double>(work.shared_bytes)) + " shared";
  return line;
}

}  // namespace

std::string estimate_text(const LessonResult& result, const estimate::Gpu& gpu, const TextStyle& style) {
  std::string text = paragraph(
      fmt::format("{} · {} · estimated for an {}, not measured", result.lesson, result.problem, gpu.name),
      Ink::bold, style);
  for (const VariantResult& variant : result.variants) {
    if (!variant.estimate) {
      text += "\n" + paragraph(fmt::format("{}: {}", variant.name, outcome_and_reason(variant, result.size)),
                               Ink::plain, style);
      continue;
    }
    const Estimate& estimate = *variant.estimate;
    if (!estimate.why_not.empty()) {
      text += "\n" + paragraph(fmt::format("{}: not estimated: {}", variant.name, estimate.why_not),
                               Ink::plain, style);
      continue;
    }
    text += "\n" + paragraph(fmt::format("{}: {}", variant.name, range_text(estimate)), Ink::bold, style);
    text += bounds_table(estimate).text(style);
    if (!std::ranges::all_of(estimate.launches,
                             [](const LaunchEstimate& one) { return one.work.has_instructions; }))
      text +=
          paragraph("NVRTC is not here, so registers and instructions are guessed, and the range is wider",
                    Ink::yellow, style);
    std::vector<std::string> told;
    for (const LaunchEstimate& launch : estimate.launches) {
      const std::string line = launch_line(launch);
      if (std::ranges::find(told, line) == told.end()) text += paragraph(line, Ink::faint, style);
      told.push_back(line);
    }
  }
  return text;
}

}  // namespace gpulab::run
