#pragma once

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "sandbox/stop_request.hpp"

namespace gpulab::simulator::remote {

struct Message {
  std::string bytes;
  int file = -1;  // that came with it; -1 for none. Whoever receives it closes it.
};

// How long a stranger is waited for.
struct Patience {
  sandbox::TimeLimit& limit;
  const sandbox::StopRequest& stop;
};

struct OutOfTime : std::exception {};

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

  // False when the other end is gone. A file is sent along, and stays open here. The other end is waited for
  // as long as it takes.
  bool send(const std::string& bytes, int file = -1) const;

  // None when the other end is gone.
  std::optional<Message> receive() const;

  // The same with a stranger at the other end: one who is slow, stops in the middle, or sends more than
  // somebody asked for. Throw OutOfTime, BadMessage and WorkStopped.
  bool send(const std::string& bytes, int file, const Patience& patience) const;
  std::optional<std::string> receive(std::size_t most_bytes, const Patience& patience) const;

 private:
  int socket_;
};

}  // namespace gpulab::simulator::remote
