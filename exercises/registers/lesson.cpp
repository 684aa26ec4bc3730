#include "vector_addition/vector_add.hpp"

namespace gpulab::lessons::registers {

using namespace vector_addition;

const Scalar<int> temporaries{"temporaries"};

Lesson lesson() {
  return {.name = "registers",
          .title = "Registers and local memory: where a thread keeps its values",
          .place = {.episode = 7, .step = 1},
          .page = "Registers, Global, and Local Memory",
          .default_size = std::size_t{1} << 24,
          .problem = vector_add,
          .arguments = {A, B, C, size},
          .variants = {{.name = "plain", .kernel = "vector_add_plain", .idea = "names nothing but the index"},
                       {.name = "temporaries",
                        .kernel = "vector_add_temporaries",
                        .idea = "names its three values"},
                       {.name = "array",
                        .kernel = "vector_add_array",
                        .idea = "an array of three, every index known to the compiler"},
                       {.name = "run-time-index",
                        .kernel = "vector_add_run_time_index",
                        .idea = "an array whose index is known only at run time: local memory"},
                       {.name = "run-time-size",
                        .kernel = "vector_add_run_time_size",
                        .idea = "an array whose size is a parameter: refused",
                        .expects = Outcome::fails_to_compile,
                        .source = "run_time_size.cu",
                        .arguments = {A, B, C, size, temporaries(3)}}},
          // At 2^20, a launch of 6 us, "temporaries" was inconclusive on an H200; events resolve 0.5 us.
          .claims = {from_size(std::size_t{1} << 24, no_faster("temporaries", "plain")),
                     from_size(std::size_t{1} << 24, no_faster("run-time-index", "plain"))},
          .solution = "temporaries",
          .checked_far = far_sizes,
          .shows = {.registers = true}};
}

}  // namespace gpulab::lessons::registers
