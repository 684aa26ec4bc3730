#include "simulator/watch/stream_races.hpp"

#include "simulator/device.hpp"
#include "simulator/peer_fixture.hpp"
#include "simulator/watch/checked_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator::watch {
namespace {

const std::string stream_kernels = source_text("tests/simulator/watch/stream_races.cu");
constexpr std::size_t count = 64;
constexpr LaunchConfig one_block{.grid = {1}, .block = {count}};

class WorkRacesTest : public PeerTest {
 protected:
  void SetUp() override {
    PeerTest::SetUp();
    if (IsSkipped()) return;
    for (int gpu = 0; gpu < 2; ++gpu) {
      kernels_[gpu] = &module(gpu, stream_kernels, device::Instrumentation::checked);
      for (int i = 0; i < 3; ++i) streams_.push_back(device(gpu).create_stream());
    }
    for (const int gpu : {0, 1}) device(gpu).enable_peer_access(device(1 - gpu));
    instruments().take_defects();
  }
  void TearDown() override {
    streams_.clear();
    buffers_.clear();
  }

  device::Stream& stream(int number, int gpu = 0) {
    return *streams_[static_cast<std::size_t>(3 * gpu + number)];
  }
  int* array(int gpu = 0, std::size_t length = count) {
    buffers_.push_back(std::make_unique<DeviceBuffer<int>>(device(gpu), std::vector<int>(length)));
    return buffers_.back()->pointer();
  }
  static device::DevicePointer at(const void* pointer) {
    return reinterpret_cast<device::DevicePointer>(pointer);
  }
  template <class... Ts>
  void run(const std::string& kernel, device::Stream& in, Ts... arguments) {
    put(0, *kernels_[0], kernel, one_block, in, arguments...);
  }
  template <class... Ts>
  void run_on(int gpu, const std::string& kernel, device::Stream& in, Ts... arguments) {
    put(gpu, *kernels_[gpu], kernel, one_block, in, arguments...);
  }
  // Makes later work in the second stream wait for the work that is in the first.
  void order(device::Stream& first, device::Stream& second) {
    const auto event = device(0).create_event();
    device(0).record(*event, first);
    device(0).wait(second, *event);
  }
  void copy_in(int* to, device::Stream& in) {
    device(0).copy_to_device(at(to), std::as_bytes(std::span(host_)), in);
  }
  void copy_out(const int* from, device::Stream& in) {
    device(0).copy_to_host(std::as_writable_bytes(std::span(host_)), at(from), in);
  }

  // Synchronises with the streams in that order, and returns the defects.
  std::vector<Defect> races(std::initializer_list<device::Stream*> in) {
    for (device::Stream* stream : in) device(0).synchronize(*stream);
    return instruments().take_defects();
  }
  std::vector<Defect> races() { return races({&stream(0), &stream(1), &stream(2)}); }
  std::string first_explanation() {
    const std::vector<Defect> found = races();
    return found.empty() ? std::string() : explanation_of(found.front());
  }

