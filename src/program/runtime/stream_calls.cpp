#include <string>
#include <thread>

#include "program/runtime/call.hpp"

// The functions of the runtime API about streams and events.

namespace gpulab::program::runtime {
namespace {

cudaError_t create_stream(const Call& call, cudaStream_t* stream, unsigned flags, int priority) {
  if (!stream) return call.fail(cudaErrorInvalidValue, "it was given no place for the stream");
  *stream = call.runtime().create_stream(flags, priority, call.site());
  return cudaSuccess;
}

cudaError_t destroy_stream(const Call& call, cudaStream_t handle) {
  return call.with(handle, [&](const Stream& stream) {
    if (stream.is_default)
      return call.fail(cudaErrorInvalidResourceHandle, "the default stream cannot be destroyed");
    if (stream.queue->size() > 0)
      call.runtime().add(
          {.pattern = "stream-destroyed-with-work",
           .is_note = true,
           .place = place_of(call.site()),
           .text = "a stream is destroyed while work may still run in it: the call returns at once, and "
                   "nobody waits for the work",
           .instead = "cudaStreamSynchronize(stream) before cudaStreamDestroy(stream)",
           .others = {{place_of(stream.last_work), "its last work was put into it here"}}});
    call.runtime().destroy_stream(handle);
    return cudaSuccess;
  });
}

cudaError_t synchronize(const Call& call, cudaStream_t handle) {
  return call.with(handle, [&](Stream& stream) { return call.runtime().synchronize(stream); });
}

// Each question gives the device time for one piece of work.
cudaError_t ask(const Call& call, cudaStream_t handle) {
  return call.with(handle, [&](Stream& stream) {
    if (stream.queue->size() == 0) return call.runtime().synchronize(stream);
    call.runtime().make_progress(stream);
    return cudaErrorNotReady;
  });
}

void note_unrecorded_event(const Call& call, const std::string& text, const std::string& instead) {
  call.runtime().add({.pattern = "event-never-recorded",
                      .is_note = true,
                      .place = place_of(call.site()),
                      .text = text,
                      .instead = instead});
}

cudaError_t wait_for_event(const Call& call, cudaStream_t stream_handle, cudaEvent_t handle) {
  return call.with(handle, [&](const Event& event) {
    return call.with(stream_handle, [&](Stream& stream) {
      if (!event.was_recorded)
        note_unrecorded_event(
            call, "a stream is told to wait for an event that was never recorded, so it waits for nothing",
            "cudaEventRecord(event, other_stream) first");
      call.runtime().order_with_default(stream);
      stream.queue->wait(event.event);
      call.runtime().timeline().wait_for_event(stream.number, &event);
      return cudaSuccess;
    });
  });
}

cudaError_t record(const Call& call, cudaEvent_t handle, cudaStream_t stream_handle) {
  return call.with(handle, [&](Event& event) {
    return call.with(stream_handle, [&](Stream& stream) {
      call.runtime().order_with_default(stream);
      stream.queue->record(event.event);
      call.runtime().timeline().record(&event, stream.number);
      event.was_recorded = true;
      return cudaSuccess;
    });
  });
}

// What a function that a stream calls is given must live until then. Behind the frame of the call that the
// program makes now there are only functions that have returned.
void look_at_data(Runtime& runtime, std::thread::id asker, const void* data, Site site) {
  constexpr std::uintptr_t most = std::uintptr_t{1} << 20;
  const std::uintptr_t behind = Call::frame_of_this_thread() - reinterpret_cast<std::uintptr_t>(data);
  if (std::this_thread::get_id() != asker || behind == 0 || behind >= most) return;
  runtime.add({.pattern = "use-after-return",
               .place = place_of(site),
               .text = "the function that the stream calls is given the address of a local variable, and the "
                       "function that has "
                       "this variable has returned when the stream comes to it",
               .instead = "the address of something that lives until the stream has been waited for: new, "
                          "static, or main's"});
}

// Puts a function of the program into the stream.
cudaError_t put_callback(const Call& call, cudaStream_t handle, const void* data,
                         const std::function<void(Runtime&)>& function) {
  return call.with(handle, [&](Stream& stream) {
    Runtime& runtime = call.runtime();
    runtime.put(stream, call.site(),
                [&runtime, function, data, site = call.site(),
                 asker = std::this_thread::get_id()](const simulator::Piece& piece) {
                  look_at_data(runtime, asker, data, site);
                  runtime.in_callback(true);
                  function(runtime);
                  runtime.in_callback(false);
                  runtime.has_told_host(piece);
                });
    return cudaSuccess;
  });
}

bool has_happened(const Event& event) {
  return !event.event.latest || event.event.latest->has_happened;
}

cudaError_t create_event(const Call& call, cudaEvent_t* event, unsigned flags) {
  if (!event) return call.fail(cudaErrorInvalidValue, "it was given no place for the event");
  *event = call.runtime().create_event(flags, call.site());
  return cudaSuccess;
}

cudaError_t destroy_event(const Call& call, cudaEvent_t handle) {
  return call.with(handle, [&](const Event&) {
    call.runtime().destroy_event(handle);
    return cudaSuccess;
  });
}

cudaError_t synchronize(const Call& call, cudaEvent_t handle) {
  return call.with(handle, [&](Event& event) {
    if (!event.was_recorded)
      note_unrecorded_event(
          call, "cudaEventSynchronize waits for an event that was never recorded, so it waits for nothing",
          "cudaEventRecord(event, stream) after the work to wait for");
    return call.runtime().run_until(event);
  });
}

cudaError_t ask(const Call& call, cudaEvent_t handle) {
  return call.with(handle, [&](Event& event) {
    if (has_happened(event)) return call.runtime().run_until(event);
    call.runtime().make_progress(event);
    return cudaErrorNotReady;
  });
}

cudaError_t give_time(const Call& call, float* milliseconds, const Event& start, const Event& stop) {
  if (!start.was_recorded || !stop.was_recorded)
    return call.defect(cudaErrorInvalidResourceHandle, "event-never-recorded",
                       std::string(call.name()) + " is given an event that was never recorded",
                       "cudaEventRecord(event, stream) before and after the work that is timed");
  if ((start.flags | stop.flags) & cudaEventDisableTiming)
    return call.defect(cudaErrorInvalidResourceHandle, "event-without-time",
                       "cudaEventElapsedTime is given an event that takes no time (cudaEventDisableTiming)",
                       "cudaEventCreate(&event)");
  if (!has_happened(start) || !has_happened(stop))
    return call.defect(cudaErrorNotReady, "event-not-ready",
                       "cudaEventElapsedTime is asked before the event has happened, so there is no time yet",
                       "cudaEventSynchronize(stop) first");
  const std::chrono::duration<float, std::milli> elapsed = stop.event.latest->at - start.event.latest->at;
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

GPULAB_ENTRY(cudaStreamCreate, (cudaStream_t * stream), create_stream(call, stream, cudaStreamDefault, 0))
GPULAB_ENTRY(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags),
             create_stream(call, stream, flags, 0))
GPULAB_ENTRY(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority),
             create_stream(call, stream, flags, priority))
GPULAB_ENTRY(cudaStreamDestroy, (cudaStream_t stream), destroy_stream(call, stream))
GPULAB_ENTRY(cudaStreamSynchronize, (cudaStream_t stream), synchronize(call, stream))
GPULAB_ENTRY(cudaStreamQuery, (cudaStream_t stream), ask(call, stream))
GPULAB_ENTRY(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned),
             wait_for_event(call, stream, event))
GPULAB_ENTRY(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void* data),
             put_callback(call, stream, data, [=](Runtime&) { function(data); }))
GPULAB_ENTRY(cudaStreamAddCallback,
             (cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned),
             put_callback(call, stream, data,
                          [=](Runtime& runtime) { callback(stream, runtime.sticky_error(), data); }))
GPULAB_ENTRY(cudaStreamGetFlags, (cudaStream_t stream, unsigned* flags),
             call.with(stream, [&](const Stream& has) { return give(flags, has.flags); }))
GPULAB_ENTRY(cudaStreamGetPriority, (cudaStream_t stream, int* priority),
             call.with(stream, [&](const Stream& has) { return give(priority, has.priority); }))
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
GPULAB_ENTRY(cudaEventQuery, (cudaEvent_t event), ask(call, event))
GPULAB_ENTRY(cudaEventElapsedTime, (float* milliseconds, cudaEvent_t start, cudaEvent_t stop),
             give_time(call, milliseconds, start, stop))
GPULAB_ENTRY(cudaEventDestroy, (cudaEvent_t event), destroy_event(call, event))
