#include "vector_addition/vector_add.hpp"

#include "lesson/demands.hpp"

namespace gpulab::lessons::vector_multiply {

using namespace vector_addition;

Problem problem(const Settings& settings) {
  Problem problem = vector_add(settings);  // the same arrays
  problem.references = elementwise(
      C, [](float a, float b) { return a * b; }, A, B);
  return problem;
}

Lesson lesson() {
  return {.name = "vector-multiply",
          .title = "Multiply two vectors element by element: a first exercise",
          .place = {.episode = 6, .step = 3},
          .page = "section 4.3 of the outline of July 2025 (first kernel with numba.cuda)",
          .default_size = 10000,
          .problem = problem,
          .arguments = {A, B, C, size},
          .variants = {{.name = "guarded",
                        .kernel = "vector_multiply_guarded",
                        .idea = "one thread for each element"},
                       {.name = "grid-stride",
                        .kernel = "vector_multiply_grid_stride",
                        .idea = "grid-stride loop: elements one whole grid apart",
                        .launch = resident_blocks}},
          .solution = "guarded",
          .checked_far = far_sizes,
          .demands = {{"", "multiply the pair of this thread, if there is one", surplus_accesses,
                       /*is_note=*/true}},
          .counted_size = 1063};  // no multiple of the block, so that some threads have no element
}

}  // namespace gpulab::lessons::vector_multiply
