#include <string>
#include <thread>

#include "program/runtime/call.hpp"

// The functions of the runtime API about streams and events.

namespace gpulab::program::runtime {
namespace {

cudaError_t create_stream(Call& call, cudaStream_t* stream, unsigned flags, int priority) {
  if (!stream) return call.fail(cudaErrorInvalidValue, "it was given no place for the stream");
  *stream = call.runtime().create_stream(flags, priority, call.site());
  return cudaSuccess;
}

cudaError_t record(Call& call, cudaEvent_t handle, cudaStream_t stream_handle) {
  cudaError_t error = cudaSuccess;
  Event* const event = call.event(handle, error);
  Stream* const stream = event ? call.stream(stream_handle, error) : nullptr;
  if (!stream) return error;
  call.runtime().order_with_default(*stream);
  stream->queue->record(event->event);
  call.runtime().timeline().record(event, stream->number);
  event->was_recorded = true;
  return cudaSuccess;
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

bool has_happened(const Event& event) {
  return !event.event.latest || event.event.latest->has_happened;
}

cudaError_t without_recording(const Call& call) {
  return call.defect(cudaErrorInvalidResourceHandle, "event-never-recorded",
                     std::string(call.name()) + " is given an event that was never recorded",
                     "cudaEventRecord(event, stream) before and after the work that is timed");
}

cudaError_t create_event(Call& call, cudaEvent_t* event, unsigned flags) {
  if (!event) return call.fail(cudaErrorInvalidValue, "it was given no place for the event");
  *event = call.runtime().create_event(flags, call.site());
  return cudaSuccess;
}

}  // namespace
}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;
using gpulab::ProgramFinding;

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  GPULAB_CALL_BEGINS(cudaStreamCreate);
  return create_stream(call, stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  GPULAB_CALL_BEGINS(cudaStreamCreateWithFlags);
  return create_stream(call, stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  GPULAB_CALL_BEGINS(cudaStreamCreateWithPriority);
  return create_stream(call, stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  GPULAB_CALL_BEGINS(cudaStreamDestroy);
  cudaError_t error = cudaSuccess;
  const Stream* const stream = call.stream(handle, error);
  if (!stream) return error;
  if (stream->is_default)
    return call.fail(cudaErrorInvalidResourceHandle, "the default stream cannot be destroyed");
  if (stream->queue->size() > 0)
    call.runtime().add(
        {.pattern = "stream-destroyed-with-work",
         .is_note = true,
         .place = place_of(call.site()),
         .text = "a stream is destroyed while work may still run in it: the call returns at once, and "
                 "nobody waits for the work",
         .instead = "cudaStreamSynchronize(stream) before cudaStreamDestroy(stream)",
         .others = {{place_of(stream->last_work), "its last work was put into it here"}}});
  call.runtime().destroy_stream(handle);
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  GPULAB_CALL_BEGINS(cudaStreamSynchronize);
  cudaError_t error = cudaSuccess;
  Stream* const stream = call.stream(handle, error);
  return stream ? call.runtime().synchronize(*stream) : error;
}

// Each question gives the device time for one piece of work.
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  GPULAB_CALL_BEGINS(cudaStreamQuery);
  cudaError_t error = cudaSuccess;
  Stream* const stream = call.stream(handle, error);
  if (!stream) return error;
  if (stream->queue->size() == 0) return call.runtime().synchronize(*stream);
  call.runtime().make_progress(*stream);
  return cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream_handle, cudaEvent_t handle, unsigned) {
  GPULAB_CALL_BEGINS(cudaStreamWaitEvent);
  cudaError_t error = cudaSuccess;
  const Event* const event = call.event(handle, error);
  Stream* const stream = event ? call.stream(stream_handle, error) : nullptr;
  if (!stream) return error;
  if (!event->was_recorded)
    call.runtime().add(
        {.pattern = "event-never-recorded",
         .is_note = true,
         .place = place_of(call.site()),
         .text = "a stream is told to wait for an event that was never recorded, so it waits for nothing",
         .instead = "cudaEventRecord(event, other_stream) first"});
  call.runtime().order_with_default(*stream);
  stream->queue->wait(event->event);
  call.runtime().timeline().wait_for_event(stream->number, event);
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  GPULAB_CALL_BEGINS(cudaLaunchHostFunc);
  cudaError_t error = cudaSuccess;
  Stream* const stream = call.stream(handle, error);
  if (!stream) return error;
  Runtime& runtime = call.runtime();
  runtime.put(*stream, call.site(),
              [&runtime, function, data, site = call.site(),
               asker = std::this_thread::get_id()](const gpulab::simulator::Piece& piece) {
                look_at_data(runtime, asker, data, site);
                runtime.in_callback(true);
                function(data);
                runtime.in_callback(false);
                runtime.has_told_host(piece);
              });
  return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data, unsigned) {
  GPULAB_CALL_BEGINS(cudaStreamAddCallback);
  cudaError_t error = cudaSuccess;
  Stream* const stream = call.stream(handle, error);
  if (!stream) return error;
  Runtime& runtime = call.runtime();
  runtime.put(*stream, call.site(),
              [&runtime, handle, callback, data, site = call.site(),
               asker = std::this_thread::get_id()](const gpulab::simulator::Piece& piece) {
                look_at_data(runtime, asker, data, site);
                runtime.in_callback(true);
                callback(handle, runtime.sticky_error(), data);
                runtime.in_callback(false);
                runtime.has_told_host(piece);
              });
  return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  GPULAB_CALL_BEGINS(cudaStreamGetFlags);
  cudaError_t error = cudaSuccess;
  if (const Stream* const stream = call.stream(handle, error)) *flags = stream->flags;
  return error;
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  GPULAB_CALL_BEGINS(cudaStreamGetPriority);
  cudaError_t error = cudaSuccess;
  if (const Stream* const stream = call.stream(handle, error)) *priority = stream->priority;
  return error;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void*, size_t, unsigned) {
  GPULAB_CALL_BEGINS(cudaStreamAttachMemAsync);
  cudaError_t error = cudaSuccess;
  call.stream(handle, error);
  return error;
}

cudaError_t gpulab_create_event(cudaEvent_t* event, unsigned flags) {
  GPULAB_CALL_BEGINS(cudaEventCreate);
  return create_event(call, event, flags);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  GPULAB_CALL_BEGINS(cudaEventCreateWithFlags);
  return create_event(call, event, flags);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  GPULAB_CALL_BEGINS(cudaEventRecord);
  return record(call, event, stream);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  GPULAB_CALL_BEGINS(cudaEventRecordWithFlags);
  return record(call, event, stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  GPULAB_CALL_BEGINS(cudaEventSynchronize);
  cudaError_t error = cudaSuccess;
  Event* const event = call.event(handle, error);
  if (!event) return error;
  if (!event->was_recorded)
    call.runtime().add(
        {.pattern = "event-never-recorded",
         .is_note = true,
         .place = place_of(call.site()),
         .text = "cudaEventSynchronize waits for an event that was never recorded, so it waits for nothing",
         .instead = "cudaEventRecord(event, stream) after the work to wait for"});
  return call.runtime().run_until(*event);
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  GPULAB_CALL_BEGINS(cudaEventQuery);
  cudaError_t error = cudaSuccess;
  Event* const event = call.event(handle, error);
  if (!event) return error;
  if (has_happened(*event)) return call.runtime().run_until(*event);
  call.runtime().make_progress(*event);
  return cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start_handle, cudaEvent_t stop_handle) {
  GPULAB_CALL_BEGINS(cudaEventElapsedTime);
  cudaError_t error = cudaSuccess;
  const Event* const start = call.event(start_handle, error);
  const Event* const stop = start ? call.event(stop_handle, error) : nullptr;
  if (!stop) return error;
  if (!start->was_recorded || !stop->was_recorded) return without_recording(call);
  if ((start->flags | stop->flags) & cudaEventDisableTiming)
    return call.defect(cudaErrorInvalidResourceHandle, "event-without-time",
                       "cudaEventElapsedTime is given an event that takes no time (cudaEventDisableTiming)",
                       "cudaEventCreate(&event)");
  if (!has_happened(*start) || !has_happened(*stop))
    return call.defect(cudaErrorNotReady, "event-not-ready",
                       "cudaEventElapsedTime is asked before the event has happened, so there is no time yet",
                       "cudaEventSynchronize(stop) first");
  const std::chrono::duration<float, std::milli> elapsed = stop->event.latest->at - start->event.latest->at;
  *milliseconds = elapsed.count();
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  GPULAB_CALL_BEGINS(cudaEventDestroy);
  cudaError_t error = cudaSuccess;
  if (call.event(handle, error)) call.runtime().destroy_event(handle);
  return error;
}
