#include "run/links.hpp"

#include <functional>
#include <map>

#include "core/median.hpp"
#include "cuda/support.hpp"
#include "measure/sampling.hpp"

namespace gpulab::run {
namespace {

// Buffers and streams at both ends of a link.
class Link {
 public:
  Link(device::Device& from, device::Device& to, std::size_t bytes)
      : from_(from),
        to_(to),
        bytes_(bytes),
        here_{{from, bytes}, {from, bytes}},
        there_{{to, bytes}, {to, bytes}},
        stream_(from.create_stream()),
        back_(to.create_stream()),
        start_(from.create_event()),
        stop_(from.create_event()),
        returned_(to.create_event()) {
    if (from.can_reach(to)) from.reach(to);
    if (to.can_reach(from)) to.reach(from);
  }

  void send() { from_.copy_to_peer(to_, there_[0].address(), here_[0].address(), bytes_, *stream_); }

  // While it sends: from a buffer of its own to another, so that no memory is both read and written.
  void send_and_return() {
    to_.wait(*back_, *start_);
    to_.copy_to_peer(from_, here_[1].address(), there_[1].address(), bytes_, *back_);
    to_.record(*returned_, *back_);
    send();
    from_.wait(*stream_, *returned_);
  }

  // The median of several, after one that makes what the first one needs.
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

  // In a graph where there are graphs: the host would take longer to ask for a small copy than it takes.
  double seconds_of_one_of_many() {
    constexpr int copies = 100;
    const auto send_all = [&] {
      for (int i = 0; i < copies; ++i) send();
    };
    const auto graph = from_.capture(*stream_, send_all);
    return median_s([&] { graph ? from_.launch(*graph, *stream_) : send_all(); }) / copies;
  }

 private:
  device::Device &from_, &to_;
  std::size_t bytes_;
  device::DeviceMemory here_[2], there_[2];
  std::unique_ptr<device::Stream> stream_, back_;
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
  return link.seconds_of_one_of_many();
}

namespace {

// One array and one stream of each rank.
class Ranks {
 public:
  Ranks(std::span<device::Device* const> devices, device::Communicator& communicator, std::size_t count)
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

  // So many in a graph of each device.
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
      const double start_s = measure::steady_now_s();
      work();
      synchronize();
      if (i > 0) seconds.push_back(measure::steady_now_s() - start_s);
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

}  // namespace

AllReduceTimes all_reduce_times(std::span<device::Device* const> devices,
                                device::Communicator& communicator) {
  constexpr int in_graph = 100;
  constexpr std::size_t one_kib = 1024 / sizeof(float);
  Ranks ranks(devices, communicator, one_kib);
  AllReduceTimes times{.library = communicator.name(), .devices = static_cast<int>(devices.size())};
  for (std::size_t bytes = std::size_t{1} << 20; bytes <= std::size_t{1} << 30; bytes <<= 5) {
    Ranks large(devices, communicator, bytes / sizeof(float));
    times.sizes.push_back({static_cast<double>(bytes), large.median_s([&] { large.all_reduce(); })});
  }
  times.called_s = ranks.median_s([&] { ranks.all_reduce(); });
  if (!communicator.can_be_captured()) return times;
  ranks.capture(in_graph);
  times.in_graph_s = ranks.median_s([&] { ranks.launch(); }) / in_graph;
  return times;
}

std::vector<DeviceLink> all_links() {
  return cuda::support().links();
}

MeasuredLinks measured_links() {
  device::CompileCache cache;
  MeasuredLinks measured{.links = all_links()};
  std::map<int, std::unique_ptr<device::Device>> opened;
  const auto device = [&](int index) -> device::Device& {
    std::unique_ptr<device::Device>& here = opened[index];
    if (!here) here = cuda::support().open(index, cache);
    return *here;
  };
  for (DeviceLink& link : measured.links) {
    try {
      link.one_way_bytes_per_s = peer_bytes_per_s(device(link.from), device(link.to));
      link.both_ways_bytes_per_s = peer_bytes_per_s_both_ways(device(link.from), device(link.to));
      link.latency_s = peer_latency_s(device(link.from), device(link.to));
    } catch (const device::DeviceError&) {
      continue;  // the figures that it lacks say it
    }
  }
  if (measured.links.empty()) return measured;
  try {
    std::vector<device::Device*> devices;
    for (int index = 0; index <= measured.links.back().from; ++index) devices.push_back(&device(index));
    const int ranks = static_cast<int>(devices.size());
    const auto communicator = devices.front()->connect({.devices = devices, .ranks = ranks});
    measured.all_reduce = all_reduce_times(devices, *communicator);
  } catch (const device::DeviceError& error) {
    measured.all_reduce = {.library = error.what()};
  }
  return measured;
}

}  // namespace gpulab::run
