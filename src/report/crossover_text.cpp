#include <fmt/format.h>

#include "core/text.hpp"
#include "report/crossover.hpp"
#include "report/plot.hpp"
#include "report/quantity_text.hpp"
#include "report/table.hpp"

namespace gpulab::report {
namespace {

Cell time_cell(std::optional<double> seconds, bool is_fastest) {
  if (!seconds) return {"n/a"};
  return {duration_text(*seconds), is_fastest ? Ink::bold : Ink::plain};
}

bool is_least(std::optional<double> seconds, const CrossoverPoint& point) {
  for (const auto other : {point.one_thread_s, point.all_threads_s, point.with_copies_s()})
    if (other && seconds && *other < *seconds) return false;
  return seconds.has_value();
}

// "from about 52 000 elements on", to two digits, since it is interpolated.
std::string words_of(const Crossing& crossing, const CrossoverResult& result) {
  switch (crossing.kind) {
    case Crossing::Kind::always:
      return "at every size that was measured";
    case Crossing::Kind::never:
      return fmt::format("at no size up to {}", grouped(result.points.back().size));
    case Crossing::Kind::not_measured:
      return "was not measured";
    case Crossing::Kind::from:
      break;
  }
  double unit = 1;
  while (crossing.size / unit >= 100) unit *= 10;
  return fmt::format(
      "from about {} elements on",
      grouped(static_cast<std::size_t>(crossing.size / unit + 0.5) * static_cast<std::size_t>(unit)));
}

std::string verdicts(const CrossoverResult& result, int threads, unsigned width) {
  const auto indented = [&](const std::string& text) {
    std::string all;
    for (const std::string& line : wrapped(text, width - 2, 2)) all += "  " + line + "\n";
    return all;
  };
  const auto line = [&](const std::string& rival, const Crossing& there, const Crossing& copied) {
    return "the GPU beats " + rival + "\n" +
           indented("with the data on the GPU: " + words_of(there, result)) +
           indented("with copies there and back: " + words_of(copied, result));
  };
  return line("one CPU thread", result.one_thread, result.one_thread_with_copies) +
         line(fmt::format("{} CPU threads", threads), result.all_threads, result.all_threads_with_copies);
}

}  // namespace

std::string crossover_text(const CrossoverResult& result, const BenchResult& measured,
                           const TextStyle& style) {
  const int threads = measured.facts.cores;
  Table table(
      {{"size", Align::right},
       {"1 thread", Align::right, 1},
       {fmt::format("{} threads", threads), Align::right},
       {"GPU", Align::right, 2, "GPU: from the launch until the host knows that it is done, data on the GPU"},
       {"with copies", Align::right, 0, "with copies: inputs there and outputs back, medians added up"},
       {"fastest variant", Align::left, 3}});
  for (const CrossoverPoint& point : result.points)
    table.add({{grouped(point.size)},
               time_cell(point.one_thread_s, is_least(point.one_thread_s, point)),
               time_cell(point.all_threads_s, is_least(point.all_threads_s, point)),
               time_cell(point.launch_s, false),
               time_cell(point.with_copies_s(), is_least(point.with_copies_s(), point)),
               {point.variant}});
  std::string heading = "crossover · " + result.what.lesson;
  for (const auto& [name, value] : result.what.options)
    if (std::holds_alternative<std::string>(value) && !text_of(value).starts_with('-'))
      heading += " · " + name + " " + text_of(value);
  heading += " · " + measured.device.name;
  std::string text;
  for (const std::string& line : wrapped(heading, style.width, 2)) text += line + "\n";
  return text + "\n" + table.text(style) + "\n" + paragraph(table.legend(style), Ink::faint, style) + "\n" +
         verdicts(result, threads, style.width);
}

std::string crossover_plot(const CrossoverResult& result, const TextStyle& style) {
  std::vector<Series> series = {{"1 thread", {}}, {"all threads", {}}, {"GPU", {}}, {"with copies", {}}};
  for (const CrossoverPoint& point : result.points) {
    const auto add = [&](std::size_t which, std::optional<double> seconds) {
      if (seconds) series[which].points.emplace_back(static_cast<double>(point.size), *seconds);
    };
    add(0, point.one_thread_s);
    add(1, point.all_threads_s);
    add(2, point.launch_s);
    add(3, point.with_copies_s());
  }
  return plot(series, {.title = "elements", .tick_text = size_tick_text},
              {.title = "time", .tick_text = duration_text}, style);
}

}  // namespace gpulab::report
