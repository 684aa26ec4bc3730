#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "sandbox/stop_request.hpp"

namespace gpulab::simulator::remote {

struct Message {
  std::string bytes;
  int file = -1;  // that came with it; -1 for none. Whoever receives it closes it.
};

// One end of a connection between two processes.
class Channel {
 public:
  explicit Channel(int socket) : socket_(socket) {}
  ~Channel();
  Channel(Channel&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  Channel& operator=(Channel&& other) noexcept {
    std::swap(socket_, other.socket_);
    return *this;
  }

  // False when the other end is gone. A file is sent along, and stays open here.
  bool send(const std::string& bytes, int file = -1) const;

  // None when the other end is gone.
  std::optional<Message> receive() const;

  // Waits until there is something to receive, or the other end is gone; false when the time is over first.
  // Throws WorkStopped.
  bool wait(std::chrono::steady_clock::time_point deadline, const sandbox::StopRequest& stop) const;

 private:
  int socket_;
};

}  // namespace gpulab::simulator::remote
