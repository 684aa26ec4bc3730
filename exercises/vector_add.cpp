#include "vector_add.hpp"

#include "core/number_text.hpp"
#include "core/random.hpp"

namespace gpulab {
namespace {

void fill(Arrays& inputs, std::uint64_t seed) {
  for (Array& array : inputs) {
    const auto values = array.as<float>();
    const std::uint64_t stream = 2 * seed + (array.name() == "B");
#pragma omp parallel for
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = random_float(stream, i);
  }
}

void reference(const Arrays& inputs, Arrays& outputs) {
  const auto A = inputs.get<float>("A"), B = inputs.get<float>("B");
  const auto C = outputs.get<float>("C");
  for (std::size_t i = 0; i < C.size(); ++i) C[i] = A[i] + B[i];
}

void reference_openmp(const Arrays& inputs, Arrays& outputs) {
  const auto A = inputs.get<float>("A"), B = inputs.get<float>("B");
  const auto C = outputs.get<float>("C");
#pragma omp parallel for simd
  for (std::size_t i = 0; i < C.size(); ++i) C[i] = A[i] + B[i];
}

}  // namespace

Problem vector_add(const Settings& settings) {
  const std::size_t n = settings.size;
  const double bytes = static_cast<double>(n) * sizeof(float);
  return {.description = grouped(n) + " float32, uniform in [0, 1)",
          .parameters = kernel_parameters(input<float>("A", n), input<float>("B", n), output<float>("C", n),
                                          scalar<int>("size", n)),
          .fill = fill,
          .reference = reference,
          .reference_openmp = reference_openmp,
          .traffic = {.bytes_read = 2 * bytes, .bytes_written = bytes, .operations = static_cast<double>(n)},
          .tolerance = exact,  // one addition, rounded to the nearest float on every device
          .uses = [](std::size_t i) {
            return std::vector<InputElement>{{"A", i}, {"B", i}};
          }};
}

}  // namespace gpulab
