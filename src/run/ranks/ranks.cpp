#include "run/ranks/ranks.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <utility>
#include <vector>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "run/ranks/links.hpp"

namespace gpulab::run::ranks {
namespace {

// Moves data between devices of processes, one device each, through host memory: for devices without a
// connection of their own. Both arguments must outlive it.
class HostCommunicator : public device::Communicator {
 public:
  HostCommunicator(Processes& processes, device::Device& device) : processes_(processes), device_(device) {}

  std::string name() const override { return processes_.library() + ", through the host"; }

  void all_reduce(std::span<const device::RankBuffer> buffers, ElementType type, std::size_t count) override {
    for (const auto& [rank, data, stream] : buffers) {
      std::vector<std::byte> values(count * size_of(type));
      device_.copy_to_host(values, data, *stream);
      device_.synchronize(*stream);
      processes_.all_reduce(values, type);
      device_.copy_to_device(data, values, *stream);
      device_.synchronize(*stream);
    }
  }

  void exchange(std::span<const device::RankMessage> messages, ElementType type) override {
    std::vector<std::vector<std::byte>> pieces;
    pieces.reserve(messages.size());
    std::vector<Processes::Message> sent, received;
    for (const auto& [kind, here, peer, count] : messages) {
      pieces.emplace_back(count * size_of(type));
      const bool is_sent = kind == device::RankMessage::Kind::send;
      (is_sent ? sent : received).push_back({peer, pieces.back()});
      if (is_sent) device_.copy_to_host(pieces.back(), here.data, *here.stream);
    }
    for (const device::RankMessage& message : messages) device_.synchronize(*message.here.stream);
    processes_.exchange(sent, received);
    for (std::size_t i = 0; i < messages.size(); ++i)
      if (messages[i].kind == device::RankMessage::Kind::receive)
        device_.copy_to_device(messages[i].here.data, pieces[i], *messages[i].here.stream);
    for (const device::RankMessage& message : messages) device_.synchronize(*message.here.stream);
  }

  void synchronize(std::span<const device::RankBuffer> streams) override {
    for (const device::RankBuffer& buffer : streams) device_.synchronize(*buffer.stream);
  }

 private:
  Processes& processes_;
  device::Device& device_;
};

}  // namespace

Ranks::Ranks(device::Device& first, int count, Processes* processes)
    : processes_(processes), count_(count), devices_{&first} {
  if (processes && processes->count() != count)
    throw UsageError(fmt::format("--gpus {}: this was started as {} processes, and each takes one GPU", count,
                                 processes->count()));
  if (processes)
    first_ = processes->rank();
  else
    for (int k = 1; k < count; ++k) devices_.push_back(peers_.emplace_back(first.open_peer(k)).get());
  for (device::Device* const device : devices_) streams_.push_back(device->create_stream());
  connect(first);
}

// Uses the devices' own connection if all processes have it; else MPI, through the host.
void Ranks::connect(device::Device& first) {
  try {
    communicator_ = first.connect({.devices = devices_,
                                   .first_rank = first_,
                                   .ranks = count_,
                                   .from_rank_0 = [&](const std::string& mine) {
                                     return gather(mine, "the beginning of communication").front();
                                   }});
  } catch (const device::DeviceError& error) {
    why_not_connected_ = error.what();
  }
  if (!processes_) return;
  const std::vector<std::string> connected =
      gather(communicator_ ? "yes" : "no", "the beginning of communication");
  if (!contains(connected, "no")) return;
  communicator_ = std::make_unique<HostCommunicator>(*processes_, first);
  is_through_host_ = true;
}

device::Communicator& Ranks::communicator() const {
  if (!communicator_) throw device::LibraryRefusal(ExitCode::device, why_not_connected_);
  return *communicator_;
}

namespace {

// Returns the fewest links between any two GPUs of this machine, as text.
std::string over_links() {
  const std::vector<DeviceLink> links = all_links();
  if (links.empty()) return "";
  const DeviceLink& weakest = *std::ranges::min_element(
      links, {}, [](const DeviceLink& link) { return std::pair(link.has_peer_access, link.nvlinks); });
  if (!weakest.has_peer_access) return ", through the host's memory";
  if (weakest.nvlinks == 0) return ", over PCIe";
  return ", over " + std::to_string(weakest.nvlinks) + (weakest.nvlinks == 1 ? " NVLink" : " NVLinks");
}

}  // namespace

std::string Ranks::connection() const {
  if (!communicator_) return "not connected: " + why_not_connected_;
  const bool is_simulated = devices_.front()->properties().simulated();
  if (is_simulated && !processes_) return "simulated in one process";
  return "connected by " + communicator_->name() +
         (is_simulated || is_through_host_ || count_ == 1 ? "" : over_links());
}

void Ranks::synchronize() const {
  std::vector<device::RankBuffer> streams;
  for (int k = 0; k < count_here(); ++k) streams.push_back({first_ + k, 0, &stream(k)});
  if (communicator_) return communicator_->synchronize(streams);
  for (int k = 0; k < count_here(); ++k) device(k).synchronize(stream(k));
}

bool Ranks::enable_peer_access() {
  if (!has_peer_access_) {
    has_peer_access_ = is_one_process();
    for (device::Device* const from : devices_)
      for (device::Device* const to : devices_)
        if (from != to && !from->can_reach(*to)) has_peer_access_ = false;
    if (*has_peer_access_)
      for (device::Device* const from : devices_)
        for (device::Device* const to : devices_)
          if (from != to) from->enable_peer_access(*to);
  }
  return *has_peer_access_;
}

std::vector<std::string> Ranks::gather(const std::string& mine, const std::string& where) const {
  return processes_ ? processes_->gather(mine, where) : std::vector<std::string>{mine};
}

DividedProblem::Part::Part(const PreparedProblem& whole, PartOfProblem part, device::Device& device,
                           device::Stream& stream)
    : held(std::move(part)),
      prepared(whole, held),
      modules(device),
      arrays(device, stream, prepared.problem.arrays, prepared.inputs) {}

DividedProblem::DividedProblem(const Ranks& ranks, const RunContext& whole) : whole_(whole) {
  for (int k = 0; k < ranks.count_here(); ++k) {
    auto part =
        std::make_unique<Part>(whole.prepared, whole.prepared.problem.part(ranks.first() + k, ranks.count()),
                               ranks.device(k), ranks.stream(k));
    part->context.reset(new RunContext{whole.lesson, ranks.device(k), ranks.stream(k), part->modules,
                                       whole.files, part->prepared, part->arrays, whole.tolerance});
    parts_.push_back(std::move(part));
  }
}

}  // namespace gpulab::run::ranks
