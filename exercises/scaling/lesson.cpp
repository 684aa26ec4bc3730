#include "lesson/lesson.hpp"

#include "multi_gpu/counting.hpp"
#include "scaling/questions.hpp"

namespace gpulab::lessons::scaling {

using namespace multi_gpu;

std::string gpus_text(int gpus) {
  return gpus == 1 ? "one GPU" : std::to_string(gpus) + " GPUs";
}

Variant strong(int gpus) {
  Variant variant = with_private_copies("strong-" + std::to_string(gpus), "the problem on " + gpus_text(gpus),
                                        by_all_reduce);
  variant.ranks = gpus;
  variant.in_graph = true;
  return variant;
}

Variant weak(int gpus) {
  Variant variant = strong(gpus);
  variant.name = "weak-" + std::to_string(gpus);
  variant.idea = "the same share for each of " + gpus_text(gpus);
  variant.grows_with_ranks = true;
  return variant;
}

void the_all_reduce_alone(Execution&, Rank& rank) {
  rank.all_reduce(counts);
}

Lesson lesson() {
  return {.name = "scaling",
          .title = "How much faster are several GPUs? Predict it, then measure",
          .place = {.episode = 10, .step = 5},
          .page = "Concurrent access to the GPU",
          .kernels = "shared_histogram_private_copies.cu",
          .default_size = std::size_t{1} << 26,
          .largest_size = (std::size_t{1} << 31) - 1,
          .options = {how_many_gpus()},
          .problem = problem,
          .arguments = {input, counts, size, rank_of, ranks_of},
          .variants = {strong(1), strong(2), strong(4), strong(8), weak(1), weak(2), weak(4), weak(8)},
          .solution = "strong-1",  // one GPU is always there
          .shows = {.scaling_with = the_all_reduce_alone},
          .sheet = questions()};
}

}  // namespace gpulab::lessons::scaling
