#include <cudnn.h>
#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

#include "yardsticks/adaptor.hpp"
#include "yardsticks/cudnn_graph.hpp"

namespace gpulab::yardsticks {
namespace {

class Handle {
 public:
  Handle() { check(cudnnCreate(&handle_), "cudnnCreate"); }
  ~Handle() { cudnnDestroy(handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  cudnnHandle_t in(cudaStream_t stream) const {
    check(cudnnSetStream(handle_, stream), "cudnnSetStream");
    return handle_;
  }

 private:
  cudnnHandle_t handle_ = nullptr;
};

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

template <class Work>
float milliseconds_of(cudaStream_t stream, const Work& work) {
  const Event begin, end;
  check(cudaEventRecord(begin.get(), stream), "cudaEventRecord");
  work();
  check(cudaEventRecord(end.get(), stream), "cudaEventRecord");
  check(cudaEventSynchronize(end.get()), "cudaEventSynchronize");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "cudaEventElapsedTime");
  return milliseconds;
}

// Copies the filter with its last element first.
void flip(const float* filter, std::size_t length, const Workspace& flipped, cudaStream_t stream) {
  std::vector<float> values(length);
  const std::size_t bytes = length * sizeof(float);
  check(cudaMemcpyAsync(values.data(), filter, bytes, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  std::reverse(values.begin(), values.end());
  check(cudaMemcpy(flipped.get(), values.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

constexpr std::size_t max_workspace = std::size_t{4} << 30;

// One image, one channel, float32 multiplications (no TF32), by the fastest of all configurations of engines
// that cuDNN's heuristics propose. This is what a user gets who lets a framework try them.
class CudnnConvolution : public NothingBefore {
 public:
  CudnnConvolution(void* const* arguments, cudaStream_t stream)
      : image_(argument<const float*>(arguments, 0)),
        output_(argument<float*>(arguments, 2)),
        shape_{argument<int>(arguments, 3), argument<int>(arguments, 4), argument<int>(arguments, 5),
               argument<int>(arguments, 6)},
        flipped_filter_(filter_length() * sizeof(float)),
        graph_(handle_.in(stream), shape_) {
    if (argument<int>(arguments, 7) != 0)
      throw std::runtime_error("cuDNN has nothing but zeros beyond the image");
    flip(argument<const float*>(arguments, 1), filter_length(), flipped_filter_, stream);
    for (Descriptor& configuration : all_proposed())
      if (is_float32_throughout(configuration)) attempt(std::move(configuration), stream);
    if (!best_) throw std::runtime_error("cuDNN has no engine for this image and this filter");
  }

  void enqueue(cudaStream_t stream) { best_->plan.enqueue(handle_.in(stream), best_->arguments); }

 private:
  struct Candidate {
    Plan plan;
    std::unique_ptr<Workspace> workspace;
    Descriptor arguments;
    float milliseconds = std::numeric_limits<float>::max();
  };

  std::size_t filter_length() const {
    return static_cast<std::size_t>(shape_.filter_width) * shape_.filter_height;
  }

  std::vector<Descriptor> all_proposed() const {
    std::vector<Descriptor> all;
    for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B, CUDNN_HEUR_MODE_FALLBACK}) {
      std::vector<Descriptor> some = graph_.proposed(mode);
      std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return all;
  }

  void attempt(Descriptor configuration, cudaStream_t stream) {
    try {
      keep_faster(candidate(Plan(handle_.in(stream), std::move(configuration))), stream);
    } catch (const std::runtime_error&) {  // some that are proposed cannot run; others can
    }
  }

  Candidate candidate(Plan plan) const {
    if (plan.workspace_bytes() > max_workspace) throw std::runtime_error("it needs too much memory");
    auto workspace = std::make_unique<Workspace>(plan.workspace_bytes());
    Descriptor arguments =
        arguments_of(image_, static_cast<const float*>(flipped_filter_.get()), output_, workspace->get());
    return {std::move(plan), std::move(workspace), std::move(arguments)};
  }

  void keep_faster(Candidate tried, cudaStream_t stream) {
    constexpr int launches = 4;  // the first one also loads the kernel
    for (int i = 0; i < launches; ++i) {
      const float taken =
          milliseconds_of(stream, [&] { tried.plan.enqueue(handle_.in(stream), tried.arguments); });
      tried.milliseconds = std::min(tried.milliseconds, taken);
    }
    if (!best_ || tried.milliseconds < best_->milliseconds) best_.emplace(std::move(tried));
  }

  Handle handle_;
  const float* image_;
  float* output_;
  ConvolvedImage shape_;
  Workspace flipped_filter_;
  ConvolutionGraph graph_;
  std::optional<Candidate> best_;
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
