#include "cuda/nccl.hpp"
#include "cuda/device.hpp"
#include "test.hpp"

// Tests how gpulab calls NCCL and handles its answers, with a libnccl that only records its calls, and what
// NVIDIA's libnccl does without a GPU. gpu_peers_test.cpp tests the rest.

namespace gpulab::cuda {
namespace {

// Returns the path of the library, which lies beside this program.
std::string fake_nccl() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fake_nccl.so";
}

class FakeNccl : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(fake_nccl())) GTEST_SKIP() << "there is no " << fake_nccl();
    opened_.emplace(std::vector{fake_nccl()});
  }
  ~FakeNccl() override { ::unsetenv("FAKE_NCCL"); }

  static void behave(const char* how) { ::setenv("FAKE_NCCL", how, 1); }

  // Returns the calls that were recorded since this was last called.
  std::string take_calls() {
    const device::DynamicLibrary library({fake_nccl()});
    const char* (*all)() = nullptr;
    library.find(all, "fake_nccl_calls");
    const std::string text = all();
    return text.substr(std::exchange(seen_, text.size()));
  }

  // Connects ranks 2 and 3 of 4.
  std::unique_ptr<NcclCommunicator> connect() {
    return std::make_unique<NcclCommunicator>(nccl(), std::vector<std::shared_ptr<const CudaContext>>(2), 2,
                                              4, nccl().unique_id());
  }

  const Nccl& nccl() const { return *opened_; }

 private:
  std::optional<Nccl> opened_;
  std::size_t seen_ = 0;
};

TEST_F(FakeNccl, IsNamedByItsVersion) {
  EXPECT_EQ(nccl().version(), "2.28.9");
  EXPECT_TRUE(nccl().can_be_captured());
  EXPECT_EQ(connect()->name(), "NCCL 2.28.9");
}

TEST_F(FakeNccl, IsRefusedWhereItIsTooOldToSend) {
  behave("old");
  EXPECT_EQ(message_thrown<std::exception>([] { Nccl({fake_nccl()}); }),
            fake_nccl() + " is NCCL 2.4.8, and gpulab needs 2.7 or later");
}

TEST_F(FakeNccl, ConnectsTheRanksOfAProcessInOneGroupAndFreesThem) {
  take_calls();
  connect();
  EXPECT_EQ(take_calls(),
            "(\ninit 2 of 4, id ends with 127\ninit 3 of 4, id ends with 127\n)\n"
            "(\ndestroy 102\ndestroy 103\n)\n");
}

TEST_F(FakeNccl, AbortsWhatStillRunsAfterAnError) {
  take_calls();
  EXPECT_EQ(message_thrown<std::exception>([&] {
              const auto communicator = connect();
              throw std::runtime_error("of a lesson");
            }),
            "of a lesson");
  EXPECT_TRUE(contains(take_calls(), "abort 102\nabort 103\n"));
}

TEST_F(FakeNccl, AddsUpInPlaceOnAllRanksOfAProcessInOneGroup) {
  const auto communicator = connect();
  for (int turn = 0; turn < 2; ++turn) {  // the first one in a thread
    take_calls();
    communicator->all_reduce(std::vector<device::RankBuffer>{{2, 20, nullptr}, {3, 30, nullptr}},
                             ElementType::uint32, 256);
    EXPECT_EQ(take_calls(),
              "(\nall-reduce 20 20 count 256 type 3 operation 0 by 102\n"  // ncclUint32, ncclSum
              "all-reduce 30 30 count 256 type 3 operation 0 by 103\n)\n");
  }
}

TEST_F(FakeNccl, ExchangesInOneGroup) {
  using enum device::RankMessage::Kind;
  const auto communicator = connect();
  for (int turn = 0; turn < 2; ++turn) {
    take_calls();
    communicator->exchange(std::vector<device::RankMessage>{{send, {2, 20, nullptr}, 1, 7},
                                                            {receive, {2, 21, nullptr}, 1, 7},
                                                            {send, {3, 30, nullptr}, 0, 8}},
                           ElementType::float32);
    EXPECT_EQ(take_calls(),
              "(\nsend 20 count 7 type 7 to 1 by 102\nreceive 21 count 7 type 7 from 1 by 102\n"
              "send 30 count 8 type 7 to 0 by 103\n)\n");
  }
}

TEST_F(FakeNccl, HasNoSumOfBytes) {
  EXPECT_THROW(connect()->all_reduce(std::vector<device::RankBuffer>{{2}, {3}}, ElementType::uint8, 1),
               std::logic_error);
}

TEST_F(FakeNccl, SaysInASentenceThatTwoRanksHaveOneGpu) {
  behave("duplicate");
  EXPECT_EQ(
      message_thrown<std::exception>([&] { connect(); }),
      "ncclCommInitRank failed with ncclInvalidUsage: two ranks were given the same GPU, and NCCL wants "
      "one for each: start no more ranks on a machine than it has GPUs");
}

