#include "simulator/device.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <map>
#include <type_traits>

#include "lesson/problem.hpp"
#include "simulator/machine.hpp"

namespace gpulab::simulator {
namespace {

using device::RankBuffer;
using device::RankMessage;

device::DeviceError refusal(const char* call, const std::string& why) {
  return {call, "CUDA_ERROR_INVALID_VALUE", why};
}

std::string rank_text(int rank) {
  return "rank " + std::to_string(rank);
}

std::string elements_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " element" : " elements");
}

SimulatedStream& stream_of(const RankBuffer& buffer) {
  return dynamic_cast<SimulatedStream&>(*buffer.stream);
}

// Integers wrap as they do on a GPU.
template <class T>
T sum_of(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  else
    return a + b;
}

template <class T>
std::vector<T> sum_over(const std::vector<RankBuffer>& buffers, std::size_t count) {
  std::vector<T> sums(count);
  for (const RankBuffer& buffer : buffers) {
    const auto* const values = reinterpret_cast<const T*>(buffer.data);
    for (std::size_t i = 0; i < count; ++i)
      sums[i] = buffer.rank == 0 ? values[i] : sum_of(sums[i], values[i]);
  }
  return sums;
}

// Returns the number of elements that a rank sends to the next one in a ring all-reduce: all but part
// rank + 1 in the reduce-scatter, all but part rank + 2 in the all-gather.
std::size_t sent_around_ring(std::size_t count, int rank, int ranks) {
  const auto part = [&](int part_rank) { return share_of(count, part_rank % ranks, ranks).count; };
  return 2 * count - part(rank + 1) - part(rank + 2);
}

// Both ends of a message.
struct Delivery {
  RankMessage sent, received;
};

class SimulatedCommunicator : public device::Communicator {
 public:
  explicit SimulatedCommunicator(std::vector<device::Device*> devices)
      : devices_(std::move(devices)), machine_(machine_of(*devices_.front())) {}

  std::string name() const override { return "simulated links"; }

  void all_reduce(std::span<const RankBuffer> buffers, ElementType type, std::size_t count) override {
    std::vector<RankBuffer> by_rank(buffers.begin(), buffers.end());
    std::ranges::sort(by_rank, {}, &RankBuffer::rank);
    check_ranks(by_rank);
    std::vector<SimulatedStream::Participant> participants;
    for (const RankBuffer& buffer : by_rank) {
      participants.push_back({.stream = &stream_of(buffer), .name = rank_text(buffer.rank)});
      for (const RankBuffer& other : by_rank)
        participants.back().follows.push_back(static_cast<std::size_t>(other.rank));
    }
    SimulatedStream::enqueue_collective(
        participants, "the all-reduce", [=, this](std::span<const StreamOp> ops) {
          for (std::size_t i = 0; i < ops.size(); ++i)
            machine_->begin_work(ops[i], participants[i].name + "'s all-reduce",
                                 {{{by_rank[i].data, count * size_of(type)}, DefectAccess::store}});
          reduce(by_rank, type, count);
        });
  }

  void exchange(std::span<const RankMessage> messages, ElementType type) override {
    const std::vector<Delivery> deliveries = matched(messages);
    std::vector<SimulatedStream::Participant> participants;
    const auto find_or_add = [&](const RankBuffer& here) {
      SimulatedStream* const stream = &stream_of(here);
      const auto known = std::ranges::find(participants, stream, &SimulatedStream::Participant::stream);
      const auto index = static_cast<std::size_t>(known - participants.begin());
      if (known == participants.end())
        participants.push_back({.stream = stream, .name = rank_text(here.rank)});
      return index;
    };
    std::vector<std::vector<watch::MemoryUse>> uses(2 * deliveries.size());  // by participant
    const std::size_t element = size_of(type);
    for (const auto& [sent, received] : deliveries) {
      const std::size_t sender = find_or_add(sent.here), receiver = find_or_add(received.here);
      participants[receiver].follows.push_back(sender);
      uses[sender].push_back({{sent.here.data, sent.count * element}, DefectAccess::load});
      uses[receiver].push_back({{received.here.data, sent.count * element}, DefectAccess::store});
    }
    SimulatedStream::enqueue_collective(
        participants, "the exchange", [=, this](std::span<const StreamOp> ops) {
          for (std::size_t i = 0; i < ops.size(); ++i)
            machine_->begin_work(ops[i], participants[i].name + "'s exchange", uses[i]);
          deliver(deliveries, element);
        });
  }

  void synchronize(std::span<const RankBuffer> streams) override {
    for (const RankBuffer& buffer : streams) stream_of(buffer).drain();
  }

