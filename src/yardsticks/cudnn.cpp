#include <cudnn.h>
#include <algorithm>
#include <iterator>
#include <vector>

#include "yardsticks/adaptor.hpp"

namespace gpulab::yardsticks {
namespace {

using yardsticks::check;

void check(cudnnStatus_t status, const char* call) {
  if (status != CUDNN_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": " + cudnnGetErrorString(status));
}

// One of cuDNN's descriptors, or its handle, with what makes it and what destroys it.
template <class T, cudnnStatus_t (*create)(T*), cudnnStatus_t (*destroy)(T)>
class Owned {
 public:
  Owned() { check(create(&value_), "cudnnCreate"); }
  ~Owned() { destroy(value_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  T get() const { return value_; }

 private:
  T value_ = nullptr;
};
using Handle = Owned<cudnnHandle_t, cudnnCreate, cudnnDestroy>;
using Tensor = Owned<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
using Filter = Owned<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor>;
using Operation =
    Owned<cudnnConvolutionDescriptor_t, cudnnCreateConvolutionDescriptor, cudnnDestroyConvolutionDescriptor>;

constexpr std::size_t max_workspace = std::size_t{4} << 30;

// One image, one channel, float32 multiplications (no TF32), by the fastest algorithm that cuDNN finds when
// it tries all it has.
class CudnnConvolution : public NothingBefore {
 public:
  CudnnConvolution(void* const* arguments, cudaStream_t stream)
      : image_(argument<const float*>(arguments, 0)),
        filter_(argument<const float*>(arguments, 1)),
        output_(argument<float*>(arguments, 2)) {
    if (argument<int>(arguments, 7) != 0)
      throw std::runtime_error("cuDNN has nothing but zeros beyond the image");
    describe(argument<int>(arguments, 3), argument<int>(arguments, 4), argument<int>(arguments, 5),
             argument<int>(arguments, 6));
    check(cudnnSetStream(handle_.get(), stream), "cudnnSetStream");
    choose_algorithm();
  }

  void enqueue(cudaStream_t stream) {
    check(cudnnSetStream(handle_.get(), stream), "cudnnSetStream");
    const float one = 1, zero = 0;
    check(cudnnConvolutionForward(handle_.get(), &one, frame_.get(), image_, shape_.get(), filter_,
                                  operation_.get(), algorithm_, workspace_->get(), workspace_->bytes(), &zero,
                                  frame_.get(), output_),
          "cudnnConvolutionForward");
  }

 private:
  void describe(int width, int height, int filter_width, int filter_height) {
    check(cudnnSetTensor4dDescriptor(frame_.get(), CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, height, width),
          "cudnnSetTensor4dDescriptor");
    check(cudnnSetFilter4dDescriptor(shape_.get(), CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, filter_height,
                                     filter_width),
          "cudnnSetFilter4dDescriptor");
    check(cudnnSetConvolution2dDescriptor(operation_.get(), filter_height / 2, filter_width / 2, 1, 1, 1, 1,
                                          CUDNN_CONVOLUTION, CUDNN_DATA_FLOAT),
          "cudnnSetConvolution2dDescriptor");
    check(cudnnSetConvolutionMathType(operation_.get(), CUDNN_FMA_MATH), "cudnnSetConvolutionMathType");
  }

  void choose_algorithm() {
    std::vector<cudnnConvolutionFwdAlgoPerf_t> tried(CUDNN_CONVOLUTION_FWD_ALGO_COUNT);
    const Workspace room(max_workspace);
    int count = 0;
    check(cudnnFindConvolutionForwardAlgorithmEx(
              handle_.get(), frame_.get(), image_, shape_.get(), filter_, operation_.get(), frame_.get(),
              output_, static_cast<int>(tried.size()), &count, tried.data(), room.get(), room.bytes()),
          "cudnnFindConvolutionForwardAlgorithmEx");
    const auto end = tried.begin() + count;
    const auto best = std::find_if(tried.begin(), end, [](const auto& one) {
      return one.status == CUDNN_STATUS_SUCCESS && one.mathType == CUDNN_FMA_MATH;
    });
    if (best == end) throw std::runtime_error("cuDNN has no algorithm for this image and this filter");
    algorithm_ = best->algo;
    workspace_ = std::make_unique<Workspace>(best->memory);
  }

  Handle handle_;
  Tensor frame_;
  Filter shape_;
  Operation operation_;
  cudnnConvolutionFwdAlgo_t algorithm_{};
  std::unique_ptr<Workspace> workspace_;
  const float *image_, *filter_;
  float* output_;
};

const std::string library = "cuDNN " + std::to_string(CUDNN_MAJOR) + "." + std::to_string(CUDNN_MINOR) + "." +
                            std::to_string(CUDNN_PATCHLEVEL);

const GpulabYardstick offered[] = {
    yardstick<CudnnConvolution>("cudnn-convolution",
                                "(const float*, const float*, float*, int, int, int, int, int)"),
};

}  // namespace
}  // namespace gpulab::yardsticks

extern "C" __attribute__((visibility("default"))) GpulabYardsticks gpulab_yardsticks() {
  using namespace gpulab::yardsticks;
  return {library.c_str(), offered, static_cast<int>(std::size(offered))};
}
