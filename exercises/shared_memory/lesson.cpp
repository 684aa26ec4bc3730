#include "vector_addition/vector_add.hpp"

#include "lesson/demands.hpp"

namespace gpulab::lessons::shared_memory {

using namespace vector_addition;

// Returns wrong if a block has several threads: one then finds the sum of another.
Outcome wrong_unless_alone(const LaunchContext& at) {
  return at.size() == 1 || at.block_size == 1 ? Outcome::right : Outcome::wrong;
}

ChosenLaunch with_three_floats_a_thread(const LaunchRequest& request) {
  ChosenLaunch chosen = one_thread_per_element(request);
  chosen.config.dynamic_shared_bytes = request.block_size * 3 * sizeof(float);
  return chosen;
}

Lesson lesson() {
  return {.name = "shared-memory",
          .title = "Shared memory: one array per block, static or dynamic",
          .place = {.episode = 8, .step = 1},
          .page = "Shared Memory and Synchronization",
          .default_size = 2048,
          .problem = vector_add,
          .arguments = {A, B, C, size},
          .variants = {{.name = "registers",
                        .kernel = "vector_add_temporaries",
                        .idea = "no shared memory: three registers per thread",
                        .block = {.threads = 1024},
                        .source = "registers.cu"},
                       {.name = "one-slot",
                        .kernel = "vector_add_one_slot",
                        .idea = "three slots shared by the whole block",
                        .expects = wrong_unless_alone,
                        .block = {.threads = 1024}},
                       {.name = "static-slots",
                        .kernel = "vector_add_static_slots",
                        .idea = "static array: three slots for each thread",
                        .block = {.threads = 1024}},
                       {.name = "extern-slots",
                        .kernel = "vector_add_extern_slots",
                        .idea = "dynamic: sized by the launch",
                        .launch = with_three_floats_a_thread,
                        .block = {.threads = 1024}},
                       {.name = "no-shared-bytes",
                        .kernel = "vector_add_extern_slots",
                        .idea = "dynamic, launched without its size",
                        .expects = Outcome::faults,
                        .block = {.threads = 1024}}},
          // At 2^11 "static-slots" did not hold on an H200: launches of 4 us, and events resolve 0.5 us.
          .claims = {from_size(std::size_t{1} << 24, no_faster("static-slots", "registers")),
                     from_size(std::size_t{1} << 24, no_faster("extern-slots", "registers"))},
          .solution = "extern-slots",
          .checked_far = far_sizes,
          .demands = {{"", "through shared memory", no_shared_accesses,
                       /*is_note=*/true}}};
}

}  // namespace gpulab::lessons::shared_memory
