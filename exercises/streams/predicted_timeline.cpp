#include "streams/predicted_timeline.hpp"

#include <algorithm>
#include <optional>

namespace gpulab::lessons::streams {

void PredictedTimeline::kernel(int stream, const std::string& name, double duration_s) {
  put(Span::Kind::kernel, stream, name, duration_s);
}

void PredictedTimeline::copy_to_device(int stream, const std::string& array, double duration_s) {
  put(Span::Kind::to_device, stream, array, duration_s);
}

void PredictedTimeline::copy_to_host(int stream, const std::string& array, double duration_s) {
  put(Span::Kind::to_host, stream, array, duration_s);
}

void PredictedTimeline::record(int event, int stream) {
  events_[event] = last_of_stream_[stream];
}

void PredictedTimeline::wait(int stream, int event) {
  const std::vector<std::size_t>& until = events_[event];
  std::vector<std::size_t>& last = last_of_stream_[stream];
  last.insert(last.end(), until.begin(), until.end());
}

void PredictedTimeline::put(Span::Kind kind, int stream, const std::string& what, double duration_s) {
  std::vector<std::size_t>& last = last_of_stream_[stream];
  works_.push_back({.span = {.stream = stream, .kind = kind, .what = what, .end_s = duration_s},
                    .after = std::move(last)});
  last = {works_.size() - 1};
}

Timeline PredictedTimeline::timeline() const {
  std::vector<std::optional<Span>> placed(works_.size());
  std::map<Span::Kind, double> engine_is_free_s;

  // Returns when the work can begin, or none while work that must be done before it is not placed.
  const auto start_s = [&](const Work& work) -> std::optional<double> {
    const bool has_engine = work.span.kind != Span::Kind::kernel || kernels_ == Kernels::one_at_a_time;
    double start = has_engine ? engine_is_free_s[work.span.kind] : 0;
    for (const std::size_t earlier : work.after) {
      if (!placed[earlier]) return std::nullopt;
      start = std::max(start, placed[earlier]->end_s);
    }
    return start;
  };

  for (std::size_t done = 0; done < works_.size(); ++done) {
    std::size_t next = works_.size();
    double earliest = 0;
    for (std::size_t i = 0; i < works_.size(); ++i) {
      if (placed[i]) continue;
      const auto start = start_s(works_[i]);
      if (!start || (next < works_.size() && *start >= earliest)) continue;
      next = i;
      earliest = *start;
    }
    Span span = works_[next].span;
    span.start_s = earliest;
    span.end_s += earliest;
    engine_is_free_s[span.kind] = span.end_s;
    placed[next] = span;
  }
  Timeline timeline;
  for (const auto& span : placed) timeline.push_back(*span);
  return timeline;
}

double PredictedTimeline::end_s() const {
  double end = 0;
  for (const Span& span : timeline()) end = std::max(end, span.end_s);
  return end;
}

}  // namespace gpulab::lessons::streams