  std::map<int, device::Module*> kernels_;
  std::vector<std::unique_ptr<device::Stream>> streams_;
  std::vector<std::unique_ptr<DeviceBuffer<int>>> buffers_;
  std::vector<int> host_ = std::vector<int>(count);
};

int line_with(const std::string& word) {
  return line_of(stream_kernels, "// " + word);
}

TEST_F(WorkRacesTest, FindsTwoKernelsThatNoEventOrdersWhicheverRunsFirst) {
  for (const bool is_reversed : {false, true}) {
    int *const data = array(), *const result = array();
    run("store", stream(0), data);
    run("load", stream(1), static_cast<const int*>(data), result);
    const std::vector<Defect> found =
        is_reversed ? races({&stream(1), &stream(0)}) : races({&stream(0), &stream(1)});
    ASSERT_EQ(found.size(), 1u);
    const Defect& race = found.front();
    EXPECT_EQ(race.kind, DefectKind::race_streams);
    EXPECT_EQ(race.party.line, line_with("loads"));
    EXPECT_EQ(race.other->line, line_with("stores"));
    EXPECT_EQ(race.work, "GPU 0's kernel load");
    EXPECT_EQ(
        race.detail,
        "record an event after GPU 0's kernel store, and let the stream of GPU 0's kernel load wait for it");
    EXPECT_TRUE(
        contains(explanation_of(race, [](std::uintptr_t) { return MemoryName{.element = "data[0]"}; }),
                 "race between streams: GPU 0's kernel load reads data[0] in line " +
                     std::to_string(line_with("loads")) + " while GPU 0's kernel store writes it in line "));
  }
}

TEST_F(WorkRacesTest, FindsNothingInKernelsThatAnEventOrders) {
  int *const data = array(), *const result = array();
  run("store", stream(0), data);
  order(stream(0), stream(1));
  run("load", stream(1), static_cast<const int*>(data), result);
  EXPECT_TRUE(are_none(races({&stream(1), &stream(0)})));
}

TEST_F(WorkRacesTest, FindsAnEventThatWasRecordedTooEarly) {
  int *const data = array(), *const result = array();
  const auto event = device(0).create_event();
  device(0).record(*event, stream(0));
  run("store", stream(0), data);
  device(0).wait(stream(1), *event);
  run("load", stream(1), static_cast<const int*>(data), result);
  EXPECT_EQ(races().size(), 1u);
}

TEST_F(WorkRacesTest, FindsNothingInWorkThatTheHostHasWaitedFor) {
  int *const data = array(), *const result = array();
  run("store", stream(0), data);
  device(0).synchronize(stream(0));
  run("load", stream(1), static_cast<const int*>(data), result);
  EXPECT_TRUE(are_none(races()));
}

TEST_F(WorkRacesTest, KnowsThatTheHostHasWaitedForAnotherStream) {
  int *const data = array(), *const result = array(), *const other = array();
  run("store", stream(0), data);
  run("store", stream(2), other);
  device(0).synchronize(stream(2));
  run("load", stream(1), static_cast<const int*>(data), result);
  EXPECT_EQ(races().size(), 1u);
}

TEST_F(WorkRacesTest, FollowsEventsThroughFurtherStreams) {
  int *const data = array(), *const result = array();
  run("store", stream(0), data);
  order(stream(0), stream(1));
  order(stream(1), stream(2));
  run("load", stream(2), static_cast<const int*>(data), result);
  EXPECT_TRUE(are_none(races({&stream(2), &stream(1), &stream(0)})));
}

TEST_F(WorkRacesTest, RemembersAWriteAfterAReadThatIsOrderedWithIt) {
  int *const data = array(), *const first = array(), *const second = array();
  run("store", stream(0), data);
  run("load", stream(0), static_cast<const int*>(data), first);
  run("load", stream(1), static_cast<const int*>(data), second);
  const std::vector<Defect> found = races();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().other->line, line_with("stores"));
}

TEST_F(WorkRacesTest, LetsAnyNumberOfKernelsRead) {
  int *const data = array(), *const first = array(), *const second = array();
  run("load", stream(0), static_cast<const int*>(data), first);
  run("load", stream(1), static_cast<const int*>(data), second);
  EXPECT_TRUE(are_none(races()));
}

TEST_F(WorkRacesTest, TellsTheBytesOfAWordApart) {
  int* const data = array();
  for (const int byte : {0, 1, 2})
    put(0, *kernels_[0], "store_byte", {}, stream(byte), reinterpret_cast<unsigned char*>(data), byte);
  EXPECT_TRUE(are_none(races()));
}

TEST_F(WorkRacesTest, FindsACopyFromTheHostBesideAKernel) {
  int *const data = array(), *const result = array();
  copy_in(data, stream(0));
  run("load", stream(1), static_cast<const int*>(data), result);
  EXPECT_TRUE(contains(first_explanation(),
                       "while GPU 0's copy from the host writes it, and no event orders them: record an "
                       "event after GPU 0's copy from the host, and let the stream of GPU 0's kernel "
                       "load wait for it"));
  copy_in(data, stream(0));
  order(stream(0), stream(1));
  run("load", stream(1), static_cast<const int*>(data), result);
  EXPECT_TRUE(are_none(races()));
}

TEST_F(WorkRacesTest, FindsACopyToTheHostThatComesTooEarly) {
  for (const bool is_reversed : {false, true}) {
    int* const data = array();
    run("store", stream(0), data);
    copy_out(data, stream(1));
    const std::vector<Defect> found =
        is_reversed ? races({&stream(1), &stream(0)}) : races({&stream(0), &stream(1)});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().work, "GPU 0's kernel store") << "which has a line";
    EXPECT_TRUE(contains(found.front().detail, "let the stream of GPU 0's copy to the host wait"));
  }
}

TEST_F(WorkRacesTest, FindsAMemsetAndCopiesOfTheHostsMemory) {
  int *const data = array(), *const other = array();
  run("store", stream(0), data);
  device(0).set(at(data), 0, 4, stream(1));
  EXPECT_TRUE(contains(first_explanation(), "GPU 0's memset"));
  run("store", stream(0), data);
  copy_out(data, stream(0));
  copy_in(other, stream(1));
  EXPECT_TRUE(contains(first_explanation(), "GPU 0's copy from the host reads"));
}

