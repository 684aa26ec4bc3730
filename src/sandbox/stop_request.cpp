#include "sandbox/stop_request.hpp"

#include <poll.h>
#include <algorithm>
#include <cerrno>
#include <iterator>

namespace gpulab::sandbox {

bool wait_to_read(int descriptor, std::chrono::steady_clock::time_point deadline, const StopRequest& stop) {
  using std::chrono::milliseconds;
  pollfd sources[] = {{.fd = descriptor, .events = POLLIN, .revents = 0},
                      {.fd = stop.descriptor, .events = POLLIN, .revents = 0}};
  for (;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    for (pollfd& source : sources) source.revents = 0;
    const int most = static_cast<int>(std::min<long long>(left.count(), 1 << 30));
    if (::poll(sources, std::size(sources), most) < 0 && errno != EINTR) return true;  // reading says why
    if (sources[1].revents != 0 && stop.is_made()) throw WorkStopped();
    if (sources[1].revents & ~POLLIN) sources[1].fd = -1;  // nobody is there any more
    if (sources[0].revents != 0) return true;
  }
}

}  // namespace gpulab::sandbox
