#include <atomic>
#include <future>
#include <thread>

#include "cuda/gpu_fixture.hpp"
#include "device/device.hpp"
#include "test.hpp"

// Tests what several GPUs of one machine do together: peer access, copies, NCCL. Tests that need two GPUs are
// skipped where there is one.

namespace gpulab::cuda {
namespace {

// A rank with its own GPU and its own array of numbers.
struct GpuRank {
  GpuRank(int its_rank, device::CompileCache& cache)
      : rank(its_rank), device(open_cuda_device(rank, cache)), stream(device->create_stream()) {
    memory = device::DeviceMemory(*device, bytes);
  }

  static constexpr int size = 100'000;
  static constexpr std::size_t bytes = size * sizeof(int);

  void fill(const std::vector<int>& values) {
    device->copy_to_device(memory.address(), std::as_bytes(std::span(values)), *stream);
    device->synchronize(*stream);
  }
  std::vector<int> values() {
    std::vector<int> result(size, -7);
    device->copy_to_host(std::as_writable_bytes(std::span(result)), memory.address(), *stream);
    device->synchronize(*stream);
    return result;
  }
  device::RankBuffer buffer(std::size_t first = 0) {
    return {rank, memory.address() + first * sizeof(int), stream.get()};
  }

  int rank;
  std::unique_ptr<device::Device> device;
  std::unique_ptr<device::Stream> stream;
  device::DeviceMemory memory;
};

std::vector<int> numbers_from(int first) {
  std::vector<int> numbers(GpuRank::size);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

class PeersOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    const Status status = cuda_status();
    if (status.devices == 0) GTEST_SKIP() << status.driver_problem;
    for (int rank = 0; rank < status.devices; ++rank) ranks_.emplace_back(rank, cache_);
    for (GpuRank& rank : ranks_) rank.fill(numbers_from(1000 * rank.rank));
  }

  bool has_one_gpu() const { return ranks_.size() == 1; }

  std::unique_ptr<device::Communicator> connect() {
    std::vector<device::Device*> devices;
    for (GpuRank& rank : ranks_) devices.push_back(rank.device.get());
    return devices.front()->connect({.devices = devices, .ranks = static_cast<int>(devices.size())});
  }

  std::vector<device::RankBuffer> buffers() {
    std::vector<device::RankBuffer> all;
    for (GpuRank& rank : ranks_) all.push_back(rank.buffer());
    return all;
  }

  // Returns the sums of i + 1000 r over all ranks r, for each element i.
  std::vector<int> sum() const {
    const int n = static_cast<int>(ranks_.size());
    std::vector<int> result(GpuRank::size);
    for (int i = 0; i < GpuRank::size; ++i) result[i] = n * i + 1000 * n * (n - 1) / 2;
    return result;
  }

