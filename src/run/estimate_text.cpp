#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/lists.hpp"
#include "base/plot.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "lesson/words.hpp"
#include "run/documents.hpp"

namespace gpulab::run {
namespace {

constexpr std::size_t bar_width = 24;
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
                 {bar_text(bound.seconds / longest, bar_width), Ink::cyan}});
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

// Returns "an H200", "a T4".
std::string with_article(const std::string& gpu) {
  constexpr std::string_view spoken_with_a_vowel = "AEFHILMNORSX";
  return (spoken_with_a_vowel.find(gpu.front()) == std::string_view::npos ? "a " : "an ") + gpu;
}

// Says which counts and figures a bound follows from.
std::string origin_of(Limiter limiter, const LaunchEstimate& launch) {
  const KernelWork& work = launch.work;
  const auto count = [](double number) { return grouped(static_cast<std::uint64_t>(std::llround(number))); };
  const auto instructions_and_rate = [&](double instructions, const char* field) {
    return count(instructions) + " instructions of warps, " + field;
  };
  switch (limiter) {
    case Limiter::launch:
      return "launch_s";
    case Limiter::dram:
      return fmt::format("{} loaded and {} stored, each at least once; dram_bytes_per_s",
                         bytes_text(work.bytes_loaded), bytes_text(work.bytes_stored));
    case Limiter::l2:
      return fmt::format("{} loaded, each once for each block; {} sectors stored or updated; l2_bytes_per_s",
                         bytes_text(work.bytes_loaded_by_blocks),
                         count(work.store_sectors + work.atomic_sectors));
    case Limiter::l1:
      return fmt::format("{} requests for {} sectors, {} wavefronts of shared memory; l1_bytes_per_clock",
                         count(work.load_requests + work.store_requests),
                         count(work.load_sectors + work.store_sectors), count(work.shared_wavefronts));
    case Limiter::issue:
      return instructions_and_rate(work.instructions, "warp_instructions_per_clock");
    case Limiter::multiply_add:
      return instructions_and_rate(work.multiply_adds, "float32_per_clock");
    case Limiter::float64:
      return instructions_and_rate(work.float64s, "float64_per_clock");
    case Limiter::special:
      return instructions_and_rate(work.specials, "special_per_clock");
    case Limiter::atomics:
      return fmt::format(
          "{} sectors updated, atomic_sectors_per_clock; {} updates, of {} words at a time, atomic_turn_clocks",
          count(work.atomic_sectors), count(work.atomic_turns), count(work.atomic_words));
    default:
      return fmt::format(
          "{} round trips of a warp and {} barriers of a block, in {} waves{}; l1_latency_s, l2_latency_s, dram_latency_s",
          three_digits(work.load_batches), three_digits(work.barriers), three_digits(launch.waves),
          work.most_load_batches > work.load_batches
              ? ", and " + three_digits(work.most_load_batches) + " round trips of one warp"
              : "");
  }
}

// Lists what the bounds of a launch follow from, the longest first.
std::string origins_text(const LaunchEstimate& launch, const TextStyle& style) {
  std::string text;
  for (const Bound& bound : launch.bounds)
    if (bound.seconds >= part_shown * launch.bounds.front().seconds)
      text += paragraph(fmt::format("  {}: {} from {}", name_of(bound.limiter), duration_text(bound.seconds),
                                    origin_of(bound.limiter, launch)),
                        Ink::plain, style);
  return text;
}

// Draws the rate of each variant over its operations per byte, below what memory and arithmetic allow. Empty
// without floating-point operations.
std::string roofline_text(const LessonResult& result, const estimate::Gpu& gpu, const TextStyle& style) {
  const double peak = 2 * gpu.float32_per_clock * gpu.multiprocessors * gpu.clock_hz;
  std::vector<Series> series{{"what the GPU allows", {}}};
  const double ridge = peak / gpu.dram_bytes_per_s;  // intensity from which on arithmetic limits
  // Intensities, in operations per byte, at both ends of the roof: further out if a variant needs it.
  double lowest = 0.25, highest = 4 * ridge;
  for (const VariantResult& variant : result.variants) {
    const Estimate* const estimate = variant.estimate ? &*variant.estimate : nullptr;
    if (!estimate || !estimate->why_not.empty() || result.traffic.operations <= 0) continue;
    double bytes = 0;
    for (const LaunchEstimate& launch : estimate->launches)
      bytes += launch.work.bytes_loaded + launch.work.bytes_stored;
    const double intensity = result.traffic.operations / bytes;
    series.push_back({variant.name, {{intensity, 1e-9 * result.traffic.operations / estimate->seconds}}});
    lowest = std::min(lowest, intensity / 2);
    highest = std::max(highest, 2 * intensity);
  }
  if (series.size() == 1) return "";
  for (const double intensity : {lowest, ridge, highest})
    series.front().points.emplace_back(intensity, 1e-9 * std::min(peak, intensity * gpu.dram_bytes_per_s));
  constexpr unsigned height = 12;
  return "\n" + plot(series, {.title = "float32 operations per byte of DRAM"},
                     {.title = "GFLOP/s, estimated"}, style, height);
}

