#include "yardsticks/cudnn_trial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace gpulab::yardsticks {
namespace {

// Number of upper rows of the image that a trial convolves: enough that launch overhead does not matter.
constexpr int upper_rows = 512;

// Difference relative to the largest output. Float32 engines differ by less, TF32 by ten times as much.
constexpr float max_difference = 0x1p-16f;

constexpr float slowest = std::numeric_limits<float>::max();

std::vector<float> random_numbers(std::size_t length) {
  std::mt19937 bits(1);
  std::vector<float> numbers(length);
  for (float& number : numbers) number = static_cast<float>(bits() >> 8) * 0x1p-24f;
  return numbers;
}

// Random numbers in device memory, until a convolution overwrites them.
class Numbers {
 public:
  explicit Numbers(std::size_t length) : memory_(length * sizeof(float)), host_(random_numbers(length)) {
    check(cudaMemcpy(memory_.get(), host_.data(), memory_.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  float* get() const { return static_cast<float*>(memory_.get()); }
  const std::vector<float>& to_host() {
    check(cudaMemcpy(host_.data(), memory_.get(), memory_.bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return host_;
  }

 private:
  Workspace memory_;
  std::vector<float> host_;
};

class Comparison {
 public:
  Comparison(const Handle& handle, cudaStream_t stream, const ConvolvedImage& image)
      : handle_(handle),
        stream_(stream),
        image_(static_cast<std::size_t>(image.width) * image.height),
        filter_(static_cast<std::size_t>(image.filter_width) * image.filter_height),
        output_(static_cast<std::size_t>(image.width) * image.height),
        graph_(handle.for_stream(stream), image) {
    const auto trusted = fastest(handle, stream, proposed_in_float32(graph_), arrays());
    if (!trusted) throw std::runtime_error("cuDNN has no engine for this image and this filter");
    expected_ = output_of(*trusted);
    largest_ = *std::max_element(expected_.begin(), expected_.end());  // all numbers are positive
  }

  std::int64_t engine_count() const { return graph_.engine_count(); }

  // Returns the time of an engine; `slowest` if it cannot do the convolution or is less exact.
  float milliseconds(std::int64_t engine) {
    try {
      const Trial tried(handle_.for_stream(stream_), graph_.default_configuration(engine), arrays());
      const float milliseconds_taken =
          tried.milliseconds(handle_.for_stream(stream_), stream_, /*limit_ms=*/0);
      return is_exact(output_of(tried)) ? milliseconds_taken : slowest;
    } catch (const std::runtime_error&) {
      return slowest;
    }
  }

 private:
  ConvolutionArrays arrays() const { return {image_.get(), filter_.get(), output_.get()}; }

  std::vector<float> output_of(const Trial& trial) {
    trial.enqueue(handle_.for_stream(stream_));
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    return output_.to_host();
  }

  bool is_exact(const std::vector<float>& output) const {
    const auto is_near = [this](float a, float b) { return std::abs(a - b) <= max_difference * largest_; };
    return std::equal(output.begin(), output.end(), expected_.begin(), is_near);
  }

  const Handle& handle_;
  cudaStream_t stream_;
  Numbers image_, filter_, output_;
  ConvolutionGraph graph_;
  std::vector<float> expected_;
  float largest_ = 0;
};

}  // namespace

std::vector<std::int64_t> fastest_exact_engines(const Handle& handle, cudaStream_t stream,
                                                ConvolvedImage image, std::size_t count) {
  image.height = std::min(image.height, upper_rows);
  Comparison comparison(handle, stream, image);
  std::vector<std::pair<float, std::int64_t>> engines;  // with their times, to sort them by
  for (std::int64_t engine = 0; engine < comparison.engine_count(); ++engine)
    if (const float milliseconds_taken = comparison.milliseconds(engine); milliseconds_taken < slowest)
      engines.push_back({milliseconds_taken, engine});
  std::sort(engines.begin(), engines.end());
  std::vector<std::int64_t> best;
  for (const auto& [milliseconds_taken, engine] : engines)
    if (best.size() < count) best.push_back(engine);
  return best;
}

}  // namespace gpulab::yardsticks
