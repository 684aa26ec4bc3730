#include "vector_addition/vector_add.hpp"

#include "lesson/demands.hpp"

namespace gpulab::lessons::arbitrary_size {

using namespace vector_addition;

Outcome right_in_whole_blocks(const LaunchContext& at) {
  return at.size() % at.block_size == 0 ? Outcome::right : Outcome::out_of_bounds;
}

Lesson lesson() {
  return {
      .name = "arbitrary-size",
      .title = "Any number of elements: the bounds guard",
      .place = {.episode = 6, .step = 2},
      .page = "Your First GPU Kernel",
      .default_size = 10000,
      .problem = vector_add,
      .arguments = {A, B, C, size},
      .variants = {{.name = "no-guard",
                    .kernel = "vector_add_no_guard",
                    .idea = "threads past the end write past the end",
                    .expects = right_in_whole_blocks,
                    .block = {.threads = 1024}},
                   {.name = "guarded",
                    .kernel = "vector_add_guarded",
                    .idea = "threads past the end do nothing",
                    .block = {.threads = 1024}},
                   {.name = "late-index",
                    .kernel = "vector_add_late_index",
                    .idea = "the index is declared inside the guard that needs it",
                    .expects = Outcome::fails_to_compile,
                    .block = {.threads = 1024},
                    .source = "late_index.cu"},
                   {.name = "grid-stride",
                    .kernel = "vector_add_grid_stride",
                    .idea = "grid-stride loop: elements one whole grid apart",
                    .launch = resident_blocks,
                    .block = {.threads = 1024}},
                   {.name = "wide-loads",
                    .kernel = "vector_add_wide",
                    .idea = "vectorised: four elements (16 bytes) per thread, no loop",
                    .launch = one_thread_per_four_elements,
                    // The fastest of all block sizes tried on an H200, by 1 %. Two blocks leave a part of
                    // a multiprocessor's threads unused.
                    .block = {.threads = 736}}},
      .yardsticks = {{.name = "cub", .idea = "cub::DeviceTransform::Transform", .library = "cub-transform"}},
      .limits = {{.label = "2^28",
                  .size = std::size_t{1} << 28,
                  .variant = "wide-loads",
                  .yardstick = "cub",
                  .min_fraction_of_ceiling = 0.97}},
      .simulated = {{.label = "2^24",
                     .size = std::size_t{1} << 24,
                     .variant = "guarded",
                     .host_library = "opencl-vector-add"}},
      .solution = "guarded",
      .checked_far = far_sizes,
      .demands = {{"surplus-accesses", "a thread without an element must neither read nor write",
                   surplus_accesses}},
      .counted_size = 1063};  // no multiple of the block, so that some threads have no element
}

}  // namespace gpulab::lessons::arbitrary_size
