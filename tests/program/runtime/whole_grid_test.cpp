#include "program/runtime/cases_fixture.hpp"

// Cooperative launches, atomics, child kernels, graphs, asynchronous copies, and several devices.

namespace gpulab::program::runtime {
namespace {

using WholeGrid = CasesOfPrograms;

TEST_F(WholeGrid, OrdersItsBlocksByABarrier) {
  expect_outputs("whole_grid.cu", {{"pass", "10\n"},
                                   {"total", "1536\n"},
                                   {"attribute", "1536\n"},
                                   {"most",
                                    "1 cudaErrorCooperativeLaunchTooLarge "
                                    "cudaErrorCooperativeLaunchTooLarge\n0\n"}});
}

TEST_F(WholeGrid, RacesWithoutTheBarrier) {
  expect_finding("whole_grid.cu", "race", "race-global", "races", "nothing orders two blocks of one launch");
}

TEST_F(WholeGrid, WaitsForeverWhereABlockReturnsOrTheLaunchIsNotCooperative) {
  expect_finding("whole_grid.cu", "leave", "deadlock", "waits",
                 "one block will never reach, since it has ended");
  expect_finding("whole_grid.cu", "plainly", "deadlock", "not cooperative", "has not launched");
}

using AtomicsOfTheDevice = CasesOfPrograms;

TEST_F(AtomicsOfTheDevice, PassManyItemsThroughQueuesOfBlocks) {
  expect_outputs("device_atomics.cu", {{"pass on", "4498500\n"}});
}

TEST_F(AtomicsOfTheDevice, MakeSemaphores) {
  expect_outputs("device_atomics.cu", {{"semaphores", "8\n"}});
}

TEST_F(AtomicsOfTheDevice, NeedAFenceAfterPartialSums) {
  expect_outputs("device_atomics.cu", {{"fence", "2016\n"}, {"fence after plain", "2016\n"}});
  for (const char* sums : {"volatile", "plain"})
    expect_finding("device_atomics.cu", sums, "race-global", "stores a partial sum",
                   "__threadfence(); between line 85 (store) and line 87 (atomicInc)");
  EXPECT_FALSE(contains(run_case("device_atomics.cu", "plain").err, "tickets = 0"));
}

TEST_F(AtomicsOfTheDevice, NeedAReleaseAndAnAcquireToPublish) {
  for (const char* words : {"queue->put_up_to.store(1, cuda::memory_order_release) in line 64, and",
                            "queue->put_up_to.load(cuda::memory_order_acquire) in line 67"})
    expect_finding("device_atomics.cu", "relaxed", "race-global", "is published", words);
}

TEST_F(AtomicsOfTheDevice, RaceWhereAQueuePublishesAnItemTooEarlyAfterManyOthers) {
  expect_finding("device_atomics.cu", "too early", "race-global", "comes after it is published",
                 "nothing orders two blocks of one launch");
}

using ChildKernels = CasesOfPrograms;

TEST_F(ChildKernels, RunInTheOrderOfTheirStreamsBeforeTheirParentIsComplete) {
  expect_outputs(
      "child_kernels.cu",
      {{"twice", "0 2 4\n"}, {"many", "416 0 0\n"}, {"order", "1 2 3\n"}, {"nested", "3 2 1 0 0 0\n"}});
}

TEST_F(ChildKernels, AreWatched) {
  expect_finding("child_kernels.cu", "past", "out-of-bounds", "past the end", "just past the end");
  expect_finding("child_kernels.cu", "past", "out-of-bounds", "launches", "was launched here");
  expect_finding("child_kernels.cu", "local", "illegal-address", "local", "the address of a local variable");
  expect_finding("child_kernels.cu", "shared", "illegal-address", "shared", "the address of shared memory");
  expect_finding("child_kernels.cu", "large", "launch-failure", "too large", "at most 1024 threads");
  expect_finding("child_kernels.cu", "endless", "launch-failure", "one deeper",
                 "cudaErrorLaunchMaxDepthExceeded");
}

using Graphs = CasesOfPrograms;

TEST_F(Graphs, RunWhatWasCapturedOrAddedInItsOrder) {
  expect_outputs("graphs.cu", {{"one", "1 3 0 14\n"},
                               {"two", "32\n"},
                               {"hand", "1 cudaErrorInvalidValue 20 24 20 4\n"},
                               {"update", "6\n"}});
}

TEST_F(Graphs, GiveTheErrorsOfCalls) {
  expect_outputs(
      "graphs.cu",
      {{"unjoined", "cudaErrorStreamCaptureUnjoined 1\n"},
       {"errors",
        "cudaErrorStreamCaptureUnsupported cudaErrorStreamCaptureInvalidated\n"
        "cudaSuccess cudaSuccess\n"
        "cudaErrorStreamCaptureUnsupported cudaErrorStreamCaptureInvalidated\n"
        "cudaErrorStreamCaptureImplicit cudaErrorStreamCaptureInvalidated cudaErrorIllegalState\n"}});
}

TEST_F(Graphs, RaceWhereBranchesDoNotWaitForEachOther) {
  expect_finding("graphs.cu", "race", "race-streams", "adds",
                 "write: cudaEventRecord(event, stream) after line");
  expect_finding("graphs.cu", "race", "race-streams", "adds", "is captured here");
}

using AsyncCopies = CasesOfPrograms;

TEST_F(AsyncCopies, BringWhatTheyCopyOnceTheThreadHasWaited) {
  Outputs cases;
  for (const char* name : {"group", "two stages", "thread", "pipeline", "block", "barrier"})
    cases.push_back({name, "388 392 384\n"});
  cases.push_back({"own element", "384 388 636\n"});
  cases.push_back({"zeros", "6 3 0\n"});
  cases.push_back({"roles", "0 0 512\n"});
  cases.push_back({"half", "224 0 0\n"});
  expect_outputs("async_copies.cu", cases);
}

TEST_F(AsyncCopies, RaceWithAccessesBeforeTheWait) {
  for (const std::string name : {"group", "thread", "pipeline", "block"})
    expect_finding("async_copies.cu", name + " without wait", "race-shared", "by " + name, "is on its way");
  expect_finding("async_copies.cu", "group without wait", "race-shared", "adds",
                 "the same thread began in line 24");
  expect_finding("async_copies.cu", "twice", "race-shared", "second copy",
                 "the same thread began in line 181");
}

TEST_F(AsyncCopies, NeedABarrierBesideTheWaitOfTheirThread) {
  expect_finding("async_copies.cu", "thread without barrier", "race-shared", "by thread",
                 "with no barrier between");
  for (const std::string name : {"group without barrier", "thread too early", "barrier too early"})
    expect_finding("async_copies.cu", name, "race-shared", "by " + name.substr(0, name.find(' ')),
                   "this barrier is passed");
}

TEST_F(AsyncCopies, AreCheckedAtBothEnds) {
  expect_finding("async_copies.cu", "too long", "out-of-bounds", "too long", "just past the end");
  expect_finding("async_copies.cu", "beyond tile", "shared-out-of-bounds", "beyond",
                 "past the end of 'tile'");
  expect_finding("async_copies.cu", "beyond tile", "shared-out-of-bounds", "again", "past the end of 'tile'");
}

TEST_F(AsyncCopies, HaveBarriersThatOrderThoseWhoArriveAndWait) {
  expect_finding("async_copies.cu", "barrier without wait", "race-shared", "by barrier", "data race");
  expect_finding("async_copies.cu", "barrier without barrier", "race-shared", "arrives",
                 "atomically updates");
  expect_finding("async_copies.cu", "half without wait", "race-shared", "reads", "wrote in line 169");
  expect_finding("async_copies.cu", "half without arrival", "deadlock", "waits for all",
                 "expects 33\n  arrivals, and 1 came");
}

using SeveralDevices = CasesOfPrograms;

TEST_F(SeveralDevices, ShareAddressesAndManagedAndPinnedMemory) {
  const Outputs cases{
      {"right",
       "2 1 0 cudaErrorPeerAccessAlreadyEnabled\nsum 0 510\ncopied 7 7\nattributes 1 1\neverywhere 3 4\n"},
      {"event", "6\n"},
      {"wait", "sum 5 260\n"},
      {"destroyed", "after 9 9\n"},
      {"variables", "twelve 100 610\nthirteen 200 965\n"},
      {"threads", "still 0 8 8\n"},
      {"reset", "kept 0 255\n"},
      {"other", "copied 6 6\n"}};
  for (const auto& [name, output] : cases) {
    const cli::ProgramRun ran = run_case("devices.cu", name, "--gpus=2");
    EXPECT_EQ(ran.exit_code, 0) << name << ": " << ran.err;
    EXPECT_EQ(ran.out, output) << name;
    EXPECT_FALSE(contains(ran.err, "DEFECT")) << name << ": " << ran.err;
  }
}

TEST_F(SeveralDevices, AreOrderedByEventsAndWaitsOfTheHostAlone) {
  for (const char* name : {"no event", "no wait"})
    expect_finding("devices.cu", name, "race-streams", "adds",
                   "while GPU 0's kernel fill writes it in line 12, and no event orders them", "--gpus=2");
}

TEST_F(SeveralDevices, ReachMemoryOfAPeerOnlyWherePeerAccessIsEnabled) {
  expect_finding("devices.cu", "peer", "no-peer-access", "adds", "of GPU 1, which GPU 0 may not access",
                 "--gpus=2");
  expect_finding("devices.cu", "peer", "no-peer-access", "on device 1",
                 "allocated by cudaMalloc here, on device 1", "--gpus=2");
  expect_finding("devices.cu", "peer", "no-peer-access", "launches",
                 "write: cudaDeviceEnablePeerAccess(1, 0)", "--gpus=2");
  expect_finding("devices.cu", "memset", "no-peer-access", "wrong device",
                 "cudaMemset in a stream of device 0 sets memory of device 1", "--gpus=2");
}

TEST_F(SeveralDevices, TakeLaunchesAndRecordingsOfTheirOwnStreamsAlone) {
  expect_finding("devices.cu", "stream", "launch-failure", "wrong stream",
                 "its stream is of device 0, and device 1 is current", "--gpus=2");
  expect_finding("devices.cu", "recording", "wrong-device", "wrong event",
                 "an event of device 0 and the default stream of device 1", "--gpus=2");
}

TEST_F(SeveralDevices, AreAskedForByAnOption) {
  const cli::ProgramRun one = run_case("devices.cu", "third");
  EXPECT_TRUE(contains(one.err, "--gpus 3 to have 3")) << one.err;
  EXPECT_EQ(run_case("devices.cu", "third", "--gpus=3").exit_code, 0);
  EXPECT_EQ(run_case("devices.cu", "third", "--gpus=99").exit_code, 2);
}

using LargeLaunches = CasesOfPrograms;

TEST_F(LargeLaunches, AreSearchedForRacesInSomeBlocksAndForOtherDefectsInAll) {
  const cli::ProgramRun right = run_case("large_launches.cu", "add");
  EXPECT_EQ(right.exit_code, 0) << right.err;
  EXPECT_TRUE(contains(right.err, "16 384 blocks of large launches (--every-block: in all)")) << right.err;
  expect_finding("large_launches.cu", "reverse", "race-global", "mirrored", "nothing orders two blocks");
  expect_finding("large_launches.cu", "too_far", "out-of-bounds", "far", "block 5461");
  expect_finding("large_launches.cu", "one_before", "uninitialised", "before", "block 5461");
}

}  // namespace
}  // namespace gpulab::program::runtime
