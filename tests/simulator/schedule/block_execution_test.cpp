#include "simulator/compile/module.hpp"
#include "simulator/simulator_fixture.hpp"
#include "source/source_parts.hpp"
#include "test.hpp"

namespace gpulab::simulator::schedule {
namespace {

// Kernels for each way in which threads take turns: in a loop, in a ring, by the scheduler, and in a loop or
// a ring until the scheduler takes over.
const std::string turns = source_text("tests/simulator/schedule/block_execution.cu");

const std::string faulty_turns = source_text("tests/simulator/schedule/block_execution_faulty.cu");

class BlockTurns : public SimulatorTest {
 protected:
  std::vector<int> values(const std::string& kernel, const LaunchConfig& config, std::size_t count) {
    const DeviceBuffer<int> out = buffer(std::vector<int>(count));
    launch(turns, kernel, config, out.pointer());
    return out.values();
  }
  gpulab::device::DeviceError failure_of(const std::string& kernel, const LaunchConfig& config) {
    const DeviceBuffer<int> out = buffer(std::vector<int>(1024));
    const gpulab::device::DeviceError error = failure(faulty_turns, kernel, config, out.pointer());
    EXPECT_TRUE(still_works());
    return error;
  }
};

std::vector<int> indices_of(const Extent& block) {
  std::vector<int> indices;
  for (unsigned z = 0; z < block.z; ++z)
    for (unsigned y = 0; y < block.y; ++y)
      for (unsigned x = 0; x < block.x; ++x) indices.push_back(static_cast<int>(x + 100 * y + 10000 * z));
  return indices;
}

TEST_P(BlockTurns, GiveEveryThreadItsIndexInBlocksOfAnyShape) {
  for (const Extent& block :
       {Extent{1}, Extent{33}, Extent{1000}, Extent{7, 5, 3}, Extent{1, 1, 64}, Extent{32, 32}})
    for (const char* kernel : {"index_in_a_loop", "index_in_a_ring", "meet_in_a_loop"})
      EXPECT_EQ(values(kernel, {.block = block}, block.volume()), indices_of(block))
          << kernel << " " << text_of(block);
}

TEST_P(BlockTurns, HaveTheSchedulersOrder) {
  for (const Extent& block : {Extent{20}, Extent{4, 3, 2}, Extent{64}, Extent{3}}) {
    const std::vector<int> order = values("order_by_the_scheduler", {.block = block}, 400);
    EXPECT_GT(order[0], static_cast<int>(2 * block.volume()));
    EXPECT_EQ(values("order_in_a_ring", {.block = block}, 400), order) << text_of(block);
    EXPECT_EQ(values("order_with_a_change", {.block = block}, 400), order) << text_of(block);
    EXPECT_EQ(instruments().take_notes().size(), 6u) << "lines with a barrier that some had missed";
  }
}

TEST_P(BlockTurns, BeginAtOtherThreadsAfterABarrierInNeighbouringBlocks) {
  const std::vector<int> of_three_blocks = {
      8, 7, 0, 1, 2, 3, 4, 5, 6,  // each row begins with the count of the numbers that follow
      8, 3, 4, 5, 6, 7, 0, 1, 2,  //
      8, 1, 2, 3, 4, 5, 6, 7, 0};
  EXPECT_EQ(values("order_behind_a_barrier", {.grid = {3}, .block = {8}}, 27), of_three_blocks);
}

TEST_P(BlockTurns, ReachTheEndWhereAThreadNeedsAnotherOne) {
  EXPECT_EQ(values("take_a_lock", {.grid = {3}, .block = {64}}, 2), (std::vector<int>{0, 192}));
  std::vector<int> sums(129, 32);
  sums[0] = 127 * 64;
  EXPECT_EQ(values("sum_with_shuffles", {.block = {128}}, 129), sums);
  EXPECT_EQ(values("predicates_in_a_ring", {.block = {50}}, 50), std::vector<int>(50, 71));
}

TEST_P(BlockTurns, RunKernelsOfAnyKind) {
  EXPECT_EQ(values("in_a_namespace", {.block = {3}}, 3), std::vector<int>(3, 5));
  EXPECT_EQ(values("of_a_template<6>", {.block = {3}}, 3), std::vector<int>(3, 6));
  EXPECT_EQ(values("overloaded", {.block = {3}}, 3), std::vector<int>(3, 7));
  const DeviceBuffer<float> out = buffer(std::vector<float>(3));
  launch(turns, "overloaded", {.block = {3}}, out.pointer());
  EXPECT_EQ(out.values(), std::vector<float>(3, 8));
  EXPECT_EQ(values("of_this_file_alone", {.block = {3}}, 3), std::vector<int>(3, 9));
  EXPECT_EQ(values("in_c", {.block = {3}}, 3), std::vector<int>(3, 10));
}

// A file whose loops do not compile is compiled without them, which would go unnoticed.
TEST_P(BlockTurns, AreTakenInALoopByKernelsThatDoNotWait) {
  const auto has_loop = [&](const std::string& kernel) {
    const auto module =
        device().compile({"test.cu", turns}, {.instrumentation = gpulab::device::Instrumentation::none});
    return dynamic_cast<compile::SimulatedKernel&>(*find<int*>(*module, kernel)).loop.run != nullptr;
  };
  for (const char* kernel : {"index_in_a_loop", "meet_in_a_loop", "in_c", "of_this_file_alone"})
    EXPECT_TRUE(has_loop(kernel)) << kernel;
  for (const char* kernel : {"index_in_a_ring", "overloaded", "of_a_template<6>"})
    EXPECT_FALSE(has_loop(kernel)) << kernel;
}

TEST_P(BlockTurns, AreRightBesideMacrosOfKeywords) {
  const std::string text =
      "__global__ void mark(int* out) { out[threadIdx.x] = 1; }\n"
      "__global__ void double_mark(int* out) { out[threadIdx.x] = 2; }\n"
      "#define if(condition) while (true)\n#define return ;\n#define void int\n";
  const DeviceBuffer<int> out = buffer(std::vector<int>(3));
  launch(text, "mark", {.block = {3}}, out.pointer());
  EXPECT_EQ(out.values(), std::vector<int>(3, 1));
  launch(text, "double_mark", {.block = {3}}, out.pointer());
  EXPECT_EQ(out.values(), std::vector<int>(3, 2));
}

TEST_P(BlockTurns, KnowTheThreadAndTheLineOfAFault) {
  gpulab::device::DeviceError error = failure_of("fault_in_a_loop", {.block = {3, 5, 2}});
  EXPECT_TRUE(contains(error.explanation(), "a null pointer, at test.cu:3, block 0 thread (0, 3, 1)"));
  error = failure_of("fault_in_a_ring", {.block = {3, 5, 2}});
  EXPECT_TRUE(contains(error.explanation(), "a null pointer, at test.cu:10, block 0 thread (0, 2, 1)"));
  error = failure_of("fault_between_barriers", {.block = {3, 5, 2}});
  EXPECT_TRUE(contains(error.explanation(), "a null pointer, at test.cu:35, block 0 thread (1, 4, 0)"));
  error = failure_of("wrong_index_between_barriers", {.grid = {2}, .block = {20}});
  EXPECT_TRUE(contains(error.explanation(), "an index outside its array"));
  EXPECT_TRUE(contains(error.explanation(), "thread 8"));
}

TEST_P(BlockTurns, EndAtDivergentBarriersAndDeadlocks) {
  gpulab::device::DeviceError error = failure_of("diverge_late", {.block = {100}});
  EXPECT_TRUE(contains(error.explanation(), "20 in line 17 and 30 in line 19"));
  error = failure_of("stand_still", {.block = {64}});
  EXPECT_TRUE(contains(error.explanation(),
                       "16 in line 25 for lanes 16 to 31 of the mask 0xffffffff and 48 in line 26"));
}

// A kernel's function of a block does what its threads do on fibers, and counts as many switches. A file with
// a macro has no such functions.
TEST_P(BlockTurns, AreTakenTogetherBetweenBarriers) {
  const std::string text = source_text("tests/simulator/schedule/block_functions.cu");
  const auto module = device().compile({"test.cu", text}, {});
  const auto on_fibers = device().compile({"test.cu", text + "#define ANY 1\n"}, {});
  for (const std::string& kernel : source::kernel_names(text)) {
    const auto found = find<int*>(*module, kernel);
    EXPECT_EQ(dynamic_cast<compile::SimulatedKernel&>(*found).loop.runs_barriers,
              kernel.starts_with("divided"))
        << kernel;
    for (const Extent& block : {Extent{1}, Extent{32}, Extent{100}, Extent{7, 5, 3}, Extent{32, 32}}) {
      const LaunchConfig config{.grid = {5}, .block = block, .dynamic_shared_bytes = 4 * block.volume()};
      std::vector<int> results[2];
      std::uint64_t switches[2];
      for (const bool is_on_fibers : {false, true}) {
        const DeviceBuffer<int> out = buffer(std::vector<int>(5 * block.volume() + 1, 2));
        instruments().take_fiber_switches();
        launch(is_on_fibers ? *on_fibers : *module, kernel, config, out.pointer());
        results[is_on_fibers] = out.values();
        switches[is_on_fibers] = instruments().take_fiber_switches();
      }
      EXPECT_EQ(results[0], results[1]) << kernel << " " << text_of(block);
      EXPECT_EQ(switches[0], switches[1]) << kernel << " " << text_of(block);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, BlockTurns, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::schedule
