#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <vector>

#include "report/layout.hpp"
#include "report/lesson_parts.hpp"
#include "report/quantity_text.hpp"

namespace gpulab::report {
namespace {

constexpr std::size_t indent = 2;
constexpr std::size_t label_width = 10;  // "stream 0  "
constexpr int host = -1;                 // the stream of what a whole program calls
// More pieces of work than these are too many to be listed one by one.
constexpr std::size_t spans_listed = 8;

constexpr const char* mark_of(Span::Kind kind) {
  switch (kind) {
    case Span::Kind::kernel:
      return "█";
    case Span::Kind::to_device:
      return "▼";
    case Span::Kind::to_host:
      return "▲";
    case Span::Kind::other:
      break;
  }
  return "▒";
}

double end_of(const Timeline& timeline) {
  return std::ranges::max_element(timeline, {}, &Span::end_s)->end_s;
}

// Every piece of work has one column at least.
std::string bar(const Timeline& timeline, int stream, double whole_s, std::size_t columns) {
  std::vector<const char*> marks(columns, "·");
  for (const Span& span : timeline) {
    if (span.stream != stream) continue;
    const auto column = [&](double at_s) {
      const double place = whole_s > 0 ? at_s / whole_s * static_cast<double>(columns) : 0;
      return std::min(static_cast<std::size_t>(std::max(place, 0.0)), columns - 1);
    };
    const std::size_t last = std::max(column(span.start_s), column(span.end_s - 1e-12));
    for (std::size_t i = column(span.start_s); i <= last; ++i) marks[i] = mark_of(span.kind);
  }
  std::string text;
  for (const char* mark : marks) text += mark;
  return text;
}

std::string pieces_text(const Timeline& timeline, const TextStyle& style) {
  if (timeline.size() > spans_listed || timeline.front().stream == host) return "";
  std::string text;
  for (const Span& span : timeline)
    text += fmt::format("{}{} in stream {} from {} to {}", text.empty() ? "" : "; ", span.what, span.stream,
                        duration_text(span.start_s), duration_text(span.end_s));
  std::string lines;
  for (const std::string& line : wrapped(text, style.width - indent, indent))
    lines += std::string(indent, ' ') + painted(line, Ink::faint, style) + "\n";
  return lines;
}

std::string timeline_text(const VariantResult& variant, const TextStyle& style) {
  const double whole_s = end_of(variant.timeline);
  std::map<int, std::string> bars;
  for (const Span& span : variant.timeline)
    bars.try_emplace(span.stream,
                     bar(variant.timeline, span.stream, whole_s, style.width - indent - label_width));
  std::string text = fmt::format("{}: {}\n", painted(variant.name, Ink::bold, style), duration_text(whole_s));
  for (const auto& [stream, marks] : bars)
    text += fmt::format("  {:<{}}{}\n", stream == host ? "host" : fmt::format("stream {}", stream),
                        label_width, marks);
  return text + pieces_text(variant.timeline, style);
}

}  // namespace

std::string timelines_text(const LessonResult& result, const TextStyle& style) {
  std::string text;
  for (const VariantResult& variant : result.variants)
    if (!variant.timeline.empty()) text += timeline_text(variant, style);
  if (text.empty()) return "";
  const bool are_programs = std::ranges::any_of(result.variants, [](const VariantResult& variant) {
    return !variant.timeline.empty() && variant.timeline.front().stream == host;
  });
  const std::string legend =
      are_programs ? "█ kernel  ▼ copy to the device  ▲ copy back  ▒ call of the host; times as a simple "
                     "model of a GPU "
                     "has them, not of this machine"
      : result.simulated()
          ? "█ kernel  ▼ copy to the device  ▲ copy back; CPU time: the simulator does one thing "
            "at a time"
          : "█ kernel  ▼ copy to the device  ▲ copy back";
  std::string lines;
  for (const std::string& line : wrapped(legend, style.width, indent))
    lines += painted(line, Ink::faint, style) + "\n";
  return text + lines;
}

}  // namespace gpulab::report
