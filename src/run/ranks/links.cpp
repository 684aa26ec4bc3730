#include "run/ranks/links.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/statistics.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "cuda/support.hpp"
#include "lesson/lesson.hpp"
#include "run/sampling.hpp"

namespace gpulab::run::ranks {
namespace {

// Buffers and streams at both ends of a link.
class Link {
 public:
  Link(device::Device& from, device::Device& to, std::size_t bytes)
      : from_(from),
        to_(to),
        bytes_(bytes),
        from_buffers_{{from, bytes}, {from, bytes}},
        to_buffers_{{to, bytes}, {to, bytes}},
        stream_(from.create_stream()),
        return_stream_(to.create_stream()),
        start_(from.create_event()),
        stop_(from.create_event()),
        returned_(to.create_event()) {
    if (from.can_reach(to)) from.enable_peer_access(to);
    if (to.can_reach(from)) to.enable_peer_access(from);
  }

  void send() {
    from_.copy_to_peer(to_, to_buffers_[0].address(), from_buffers_[0].address(), bytes_, *stream_);
  }

  // Copies both ways at once between separate buffers, so that no memory is both read and written.
  void send_and_return() {
    to_.wait(*return_stream_, *start_);
    to_.copy_to_peer(from_, from_buffers_[1].address(), to_buffers_[1].address(), bytes_, *return_stream_);
    to_.record(*returned_, *return_stream_);
    send();
    from_.wait(*stream_, *returned_);
  }

  // Returns the median time of several runs, after one warm-up.
  double median_s(const std::function<void()>& work) {
    constexpr int samples = 9;
    std::vector<double> seconds;
    for (int i = 0; i <= samples; ++i) {
      from_.record(*start_, *stream_);
      work();
      from_.record(*stop_, *stream_);
      from_.synchronize(*stream_);
      if (i > 0) seconds.push_back(from_.elapsed(*start_, *stop_));
    }
    return median(seconds);
  }

  // Times many copies in a row. The time may be that of their launches, since drivers cannot capture copies
  // between devices in a graph.
  double seconds_per_copy_of_many() {
    constexpr int copies = 100;
    return median_s([&] {
             for (int i = 0; i < copies; ++i) send();
           }) /
           copies;
  }

 private:
  device::Device &from_, &to_;
  std::size_t bytes_;
  device::DeviceMemory from_buffers_[2], to_buffers_[2];  // [0] for sending, [1] for returning
  std::unique_ptr<device::Stream> stream_, return_stream_;
  std::unique_ptr<device::Event> start_, stop_, returned_;
};

}  // namespace

double peer_bytes_per_s(device::Device& from, device::Device& to, std::size_t bytes) {
  Link link(from, to, bytes);
  return static_cast<double>(bytes) / link.median_s([&] { link.send(); });
}

double peer_bytes_per_s_both_ways(device::Device& from, device::Device& to, std::size_t bytes) {
  Link link(from, to, bytes);
  return 2 * static_cast<double>(bytes) / link.median_s([&] { link.send_and_return(); });
}

double peer_latency_s(device::Device& from, device::Device& to) {
  Link link(from, to, 1024);
  return link.seconds_per_copy_of_many();
}

namespace {

// One array and one stream of each rank.
class LinkedRanks {
 public:
  LinkedRanks(std::span<device::Device* const> devices, device::Communicator& communicator, std::size_t count)
      : devices_(devices.begin(), devices.end()), communicator_(communicator), count_(count) {
    for (device::Device* const device : devices_) {
      arrays_.emplace_back(*device, count * sizeof(float));
      streams_.push_back(device->create_stream());
      device->set(arrays_.back().address(), 0, count * sizeof(float), *streams_.back());
      buffers_.push_back(
          {static_cast<int>(buffers_.size()), arrays_.back().address(), streams_.back().get()});
    }
  }

  void all_reduce() { communicator_.all_reduce(buffers_, ElementType::float32, count_); }
  void synchronize() { communicator_.synchronize(buffers_); }

  // Captures that many all-reduces in a graph of each device.
  void capture(int times) {
    for (std::size_t i = 0; i < devices_.size(); ++i) devices_[i]->begin_capture(*streams_[i]);
    for (int time = 0; time < times; ++time) all_reduce();
    for (std::size_t i = 0; i < devices_.size(); ++i)
      graphs_.push_back(devices_[i]->end_capture(*streams_[i]));
  }
  void launch() {
    for (std::size_t i = 0; i < devices_.size(); ++i) devices_[i]->launch(*graphs_[i], *streams_[i]);
  }

  double median_s(const std::function<void()>& work) {
    constexpr int samples = 49;
    std::vector<double> seconds;
    for (int i = 0; i <= samples; ++i) {
      synchronize();
      const double start_s = steady_now_s();
      work();
      synchronize();
      if (i > 0) seconds.push_back(steady_now_s() - start_s);
    }
    return median(seconds);
  }

