#include "sandbox/stop_request.hpp"

#include <poll.h>
#include <algorithm>
#include <cerrno>
#include <ctime>
#include <iterator>

namespace gpulab::sandbox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double slice_s = 1;

// 0 for a process that is gone.
double cpu_seconds_of(pid_t process) {
  clockid_t clock;
  timespec time{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

bool wait_for(short what, int descriptor, TimeLimit& limit, const StopRequest& stop) {
  pollfd sources[] = {{.fd = descriptor, .events = what, .revents = 0},
                      {.fd = stop.descriptor, .events = POLLIN, .revents = 0}};
  while (const int slice_ms = limit.next_slice_ms()) {
    for (pollfd& source : sources) source.revents = 0;
    if (::poll(sources, std::size(sources), slice_ms) < 0 && errno != EINTR) return true;  // reading says why
    if (sources[1].revents != 0 && stop.is_made()) throw WorkStopped();
    if (sources[1].revents & ~POLLIN) sources[1].fd = -1;  // nobody is there any more
    if (sources[0].revents == 0) continue;
    limit.restart_idle_time();
    return true;
  }
  return false;
}

}  // namespace

TimeLimit::TimeLimit(double seconds, pid_t worker)
    : left_s_(seconds), own_cpu_s_(cpu_seconds_of(0)), worker_(worker), looked_(Clock::now()) {}

int TimeLimit::next_slice_ms() {
  constexpr double least_progress_s = 1e-3;
  const Clock::time_point now = Clock::now();
  const double own_cpu_s = cpu_seconds_of(0), passed_s = std::chrono::duration<double>(now - looked_).count();
  const double counted_s = std::min(passed_s, 1.5 * slice_s + own_cpu_s - own_cpu_s_);
  looked_ = now;
  own_cpu_s_ = own_cpu_s;
  left_s_ -= counted_s;
  if (const double cpu_s = worker_ > 0 ? cpu_seconds_of(worker_) : 0;
      cpu_s > worker_cpu_s_ + least_progress_s) {
    worker_cpu_s_ = cpu_s;
    idle_s_ = 0;
  } else if (worker_ > 0) {
    idle_s_ += counted_s;
  }
  if (left_s_ <= 0 || was_idle()) return 0;
  return std::max(1, static_cast<int>(1e3 * std::min(left_s_, slice_s)));
}

bool wait_to_read(int descriptor, TimeLimit& limit, const StopRequest& stop) {
  return wait_for(POLLIN, descriptor, limit, stop);
}

bool wait_to_write(int descriptor, TimeLimit& limit, const StopRequest& stop) {
  return wait_for(POLLOUT, descriptor, limit, stop);
}

}  // namespace gpulab::sandbox
