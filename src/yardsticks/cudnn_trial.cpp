#include "yardsticks/cudnn_trial.hpp"

#include <algorithm>
#include <limits>

namespace gpulab::yardsticks {
namespace {

constexpr std::size_t max_workspace_bytes = std::size_t{4} << 30;

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

std::unique_ptr<Workspace> workspace_of(const Plan& plan) {
  if (plan.workspace_bytes() > max_workspace_bytes) throw std::runtime_error("it needs too much memory");
  return std::make_unique<Workspace>(plan.workspace_bytes());
}

}  // namespace

Trial::Trial(cudnnHandle_t handle, Descriptor configuration, const ConvolutionArrays& arrays)
    : plan_(handle, std::move(configuration)),
      workspace_(workspace_of(plan_)),
      arguments_(arguments_of(arrays.image, arrays.flipped_filter, arrays.output, workspace_->get())) {}

float Trial::milliseconds(cudnnHandle_t handle, cudaStream_t stream, float limit_ms) const {
  constexpr int launches = 4;  // the first one also loads the kernel
  const Event begin, end;
  float shortest = std::numeric_limits<float>::max();
  for (int i = 0; i < launches && (i < 2 || shortest < 2 * limit_ms); ++i) {
    check(cudaEventRecord(begin.get(), stream), "cudaEventRecord");
    enqueue(handle);
    check(cudaEventRecord(end.get(), stream), "cudaEventRecord");
    check(cudaEventSynchronize(end.get()), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "cudaEventElapsedTime");
    shortest = std::min(shortest, milliseconds);
  }
  return shortest;
}

std::optional<Trial> fastest(const Handle& handle, cudaStream_t stream,
                             std::vector<Descriptor> configurations, const ConvolutionArrays& arrays) {
  std::optional<Trial> best;
  float best_milliseconds = std::numeric_limits<float>::max();
  for (Descriptor& configuration : configurations) try {
      Trial tried(handle.for_stream(stream), std::move(configuration), arrays);
      const float milliseconds = tried.milliseconds(handle.for_stream(stream), stream, best_milliseconds);
      if (milliseconds >= best_milliseconds) continue;
      best_milliseconds = milliseconds;
      best.emplace(std::move(tried));
    } catch (const std::runtime_error&) {  // some proposed configurations cannot run
    }
  return best;
}

std::vector<Descriptor> proposed_in_float32(const ConvolutionGraph& graph) {
  std::vector<Descriptor> kept;
  for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B, CUDNN_HEUR_MODE_FALLBACK})
    for (Descriptor& configuration : graph.proposed(mode))
      if (is_float32_throughout(configuration)) kept.push_back(std::move(configuration));
  return kept;
}

}  // namespace gpulab::yardsticks
