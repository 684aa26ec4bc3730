#include "simulator/remote/channel.hpp"

#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace gpulab::simulator::remote {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 36;

bool write_all(int socket, const char* from, std::size_t bytes) {
  while (bytes > 0) {
    iovec piece{const_cast<char*>(from), bytes};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    const ssize_t written = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    from += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

// Takes memory as the bytes come: a length is easily claimed.
bool read_all(int socket, std::string& to, std::size_t bytes) {
  constexpr std::size_t most_at_once = std::size_t{1} << 24;
  while (bytes > 0) {
    const std::size_t before = to.size(), wanted = std::min(bytes, most_at_once);
    to.resize(before + wanted);
    const ssize_t got = ::read(socket, to.data() + before, wanted);
    to.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

// A file travels beside the length of the message.
struct Header {
  explicit Header(std::uint64_t& length) : piece{&length, sizeof length} {
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
  }

  iovec piece;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
};

}  // namespace

Channel::~Channel() {
  if (socket_ >= 0) ::close(socket_);
}

bool Channel::send(const std::string& bytes, int file) const {
  std::uint64_t length = bytes.size();
  Header header(length);
  if (file >= 0) {
    cmsghdr* const control = CMSG_FIRSTHDR(&header.message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(control), &file, sizeof file);
  } else {
    header.message.msg_control = nullptr;
    header.message.msg_controllen = 0;
  }
  // Together, so that the other side wakes up once.
  iovec pieces[] = {header.piece, {const_cast<char*>(bytes.data()), bytes.size()}};
  header.message.msg_iov = pieces;
  header.message.msg_iovlen = std::size(pieces);
  ssize_t sent;
  while ((sent = ::sendmsg(socket_, &header.message, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
  }
  if (sent < static_cast<ssize_t>(sizeof length)) return false;
  const std::size_t done = static_cast<std::size_t>(sent) - sizeof length;
  return write_all(socket_, bytes.data() + done, bytes.size() - done);
}

std::optional<Message> Channel::receive() const {
  std::uint64_t length = 0;
  Header header(length);
  ssize_t got;
  while ((got = ::recvmsg(socket_, &header.message, MSG_CMSG_CLOEXEC | MSG_WAITALL)) < 0 && errno == EINTR) {
  }
  if (got != sizeof length || length > most_bytes) return std::nullopt;
  Message message;
  if (const cmsghdr* control = CMSG_FIRSTHDR(&header.message);
      control && control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS)
    std::memcpy(&message.file, CMSG_DATA(control), sizeof message.file);
  if (!read_all(socket_, message.bytes, length)) return std::nullopt;
  return message;
}

bool Channel::wait(std::chrono::steady_clock::time_point deadline, const sandbox::StopRequest& stop) const {
  return sandbox::wait_to_read(socket_, deadline, stop);
}

}  // namespace gpulab::simulator::remote
