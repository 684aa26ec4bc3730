#include "bench/interruption.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>

#include "core/error.hpp"

namespace gpulab::bench {
namespace {

constexpr int asked_to_stop[] = {SIGINT, SIGTERM, SIGHUP};
// What a signal handler can reach.
volatile std::sig_atomic_t received = 0;
int pipe_ends[2] = {-1, -1};
struct sigaction before[std::size(asked_to_stop)];

extern "C" void on_signal(int signal) {
  const int error = errno;
  if (received == 0) received = signal;
  [[maybe_unused]] const ssize_t written = ::write(pipe_ends[1], "", 1);
  errno = error;
}

}  // namespace

Interruption::Interruption() {
  received = 0;
  if (::pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error(ExitCode::device, std::string("cannot make a pipe: ") + std::strerror(errno));
  struct sigaction action {};
  action.sa_handler = &on_signal;
  for (std::size_t i = 0; i < std::size(asked_to_stop); ++i)
    ::sigaction(asked_to_stop[i], &action, &before[i]);
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < std::size(asked_to_stop); ++i)
    ::sigaction(asked_to_stop[i], &before[i], nullptr);
  for (int& end : pipe_ends) {
    ::close(end);
    end = -1;
  }
}

sandbox::StopRequest Interruption::request() const {
  return {.descriptor = pipe_ends[0], .is_made = [] { return received != 0; }};
}

const char* Interruption::name() const {
  return received == SIGINT ? "SIGINT" : received == SIGTERM ? "SIGTERM" : "SIGHUP";
}

int Interruption::signal() const {
  return received;
}

}  // namespace gpulab::bench
