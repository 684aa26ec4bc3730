#include <fmt/format.h>
#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>

#include "program/runtime/call.hpp"
#include "program/runtime/runtime.hpp"

namespace gpulab::program::runtime {

// Streams and events of the program, their work, and waiting for it.

namespace {

void make_wait(Stream& waiting, Stream& other) {
  simulator::SimulatedEvent event;
  other.queue->record(event);
  waiting.queue->wait(event);
}

}  // namespace

Stream* Runtime::stream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
    return default_streams_[static_cast<std::size_t>(current_device())].get();
  return streams_.at(handle);
}

cudaStream_t Runtime::create_stream(unsigned flags, int priority, Site site) {
  auto stream = std::make_unique<Stream>();
  stream->queue = std::make_unique<simulator::SimulatedStream>(machine_->order());
  stream->device = current_device();
  stream->flags = flags;
  stream->priority = priority;
  stream->number = ++streams_made_;
  return streams_.hold<cudaStream_t>(std::move(stream), site);
}

// Completes the stream's remaining work first. A later wait for the device includes that work.
void Runtime::destroy_stream(cudaStream_t handle) {
  Stream& stream = *streams_.at(handle);
  run_device_work([&] { stream.queue->run(); });
  if (device_count() > 1) make_wait(*default_streams_[static_cast<std::size_t>(stream.device)], stream);
  streams_.forget(handle);
}

std::vector<Stream*> Runtime::streams_of(int device) {
  std::vector<Stream*> all{default_streams_[static_cast<std::size_t>(device)].get()};
  for (const auto& [handle, stream] : streams_.all())
    if (stream->device == device) all.push_back(stream.get());
  return all;
}

// Orders work of the legacy default stream after all work of blocking streams, and before their later work.
void Runtime::order_with_default(Stream& stream) {
  Stream& default_stream = *default_streams_[static_cast<std::size_t>(stream.device)];
  const auto wait_for = [this](Stream& waiting, Stream& other) {
    timeline_.wait_for_stream(waiting.number, other.number);
    make_wait(waiting, other);
  };
  if (stream.is_default) {
    ++default_operations_;
    for (Stream* const other : streams_of(stream.device))
      if (other->is_blocking() && std::exchange(other->has_new_work, false)) wait_for(stream, *other);
  } else if (stream.is_blocking()) {
    const std::size_t seen_before = std::exchange(stream.default_operations_seen, default_operations_);
    if (seen_before < default_operations_) wait_for(stream, default_stream);
    stream.has_new_work = true;
  }
}

void Runtime::order_with_device(Stream& stream, int device, bool is_after) {
  for (Stream* const other : streams_of(device)) {
    if (other == &stream || other->captured || !(other->is_default || other->is_blocking())) continue;
    if (is_after)
      make_wait(*other, stream);
    else
      make_wait(stream, *other);
  }
}

void Runtime::put(Stream& stream, Site site, simulator::SimulatedStream::Work work) {
  if (stream.captured) {
    note_captured(stream.captured, site);
    return stream.queue->put(std::move(work));
  }
  order_with_default(stream);
  stream.last_work = site;
  if (is_watching()) {
    RequestedWork& requested = streams_of_call_[site.pc];
    requested.streams.insert(stream.number);
    requested.last_step = steps_;
  }
  machine_->order()->set_issued_at(site.pc);
  has_work_ = true;
  // The runtime lives as long as the process, and so may the thread.
  if (!has_helper_thread_.exchange(true)) std::thread([this] { work_while_host_is_silent(); }).detach();
  stream.queue->put(std::move(work));
  constexpr std::size_t max_queued = 1024;  // a GPU also makes the host wait when its queue is full
  if (stream.queue->size() > max_queued) run_device_work([&] { stream.queue->run(); });
}

cudaError_t Runtime::synchronize(Stream& stream) {
  timeline_.host_waits_for_stream(stream.number);
  if (stream.queue->size() > 0)
    run_device_work([&] { stream.queue->drain(); });
  else  // nothing runs, so this does not wait for the helper, whose kernel may wait for the host
    stream.queue->drain();
  launched_since_clock_ = {};
  write_output();
  return sticky_;
}

cudaError_t Runtime::synchronize_all(int device) {
  for (Stream* const stream : streams_of(device)) synchronize(*stream);
  if (device_count() == 1)
    machine_->order()->host_waits_for_all();  // also for work of streams that were destroyed
  return sticky_;
}

namespace {

bool has_happened(const Event& event) {
  return !event.event.latest || event.event.latest->has_happened;
}

}  // namespace