  device::CompileCache cache_;
  std::vector<GpuRank> ranks_;
};

TEST_F(PeersOnGpu, ReachThemselves) {
  device::Device& gpu = *ranks_[0].device;
  const auto again = open_cuda_device(0, cache_);
  EXPECT_TRUE(gpu.can_reach(*again));
  EXPECT_NO_THROW(gpu.enable_peer_access(*again));
  gpu.copy_to_peer(*again, ranks_[0].memory.address(), ranks_[0].memory.address() + 40, 40,
                   *ranks_[0].stream);
  EXPECT_EQ(ranks_[0].values().front(), 10);
}

TEST_F(PeersOnGpu, AreCountedFromTheFirstOneOn) {
  const int count = ranks_[0].device->device_count();
  EXPECT_EQ(static_cast<std::size_t>(count), ranks_.size());
  EXPECT_THROW(ranks_[0].device->open_peer(count), device::DeviceError);
  for (GpuRank& rank : ranks_)
    for (int k = 0; k < count; ++k)
      EXPECT_EQ(rank.device->open_peer(k)->properties().index, (rank.rank + k) % count);
}

TEST_F(PeersOnGpu, CopyToEachOther) {
  if (has_one_gpu()) GTEST_SKIP() << "there is one GPU";
  GpuRank &from = ranks_[0], &to = ranks_[1];
  for (const bool reaches : {false, true}) {
    if (reaches && !from.device->can_reach(*to.device)) GTEST_SKIP() << "it goes through the host";
    if (reaches) from.device->enable_peer_access(*to.device);
    to.fill(std::vector<int>(GpuRank::size));
    from.device->copy_to_peer(*to.device, to.memory.address() + 4, from.memory.address(), GpuRank::bytes - 4,
                              *from.stream);
    from.device->synchronize(*from.stream);
    std::vector<int> expected = numbers_from(-1);
    expected.front() = 0;
    EXPECT_EQ(to.values(), expected);
  }
}

TEST_F(PeersOnGpu, ReadEachOthersMemoryInAKernel) {
  if (has_one_gpu()) GTEST_SKIP() << "there is one GPU";
  GpuRank &here = ranks_[0], &there = ranks_[1];
  if (!here.device->can_reach(*there.device)) GTEST_SKIP() << "they do not reach each other";
  here.device->enable_peer_access(*there.device);
  EXPECT_NO_THROW(here.device->enable_peer_access(*there.device)) << "it may already";
  const auto module = here.device->compile(kernels_of_gpu_tests, {});
  const auto kernel = module->kernel("add", signature_of<const int*, int*, int, int>());
  device::DevicePointer input = there.memory.address(), output = here.memory.address();
  int term = 5, size = GpuRank::size;
  void* const arguments[] = {&input, &output, &term, &size};
  here.device->launch(*kernel, {.grid = {(GpuRank::size + 255) / 256}, .block = {256}}, arguments,
                      *here.stream);
  EXPECT_EQ(here.values(), numbers_from(1005));
}

TEST_F(PeersOnGpu, WaitForAnEventOfEachOther) {
  if (has_one_gpu()) GTEST_SKIP() << "there is one GPU";
  GpuRank &first = ranks_[0], &second = ranks_[1];
  const auto module = first.device->compile(kernels_of_gpu_tests, {});
  const auto kernel = module->kernel("add_slowly", signature_of<const int*, int*, int, int>());
  device::DevicePointer data = first.memory.address();
  int term = 7, size = GpuRank::size;
  void* const arguments[] = {&data, &data, &term, &size};
  first.device->launch(*kernel, {.grid = {(GpuRank::size + 255) / 256}, .block = {256}}, arguments,
                       *first.stream);
  const auto done = first.device->create_event();
  first.device->record(*done, *first.stream);
  second.device->wait(*second.stream, *done);
  second.device->copy_to_peer(*first.device, first.memory.address(), second.memory.address(), GpuRank::bytes,
                              *second.stream);
  second.device->synchronize(*second.stream);
  EXPECT_EQ(first.values(), numbers_from(1000)) << "the kernel has written after the copy";
}

TEST_F(PeersOnGpu, AreCapturedEachForItself) {
  if (has_one_gpu()) GTEST_SKIP() << "there is one GPU";
  GpuRank &from = ranks_[0], &to = ranks_[1];
  ASSERT_TRUE(from.device->begin_capture(*from.stream));
  ASSERT_TRUE(to.device->begin_capture(*to.stream));
  from.device->set(from.memory.address(), 0xFF, 40, *from.stream);
  to.device->set(to.memory.address(), 0xFF, 40, *to.stream);
  const auto graph_of_from = from.device->end_capture(*from.stream);
  const auto graph_of_to = to.device->end_capture(*to.stream);
  EXPECT_EQ(to.values(), numbers_from(1000)) << "nothing has run yet";
  from.device->launch(*graph_of_from, *from.stream);
  to.device->launch(*graph_of_to, *to.stream);
  from.device->synchronize(*from.stream);
  for (GpuRank* rank : {&from, &to}) {
    const std::vector<int> values = rank->values();
    EXPECT_EQ(values[9], -1);
    EXPECT_NE(values[10], -1);
  }
}

class NcclPeersOnGpu : public PeersOnGpu {
 protected:
  void SetUp() override {
    PeersOnGpu::SetUp();
    if (IsSkipped()) return;
    if (const std::string problem = support().nccl().problem; !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_F(NcclPeersOnGpu, AddUp) {
  const auto communicator = connect();
  communicator->all_reduce(buffers(), ElementType::int32, GpuRank::size);
  communicator->synchronize(buffers());
  for (GpuRank& rank : ranks_) EXPECT_EQ(rank.values(), sum()) << rank.rank;
}

TEST_F(NcclPeersOnGpu, AddUpFloatsAndDoubles) {
  const auto communicator = connect();
  const auto n = static_cast<int>(ranks_.size());
  for (GpuRank& rank : ranks_) {
    const float single = 1.5F + static_cast<float>(rank.rank);
    const double twofold = 0.25 * rank.rank;
    rank.device->copy_to_device(rank.memory.address(), std::as_bytes(std::span(&single, 1)), *rank.stream);
    rank.device->copy_to_device(rank.memory.address() + 8, std::as_bytes(std::span(&twofold, 1)),
                                *rank.stream);
    rank.device->synchronize(*rank.stream);
  }
  communicator->all_reduce(buffers(), ElementType::float32, 1);
  std::vector<device::RankBuffer> second;
  for (GpuRank& rank : ranks_) second.push_back(rank.buffer(2));
  communicator->all_reduce(second, ElementType::float64, 1);
  communicator->synchronize(buffers());
  for (GpuRank& rank : ranks_) {
    const std::vector<int> words = rank.values();
    float single = 0;
    double twofold = 0;
    std::memcpy(&single, &words[0], sizeof single);
    std::memcpy(&twofold, &words[2], sizeof twofold);
    EXPECT_EQ(single, 1.5F * n + n * (n - 1) / 2);
    EXPECT_EQ(twofold, 0.25 * n * (n - 1) / 2);
  }
}

TEST_F(NcclPeersOnGpu, SendToTheNextRankAndReceiveFromThePreviousOne) {
  if (has_one_gpu()) GTEST_SKIP() << "there is one GPU";
  const auto communicator = connect();
  const int n = static_cast<int>(ranks_.size());
  using enum device::RankMessage::Kind;
  std::vector<device::RankMessage> messages;
  for (GpuRank& rank : ranks_) {
    messages.push_back({send, rank.buffer(50), (rank.rank + 1) % n, 25});
    messages.push_back({receive, rank.buffer(0), (rank.rank + n - 1) % n, 25});
  }
  communicator->exchange(messages, ElementType::int32);
  communicator->synchronize(buffers());
  for (GpuRank& rank : ranks_) {
    const std::vector<int> actual = rank.values();
    const int from = (rank.rank + n - 1) % n;
    std::vector<int> expected = numbers_from(1000 * from + 50);
    expected.resize(25);
    expected.push_back(1000 * rank.rank + 25);  // not received
    EXPECT_EQ(std::vector(actual.begin(), actual.begin() + 26), expected) << rank.rank;
  }
}

// Each rank has a thread that captures. The last one to begin calls all_reduce() for all ranks.
TEST_F(NcclPeersOnGpu, AddUpInGraphsThatTheirThreadsHaveCaptured) {
  const auto communicator = connect();
  if (!communicator->can_be_captured()) GTEST_SKIP() << communicator->name();
  communicator->all_reduce(buffers(), ElementType::int32, GpuRank::size);  // connects
  communicator->synchronize(buffers());
  for (GpuRank& rank : ranks_) rank.fill(numbers_from(1000 * rank.rank));

  std::vector<std::unique_ptr<device::Graph>> graphs(ranks_.size());
  std::atomic<std::size_t> begun = 0;
  std::atomic<bool> called = false;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < ranks_.size(); ++i)
    threads.emplace_back([&, i] {
      ranks_[i].device->begin_capture(*ranks_[i].stream);
      if (++begun == ranks_.size()) {
        communicator->all_reduce(buffers(), ElementType::int32, GpuRank::size);
        called = true;
      }
      while (!called) std::this_thread::yield();
      graphs[i] = ranks_[i].device->end_capture(*ranks_[i].stream);
    });
  for (std::thread& thread : threads) thread.join();
  for (GpuRank& rank : ranks_) EXPECT_EQ(rank.values(), numbers_from(1000 * rank.rank));
  for (std::size_t i = 0; i < ranks_.size(); ++i) ranks_[i].device->launch(*graphs[i], *ranks_[i].stream);
  communicator->synchronize(buffers());
  for (GpuRank& rank : ranks_) EXPECT_EQ(rank.values(), sum()) << rank.rank;
}

TEST_F(NcclPeersOnGpu, AreRefusedInASentenceWhenTwoRanksHaveOneGpu) {
  const auto again = open_cuda_device(0, cache_);
  const auto error = thrown<device::DeviceError>([&] {
    again->connect({.devices = {ranks_[0].device.get(), again.get()}, .first_rank = 2, .ranks = 4});
  });
  EXPECT_STREQ(error.what(),
               "ncclCommInitRank failed with ncclInvalidUsage: ranks 2 and 3 were both given GPU 0, and NCCL "
               "wants one for each");
}

// Two threads in place of two processes: each knows one rank.
class NcclFaultsOnGpu : public NcclPeersOnGpu {
 protected:
  void SetUp() override {
    NcclPeersOnGpu::SetUp();
    if (!IsSkipped() && has_one_gpu()) GTEST_SKIP() << "there is one GPU";
    ::setenv("GPULAB_TIME_LIMIT", "20", 1);
  }

  // Connects rank 0 in this thread, and rank 1 in another.
  void connect_two(std::unique_ptr<device::Communicator>& first,
                   std::unique_ptr<device::Communicator>& second) {
    std::promise<std::string> id;
    std::shared_future<std::string> given = id.get_future();
    std::thread other([&] { second = connect(1, [&](const std::string&) { return given.get(); }); });
    first = connect(0, [&](const std::string& mine) { return id.set_value(mine), mine; });
    other.join();
  }

  std::unique_ptr<device::Communicator> connect(
      int rank, const std::function<std::string(const std::string&)>& from_rank_0) {
    device::Device* const device = ranks_[static_cast<std::size_t>(rank)].device.get();
    return device->connect({.devices = {device}, .first_rank = rank, .ranks = 2, .from_rank_0 = from_rank_0});
  }
};

TEST_F(NcclFaultsOnGpu, NameTheRankThatStillWaitsForTheOthers) {
  std::unique_ptr<device::Communicator> first, second;
  connect_two(first, second);
  const std::vector<device::RankBuffer> mine{ranks_[0].buffer()}, others{ranks_[1].buffer()};
  const auto sum = [&](device::Communicator& communicator, const std::vector<device::RankBuffer>& buffer) {
    communicator.all_reduce(buffer, ElementType::int32, 256);
    communicator.synchronize(buffer);
  };
  std::thread other([&] { sum(*second, others); });
  sum(*first, mine);
  other.join();
  ::setenv("GPULAB_TIME_LIMIT", "2", 1);
  const std::string message = message_thrown<std::exception>([&] { sum(*first, mine); });
  EXPECT_TRUE(
      message.starts_with("ncclAllReduce failed with CUDA_ERROR_LAUNCH_TIMEOUT: rank 0 of 2 still waited "
                          "for the others after 2 s"))
      << message;
  EXPECT_FALSE(message.ends_with("an infinite loop")) << message;
  const std::string later = message_thrown<std::exception>([&] { sum(*first, mine); });
  EXPECT_TRUE(contains(later, "NCCL was given up after an earlier error"));
  EXPECT_EQ(message_thrown<std::exception>([&] { ranks_[0].values(); }), "") << "the GPU can still be used";
}

TEST_F(NcclFaultsOnGpu, EndWhenARankNeverConnects) {
  ::setenv("GPULAB_TIME_LIMIT", "3", 1);
  const std::string message =
      message_thrown<std::exception>([&] { connect(0, [](const std::string& mine) { return mine; }); });
  EXPECT_TRUE(
      message.starts_with("ncclCommInitRank failed with CUDA_ERROR_LAUNCH_TIMEOUT: rank 0 of 2 still "
                          "waited for the others after 3 s"))
      << message;
  EXPECT_EQ(message_thrown<std::exception>([&] { ranks_[0].values(); }), "") << "the GPU can still be used";
}

}  // namespace
}  // namespace gpulab::cuda