// Lists the figures of the GPU with their sources.
std::string figures_text(const estimate::Gpu& gpu, const TextStyle& style) {
  std::string text = "\n" + paragraph(gpu.name, Ink::bold, style);
  for (const estimate::GpuFigure& figure : gpu.figures)
    text += paragraph(fmt::format("{} = {:.6g}: {}", figure.name, figure.value, figure.source), Ink::plain,
                      style);
  return text;
}

// Says in a few words what the limiter of a kernel is busy with.
std::string cause_of(const Estimate& estimate) {
  const Limiter limiter = estimate.bounds.front().limiter;
  const auto longest = std::ranges::max_element(estimate.launches, {}, &LaunchEstimate::seconds);
  const KernelWork& work = longest->work;
  const double sectors_per_load = work.load_requests > 0 ? work.load_sectors / work.load_requests : 0;
  const double wavefronts_per_request =
      work.shared_requests > 0 ? work.shared_wavefronts / work.shared_requests : 0;
  const bool is_bandwidth = limiter == Limiter::dram || limiter == Limiter::l2 || limiter == Limiter::l1;
  constexpr double shown_from = 2;  // actual to least count; a smaller excess is not worth saying
  constexpr double few_words = 65536;
  if (limiter == Limiter::atomics && work.atomic_words < few_words) return "global atomics on few words";
  if (limiter == Limiter::launch)
    return estimate.launches.size() == 1 ? "launch" : fmt::format("{} launches", estimate.launches.size());
  if (limiter == Limiter::l1 && wavefronts_per_request > shown_from)
    return fmt::format("shared memory, with {} wavefronts for each request",
                       three_digits(wavefronts_per_request));
  if (is_bandwidth && work.load_sectors * sector_bytes > shown_from * work.load_bytes)
    return fmt::format("{}, with {} sectors for each load", name_of(limiter), three_digits(sectors_per_load));
  return std::string(name_of(limiter));
}

}  // namespace

std::string predicted_text(const PredictedLaunches& launches, const std::string& gpu) {
  const auto count = static_cast<double>(launches.launches);
  const bool is_one = launches.launches == 1;
  const std::string shape =
      fmt::format("{} x {} threads{}: ", text_of(launches.config.grid), text_of(launches.config.block),
                  is_one ? "" : fmt::format(", {} launches", grouped(launches.launches)));
  if (!launches.why_not.empty()) return shape + "not predicted, since " + launches.why_not;
  return fmt::format("{}{}{} on {}, estimated, limited by {}", shape, is_one ? "" : "each ",
                     range_text({.low_s = launches.low_s / count, .high_s = launches.high_s / count}),
                     with_article(gpu), name_of(launches.limiter));
}

std::string predicted_text(const PredictedTimes& times) {
  const Estimate& yours = times.yours;
  const double ratio = yours.seconds / times.solution.seconds, factor = std::max(ratio, 1 / ratio);
  if (factor < Estimate::ratio_width && yours.bounds.front().limiter == Limiter::launch) return "";
  const std::string how =
      factor < Estimate::ratio_width
          ? range_text(yours)
          : fmt::format("about {} times {} than the course's",
                        factor < 3 ? with_decimals(factor, 1) : grouped(std::llround(factor)),
                        ratio > 1 ? "slower" : "faster");
  return fmt::format("Estimated for {} work items: on {} {}, limited by {}", grouped(times.size),
                     with_article(yours.gpu), how, cause_of(yours));
}

