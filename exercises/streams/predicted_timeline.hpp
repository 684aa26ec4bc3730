#pragma once

#include <map>
#include <string>
#include <vector>

#include "lesson/finding.hpp"

namespace gpulab::lessons::streams {

// Whether kernels in different streams run side by side at full speed, because none of them fills the GPU, or
// one after the other.
enum class Kernels { side_by_side, one_at_a_time };

// When a GPU does what was put into its streams, when it is known how long each piece takes. Work in one
// stream runs in its order; what stands after a wait in its stream begins when the event has happened. There
// is one copy engine for each direction, and it does one copy at a time. What may begin first begins first
// and, of two that may begin at once, the one that was put into its stream first. The host takes no time.
class PredictedTimeline {
 public:
  explicit PredictedTimeline(Kernels kernels) : kernels_(kernels) {}

  void kernel(int stream, const std::string& name, double duration_s);
  void copy_to_device(int stream, const std::string& array, double duration_s);
  void copy_to_host(int stream, const std::string& array, double duration_s);
  void record(int event, int stream);
  // For an event that was not recorded, nothing is waited for.
  void wait(int stream, int event);

  // In the order in which the work was put into the streams.
  Timeline timeline() const;
  // When everything is done.
  double end_s() const;

 private:
  struct Work {
    Span span;                            // from 0 to its duration
    std::vector<std::size_t> after = {};  // the work that must be done before
  };

  void put(Span::Kind kind, int stream, const std::string& what, double duration_s);

  Kernels kernels_;
  std::vector<Work> works_;
  std::map<int, std::vector<std::size_t>> last_of_stream_;  // what the stream's next work comes after
  std::map<int, std::vector<std::size_t>> events_;
};

}  // namespace gpulab::lessons::streams
