#include <cstdio>
#include <thread>
#include <utility>

#include "program/runtime/runtime.hpp"

// The streams and events of the program, the work in them, and waiting for it.

namespace gpulab::program::runtime {

Stream* Runtime::stream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
    return default_streams_[static_cast<std::size_t>(current_device())].get();
  const auto found = streams_.find(handle);
  return found == streams_.end() ? nullptr : found->second.get();
}

cudaStream_t Runtime::create_stream(unsigned flags, int priority, Site site) {
  auto stream = std::make_unique<Stream>();
  stream->queue = std::make_unique<simulator::SimulatedStream>(machine_->order());
  stream->device = current_device();
  stream->flags = flags;
  stream->priority = priority;
  stream->number = ++streams_made_;
  stream->created = site;
  const auto handle = reinterpret_cast<cudaStream_t>(stream.get());
  streams_[handle] = std::move(stream);
  return handle;
}

// Work that is still to be done is done all the same.
void Runtime::destroy_stream(cudaStream_t handle) {
  const auto found = streams_.find(handle);
  guarded([&] { found->second->queue->run(); });
  streams_.erase(found);
}

std::vector<Stream*> Runtime::streams_of(int device) {
  std::vector<Stream*> all{default_streams_[static_cast<std::size_t>(device)].get()};
  for (const auto& [handle, stream] : streams_)
    if (stream->device == device) all.push_back(stream.get());
  return all;
}

Event* Runtime::event(cudaEvent_t handle) {
  const auto found = events_.find(handle);
  return found == events_.end() ? nullptr : found->second.get();
}

cudaEvent_t Runtime::create_event(unsigned flags, Site site) {
  auto event = std::make_unique<Event>();
  event->flags = flags;
  event->device = current_device();
  event->created = site;
  const auto handle = reinterpret_cast<cudaEvent_t>(event.get());
  events_[handle] = std::move(event);
  return handle;
}

void Runtime::destroy_event(cudaEvent_t handle) {
  events_.erase(handle);
}

// Work in the default stream comes after all that is in blocking streams, and before all that they are given
// later.
void Runtime::order_with_default(Stream& stream) {
  Stream& first = *default_streams_[static_cast<std::size_t>(stream.device)];
  const auto wait_for = [this](Stream& waiting, Stream& other) {
    timeline_.wait_for_stream(waiting.number, other.number);
    simulator::SimulatedEvent event;
    other.queue->record(event);
    waiting.queue->wait(event);
  };
  if (stream.is_default) {
    ++default_work_;
    for (Stream* const other : streams_of(stream.device))
      if (other->is_blocking() && std::exchange(other->has_new_work, false)) wait_for(stream, *other);
  } else if (stream.is_blocking()) {
    if (std::exchange(stream.default_seen, default_work_) < default_work_) wait_for(stream, first);
    stream.has_new_work = true;
  }
}

void Runtime::put(Stream& stream, Site site, simulator::SimulatedStream::Work work) {
  order_with_default(stream);
  stream.last_work = site;
  machine_->order()->set_asked_at(site.code);
  has_work_ = true;
  if (!is_helped_.exchange(true)) std::thread([this] { work_while_host_is_silent(); }).detach();
  stream.queue->put(std::move(work));
  constexpr std::size_t most_queued = 1024;  // as much as a GPU takes before it makes the host wait
  if (stream.queue->size() > most_queued) guarded([&] { stream.queue->run(); });
}

cudaError_t Runtime::synchronize(Stream& stream) {
  timeline_.host_waits_for_stream(stream.number);
  guarded([&] { stream.queue->drain(); });
  launched_since_clock_ = {};
  write_output();
  return sticky_;
}

cudaError_t Runtime::synchronize_all(int device) {
  for (Stream* const stream : streams_of(device)) synchronize(*stream);
  machine_->order()->host_waits_for_all();  // also for work of streams that were destroyed
  return sticky_;
}

cudaError_t Runtime::run_until(Event& event) {
  timeline_.host_waits_for_event(&event);
  guarded([&] { simulator::SimulatedStream::drain_until(event.event); });
  launched_since_clock_ = {};
  write_output();
  return sticky_;
}

void Runtime::write_output() {
  std::fwrite(output_.data(), 1, output_.size(), stdout);
  output_.clear();
}

bool Runtime::make_progress(Stream& stream) {
  bool was_there = false;
  guarded([&] { was_there = stream.queue->run_one(); });
  return was_there;
}

bool Runtime::make_progress(Event& event) {
  const auto occurrence = event.event.latest;
  if (!occurrence || occurrence->has_happened) return false;
  const auto stream = occurrence->stream.lock();
  bool was_there = false;
  guarded([&] { was_there = stream && stream->run_one(); });
  return was_there;
}

void Runtime::reset_device() {
  const int device = current_device();
  synchronize_all(device);
  std::vector<Allocation> all;
  for (const auto& [begin, allocation] : allocations_.all())
    if (!allocation.is_freed && allocation.kind != MemoryKind::registered) all.push_back(allocation);
  for (const Allocation& allocation : all) free(allocation, {});
  events_.clear();
  streams_.clear();
  sticky_ = cudaSuccess;
}

}  // namespace gpulab::program::runtime
