#pragma once

#include <map>
#include <string>
#include <vector>

#include "lesson/finding.hpp"

namespace gpulab::lessons::streams {

// Kernels in different streams: at the same time and at full speed, because none fills the GPU, or one after
// the other.
enum class Kernels { side_by_side, one_at_a_time };

// Timeline of a GPU that works off its streams, if the duration of all work is known. Work in one stream
// runs in order; work after a wait begins when the event has happened. Each direction has one copy engine,
// which does one copy at a time. The work that can begin earliest begins next; of two that can begin at once,
// the one that was put into its stream first. The host takes no time.
class PredictedTimeline {
 public:
  explicit PredictedTimeline(Kernels kernels) : kernels_(kernels) {}

  void kernel(int stream, const std::string& name, double duration_s);
  void copy_to_device(int stream, const std::string& array, double duration_s);
  void copy_to_host(int stream, const std::string& array, double duration_s);
  void record(int event, int stream);
  // An event that was not recorded is not waited for.
  void wait(int stream, int event);

  // Returns the spans in the order in which the work was put into the streams.
  Timeline timeline() const;
  // Returns when everything is done.
  double end_s() const;

 private:
  struct Work {
    Span span;                            // from 0 to its duration
    std::vector<std::size_t> after = {};  // the work that must be done before
  };

  void put(Span::Kind kind, int stream, const std::string& what, double duration_s);

  Kernels kernels_;
  std::vector<Work> works_;
  std::map<int, std::vector<std::size_t>> last_of_stream_;  // work after which the stream's next work comes
  std::map<int, std::vector<std::size_t>> events_;
};

}  // namespace gpulab::lessons::streams