 private:
  int ranks() const { return static_cast<int>(devices_.size()); }
  int device_of(int rank) const { return devices_[static_cast<std::size_t>(rank)]->properties().index; }

  void check_ranks(const std::vector<RankBuffer>& by_rank) const {
    for (int rank = 0; rank < ranks(); ++rank) {
      const auto count = std::ranges::count(by_rank, rank, &RankBuffer::rank);
      if (count == 1) continue;
      throw refusal("all-reduce",
                    fmt::format("{}{}; each of the {} ranks has to take part once", rank_text(rank),
                                count == 0 ? " does not take part" : " takes part twice", ranks()));
    }
    if (by_rank.size() > devices_.size())
      throw refusal("all-reduce", fmt::format("{} takes part, but there are only {} ranks",
                                              rank_text(by_rank.back().rank), ranks()));
  }

  void reduce(const std::vector<RankBuffer>& buffers, ElementType type, std::size_t count) {
    with_type(type, [&](auto zero) {
      const auto sums = sum_over<decltype(zero)>(buffers, count);
      for (const RankBuffer& buffer : buffers) machine_->copy(buffer.data, sums.data(), count * sizeof zero);
    });
    for (const RankBuffer& buffer : buffers)
      machine_->add_traffic({.from = device_of(buffer.rank),
                             .to = device_of((buffer.rank + 1) % ranks()),
                             .copied = sent_around_ring(count, buffer.rank, ranks()) * size_of(type)});
  }

  // Matches messages: the k-th send from one rank to another goes to the k-th receive there.
  std::vector<Delivery> matched(std::span<const RankMessage> messages) const {
    std::map<std::pair<int, int>, std::vector<RankMessage>> sent, received;
    for (const RankMessage& message : messages) {
      const int here = message.here.rank;
      const bool is_sent = message.kind == RankMessage::Kind::send;
      for (const int rank : {here, message.peer})
        if (rank < 0 || rank >= ranks())
          throw refusal("exchange", fmt::format("{}{}{}, but there are only {} ranks", rank_text(here),
                                                is_sent ? " sends to " : " receives from ",
                                                rank_text(message.peer), ranks()));
      if (is_sent)
        sent[{here, message.peer}].push_back(message);
      else
        received[{message.peer, here}].push_back(message);
    }
    std::vector<Delivery> deliveries;
    for (const auto& [pair, sends] : sent) {
      const std::vector<RankMessage>& receives = received[pair];
      for (std::size_t i = 0; i < std::max(sends.size(), receives.size()); ++i)
        deliveries.push_back(delivery_of(i < sends.size() ? &sends[i] : nullptr,
                                         i < receives.size() ? &receives[i] : nullptr));
    }
    for (const auto& [pair, receives] : received)
      if (!sent.contains(pair)) delivery_of(nullptr, &receives.front());  // throws
    return deliveries;
  }

  // Throws DeviceError when one of the two is null or their lengths differ.
  static Delivery delivery_of(const RankMessage* sent, const RankMessage* received) {
    if (!received)
      throw refusal("exchange", fmt::format("{} sends {} to {}, which does not receive them in this group",
                                            rank_text(sent->here.rank), elements_text(sent->count),
                                            rank_text(sent->peer)));
    if (!sent)
      throw refusal("exchange", fmt::format("{} waits for {} from {}, which does not send them in this group",
                                            rank_text(received->here.rank), elements_text(received->count),
                                            rank_text(received->peer)));
    if (sent->count != received->count)
      throw refusal("exchange",
                    fmt::format("{} sends {} to {}, which receives {}", rank_text(sent->here.rank),
                                elements_text(sent->count), rank_text(sent->peer), received->count));
    return {*sent, *received};
  }

  // Reads all before it writes anything, since the messages of a group are concurrent.
  void deliver(const std::vector<Delivery>& deliveries, std::size_t element_bytes) {
    std::vector<std::vector<std::byte>> contents;
    for (const auto& [sent, received] : deliveries) {
      const auto* const from = reinterpret_cast<const std::byte*>(sent.here.data);
      contents.emplace_back(from, from + sent.count * element_bytes);
    }
    for (std::size_t i = 0; i < deliveries.size(); ++i) {
      const auto& [sent, received] = deliveries[i];
      machine_->copy(received.here.data, contents[i].data(), contents[i].size());
      machine_->add_traffic({.from = device_of(sent.here.rank),
                             .to = device_of(received.here.rank),
                             .copied = contents[i].size()});
    }
  }

  std::vector<device::Device*> devices_;
  std::shared_ptr<Machine> machine_;
};

}  // namespace

std::unique_ptr<device::Communicator> connect(std::vector<device::Device*> devices) {
  return std::make_unique<SimulatedCommunicator>(std::move(devices));
}

}  // namespace gpulab::simulator
