#pragma once

#include <unistd.h>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "sandbox/sandbox.hpp"
#include "simulator/remote/channel.hpp"

namespace gpulab::simulator::remote {

// Objects by their numbers.
template <class T>
class Numbered {
 public:
  Number add(std::unique_ptr<T> object) {
    objects_[++latest_] = std::move(object);
    return latest_;
  }
  T& operator[](Number number) const { return *objects_.at(number); }
  void remove(Number number) { objects_.erase(number); }

 private:
  std::map<Number, std::unique_ptr<T>> objects_;
  Number latest_ = 0;
};

// A loaded file stays open: the loader takes an open file's name for what it has loaded under that name.
struct LoadedModule {
  int file;
  std::unique_ptr<device::Module> module;
  ~LoadedModule() {
    module.reset();
    ::close(file);
  }
};

// What copies of a stream read and write until it is synchronised.
struct ServedStream {
  std::unique_ptr<device::Stream> stream;
  std::deque<std::string> from_host, to_host;  // which do not move
};

// Where the process of a device finds its end of the connection.
constexpr int servers_socket = 3;

// The words of a command line that make this program the process of a device.
std::vector<std::string> words_for_server(sandbox::Mode mode, double kernel_time_limit_s);

// Confines this process, and answers until nobody asks any more, if the words are those above; what to end
// with. To be called first in main.
std::optional<int> serve_if_asked(const std::vector<std::string>& words);

}  // namespace gpulab::simulator::remote