TEST_F(WorkRacesTest, LetsCopiesAndKernelsUseDifferentPartsOfAnArray) {
  int* const data = array(0, 2 * count);
  run("store", stream(0), data);
  copy_in(data + count, stream(1));
  EXPECT_TRUE(are_none(races()));
}

TEST_F(WorkRacesTest, KnowsWhichPartOfALargeArrayAKernelHasUsed) {
  constexpr std::size_t length = 8 * RegionUses::page_words, begin = 3000;
  int *const data = array(0, length), *const other = array(0, length);
  run("store", stream(0), data + begin);
  device(0).set(at(data), 0, 4 * begin, stream(1));
  run("load", stream(1), data + begin + count, other);
  EXPECT_TRUE(are_none(races()));
  run("store", stream(0), data + begin);
  device(0).set(at(data), 0, 4 * length, stream(1));
  EXPECT_TRUE(contains(first_explanation(), "memset writes"));
  run("store", stream(0), data + begin);
  run("load", stream(1), data + begin + count - 1, other);
  EXPECT_TRUE(contains(first_explanation(), "kernel store"));
}

TEST_F(WorkRacesTest, FindsKernelsOfTwoDevices) {
  int *const data = array(0), *const result = array(1);
  run_on(0, "store", stream(0, 0), data);
  run_on(1, "load", stream(0, 1), static_cast<const int*>(data), result);
  const std::vector<Defect> found = races({&stream(0, 1), &stream(0, 0)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().work, "GPU 1's kernel load");
  EXPECT_EQ(found.front().other_work, "GPU 0's kernel store");
  EXPECT_EQ(found.front().other->line, line_with("stores"));
  run_on(0, "store", stream(0, 0), data);
  order(stream(0, 0), stream(0, 1));
  run_on(1, "load", stream(0, 1), static_cast<const int*>(data), result);
  EXPECT_TRUE(are_none(races({&stream(0, 1), &stream(0, 0)})));
}

TEST_F(WorkRacesTest, FindsACopyToAPeerBesideItsKernel) {
  int *const here = array(0), *const there = array(1), *const result = array(1);
  device(0).copy_to_peer(device(1), at(there), at(here), 4 * count, stream(0, 0));
  run_on(1, "load", stream(0, 1), static_cast<const int*>(there), result);
  const std::vector<Defect> found = races({&stream(0, 1), &stream(0, 0)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().other_work, "GPU 0's copy to GPU 1");
}

TEST_F(WorkRacesTest, AllowsAtomicsOfOneDeviceUnlessTheirScopeIsTheBlock) {
  int* const data = array();
  run("add", stream(0), data);
  run("add", stream(1), data);
  run("add_for_all", stream(2), data);
  EXPECT_TRUE(are_none(races()));
  run("add_for_block", stream(0), data);
  run("add_for_block", stream(1), data);
  EXPECT_EQ(races().size(), 1u);
}

TEST_F(WorkRacesTest, AllowsAtomicsOfTwoDevicesOnlyIfTheirScopeIsTheSystem) {
  int* const data = array();
  run_on(0, "add_for_all", stream(0, 0), data);
  run_on(1, "add_for_all", stream(0, 1), data);
  EXPECT_TRUE(are_none(races({&stream(0, 0), &stream(0, 1)})));
  run_on(0, "add", stream(0, 0), data);
  run_on(1, "add", stream(0, 1), data);
  const std::vector<Defect> found = races({&stream(0, 0), &stream(0, 1)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(contains(found.front().detail, "atomicAdd_system"));
}

TEST_F(WorkRacesTest, ForgetsMemoryThatWasFreed) {
  int* const result = array();
  device::DevicePointer before = 0;
  for (int i = 0; i < 3; ++i) {
    const device::DevicePointer data = device(0).allocate(4 * count);
    EXPECT_TRUE(i == 0 || data == before) << "no test without the same address";
    before = data;
    run("store", stream(0), result);
    run("store", stream(1), reinterpret_cast<int*>(data));
    device(0).synchronize(stream(1));
    device(0).free(data);
  }
  EXPECT_TRUE(are_none(races()));
}

TEST_F(WorkRacesTest, FindsACollectiveThatDoesNotWaitForAKernel) {
  int *const first = array(0), *const second = array(1);
  const auto communicator = connect({&device(0), &device(1)});
  const std::vector<device::RankBuffer> buffers{{0, at(first), &stream(1, 0)},
                                                {1, at(second), &stream(1, 1)}};
  for (const bool is_ordered : {false, true}) {
    run_on(1, "store", stream(0, 1), second);
    if (is_ordered) order(stream(0, 1), stream(1, 1));
    communicator->all_reduce(buffers, ElementType::int32, count);
    const std::vector<Defect> found = races({&stream(1, 0), &stream(0, 1), &stream(1, 1)});
    if (is_ordered) {
      EXPECT_TRUE(are_none(found));
    } else {
      ASSERT_EQ(found.size(), 1u);
      EXPECT_EQ(found.front().work, "GPU 1's kernel store");
      EXPECT_EQ(found.front().other_work, "rank 1's all-reduce");
    }
  }
}

TEST_F(WorkRacesTest, KnowsWhatACollectiveOrders) {
  int *const first = array(0), *const second = array(1), *const result = array(1);
  const auto communicator = connect({&device(0), &device(1)});
  const auto reduce = [&] {
    communicator->all_reduce(
        std::vector<device::RankBuffer>{{0, at(first), &stream(0, 0)}, {1, at(second), &stream(0, 1)}},
        ElementType::int32, count);
  };
  int* const early = array(0);
  run_on(0, "store", stream(0, 0), early);
  reduce();
  run_on(1, "load", stream(0, 1), static_cast<const int*>(second), result);
  run_on(1, "load", stream(0, 1), static_cast<const int*>(early), result);
  EXPECT_TRUE(are_none(races({&stream(0, 0), &stream(0, 1)}))) << "what came before it, on any rank";
  reduce();
  run_on(1, "load", stream(0, 1), static_cast<const int*>(first), result);
  const std::vector<Defect> found = races({&stream(0, 0), &stream(0, 1)});
  ASSERT_EQ(found.size(), 1u) << "another rank may not have all of it yet";
  EXPECT_EQ(found.front().other_work, "rank 0's all-reduce");
}

TEST_F(WorkRacesTest, OrdersAReceiverAfterItsSenderButNoSenderAfterItsReceiver) {
  int *const here = array(0), *const there = array(1), *const result = array(1);
  const auto communicator = connect({&device(0), &device(1)});
  using Kind = device::RankMessage::Kind;
  const std::vector<device::RankMessage> messages{{Kind::send, {0, at(here), &stream(0, 0)}, 1, count},
                                                  {Kind::receive, {1, at(there), &stream(0, 1)}, 0, count}};
  run_on(0, "store", stream(0, 0), here);
  communicator->exchange(messages, ElementType::int32);
  run_on(1, "load", stream(0, 1), static_cast<const int*>(there), result);
  EXPECT_TRUE(are_none(races({&stream(0, 1), &stream(0, 0)})));
  run_on(1, "store", stream(0, 1), result);
  communicator->exchange(messages, ElementType::int32);
  run_on(0, "store", stream(0, 0), result);
  EXPECT_EQ(races({&stream(0, 1), &stream(0, 0)}).size(), 1u);
}

TEST_F(WorkRacesTest, FindsAVariableOfTheModule) {
  int *const first = array(), *const second = array();
  run("set_total", stream(0), first);
  run("set_total", stream(1), second);
  EXPECT_TRUE(has(races(), DefectKind::race_streams, line_with("total"), line_with("total")));
}

TEST_F(WorkRacesTest, ChecksLargeLaunchesToo) {
  int* const data = array();
  const LaunchConfig large{.grid = {2049}, .block = {256}};
  run("store", stream(0), data);
  put(0, *kernels_[0], "many", large, stream(1), data);
  EXPECT_TRUE(has(races(), DefectKind::race_streams, line_with("one of many"), line_with("stores")));
  run("store", stream(0), data);
  put(0, *kernels_[0], "many", large, stream(1), data);
  EXPECT_TRUE(has(races({&stream(1), &stream(0)}), DefectKind::race_streams, line_with("one of many"),
                  line_with("stores")));
  run("store", stream(0), data);
  order(stream(0), stream(1));
  put(0, *kernels_[0], "many", large, stream(1), data);
  EXPECT_TRUE(are_none(races()));
}

TEST_F(WorkRacesTest, IgnoresKernelsThatAreNotChecked) {
  device::Module& plain = module(0, stream_kernels);
  int* const data = array();
  put(0, plain, "store", one_block, stream(0), data);
  put(0, plain, "store", one_block, stream(1), data);
  copy_out(data, stream(2));
  EXPECT_TRUE(are_none(races()));
}

TEST_F(WorkRacesTest, ReusesTheNumbersOfDestroyedStreams) {
  int* const data = array();
  for (int i = 0; i < 100; ++i) {
    const auto first = device(0).create_stream(), second = device(0).create_stream();
    run("store", *first, data);
    order(*first, *second);
    run("store", *second, data);
    device(0).synchronize(*second);
  }
  EXPECT_TRUE(are_none(races()));
  run("store", stream(0), data);
  run("store", stream(1), data);
  EXPECT_EQ(races().size(), 1u);
}

}  // namespace
}  // namespace gpulab::simulator::watch
