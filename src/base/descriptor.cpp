#include "base/descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iterator>

#include "base/error.hpp"

namespace gpulab {

void Descriptor::close() {
  const int error = errno;
  if (is_open()) ::close(std::exchange(number_, -1));
  errno = error;
}

Pipe make_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Descriptor anonymous_file(const char* name, std::string_view content) {
  Descriptor file(::memfd_create(name, MFD_CLOEXEC));
  if (file.is_open() && (!write_all(file.number(), content) || ::lseek(file.number(), 0, SEEK_SET) != 0))
    file.close();
  return file;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::ptrdiff_t read_more(int descriptor, std::string& bytes) {
  std::array<char, 65536> piece;
  ssize_t count = 0;
  do count = ::read(descriptor, piece.data(), piece.size());
  while (count < 0 && errno == EINTR);
  bytes.append(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return count;
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr double slice_s = 1;  // longest wait that next_slice_ms() asks for

bool wait_for(short events, int descriptor, TimeLimit& limit, const StopToken& stop) {
  pollfd sources[] = {{.fd = descriptor, .events = events, .revents = 0},
                      {.fd = stop.descriptor, .events = POLLIN, .revents = 0}};
  while (const int poll_ms = limit.next_slice_ms()) {
    for (pollfd& source : sources) source.revents = 0;
    if (::poll(sources, std::size(sources), poll_ms) < 0 && errno != EINTR) return true;  // read() says why
    if (sources[1].revents != 0 && stop.requested()) throw WorkStopped();
    if (sources[1].revents & ~POLLIN) sources[1].fd = -1;  // the other end is gone
    if (sources[0].revents == 0) continue;
    limit.restart_idle_time();
    return true;
  }
  return false;
}

}  // namespace

StopTimer::StopTimer(std::function<bool()> requested)
    : timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      requested_(std::move(requested)) {
  constexpr timespec interval{0, static_cast<long>(1e9 * seconds_between_stop_requests)};
  const itimerspec again_and_again{interval, interval};
  ::timerfd_settime(timer_.number(), 0, &again_and_again, nullptr);
}

StopToken StopTimer::token() const {
  return {.descriptor = timer_.number(), .requested = [this] {
            std::uint64_t rings = 0;
            [[maybe_unused]] const ssize_t bytes = ::read(timer_.number(), &rings, sizeof rings);
            return requested_();
          }};
}

namespace {

std::function<bool()> stop_of_kernels;

}  // namespace

StoppableKernels::StoppableKernels(std::function<bool()> requested) {
  stop_of_kernels = std::move(requested);
}

StoppableKernels::~StoppableKernels() {
  stop_of_kernels = nullptr;
}

bool must_kernel_stop() {
  return stop_of_kernels && stop_of_kernels();
}

double cpu_seconds_of(pid_t process) {
  clockid_t clock;
  timespec time{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TimeLimit::TimeLimit(double seconds, pid_t worker)
    : left_s_(seconds),
      wall_left_s_(worker > 0 ? wall_for_each_cpu_second * seconds : seconds),
      own_cpu_s_(cpu_seconds_of(0)),
      worker_(worker),
      last_call_(Clock::now()) {}

int TimeLimit::next_slice_ms() {
  constexpr double max_counted_slices = 1.5;  // a wait that took longer was a stop, or a busy machine
  constexpr double min_cpu_share = 0.01;      // of a CPU; a sleeping process still wakes now and then
  const Clock::time_point now = Clock::now();
  const double own_cpu_s = cpu_seconds_of(0),
               passed_s = std::chrono::duration<double>(now - last_call_).count();
  const double counted_s = std::min(passed_s, max_counted_slices * slice_s + own_cpu_s - own_cpu_s_);
  last_call_ = now;
  own_cpu_s_ = own_cpu_s;
  wall_left_s_ -= counted_s;
  if (worker_ > 0) {
    const double cpu_s = cpu_seconds_of(worker_), used_s = std::max(0.0, cpu_s - worker_cpu_s_);
    worker_cpu_s_ = cpu_s;
    left_s_ -= used_s;
    idle_s_ = used_s > min_cpu_share * counted_s ? 0 : idle_s_ + counted_s;
  } else {
    left_s_ = wall_left_s_;
  }
  if (left_s_ <= 0 || wall_left_s_ <= 0 || was_idle()) return 0;
  return std::max(1, static_cast<int>(1e3 * std::min({left_s_, wall_left_s_, slice_s})));
}

bool wait_to_read(int descriptor, TimeLimit& limit, const StopToken& stop) {
  return wait_for(POLLIN, descriptor, limit, stop);
}

bool wait_to_write(int descriptor, TimeLimit& limit, const StopToken& stop) {
  return wait_for(POLLOUT, descriptor, limit, stop);
}

ReadEnd read_until_end(int descriptor, TimeLimit& limit, const StopToken& stop, std::size_t max_bytes,
                       std::string& text) {
  while (wait_to_read(descriptor, limit, stop)) {
    if (read_more(descriptor, text) <= 0) return ReadEnd::whole;
    if (text.size() <= max_bytes) continue;
    text.resize(max_bytes);
    return ReadEnd::too_much;
  }
  return ReadEnd::out_of_time;
}

namespace {

constexpr int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};
// The only state that a signal handler may touch.
volatile std::sig_atomic_t received_signal = 0;
int pipe_ends[2] = {-1, -1};
struct sigaction previous_actions[std::size(stop_signals)];

extern "C" void on_signal(int signal) {
  const int error = errno;
  if (received_signal == 0) received_signal = signal;
  [[maybe_unused]] const ssize_t written = ::write(pipe_ends[1], "", 1);
  errno = error;
}

}  // namespace

Interruption::Interruption() {
  received_signal = 0;
  if (::pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error(ExitCode::device, std::string("cannot make a pipe: ") + std::strerror(errno));
  struct sigaction action {};
  action.sa_handler = &on_signal;
  for (std::size_t i = 0; i < std::size(stop_signals); ++i) {
    ::sigaction(stop_signals[i], nullptr, &previous_actions[i]);
    if (previous_actions[i].sa_handler != SIG_IGN)  // respects nohup
      ::sigaction(stop_signals[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < std::size(stop_signals); ++i)
    ::sigaction(stop_signals[i], &previous_actions[i], nullptr);
  for (int& end : pipe_ends) {
    ::close(end);
    end = -1;
  }
}

StopToken Interruption::stop_token() const {
  return {.descriptor = pipe_ends[0], .requested = [] { return received_signal != 0; }};
}

const char* Interruption::signal_name() const {
  return received_signal == SIGINT ? "SIGINT" : received_signal == SIGTERM ? "SIGTERM" : "SIGHUP";
}

int Interruption::signal() const {
  return received_signal;
}

}  // namespace gpulab
