#include "device/simulator/simulated_stream.hpp"

namespace gpulab {

void SimulatedStream::record(SimulatedEvent& event) {
  event.latest = std::make_shared<Occurrence>(Occurrence{.stream = self_});
  put([occurrence = event.latest] {
    occurrence->has_happened = true;
    occurrence->at = std::chrono::steady_clock::now();
  });
}

void SimulatedStream::wait(const SimulatedEvent& event) {
  if (!event.latest) return;
  put([occurrence = event.latest] {
    if (const auto stream = occurrence->stream.lock()) stream->run_until(*occurrence);
  });
}

void SimulatedStream::drain() {
  while (!queue_.empty()) run_next();
}

void SimulatedStream::run_until(const Occurrence& occurrence) {
  while (!occurrence.has_happened && !queue_.empty()) run_next();
}

void SimulatedStream::run_next() {
  const std::function<void()> work = std::move(queue_.front());
  queue_.pop_front();
  try {
    work();
  } catch (...) {
    queue_.clear();
    throw;
  }
}

}  // namespace gpulab
