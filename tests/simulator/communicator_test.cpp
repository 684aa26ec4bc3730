#include "simulator/device.hpp"

#include "simulator/peer_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator {
namespace {

using device::RankBuffer;
using device::RankMessage;
using Kind = device::RankMessage::Kind;

const std::string fill_kernels = R"(__global__ void fill(int* out, int value) {
  out[threadIdx.x] = value;
}

__global__ void fail(int* out) {
  *out = 1;
  __trap();
}
)";

class SimulatedCommunicator : public PeerTest {
 protected:
  void connect_ranks(int ranks) {
    streams_.clear();
    open(ranks);
    std::vector<device::Device*> devices;
    for (int rank = 0; rank < ranks; ++rank) {
      devices.push_back(&device(rank));
      streams_.push_back(device(rank).create_stream());
    }
    communicator_ = connect(devices);
  }
  device::Stream& stream(int rank) { return *streams_[static_cast<std::size_t>(rank)]; }
  RankBuffer at(int rank, device::DevicePointer data) { return {rank, data, &stream(rank)}; }
  RankMessage send(int rank, device::DevicePointer from, int peer, std::size_t count) {
    return {Kind::send, at(rank, from), peer, count};
  }
  RankMessage receive(int rank, device::DevicePointer to, int peer, std::size_t count) {
    return {Kind::receive, at(rank, to), peer, count};
  }

  // Returns each rank's elements after an all-reduce of factor * (1000 r + i), for element i of rank r.
  template <class T>
  std::vector<std::vector<T>> reduced(int ranks, std::size_t count, double factor = 1) {
    connect_ranks(ranks);
    std::vector<std::unique_ptr<DeviceBuffer<T>>> buffers;
    std::vector<RankBuffer> rank_buffers;
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<T> values(count);
      for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<T>(factor * (1000.0 * rank + static_cast<double>(i)));
      buffers.push_back(std::make_unique<DeviceBuffer<T>>(device(rank), values));
      rank_buffers.push_back(at(rank, buffers.back()->address()));
    }
    communicator_->all_reduce(rank_buffers, element_type_of<T>(), count);
    communicator_->synchronize(rank_buffers);
    std::vector<std::vector<T>> results;
    for (const auto& buffer : buffers) results.push_back(buffer->values());
    return results;
  }

  std::unique_ptr<device::Communicator> communicator_;
  std::vector<std::unique_ptr<device::Stream>> streams_;
};

TEST_F(SimulatedCommunicator, AddsUpTheBuffersOfAnyNumberOfRanks) {
  for (const int ranks : {1, 2, 3, 4})
    for (const std::size_t count : {0, 1, 7, 64}) {
      std::vector<int> expected(count);
      for (std::size_t i = 0; i < count; ++i)
        expected[i] = 1000 * ranks * (ranks - 1) / 2 + ranks * static_cast<int>(i);
      for (const auto& result : reduced<int>(ranks, count)) EXPECT_EQ(result, expected) << ranks;
    }
}

TEST_F(SimulatedCommunicator, AddsUpEveryTypeOfElement) {
  EXPECT_EQ(reduced<std::uint32_t>(2, 3)[1], (std::vector<std::uint32_t>{1000, 1002, 1004}));
  EXPECT_EQ(reduced<float>(2, 2)[0], (std::vector<float>{1000, 1002}));
  EXPECT_EQ(reduced<double>(3, 1, 0.5)[2], (std::vector<double>{1500}));
  EXPECT_EQ(reduced<std::uint8_t>(4, 2, 0.1)[0], (std::vector<std::uint8_t>{88, 88})) << "600 wraps";
}

TEST_F(SimulatedCommunicator, GivesEveryRankTheSameSumOfFloats) {
  const auto results = reduced<float>(4, 33, 0.1);
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
  EXPECT_EQ(results[0][1], ((0.1f + 100.1f) + 200.1f) + 300.1f) << "in the order of the ranks";
}

TEST_F(SimulatedCommunicator, ReducesWhatEachStreamHasComputedBefore) {
  connect_ranks(2);
  const auto first = buffer(0, std::vector<int>(4)), second = buffer(1, std::vector<int>(4));
  const std::vector rank_buffers{at(0, first.address()), at(1, second.address())};
  for (const int rank : {0, 1})
    put(rank, module(rank, fill_kernels), "fill", {.grid = {1}, .block = {4}}, stream(rank),
        rank == 0 ? first.pointer() : second.pointer(), rank + 5);
  communicator_->all_reduce(rank_buffers, ElementType::int32, 4);
  put(1, module(1, fill_kernels), "fill", {.grid = {1}, .block = {2}}, stream(1), second.pointer(), -1);
  device(1).synchronize(stream(1));
  EXPECT_EQ(second.values(), (std::vector{-1, -1, 11, 11}));
  EXPECT_EQ(first.values(), (std::vector{11, 11, 11, 11})) << "it happens for all when it happens for one";
}

TEST_F(SimulatedCommunicator, CountsTheBytesOfARing) {
  reduced<int>(4, 10);
  std::size_t sum = 0;
  const std::vector<device::PeerTraffic> traffic = instruments().take_peer_traffic();
  ASSERT_EQ(traffic.size(), 4u);
  for (const device::PeerTraffic& link : traffic) {
    EXPECT_EQ(link.to, (link.from + 1) % 4);
    EXPECT_NEAR(static_cast<double>(link.copied), 2 * 0.75 * 40, 4) << "2 (n - 1) / n of the buffer";
    sum += link.copied;
  }
  EXPECT_EQ(sum, 2u * 3 * 40) << "4 ranks, each 2 (n - 1) / n of 40 bytes";
}

