#include "simulator/stream.hpp"

#include <cstring>

namespace gpulab::simulator {

std::shared_ptr<QueuedLaunch> queued_launch(const compile::SimulatedKernel& kernel,
                                            const LaunchConfig& config, void* const* arguments) {
  auto queued = std::make_shared<QueuedLaunch>();
  const std::size_t count = kernel.argument_sizes.size();
  const auto words_of = [](std::size_t bytes) {
    return (bytes + sizeof(ArgumentWords) - 1) / sizeof(ArgumentWords);
  };
  std::size_t words = 0;
  for (const std::size_t bytes : kernel.argument_sizes) words += words_of(bytes);
  queued->values.resize(words);
  ArgumentWords* next = queued->values.data();
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(next, arguments[i], kernel.argument_sizes[i]);
    queued->arguments.push_back(next);
    next += words_of(kernel.argument_sizes[i]);
  }
  queued->sizes = kernel.argument_sizes;
  queued->variables = kernel.variables;
  queued->launch = {kernel.call, kernel.function, queued->arguments.data(), &queued->sizes,
                    config,      kernel.shared,   kernel.instrumentation};
  queued->launch.compares_and_swaps = kernel.compares_and_swaps;
  queued->launch.shared.dynamic_bytes = config.dynamic_shared_bytes;
  return queued;
}

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

}  // namespace gpulab::simulator
