#include "mpi/host_communicator.hpp"

#include <vector>

namespace gpulab::mpi {
namespace {

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
    for (const device::RankBuffer& one : streams) device_.synchronize(*one.stream);
  }

 private:
  Processes& processes_;
  device::Device& device_;
};

}  // namespace

std::unique_ptr<device::Communicator> connect_by_host(Processes& processes, device::Device& device) {
  return std::make_unique<HostCommunicator>(processes, device);
}

}  // namespace gpulab::mpi
