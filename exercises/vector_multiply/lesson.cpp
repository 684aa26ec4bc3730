#include "core/lesson.hpp"
#include "vector_add.hpp"

namespace gpulab::lessons {
namespace {

void reference(const Arrays& inputs, Arrays& outputs) {
  const auto A = inputs.get<float>("A"), B = inputs.get<float>("B");
  const auto C = outputs.get<float>("C");
  for (std::size_t i = 0; i < C.size(); ++i) C[i] = A[i] * B[i];
}

void reference_openmp(const Arrays& inputs, Arrays& outputs) {
  const auto A = inputs.get<float>("A"), B = inputs.get<float>("B");
  const auto C = outputs.get<float>("C");
#pragma omp parallel for simd
  for (std::size_t i = 0; i < C.size(); ++i) C[i] = A[i] * B[i];
}

Problem vector_multiply_problem(const Settings& settings) {
  Problem problem = vector_add(settings);  // the same arrays
  problem.reference = reference;
  problem.reference_openmp = reference_openmp;
  return problem;
}

}  // namespace

Lesson vector_multiply() {
  return {.name = "vector-multiply",
          .title = "Multiply two vectors element by element: a first exercise",
          .place = {.episode = 6, .step = 3},
          .page = "section 4.3 of the outline of July 2025 (first kernel with numba.cuda)",
          .text = R"(The first kernel to write alone: vector addition with one sign changed. All
that made addition right is needed again, and nothing else: the index of the
thread in the whole grid, the guard against threads past the end, and a grid
of ceil(size / block) blocks. Both variants move 12 bytes for one
multiplication, so the speed is that of memory, not of arithmetic.)",
          .kernels = "vector_multiply.cu",
          .default_size = 10000,
          .largest_size = largest_int_index,
          .problem = vector_multiply_problem,
          .variants = {{.name = "guarded",
                        .kernel = "vector_multiply_guarded",
                        .idea = "one thread for each element"},
                       {.name = "grid-stride",
                        .kernel = "vector_multiply_grid_stride",
                        .idea = "each thread takes the elements one whole grid apart",
                        .launch = resident_blocks}},
          .solution = "guarded"};
}

}  // namespace gpulab::lessons