cudaError_t Runtime::run_until(Event& event) {
  timeline_.host_waits_for_event(&event);
  if (has_happened(event))  // this does not wait for the helper, whose kernel may wait for the host
    simulator::SimulatedStream::drain_until(event.event);
  else
    run_device_work([&] { simulator::SimulatedStream::drain_until(event.event); });
  launched_since_clock_ = {};
  write_output();
  return sticky_;
}

void Runtime::write_output() {
  std::fwrite(output_.data(), 1, output_.size(), stdout);
  output_.clear();
}

bool Runtime::make_progress(Event& event) {
  const auto occurrence = event.event.latest;
  if (!occurrence || occurrence->has_happened) return false;
  const auto stream = occurrence->stream.lock();
  return stream && make_progress(*stream);
}

void Runtime::reset_device() {
  const int device = current_device();
  synchronize_all(device);
  std::vector<Allocation> all;
  for (const auto& [begin, allocation] : allocations_.all())
    if (!allocation.is_freed && allocation.kind != MemoryKind::registered && allocation.device == device)
      all.push_back(allocation);
  for (const Allocation& allocation : all) free(allocation, {});
  const auto is_of_device = [&](const auto& object) { return object.device == device; };
  events_.forget_if(is_of_device);
  streams_.forget_if(is_of_device);
  machine_->add_device(device);
  sticky_ = cudaSuccess;
}

// Functions of the runtime API for streams and events.

namespace {

cudaError_t create_stream(const Call& call, cudaStream_t* stream, unsigned flags, int priority = 0) {
  if (!stream) return call.fail(cudaErrorInvalidValue, "the pointer for the stream is null");
  *stream = call.runtime().create_stream(flags, priority, call.site());
  return cudaSuccess;
}

cudaError_t destroy_stream(const Call& call, cudaStream_t handle) {
  return call.with(handle, [&](const Stream& stream) {
    if (stream.is_default)
      return call.fail(cudaErrorInvalidResourceHandle, "the default stream cannot be destroyed");
    if (stream.queue->has_work())
      call.runtime().add(
          {.pattern = "stream-destroyed-with-work",
           .is_note = true,
           .place = place_of(call.site()),
           .text =
               "a stream is destroyed while work may still run in it: the call returns at once and does not wait for the work",
           .correction = "cudaStreamSynchronize(stream) before cudaStreamDestroy(stream)",
           .others = {{place_of(stream.last_work), "its last work was started here"}}});
    call.runtime().destroy_stream(handle);
    return cudaSuccess;
  });
}

cudaError_t synchronize(const Call& call, cudaStream_t handle) {
  return call.with(handle, [&](Stream& stream) {
    if (stream.captured) return call.invalidate_capture(*stream.captured.capture);
    call.runtime().note_wait_for_stream(call.site());
    return call.runtime().synchronize(stream);
  });
}

// Answers a query. If the stream has work, the device runs one operation, so that a polling loop ends.
cudaError_t query(const Call& call, cudaStream_t handle) {
  return call.with(handle, [&](Stream& stream) {
    if (stream.captured) return call.invalidate_capture(*stream.captured.capture);
    if (stream.queue->size() == 0) return call.runtime().synchronize(stream);
    call.runtime().make_progress(*stream.queue);
    return cudaErrorNotReady;
  });
}

// Notes a wait for an event that was never recorded. A loop may wait before it records: then the same line
// waits again once the event is recorded, and the note is withdrawn.
void note_unrecorded_event(const Call& call, const Event& event, const std::string& text,
                           const std::string& correction) {
  constexpr const char* pattern = "event-never-recorded";
  if (event.was_recorded) return call.runtime().drop_finding(pattern, call.site());
  call.runtime().add({.pattern = pattern,
                      .is_note = true,
                      .place = place_of(call.site()),
                      .text = text,
                      .correction = correction});
}

// Makes the next node of a stream wait for a captured event, and lets the stream join the event's capture.
cudaError_t wait_in_capture(const Call& call, Stream& stream, const Event& event) {
  if (!event.captured || (stream.captured && stream.captured.capture != event.captured.capture)) {
    stream.captured.capture->is_invalid = true;
    return call.fail(cudaErrorStreamCaptureIsolation,
                     "a stream that is captured waits for an event that is not a part of the capture");
  }
  if (!stream.captured) call.runtime().join_capture(stream, event.captured.capture);
  std::vector<std::size_t>& last = stream.captured.last;
  for (const std::size_t node : event.captured.last)
    if (std::ranges::find(last, node) == last.end()) last.push_back(node);
  return cudaSuccess;
}

cudaError_t wait_for_event(const Call& call, cudaStream_t stream_handle, cudaEvent_t handle) {
  return call.with(handle, [&](const Event& event) {
    return call.with(stream_handle, [&](Stream& stream) {
      if (stream.captured || event.captured) return wait_in_capture(call, stream, event);
      note_unrecorded_event(call, event,
                            "a stream waits for an event that was never recorded, so it does not wait at all",
                            "cudaEventRecord(event, other_stream) first");
      call.runtime().order_with_default(stream);
      stream.queue->wait(event.event);
      call.runtime().timeline().wait_for_event(stream.number, &event);
      call.runtime().note_event_wait(stream, event, call.site());
      return cudaSuccess;
    });
  });
}

cudaError_t record(const Call& call, cudaEvent_t handle, cudaStream_t stream_handle) {
  return call.with(handle, [&](Event& event) {
    return call.with(stream_handle, [&](Stream& stream) {
      if (event.device != stream.device)
        return call.defect(
            cudaErrorInvalidResourceHandle, "wrong-device",
            fmt::format("{} is given an event of device {} and {} of device {}", call.name(), event.device,
                        stream.is_default ? "the default stream" : "a stream", stream.device),
            "cudaSetDevice(" + std::to_string(stream.device) +
                ") before the event is created: an event belongs to the device that is current then",
            {{place_of(event.created), "the event is created here"}});
      event.captured = stream.captured;
      if (stream.captured) return cudaSuccess;
      call.runtime().order_with_default(stream);
      stream.queue->record(event.event);
      call.runtime().timeline().record(&event, stream.number);
      event.was_recorded = true;
      event.recorded_at = call.site();
      event.recorded_stream = stream.number;
      return cudaSuccess;
    });
  });
}

// Reports a callback whose data is in a stack frame that is gone.
void check_callback_data(Runtime& runtime, std::thread::id caller, const void* data, Site site) {
  if (!is_in_ended_frame(address_of(data), caller)) return;
  runtime.add(
      {.pattern = "use-after-return",
       .place = place_of(site),
       .text =
           "the stream's callback is given the address of a local variable, and the function of that variable has returned when the callback runs",
       .correction =
           "the address of something that lives until the stream has been waited for: new, static, or main's"});
}

}  // namespace