// Each wait runs in a process of its own, which then ends at once.
TEST_F(FakeNccl, GivesUpWhenOtherRanksDoNotCome) {
  const auto wait_for_ever = [&] {
    const std::string message = message_thrown<std::exception>([&] {
      const auto communicator = connect();
      behave("hang");
      communicator->all_reduce(std::vector<device::RankBuffer>{{2}, {3}}, ElementType::int32, 1);
    });
    std::fputs(message.c_str(), stderr);
    std::exit(4);
  };
  ::setenv("GPULAB_TIME_LIMIT", "0.05", 1);
  EXPECT_EXIT(wait_for_ever(), testing::ExitedWithCode(4),
              "ncclAllReduce failed with CUDA_ERROR_LAUNCH_TIMEOUT: ranks 2 and 3 of 4 still waited for the "
              "others after 0.05 s .GPULAB_TIME_LIMIT sets another limit.: not all ranks reached it, or one "
              "has ended");
  behave("hang");
  EXPECT_EXIT(wait_for_ever(), testing::ExitedWithCode(4),
              "ncclCommInitRank failed with .*: ranks 2 and 3 of 4 still waited for the others after 0.05 s");
  ::unsetenv("GPULAB_TIME_LIMIT");
}

TEST_F(FakeNccl, ReportsALostRank) {
  EXPECT_EQ(nccl().background_error(nullptr), "");  // it is still at work
  behave("lost");
  EXPECT_EQ(nccl().background_error(nullptr), "ncclRemoteError");
}

TEST(NcclFile, IsLookedForFirstInNcclHome) {
  ::setenv("NCCL_HOME", "/opt/nccl", 1);
  const std::vector<std::string> candidates = nccl_candidates();
  ::unsetenv("NCCL_HOME");
  EXPECT_EQ(candidates.at(0), "/opt/nccl/lib/libnccl.so.2");
  EXPECT_NE(std::ranges::find(candidates, "libnccl.so.2"), candidates.end());
}

TEST(NcclFile, IsFoundAmongThePackagesOfAPythonEnvironment) {
  namespace fs = std::filesystem;
  const fs::path environment = fs::path(testing::TempDir()) / "python environment";
  fs::create_directories(environment / "lib/python3.11");
  ::setenv("VIRTUAL_ENV", environment.c_str(), 1);
  const std::vector<std::string> candidates = nccl_candidates();
  ::unsetenv("VIRTUAL_ENV");
  fs::remove_all(environment);
  EXPECT_EQ(candidates.back(), environment / "lib/python3.11/site-packages/nvidia/nccl/lib/libnccl.so.2");
}

// NVIDIA's library, which prints what NCCL_DEBUG asks for.
TEST(NcclOfThisMachine, SaysWhatItLacksWithoutAGpu) {
  if (!nccl_status().problem.empty()) GTEST_SKIP() << nccl_status().problem;
  if (cuda_status().devices > 0) GTEST_SKIP() << "this machine has a GPU";
  NcclComm comm = nullptr;
  const std::string message = message_thrown<std::exception>(
      [&] { nccl().group("ncclCommInitRank", [&] { nccl().init_rank(comm, 1, nccl().unique_id(), 0); }); });
  EXPECT_TRUE(message.starts_with("ncclCommInitRank failed with ncclUnhandledCudaError: ")) << message;
  EXPECT_TRUE(contains(message, "CUDA driver"));
}

// Returns what the test above prints, in its own process, to descriptor 1 (stdout) or 2 (stderr).
std::string printed_to(int descriptor, const std::string& environment) {
  const std::string command = environment + " '" + std::filesystem::read_symlink("/proc/self/exe").string() +
                              "' --gtest_filter=NcclOfThisMachine.SaysWhatItLacksWithoutAGpu " +
                              (descriptor == 1 ? "2>/dev/null" : "2>&1 >/dev/null");
  std::string text;
  FILE* const pipe = ::popen(command.c_str(), "r");
  for (char letters[4096]; std::fgets(letters, sizeof letters, pipe);) text += letters;
  ::pclose(pipe);
  return text;
}

TEST(NcclOfThisMachine, PrintsWhatNcclDebugAsksForToStderr) {
  if (!nccl_status().problem.empty()) GTEST_SKIP() << nccl_status().problem;
  if (cuda_status().devices > 0) GTEST_SKIP() << "this machine has a GPU";
  for (const char* environment :
       {"NCCL_DEBUG=VERSION NCCL_DEBUG_FILE=", "NCCL_DEBUG=INFO NCCL_DEBUG_FILE=/dev/stdout"}) {
    EXPECT_FALSE(contains(printed_to(1, environment), "NCCL ")) << environment;
    EXPECT_TRUE(contains(printed_to(2, environment), "NCCL ")) << environment;
  }
}

}  // namespace
}  // namespace gpulab::cuda