 private:
  std::vector<device::Device*> devices_;
  device::Communicator& communicator_;
  std::size_t count_;  // elements of each array
  std::vector<device::DeviceMemory> arrays_;
  std::vector<std::unique_ptr<device::Stream>> streams_;
  std::vector<device::RankBuffer> buffers_;
  std::vector<std::unique_ptr<device::Graph>> graphs_;
};

// Times all-reduces of 1 KiB, and of 1 MiB, 32 MiB and 1 GiB, over the communicator's devices, one rank each.
AllReduceTimes all_reduce_times(std::span<device::Device* const> devices,
                                device::Communicator& communicator) {
  constexpr int reduces_in_graph = 100;
  constexpr std::size_t floats_in_1_kib = 1024 / sizeof(float);
  LinkedRanks ranks(devices, communicator, floats_in_1_kib);
  AllReduceTimes times{.library = communicator.name(), .devices = static_cast<int>(devices.size())};
  for (std::size_t bytes = std::size_t{1} << 20; bytes <= std::size_t{1} << 30; bytes <<= 5) {
    LinkedRanks large(devices, communicator, bytes / sizeof(float));
    times.sizes.push_back({static_cast<double>(bytes), large.median_s([&] { large.all_reduce(); })});
  }
  times.called_s = ranks.median_s([&] { ranks.all_reduce(); });
  if (!communicator.can_be_captured()) return times;
  ranks.capture(reduces_in_graph);
  times.in_graph_s = ranks.median_s([&] { ranks.launch(); }) / reduces_in_graph;
  return times;
}

}  // namespace

std::vector<DeviceLink> all_links() {
  return cuda::support().links();
}

MeasuredLinks measured_links() {
  device::CompileCache cache;
  MeasuredLinks measured{.links = all_links()};
  std::map<int, std::unique_ptr<device::Device>> opened;
  const auto device = [&](int index) -> device::Device& {
    std::unique_ptr<device::Device>& gpu = opened[index];
    if (!gpu) gpu = cuda::support().open(index, cache);
    return *gpu;
  };
  for (DeviceLink& link : measured.links) {
    try {
      link.one_way_bytes_per_s = peer_bytes_per_s(device(link.from), device(link.to));
      link.both_ways_bytes_per_s = peer_bytes_per_s_both_ways(device(link.from), device(link.to));
      link.latency_s = peer_latency_s(device(link.from), device(link.to));
    } catch (const device::DeviceError&) {
      continue;  // visible as missing figures
    }
  }
  if (measured.links.empty()) return measured;
  try {
    std::vector<device::Device*> devices;
    const int last = measured.links.back().from;  // the GPUs of links are in ascending order
    for (int index = 0; index <= last; ++index) devices.push_back(&device(index));
    const int ranks = static_cast<int>(devices.size());
    const auto communicator = devices.front()->connect({.devices = devices, .ranks = ranks});
    measured.all_reduce = all_reduce_times(devices, *communicator);
  } catch (const device::DeviceError& error) {
    measured.all_reduce = {.library = error.what()};
  }
  return measured;
}

namespace {

using CellOf = std::function<std::string(const DeviceLink&)>;

// Formats a matrix, from row to column. Drops columns on the right that do not fit the terminal.
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

// Returns "NV18", as nvidia-smi topo does, "PCIe" or "host".
std::string connection_of(const DeviceLink& link) {
  if (link.nvlinks > 0 && link.has_peer_access) return fmt::format("NV{}", link.nvlinks);
  return link.has_peer_access ? "PCIe" : "host";
}

std::string in_words(const std::string& connection) {
  if (connection == "PCIe") return "PCIe";
  if (connection == "host") return "through the host's memory";
  return fmt::format("{} NVLink{}", connection.substr(2), connection == "NV1" ? "" : "s");
}

// Returns "GPUs 0 and 1 reach each other's memory: 18 NVLinks".
std::string same_for_all(const std::vector<DeviceLink>& links) {
  const int last = links.back().from;
  const std::string gpus = last == 1 ? "GPUs 0 and 1" : fmt::format("GPUs 0 to {}", last);
  const std::string words = in_words(connection_of(links.front()));
  if (!links.front().has_peer_access)
    return fmt::format("{} do not reach each other's memory: copies go {}", gpus, words);
  return fmt::format("{} reach each other's memory: {}{}", gpus, words, last == 1 ? "" : " between any two");
}

std::string connections_text(const std::vector<DeviceLink>& links, const TextStyle& style) {
  std::set<std::string> connections;
  for (const DeviceLink& link : links) connections.insert(connection_of(link));
  if (connections.size() == 1) return paragraph(same_for_all(links), Ink::plain, style);
  std::string legend;
  for (const std::string& each : connections)
    if (each != "PCIe") legend += fmt::format("{}{}: {}", legend.empty() ? "" : " · ", each, in_words(each));
  return matrix("how GPUs reach each other's memory", links, connection_of, style) +
         (legend.empty() ? "" : paragraph(legend, Ink::faint, style));
}

// Returns "all-reduce of 1 KiB over all GPUs, by NCCL 2.28.9: 31.0 us when the host calls it, ...".
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
        "bus: what each of n GPUs sends over its link: 2 (n - 1) / n of the bytes, as nccl-tests defines it"}});
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
  std::string text = connections_text(links, style);
  if (std::ranges::none_of(links,
                           [](const DeviceLink& link) { return link.one_way_bytes_per_s.has_value(); }))
    return text;
  constexpr double gigabyte = 1e9, microsecond = 1e-6;
  text += "\n" +
          matrix("copies of 256 MiB, GB/s", links, shown(&DeviceLink::one_way_bytes_per_s, gigabyte), style);
  text += "\n" + matrix("both ways at once, GB/s together", links,
                        shown(&DeviceLink::both_ways_bytes_per_s, gigabyte), style);
  text += "\n" +
          matrix("latency of a copy of 1 KiB, us", links, shown(&DeviceLink::latency_s, microsecond), style);
  return text + "\n" + all_reduce_text(all_reduce, style);
}

}  // namespace gpulab::run::ranks
