#include <chrono>
#include <thread>

#include "program/runtime/call.hpp"
#include "program/runtime/runtime.hpp"
#include "simulator/schedule/hooks.hpp"

// The helper thread runs queued work while the host makes no call, and holds the lock of the calls meanwhile.
// Its kernel may wait for the host, as a server does that polls a mailbox. Then the helper yields the lock,
// so that the host's calls go on. Calls that wait for the device still wait until the kernel ends.

namespace gpulab::program::runtime {
namespace {

using std::chrono::steady_clock;

// The lock is released for this time, so that another thread can take it.
constexpr std::chrono::microseconds unlocked_time(50);
// The helper runs queued work once the host has made no call for this time.
constexpr std::chrono::milliseconds silent_time(20);
// A kernel that the helper has run for longer is taken to wait for the host.
constexpr std::chrono::milliseconds usual_kernel_time(200);

thread_local bool is_helper_thread = false;

}  // namespace

bool Runtime::run_one_operation() {
  for (const auto& stream : default_streams_)
    if (make_progress(*stream->queue)) return true;
  for (const auto& [handle, stream] : streams_.all())
    if (make_progress(*stream->queue)) return true;
  return false;
}

void Runtime::work_while_host_is_silent() {
  is_helper_thread = true;
  std::size_t steps_seen = 0;
  // Returns whether the host has made no call since `steps_seen`, or asks for a stream's work.
  const auto may_run = [&] { return steps_seen == steps_ || helper_.wanted; };
  for (;;) {
    const bool may_begin = may_run();
    if (!may_begin) steps_seen = steps_;
    while (may_begin && has_work_ && may_run()) {
      const std::lock_guard lock(mutex_);
      if (!may_run()) continue;  // the host has made a call before the helper got the lock
      helper_.began = steady_clock::now();
      helper_.kernel_waits = false;
      helper_.is_running = true;
      if (simulator::SimulatedStream* const wanted = helper_.wanted)
        run_device_work([&] { wanted->run_one(); });
      else
        has_work_ = run_one_operation();
      helper_.is_running = false;
      helper_.wanted = nullptr;
    }
    static_cast<void>(helper_.wakes.try_acquire_for(silent_time));
  }
}

// Returns whether the helper's kernel seems to wait for the host.
bool Runtime::does_helper_wait() const {
  return helper_.kernel_waits || steady_clock::now() - helper_.began > usual_kernel_time;
}

// Returns whether this thread runs an operation of a stream, so that its code is a callback in that stream.
// While the helper runs an operation, the host's thread finds the device's memory open, too.
bool Runtime::is_in_stream_work() const {
  const bool does_helper_run_it = helper_.is_running && !is_helper_thread;
  return open_scopes_ > 0 && !does_helper_run_it;
}

void Runtime::yield_lock() {
  mutex_.unlock();
  std::this_thread::sleep_for(unlocked_time);
  mutex_.lock();
}

void Runtime::watch_for_host() {
  machine_->set_host({.may_change =
                          [this](std::uintptr_t address) {
                            if (!helper_.is_running || helper_.hosts_waiting > 0 ||
                                !simulator::schedule::host_accesses.is_shared(address))
                              return false;
                            helper_.kernel_waits = true;
                            std::this_thread::sleep_for(unlocked_time);
                            return true;
                          },
                      .on_pause =
                          [this] {
                            if (is_helper_thread && helper_.calls_waiting > 0 && does_helper_wait())
                              yield_lock();
                          }});
}

std::unique_lock<std::recursive_mutex> Runtime::take_lock() {
  ++helper_.calls_waiting;
  std::unique_lock lock(mutex_);
  --helper_.calls_waiting;
  return lock;
}

// Waits until the helper runs nothing. Call it before the host's thread uses the device itself.
void Runtime::wait_for_helper() {
  if (is_helper_thread || !helper_.is_running) return;
  ++helper_.hosts_waiting;
  while (helper_.is_running) yield_lock();
  --helper_.hosts_waiting;
}

// Lets the helper run one operation for a program that polls. Comes back when the operation has ended, or
// when its kernel waits for the host.
bool Runtime::make_progress(simulator::SimulatedStream& queue) {
  if (queue.size() == 0) return false;
  if (is_helper_thread || !has_helper_thread_ || Call::depth_of_this_thread() != 1) {
    run_device_work([&] { queue.run_one(); });
    return true;
  }
  if (!helper_.is_running) {
    helper_.wanted = &queue;
    helper_.wakes.release();
  }
  ++helper_.calls_waiting;
  const auto runs_and_waits = [&] { return helper_.is_running && does_helper_wait(); };
  do yield_lock();  // at least once, even if the operation runs already: it needs the CPU that polls
  while (helper_.wanted && !runs_and_waits());
  --helper_.calls_waiting;
  return true;
}

}  // namespace gpulab::program::runtime