namespace {

std::string time_text(const VariantResult& variant) {
  return variant.estimate && variant.estimate->why_not.empty() ? range_text(*variant.estimate) : "";
}

// Lists the variants, a line each. Their bounds follow below.
std::string summary_text(const LessonResult& result, const TextStyle& style) {
  Table table({{"variant"}, {"estimated", Align::right}, {"limited by"}});
  int count = 0;
  for (const VariantResult& variant : result.variants) {
    const std::string time = time_text(variant);
    if (time.empty()) continue;
    table.add({{variant.name}, {time}}, cause_of(*variant.estimate));
    ++count;
  }
  return count < 2 ? "" : "\n" + table.text(style);
}

std::string remarks_of(const LessonResult& result, const TextStyle& style) {
  std::string text;
  for (const std::string& remark : result.remarks) text += "\n" + paragraph(remark, Ink::plain, style);
  return text;
}

// Makes a column for each of the GPUs from `first` on that fit beside each other, and then further tables.
std::string tables_of_gpus(const std::vector<LessonResult>& results, const std::vector<std::string>& gpus,
                           std::size_t first, const TextStyle& style) {
  for (std::size_t end = gpus.size();; --end) {
    std::vector<Column> columns{{"variant"}};
    for (std::size_t gpu = first; gpu < end; ++gpu) columns.push_back({gpus[gpu], Align::right});
    Table table(std::move(columns));
    for (std::size_t i = 0; i < results.front().variants.size(); ++i) {
      std::vector<Cell> cells{{results.front().variants[i].name}};
      for (std::size_t gpu = first; gpu < end; ++gpu) {
        const std::string time = time_text(results[gpu].variants[i]);
        cells.push_back({time.empty() ? not_available : time});
      }
      table.add(std::move(cells));
    }
    if (end > first + 1 && !table.fits(style.width)) continue;
    return "\n" + table.text(style) + (end < gpus.size() ? tables_of_gpus(results, gpus, end, style) : "");
  }
}

// Names the variants that were not estimated, once for each reason.
std::string refused_text(const LessonResult& result, const TextStyle& style) {
  std::vector<std::pair<std::string, std::string>> names_for;
  for (const VariantResult& variant : result.variants) {
    if (!variant.estimate || variant.estimate->why_not.empty()) continue;
    const std::string& why = variant.estimate->why_not;
    const auto known = std::ranges::find(names_for, why, &std::pair<std::string, std::string>::first);
    if (known == names_for.end())
      names_for.emplace_back(why, variant.name);
    else
      known->second += ", " + variant.name;
  }
  std::string text;
  for (const auto& [why, names] : names_for)
    text += "\n" + paragraph(names + ": not estimated: " + why, Ink::plain, style);
  return text;
}

}  // namespace

std::string estimates_text(const std::vector<LessonResult>& results, const std::vector<std::string>& gpus,
                           const TextStyle& style) {
  const LessonResult& first = results.front();
  std::string wrong;
  for (const VariantResult& variant : first.variants)
    if (!variant.as_expected())
      wrong +=
          "\n" + paragraph(variant.name + ": " + outcome_and_reason(variant, first.size), Ink::plain, style);
  return paragraph(fmt::format("{} · {} · estimated, not measured", first.lesson, first.problem), Ink::bold,
                   style) +
         tables_of_gpus(results, gpus, 0, style) + remarks_of(first, style) + wrong;
}

std::string estimate_text(const LessonResult& result, const estimate::Gpu& gpu, bool explains,
                          const TextStyle& style) {
  std::string text = paragraph(fmt::format("{} · {} · estimated for {}, not measured", result.lesson,
                                           result.problem, with_article(gpu.name)),
                               Ink::bold, style);
  text += summary_text(result, style) + remarks_of(result, style);
  for (const VariantResult& variant : result.variants) {
    const auto say = [&](const std::string& words) {
      text += "\n" + paragraph(variant.name + ": " + words, Ink::plain, style);
    };
    if (!variant.estimate) {
      say("not estimated: " + outcome_and_reason(variant, result.size));
      continue;
    }
    const Estimate& estimate = *variant.estimate;
    if (!variant.as_expected()) say(outcome_and_reason(variant, result.size));
    if (!estimate.why_not.empty()) continue;
    const std::string measured =
        variant.kernel_cold ? "; measured here: " + duration_text(variant.kernel_cold->median_s) : "";
    text += "\n" + paragraph(variant.name + ": " + range_text(estimate) + measured, Ink::bold, style);
    text += bounds_table(estimate).text(style);
    if (!std::ranges::all_of(estimate.launches,
                             [](const LaunchEstimate& launch) { return launch.work.has_instructions; }))
      text +=
          paragraph("NVRTC is not here, so registers and instructions are guessed, and the range is wider",
                    Ink::yellow, style);
    std::vector<std::string> lines;
    for (const LaunchEstimate& launch : estimate.launches) {
      const std::string line = launch_line(launch);
      if (contains(lines, line)) continue;
      text += paragraph(line, Ink::faint, style);
      if (explains) text += origins_text(launch, style);
      lines.push_back(line);
    }
  }
  return text + refused_text(result, style) +
         (explains ? roofline_text(result, gpu, style) + figures_text(gpu, style) : "");
}

}  // namespace gpulab::run