TEST_F(SimulatedCommunicator, DeliversMessagesOfAGroupAtTheSameTime) {
  connect_ranks(3);
  std::vector<std::unique_ptr<DeviceBuffer<int>>> buffers;
  std::vector<RankMessage> messages;
  for (int rank = 0; rank < 3; ++rank) {
    buffers.push_back(std::make_unique<DeviceBuffer<int>>(device(rank), std::vector{rank, 10 * rank, -1}));
    const device::DevicePointer data = buffers.back()->address();
    messages.push_back(send(rank, data, (rank + 1) % 3, 2));
    messages.push_back(receive(rank, data + 4, (rank + 2) % 3, 2));
  }
  communicator_->exchange(messages, ElementType::int32);
  device(0).synchronize(stream(0));
  EXPECT_EQ(buffers[0]->values(), (std::vector{0, 2, 20}));
  EXPECT_EQ(buffers[1]->values(), (std::vector{1, 0, 0}));
  EXPECT_EQ(buffers[2]->values(), (std::vector{2, 1, 10}));
  const std::vector<device::PeerTraffic> expected{{.from = 0, .to = 1, .copied = 8},
                                                  {.from = 1, .to = 2, .copied = 8},
                                                  {.from = 2, .to = 0, .copied = 8}};
  EXPECT_EQ(instruments().take_peer_traffic(), expected);
}

TEST_F(SimulatedCommunicator, DeliversSeveralMessagesBetweenTwoRanksInTheirOrder) {
  connect_ranks(2);
  const auto from = buffer(0, std::vector{1, 2, 3}), to = buffer(1, std::vector<int>(3));
  const std::vector messages{send(0, from.address(), 1, 1), receive(1, to.address() + 8, 0, 1),
                             send(0, from.address() + 4, 1, 2), receive(1, to.address(), 0, 2)};
  communicator_->exchange(messages, ElementType::int32);
  device(1).synchronize(stream(1));
  EXPECT_EQ(to.values(), (std::vector{2, 3, 1}));
}

TEST_F(SimulatedCommunicator, NamesBothRanksOfMessagesThatDoNotMatch) {
  connect_ranks(4);
  const auto a = buffer(0, std::vector<int>(8)), b = buffer(2, std::vector<int>(8));
  const auto error = [&](std::vector<RankMessage> messages) {
    return message_thrown<device::DeviceError>(
        [&] { communicator_->exchange(messages, ElementType::int32); });
  };
  EXPECT_TRUE(contains(error({send(0, a.address(), 2, 5), receive(2, b.address(), 0, 4)}),
                       "rank 0 sends 5 elements to rank 2, which receives 4"));
  EXPECT_TRUE(contains(error({send(0, a.address(), 2, 1)}),
                       "rank 0 sends 1 element to rank 2, which does not receive them in this group"));
  EXPECT_TRUE(contains(error({receive(2, b.address(), 3, 8)}),
                       "rank 2 waits for 8 elements from rank 3, which does not send them"));
  EXPECT_TRUE(
      contains(error({send(0, a.address(), 2, 4), send(0, a.address(), 2, 4), receive(2, b.address(), 0, 4)}),
               "rank 0 sends 4 elements to rank 2, which does not receive them"));
  EXPECT_TRUE(
      contains(error({send(0, a.address(), 4, 4)}), "rank 0 sends to rank 4, but there are only 4 ranks"));
  EXPECT_EQ(error({}), "");
}

TEST_F(SimulatedCommunicator, RefusesAnAllReduceThatNotAllRanksComeTo) {
  connect_ranks(3);
  const auto a = buffer(0, std::vector<int>(4)), b = buffer(1, std::vector<int>(4));
  const auto error = [&](std::vector<RankBuffer> buffers) {
    return message_thrown<device::DeviceError>(
        [&] { communicator_->all_reduce(buffers, ElementType::int32, 4); });
  };
  EXPECT_TRUE(contains(error({at(0, a.address()), at(1, b.address())}),
                       "rank 2 does not take part; each of the 3 ranks has to take part once"));
  EXPECT_TRUE(contains(error({at(0, a.address()), at(1, b.address()), at(1, b.address())}),
                       "rank 1 takes part twice"));
}

TEST_F(SimulatedCommunicator, EndsForAllWhenOneRankHasFailedBefore) {
  connect_ranks(2);
  const auto a = buffer(0, std::vector<int>(4)), b = buffer(1, std::vector<int>(4));
  put(1, module(1, fill_kernels), "fail", {}, stream(1), b.pointer());
  communicator_->all_reduce(std::vector{at(0, a.address()), at(1, b.address())}, ElementType::int32, 4);
  EXPECT_NE(message_thrown<device::DeviceError>([&] { device(1).synchronize(stream(1)); }), "");
  EXPECT_TRUE(contains(message_thrown<device::DeviceError>([&] { device(0).synchronize(stream(0)); }),
                       "rank 1 never reaches the all-reduce"));
}

}  // namespace
}  // namespace gpulab::simulator
