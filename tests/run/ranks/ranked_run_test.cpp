#include "run/ranks/lesson_ranks.hpp"

#include "device/compile_cache.hpp"
#include "run/devices.hpp"
#include "run/run_lesson.hpp"
#include "test.hpp"

namespace gpulab::run {
namespace {

const Scalar<int> own{"own"};  // elements of the rank
const Scalar<int> n{"n"};      // elements of the whole problem
const Input<int> A{"A"};
const Output<int> B{"B"};                                    // divided, as A is
const Output<int> total{"total", InitialContents::cleared};  // over all ranks, on every rank

void compute_on_host(const Inputs& in, Outputs& out) {
  for (std::size_t i = 0; i < in[A].size(); ++i) out[B][i] = 2 * in[A][i];
  out[total][0] = static_cast<int>(in[A].size());
}

// The smallest lesson for several devices: doubles each element, and adds up ones.
Problem doubled(const Settings& settings) {
  const std::size_t length = settings.size;
  return {.description = "doubled",
          .arrays = {A(length), B(length), total(1)},
          .scalars = {own(length), n(length)},
          .fill = each_element(A, [](std::uint64_t, std::size_t i) { return static_cast<int>(i); }),
          .references = {.plain = compute_on_host, .openmp = compute_on_host},
          .part = [length](int rank, int ranks) {
            const Share share = share_of(length, rank, ranks);
            return PartOfProblem{.arrays = {{A, share}, {B, share}},
                                 .scalars = {own(share.count)},
                                 .description = "elements from " + std::to_string(share.first)};
          }};
}

void compute(Execution& run, Rank&) {
  if (run.request().length(A) > 0)
    run.launch("twice", LaunchConfig{.grid = {ceil_div(run.request().length(A), 32)}, .block = {32}},
               {A, B, total, own});
}

class RankedRun : public ::testing::Test {
 protected:
  // Runs a variant with these steps on simulated devices.
  VariantResult run(void (*steps)(Execution&, Rank&), std::size_t size = 101, std::uint64_t gpus = 3) {
    const auto folder = std::filesystem::temp_directory_path() / "gpulab_ranked_run_test";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "first_kernel.cu")
        << "__global__ void twice(const int* A, int* B, int* total, int own) {\n"
           "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i >= own) return;\n"
           "  B[i] = 2 * A[i];\n"
           "  atomicAdd(total, 1);\n"
           "}\n";
    Lesson lesson{.name = "twice",
                  .kernels = "first_kernel.cu",
                  .default_size = size,
                  .options = {{.name = "gpus", .help = "", .kind = Count{.default_value = 0, .min = 1}}},
                  .problem = doubled,
                  .arguments = {A, B, total, own},
                  .variants = {{.name = "ranked", .kernel = "twice", .on_each_rank = steps}}};
    RunOptions options{.settings = {.size = size, .options = {{"gpus", gpus}}}, .kernels = folder};
    device::CompileCache cache;
    const auto device = open_simulator(cache);
    VariantResult result = run_lesson(lesson, options, *device).variants.at(0);
    std::filesystem::remove_all(folder);
    return result;
  }
};

TEST_F(RankedRun, IsRightWhereEveryRankDidItsPart) {
  const auto right = [](Execution& run, Rank& rank) {
    compute(run, rank);
    rank.all_reduce(total);
  };
  for (const std::size_t size : {1u, 2u, 3u, 101u})
    for (const std::uint64_t gpus : {1u, 2u, 3u, 5u}) {
      const VariantResult result = run(right, size, gpus);
      EXPECT_EQ(result.observed, Outcome::right) << size << " on " << gpus << ": " << result.explanation;
      EXPECT_EQ(result.ranks.size(), gpus);
    }
}

TEST_F(RankedRun, NamesTheRankAndItsPart) {
  const VariantResult result = run([](Execution& run, Rank& rank) {
    if (rank.rank() != 1) compute(run, rank);
    rank.all_reduce(total);
  });
  EXPECT_EQ(result.observed, Outcome::wrong);
  EXPECT_EQ(result.ranks.at(1).part, "elements from 33");
  EXPECT_NE(result.explanation.find("rank 0 (elements from 0): "), std::string::npos) << result.explanation;
  EXPECT_NE(result.explanation.find("(3 of 3 ranks are wrong)"), std::string::npos) << result.explanation;
}

TEST_F(RankedRun, CountsFromTheBeginningOfTheWholeArray) {
  const VariantResult result = run([](Execution& run, Rank& rank) {
    compute(run, rank);
    if (rank.rank() == 2) run.write(B, {7}, 1);
    rank.all_reduce(total);
  });
  EXPECT_EQ(result.observed, Outcome::wrong);
  ASSERT_EQ(result.first_differences.size(), 1u);
  EXPECT_EQ(result.first_differences[0].index, 68u);  // rank 2 has the elements from 67 on
  EXPECT_EQ(result.ranks.at(0).observed, Outcome::right);
  EXPECT_EQ(result.ranks.at(2).observed, Outcome::wrong);
}

TEST_F(RankedRun, SaysWhoWaitsWhereWhenARankLeavesOutACollective) {
  const VariantResult result = run([](Execution& run, Rank& rank) {
    compute(run, rank);
    if (rank.rank() != 1) rank.all_reduce(total);
  });
  EXPECT_EQ(result.observed, Outcome::faults);
  EXPECT_NE(result.explanation.find("rank 0 waits in the all-reduce of total (1 int), rank 1 has ended, rank "
                                    "2 waits in the all-reduce"),
            std::string::npos)
      << result.explanation;
}

TEST_F(RankedRun, SaysSoWhenRanksCallInAnotherOrder) {
  const VariantResult result = run([](Execution&, Rank& rank) {
    if (rank.rank() == 2) rank.barrier();
    rank.all_reduce(total);
    if (rank.rank() != 2) rank.barrier();
  });
  EXPECT_EQ(result.observed, Outcome::faults);
  EXPECT_NE(
      result.explanation.find("ranks 0 and 1 wait in the all-reduce of total (1 int), rank 2 in a barrier"),
      std::string::npos)
      << result.explanation;
}

TEST_F(RankedRun, RefusesAMessageOfAnotherLengthThanExpected) {
  const VariantResult result = run([](Execution&, Rank& rank) {
    std::vector<Message> sent, received;
    if (rank.rank() == 0) sent.push_back({.peer = 1, .array = B, .first = 0, .count = 5});
    if (rank.rank() == 1) received.push_back({.peer = 0, .array = B, .first = 0, .count = 4});
    rank.exchange(sent, received);
  });
  EXPECT_EQ(result.observed, Outcome::faults);
  EXPECT_NE(result.explanation.find("from rank 0 to rank 1: 5 elements"), std::string::npos)
      << result.explanation;
}

TEST_F(RankedRun, ExchangesValuesOfTheHostWithAPeer) {
  const VariantResult result = run([](Execution& run, Rank& rank) {
    compute(run, rank);
    rank.all_reduce(total);
    const int peer = rank.rank() == 0 ? 2 : 0;
    if (rank.rank() == 1) return;
    const std::vector<float> mine{static_cast<float>(rank.rank())};
    if (rank.exchange(peer, mine) != std::vector<float>{static_cast<float>(peer)}) run.write(B, {-1});
  });
  EXPECT_EQ(result.observed, Outcome::right) << result.explanation;
}

TEST_F(RankedRun, SeesAWriteOutsideOfAPart) {
  const VariantResult result = run([](Execution& run, Rank& rank) {
    if (run.request().length(A) > 0)
      run.launch("twice", LaunchConfig{.grid = {2}, .block = {32}}, {A, B, total, n});
    rank.all_reduce(total);
  });
  EXPECT_EQ(result.observed, Outcome::out_of_bounds) << result.explanation;
}

}  // namespace
}  // namespace gpulab::run
