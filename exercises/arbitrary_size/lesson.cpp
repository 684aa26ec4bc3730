#include "core/lesson.hpp"
#include "vector_add.hpp"

namespace gpulab::lessons {
namespace {

Outcome right_in_whole_blocks(const LaunchContext& at) {
  return at.size() % at.block_size == 0 ? Outcome::right : Outcome::out_of_bounds;
}

}  // namespace

Lesson arbitrary_size() {
  return {
      .name = "arbitrary-size",
      .title = "Any number of elements: the bounds guard",
      .place = {.episode = 6, .step = 2},
      .page = "Your First GPU Kernel",
      .text =
          R"(The grid is ceil(size / block) blocks, so the last block has threads past the
end unless the size happens to be a multiple of the block. Without a guard
they write past the end of the array. The result itself may look right: what
they damage is whatever lies behind it. The guard
  if (item < size)
keeps them from it. It needs the index, so the index has to be declared before
it, not inside. A grid-stride loop needs no grid of a certain size at all:
every thread goes on, one whole grid further, until the end.)",
      .kernels = "arbitrary_size.cu",
      .default_size = 10000,
      .largest_size = largest_int_index,
      .problem = vector_add,
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
                    .idea = "each thread takes the elements one whole grid apart",
                    .launch = resident_blocks,
                    .block = {.threads = 1024}},
                   {.name = "wide-loads",
                    .kernel = "vector_add_wide",
                    .idea = "four elements per thread, moved 16 bytes at a time, and no loop",
                    .launch = one_thread_per_four_elements,
                    // Two of these to a multiprocessor, which leaves a part of its threads unused, were
                    // the fastest on an H200: by 1 % of all block sizes tried.
                    .block = {.threads = 736}}},
      .yardsticks = {{.name = "cub", .idea = "cub::DeviceTransform::Transform", .library = "cub-transform"}},
      .limits = {{.label = "2^28",
                  .size = std::size_t{1} << 28,
                  .rung = "wide-loads",
                  .yardstick = "cub",
                  .targets = {{Target::Kind::times_yardstick, 1}, {Target::Kind::part_of_ceiling, 0.95}}}},
      .solution = "guarded"};
}

}  // namespace gpulab::lessons
