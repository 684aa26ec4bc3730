#include "simulator/machine.hpp"

#include "simulator/peer_fixture.hpp"

namespace gpulab::simulator {
namespace {

using device::Instrumentation;
using device::PeerTraffic;

const std::string peer_kernels = R"(__device__ int launches;

__global__ void add_one(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x] + 1;
}

__global__ void count_in(int* out) {
  atomicAdd_system(out, 1);
}

__global__ void count_launches(int* out) {
  *out = ++launches;
}
)";
constexpr int line_of_add = 4;
constexpr LaunchConfig four_threads{.grid = {1}, .block = {4}};
const std::vector<int> numbers{10, 20, 30, 40};

class SimulatedMachine : public PeerTest {
 protected:
  // Returns the numbers of GPU 1 plus one, as GPU 0 computes them.
  std::vector<int> add_one_to_peers(Instrumentation instrumentation) {
    const auto in = buffer(1, numbers), out = buffer(0, std::vector<int>(4));
    launch(0, module(0, peer_kernels, instrumentation), "add_one", four_threads,
           static_cast<const int*>(in.pointer()), out.pointer());
    return out.values();
  }
};

TEST_F(SimulatedMachine, TellsItsDevicesApartByTheirIndex) {
  open(3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(device(i).properties().index, i);
  EXPECT_EQ(device(2).properties().name, device(0).properties().name);
}

TEST_F(SimulatedMachine, HasPeersAmongItsOwnDevicesOnly) {
  EXPECT_TRUE(device(0).can_reach(device(1)));
  EXPECT_FALSE(device(0).can_reach(device(0)));
  EXPECT_FALSE(device(0).can_reach(*simulator_with("")));
  EXPECT_THROW(device(0).enable_peer_access(*simulator_with("")), device::DeviceError);
}

TEST_F(SimulatedMachine, LetsAKernelUseThePeersMemoryThatItsDeviceMayReach) {
  device(0).enable_peer_access(device(1));
  for (const Instrumentation instrumentation :
       {Instrumentation::none, Instrumentation::counted, Instrumentation::checked})
    EXPECT_EQ(add_one_to_peers(instrumentation), (std::vector{11, 21, 31, 41}));
  EXPECT_TRUE(instruments().take_defects().empty());
}

TEST_F(SimulatedMachine, StopsAKernelInThePeersMemoryThatItsDeviceMayNotReach) {
  device(1).enable_peer_access(device(0));  // the other direction
  for (const Instrumentation instrumentation : {Instrumentation::none, Instrumentation::counted}) {
    const std::string error = message_thrown<device::DeviceError>([&] { add_one_to_peers(instrumentation); });
    EXPECT_TRUE(contains(error, "CUDA_ERROR_ILLEGAL_ADDRESS"));
    EXPECT_TRUE(contains(error, "memory of GPU 1, which GPU 0 may not access"));
    EXPECT_TRUE(contains(error, ":" + std::to_string(line_of_add) + ", block 0 thread 0"));
  }
}

TEST_F(SimulatedMachine, NamesTheDevicesOfARefusedAccessInACheck) {
  const std::string error =
      message_thrown<device::DeviceError>([&] { add_one_to_peers(Instrumentation::checked); });
  EXPECT_TRUE(contains(error, "of GPU 1, which GPU 0 may not access: cuCtxEnablePeerAccess"));
  const std::vector<Defect> defects = instruments().take_defects();
  ASSERT_EQ(defects.size(), 1u);
  EXPECT_EQ(defects.front().kind, DefectKind::no_peer_access);
  EXPECT_EQ(defects.front().party.line, line_of_add);
  EXPECT_TRUE(defects.front().ends_launch);
}

TEST_F(SimulatedMachine, OpensThePeersMemoryToTheHostAfterAFailedKernel) {
  const auto in = buffer(1, numbers), out = buffer(0, std::vector<int>(4));
  device::Module& kernels = module(0, peer_kernels);
  EXPECT_NE(message_thrown<device::DeviceError>([&] {
              launch(0, kernels, "add_one", four_threads, static_cast<const int*>(in.pointer()),
                     out.pointer());
            }),
            "");
  EXPECT_EQ(in.values(), numbers);
  device(0).enable_peer_access(device(1));
  launch(0, kernels, "add_one", four_threads, static_cast<const int*>(in.pointer()), out.pointer());
  EXPECT_EQ(out.values().front(), 11);
}

TEST_F(SimulatedMachine, RefusesCopiesThatReachThePeerUnlessTheySayWhoItIs) {
  const auto there = buffer(1, numbers), here = buffer(0, std::vector<int>(4));
  const auto stream = device(0).create_stream();
  for (const std::string& error :
       {message_thrown<device::DeviceError>(
            [&] { device(0).copy_within(here.address(), there.address(), 16, *stream); }),
        message_thrown<device::DeviceError>(
            [&] { device(0).copy_within(there.address(), here.address(), 16, *stream); }),
        message_thrown<device::DeviceError>([&] { device(0).set(there.address(), 0, 16, *stream); })}) {
    EXPECT_TRUE(contains(error, "CUDA_ERROR_INVALID_VALUE"));
    EXPECT_TRUE(contains(error, "memory of GPU 1, which GPU 0 may not access"));
  }
  device(1).copy_to_peer(device(0), here.address(), there.address(), 16, *stream);
  device(0).synchronize(*stream);
  EXPECT_EQ(here.values(), numbers);
  device(0).enable_peer_access(device(1));
  device(0).set(there.address(), 0, 16, *stream);
  device(0).synchronize(*stream);
  EXPECT_EQ(there.values(), std::vector<int>(4));
}

TEST_F(SimulatedMachine, LetsAStreamWaitForAnEventOfAnotherDevice) {
  const auto first = buffer(0, std::vector<int>(4)), second = buffer(1, std::vector<int>(4));
  const auto in = buffer(0, numbers);
  const auto sender = device(0).create_stream(), receiver = device(1).create_stream();
  const auto sent = device(0).create_event();
  put(0, module(0, peer_kernels), "add_one", four_threads, *sender, static_cast<const int*>(in.pointer()),
      first.pointer());
  device(0).copy_to_peer(device(1), second.address(), first.address(), 16, *sender);
  device(0).record(*sent, *sender);
  device(1).wait(*receiver, *sent);
  std::vector<int> host(4);
  device(1).copy_to_host(std::as_writable_bytes(std::span(host)), second.address(), *receiver);
  device(1).synchronize(*receiver);
  EXPECT_EQ(host, (std::vector{11, 21, 31, 41}));
}

TEST_F(SimulatedMachine, GivesEachDeviceVariablesOfItsOwn) {
  device::Module &first = module(0, peer_kernels), &second = module(1, peer_kernels);
  const auto here = buffer(0, std::vector<int>(1)), there = buffer(1, std::vector<int>(1));
  launch(0, first, "count_launches", {}, here.pointer());
  launch(0, first, "count_launches", {}, here.pointer());
  launch(1, second, "count_launches", {}, there.pointer());
  EXPECT_EQ(here.values(), std::vector{2});
  EXPECT_EQ(there.values(), std::vector{1});
}

TEST_F(SimulatedMachine, CountsTheBytesOfCopiesByDirection) {
  const auto there = buffer(1, numbers), here = buffer(0, std::vector<int>(4));
  const auto stream = device(0).create_stream();
  device(0).copy_to_peer(device(1), there.address(), here.address(), 12, *stream);
  device(1).copy_to_peer(device(0), here.address(), there.address(), 4, *stream);
  device(0).copy_within(here.address(), here.address() + 8, 8, *stream);
  EXPECT_TRUE(instruments().take_peer_traffic().empty()) << "before it has happened";
  device(0).synchronize(*stream);
  const std::vector<PeerTraffic> expected{{.from = 0, .to = 1, .copied = 12},
                                          {.from = 1, .to = 0, .copied = 4}};
  EXPECT_EQ(device(1).instruments()->take_peer_traffic(), expected);
  EXPECT_TRUE(instruments().take_peer_traffic().empty()) << "once taken";
}

TEST_F(SimulatedMachine, CountsTheBytesThatWatchedKernelsLoadStoreAndUpdateAtAPeer) {
  device(0).enable_peer_access(device(1));
  const auto there = buffer(1, numbers), here = buffer(0, numbers);
  for (const Instrumentation instrumentation : {Instrumentation::counted, Instrumentation::checked}) {
    device::Module& kernels = module(0, peer_kernels, instrumentation);
    launch(0, kernels, "add_one", four_threads, static_cast<const int*>(there.pointer()), here.pointer());
    launch(0, kernels, "add_one", {.grid = {1}, .block = {3}}, static_cast<const int*>(here.pointer()),
           there.pointer());
    launch(0, kernels, "count_in", four_threads, there.pointer());
    launch(0, kernels, "count_in", four_threads, here.pointer());
    const std::vector<PeerTraffic> expected{{.from = 0, .to = 1, .stored = 12, .updated = 16},
                                            {.from = 1, .to = 0, .loaded = 16}};
    EXPECT_EQ(instruments().take_peer_traffic(), expected);
  }
}

}  // namespace
}  // namespace gpulab::simulator