cudaError_t put_callback(const Call& call, cudaStream_t handle, const void* data,
                         const std::function<void(Runtime&)>& function) {
  return call.with(handle, [&](Stream& stream) {
    Runtime& runtime = call.runtime();
    runtime.begin_node(stream, cudaGraphNodeTypeHost);
    runtime.put(stream, call.site(),
                [&runtime, function, data, site = call.site(),
                 caller = std::this_thread::get_id()](const simulator::StreamOp& op) {
                  check_callback_data(runtime, caller, data, site);
                  runtime.set_in_callback(true);
                  function(runtime);
                  runtime.set_in_callback(false);
                  runtime.order_host_after_callback(op);
                });
    return cudaSuccess;
  });
}

namespace {

cudaError_t create_event(const Call& call, cudaEvent_t* event, unsigned flags) {
  if (!event) return call.fail(cudaErrorInvalidValue, "the pointer for the event is null");
  *event = call.runtime().create_event(flags, call.site());
  return cudaSuccess;
}

cudaError_t synchronize(const Call& call, cudaEvent_t handle) {
  return call.with(handle, [&](Event& event) {
    if (event.captured) return call.invalidate_capture(*event.captured.capture, cudaErrorCapturedEvent);
    note_unrecorded_event(
        call, event,
        "cudaEventSynchronize is given an event that was never recorded, so it does not wait at all",
        "cudaEventRecord(event, stream) after the work to wait for");
    return call.runtime().run_until(event);
  });
}

cudaError_t query(const Call& call, cudaEvent_t handle) {
  return call.with(handle, [&](Event& event) {
    if (event.captured) return call.invalidate_capture(*event.captured.capture, cudaErrorCapturedEvent);
    if (has_happened(event)) {
      call.runtime().run_one_operation();  // a program that polls this event may wait for another stream
      return call.runtime().run_until(event);
    }
    call.runtime().make_progress(event);
    return cudaErrorNotReady;
  });
}

cudaError_t give_time(const Call& call, float* milliseconds, const Event& start, const Event& stop) {
  if (!start.was_recorded || !stop.was_recorded)
    return call.defect(cudaErrorInvalidResourceHandle, "event-never-recorded",
                       std::string(call.name()) + " is given an event that was never recorded",
                       "cudaEventRecord(event, stream) before and after the work that is timed");
  if (start.device != stop.device)
    return call.defect(cudaErrorInvalidResourceHandle, "wrong-device",
                       fmt::format("cudaEventElapsedTime is given events of two devices, {} and {}",
                                   start.device, stop.device));
  if ((start.flags | stop.flags) & cudaEventDisableTiming)
    return call.defect(cudaErrorInvalidResourceHandle, "event-without-time",
                       "cudaEventElapsedTime is given an event that records no time (cudaEventDisableTiming)",
                       "cudaEventCreate(&event)");
  if (!has_happened(start) || !has_happened(stop))
    return call.defect(cudaErrorNotReady, "event-not-ready",
                       "cudaEventElapsedTime is called before the event has happened, so it has no time yet",
                       "cudaEventSynchronize(stop) first");
  const std::chrono::duration<float, std::milli> elapsed =
      stop.event.latest->happened_at - start.event.latest->happened_at;
  call.runtime().timeline().measure(&start, &stop, static_cast<double>(elapsed.count()), call.site());
  return give(milliseconds, elapsed.count());
}

cudaError_t give_time(const Call& call, float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  return call.with(start, [&](const Event& from) {
    return call.with(stop, [&](const Event& to) { return give_time(call, milliseconds, from, to); });
  });
}

}  // namespace

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

