#include <cudnn.h>
#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "yardsticks/adaptor.hpp"
#include "yardsticks/cudnn_trial.hpp"

namespace gpulab::yardsticks {
namespace {

// Copies the filter with its last element first.
void flip(const float* filter, std::size_t length, const Workspace& flipped, cudaStream_t stream) {
  std::vector<float> values(length);
  const std::size_t bytes = length * sizeof(float);
  check(cudaMemcpyAsync(values.data(), filter, bytes, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  std::reverse(values.begin(), values.end());
  check(cudaMemcpy(flipped.get(), values.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

// Convolution of one image of one channel in float32, by the fastest of some of cuDNN's engines.
class Convolution : public RepeatableCall {
 public:
  void enqueue(cudaStream_t stream) { best_->enqueue(handle_.for_stream(stream)); }

 protected:
  Convolution(void* const* arguments, cudaStream_t stream)
      : shape_{argument<int>(arguments, 3), argument<int>(arguments, 4), argument<int>(arguments, 5),
               argument<int>(arguments, 6)},
        flipped_filter_(filter_length() * sizeof(float)),
        arrays_{argument<const float*>(arguments, 0), static_cast<const float*>(flipped_filter_.get()),
                argument<float*>(arguments, 2)},
        graph_(handle_.for_stream(stream), shape_) {
    if (argument<int>(arguments, 7) != 0)
      throw std::runtime_error("cuDNN supports only zeros beyond the image");
    flip(argument<const float*>(arguments, 1), filter_length(), flipped_filter_, stream);
  }

  void choose_fastest(cudaStream_t stream, std::vector<Descriptor> configurations) {
    best_ = fastest(handle_, stream, std::move(configurations), arrays_);
    if (!best_) throw std::runtime_error("cuDNN has no engine for this image and this filter");
  }

  const Handle& handle() const { return handle_; }
  const ConvolvedImage& shape() const { return shape_; }
  const ConvolutionGraph& graph() const { return graph_; }

 private:
  std::size_t filter_length() const {
    return static_cast<std::size_t>(shape_.filter_width) * shape_.filter_height;
  }

  Handle handle_;
  ConvolvedImage shape_;
  Workspace flipped_filter_;
  ConvolutionArrays arrays_;
  ConvolutionGraph graph_;
  std::optional<Trial> best_;
};

// Convolution as in a framework that tries everything that the heuristics propose, without TF32.
struct ProposedConvolution : Convolution {
  ProposedConvolution(void* const* arguments, cudaStream_t stream) : Convolution(arguments, stream) {
    choose_fastest(stream, proposed_in_float32(graph()));
  }
};

// Convolution by the best of all engines.
struct BestConvolution : Convolution {
  BestConvolution(void* const* arguments, cudaStream_t stream) : Convolution(arguments, stream) {
    constexpr std::size_t engines = 3;  // on the whole image another than the first may be fastest
    std::vector<Descriptor> configurations = proposed_in_float32(graph());
    for (const std::int64_t engine : fastest_exact_engines(handle(), stream, shape(), engines))
      configurations.push_back(graph().default_configuration(engine));
    choose_fastest(stream, std::move(configurations));
  }
};

const std::string library = "cuDNN " + std::to_string(CUDNN_MAJOR) + "." + std::to_string(CUDNN_MINOR) + "." +
                            std::to_string(CUDNN_PATCHLEVEL);

constexpr const char* signature = "(const float*, const float*, float*, int, int, int, int, int)";

const GpulabYardstick offered[] = {
    yardstick<ProposedConvolution>("cudnn-convolution", signature),
    yardstick<BestConvolution>("cudnn-best-convolution", signature),
};

}  // namespace
}  // namespace gpulab::yardsticks

extern "C" __attribute__((visibility("default"))) GpulabYardsticks gpulab_yardsticks() {
  using namespace gpulab::yardsticks;
  return {library.c_str(), offered, static_cast<int>(std::size(offered))};
}
