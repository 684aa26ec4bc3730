#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <set>

#include "core/scaling.hpp"
#include "report/links.hpp"
#include "report/quantity_text.hpp"
#include "report/table.hpp"

namespace gpulab::report {
namespace {

using CellOf = std::function<std::string(const DeviceLink&)>;

// From row to column. What does not fit on the terminal is left out from the right.
std::string matrix(const std::string& title, const std::vector<DeviceLink>& links, const CellOf& cell,
                   const TextStyle& style) {
  std::set<int> gpus;
  for (const DeviceLink& link : links) gpus.insert({link.from, link.to});
  std::vector<Column> columns{{"from, to"}};
  for (const int gpu : gpus)
    columns.push_back({fmt::format("GPU {}", gpu), Align::right, static_cast<int>(columns.size()) - 1});
  Table table(columns);
  for (const int from : gpus) {
    std::vector<Cell> cells{{fmt::format("GPU {}", from), Ink::bold}};
    for (const int to : gpus) {
      const auto link = std::ranges::find_if(
          links, [&](const DeviceLink& each) { return each.from == from && each.to == to; });
      cells.push_back({link == links.end() ? "-" : cell(*link)});
    }
    table.add(std::move(cells));
  }
  return paragraph(title, Ink::bold, style) + table.text(style);
}

std::string way(const DeviceLink& link) {
  if (link.nvlinks > 0 && link.reaches) return fmt::format("NV{}", link.nvlinks);
  return link.reaches ? "PCIe" : "host";
}

std::string in_words(const std::string& way) {
  if (way == "PCIe") return "PCIe";
  if (way == "host") return "through the host's memory";
  return fmt::format("{} NVLink{}", way.substr(2), way == "NV1" ? "" : "s");
}

// "GPUs 0 and 1 reach each other's memory: 18 NVLinks"
std::string same_for_all(const std::vector<DeviceLink>& links) {
  const int last = links.back().from;
  const std::string gpus = last == 1 ? "GPUs 0 and 1" : fmt::format("GPUs 0 to {}", last);
  const std::string words = in_words(way(links.front()));
  if (!links.front().reaches)
    return fmt::format("{} do not reach each other's memory: copies go {}", gpus, words);
  return fmt::format("{} reach each other's memory: {}{}", gpus, words, last == 1 ? "" : " between any two");
}

std::string ways_text(const std::vector<DeviceLink>& links, const TextStyle& style) {
  std::set<std::string> ways;
  for (const DeviceLink& link : links) ways.insert(way(link));
  if (ways.size() == 1) return paragraph(same_for_all(links), Ink::plain, style);
  std::string legend;
  for (const std::string& each : ways)
    if (each != "PCIe") legend += fmt::format("{}{}: {}", legend.empty() ? "" : " · ", each, in_words(each));
  return matrix("how GPUs reach each other's memory", links, way, style) +
         (legend.empty() ? "" : paragraph(legend, Ink::faint, style));
}

// "all-reduce of 1 KiB over all GPUs, by NCCL 2.28.9: 31.0 us when the host calls it, 6.10 us in a graph"
std::string all_reduce_text(const AllReduceTimes& times, const TextStyle& style) {
  std::string text = "all-reduce of 1 KiB over all GPUs";
  if (!times.called_s) return paragraph(text + " was not measured: " + times.library, Ink::plain, style);
  text += fmt::format(", by {}: {} when the host calls it", times.library, duration_text(*times.called_s));
  if (times.in_graph_s) text += fmt::format(", {} in a graph", duration_text(*times.in_graph_s));
  text = paragraph(text, Ink::plain, style);
  if (times.sizes.empty()) return text;
  Table table(
      {{"all-reduce of"},
       {"time", Align::right, 1},
       {"algorithm", Align::right, 2, "algorithm: bytes over time, GB/s"},
       {"bus", Align::right, 3,
        "bus: what each GPU sends of that over its link, 2 (n - 1) / n of it, as nccl-tests defines it"}});
  constexpr double gigabyte = 1e9;
  for (const auto& [bytes, seconds] : times.sizes)
    table.add({{bytes_text(bytes)},
               {duration_text(seconds)},
               {three_digits(algorithm_bandwidth(bytes, seconds) / gigabyte)},
               {three_digits(bus_bandwidth(bytes, seconds, times.devices) / gigabyte)}});
  return text + "\n" + table.text(style);
}

}  // namespace

std::string links_text(const std::vector<DeviceLink>& links, const AllReduceTimes& all_reduce,
                       const TextStyle& style) {
  if (links.empty()) return {};
  const auto shown = [](std::optional<double> DeviceLink::*figure, double unit) {
    return [figure, unit](const DeviceLink& link) {
      return link.*figure ? three_digits(*(link.*figure) / unit) : not_available;
    };
  };
  std::string text = ways_text(links, style);
  if (std::ranges::none_of(links,
                           [](const DeviceLink& link) { return link.one_way_bytes_per_s.has_value(); }))
    return text;
  constexpr double gigabyte = 1e9, microsecond = 1e-6;
  text += "\n" +
          matrix("copies of 256 MiB, GB/s", links, shown(&DeviceLink::one_way_bytes_per_s, gigabyte), style);
  text += "\n" + matrix("both ways at once, GB/s together", links,
                        shown(&DeviceLink::both_ways_bytes_per_s, gigabyte), style);
  text += "\n" + matrix("a copy of 1 KiB behind another one, us", links,
                        shown(&DeviceLink::latency_s, microsecond), style);
  return text + "\n" + all_reduce_text(all_reduce, style);
}

}  // namespace gpulab::report