GPULAB_ENTRY(cudaStreamCreate, (cudaStream_t * stream), create_stream(call, stream, cudaStreamDefault))
// A kernel's launches run in the order of its requests, so all streams that it creates can be the same.
GPULAB_ENTRY_ALSO_IN_KERNELS(cudaStreamCreateWithFlags, cudaStreamCreateWithFlags,
                             (cudaStream_t * stream, unsigned flags), give(stream, cudaStreamFireAndForget),
                             create_stream(call, stream, flags))
GPULAB_ENTRY(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority),
             create_stream(call, stream, flags, priority))
GPULAB_ENTRY_ALSO_IN_KERNELS(cudaStreamDestroy, cudaStreamDestroy, (cudaStream_t stream), cudaSuccess,
                             destroy_stream(call, stream))
GPULAB_ENTRY(cudaStreamSynchronize, (cudaStream_t stream), synchronize(call, stream))
GPULAB_ENTRY(cudaStreamQuery, (cudaStream_t stream), query(call, stream))
GPULAB_ENTRY(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned),
             wait_for_event(call, stream, event))
GPULAB_ENTRY(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void* data),
             put_callback(call, stream, data, [=](Runtime&) { function(data); }))
GPULAB_ENTRY(cudaStreamAddCallback,
             (cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned),
             put_callback(call, stream, data,
                          [=](Runtime& runtime) { callback(stream, runtime.sticky_error(), data); }))
GPULAB_ENTRY(cudaStreamGetFlags, (cudaStream_t stream, unsigned* flags),
             call.with(stream, [&](const Stream& found) { return give(flags, found.flags); }))
GPULAB_ENTRY(cudaStreamGetPriority, (cudaStream_t stream, int* priority),
             call.with(stream, [&](const Stream& found) { return give(priority, found.priority); }))
GPULAB_ENTRY(cudaStreamAttachMemAsync, (cudaStream_t stream, void*, size_t, unsigned),
             call.with(stream, [](const Stream&) { return cudaSuccess; }))
GPULAB_ENTRY_NAMED(gpulab_create_event, cudaEventCreate, (cudaEvent_t * event, unsigned flags),
                   create_event(call, event, flags))
GPULAB_ENTRY(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags),
             create_event(call, event, flags))
GPULAB_ENTRY(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), record(call, event, stream))
GPULAB_ENTRY(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned),
             record(call, event, stream))
GPULAB_ENTRY(cudaEventSynchronize, (cudaEvent_t event), synchronize(call, event))
GPULAB_ENTRY(cudaEventQuery, (cudaEvent_t event), query(call, event))
GPULAB_ENTRY(cudaEventElapsedTime, (float* milliseconds, cudaEvent_t start, cudaEvent_t stop),
             give_time(call, milliseconds, start, stop))
GPULAB_ENTRY(cudaEventDestroy, (cudaEvent_t event), call.with(event, [&](const Event&) {
  call.runtime().destroy_event(event);
  return cudaSuccess;
}))
