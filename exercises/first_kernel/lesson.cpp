#include "vector_addition/vector_add.hpp"

namespace gpulab::lessons::first_kernel {

using namespace vector_addition;

// Returns right if one block has enough threads: threadIdx.x repeats in every block.
Outcome right_within_one_block(const LaunchContext& at) {
  return at.size() <= at.block_size ? Outcome::right : Outcome::wrong;
}

Outcome launches_up_to_1024(const LaunchContext& at) {
  return at.size() <= max_threads_per_block ? Outcome::right : Outcome::fails_to_launch;
}

Lesson lesson() {
  return {.name = "first-kernel",
          .title = "Add two vectors, one thread per element",
          .place = {.episode = 6, .step = 1},
          .page = "Your First GPU Kernel",
          .default_size = 2048,
          .problem = vector_add,
          .arguments = {A, B, C, size},
          .variants = {{.name = "thread-index",
                        .kernel = "vector_add_thread_index",
                        .idea = "one block, indexed by threadIdx.x",
                        .launch = fixed_blocks(1),
                        .expects = right_within_one_block,
                        .block = {.threads = 1024}},
                       {.name = "one-block",
                        .kernel = "vector_add_thread_index",
                        .idea = "one block with a thread for every element: above 1024 it is refused",
                        .launch = one_block_of_size_threads,
                        .expects = launches_up_to_1024},
                       {.name = "two-blocks-thread-index",
                        .kernel = "vector_add_thread_index",
                        .idea = "a second block, which repeats the work of the first",
                        .launch = fixed_blocks(2),
                        .expects = right_within_one_block,
                        .block = {.threads = 1024}},
                       {.name = "constant-index",
                        .kernel = "vector_add_constant_index",
                        .idea = "a constant index: all threads write the same element",
                        .expects = Outcome::wrong,
                        .block = {.threads = 1024}},
                       {.name = "global-index",
                        .kernel = "vector_add_global_index",
                        .idea = "the global index of the thread",
                        .block = {.threads = 1024}}},
          .solution = "global-index",
          .checked_far = far_sizes,
          .counted_size = 10240};
}

}  // namespace gpulab::lessons::first_kernel
