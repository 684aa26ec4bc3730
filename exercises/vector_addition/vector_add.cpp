#include "vector_addition/vector_add.hpp"

namespace gpulab::lessons::vector_addition {

Problem vector_add(const Settings& settings) {
  const std::size_t n = settings.size - settings.begins_at;
  return {.description = grouped(settings.size) + " float32, uniform in [0, 1)",
          .arrays = {A(n), B(n), C(n)},
          .scalars = {size(settings.size)},
          .fill = uniform(A, B),
          .edges = with_edges({A, B}, edges_of_floats),
          .references = elementwise(
              C, [](float a, float b) { return a + b; }, A, B),
          .traffic = {.operations = static_cast<double>(n)}};
}

}  // namespace gpulab::lessons::vector_addition
