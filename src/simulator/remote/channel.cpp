#include "simulator/remote/channel.hpp"

#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "sandbox/sandbox.hpp"

namespace gpulab::simulator::remote {
namespace {

// The most bytes that one read makes room for, so that a claimed length alone takes no memory.
constexpr std::size_t max_read_bytes = std::size_t{1} << 20;

// A part of a message for sendmsg and recvmsg. A message's first part, its length, can also carry a file.
struct MessagePart {
  MessagePart(void* bytes, std::size_t count) : buffer{bytes, count} {
    message.msg_iov = &buffer;
    message.msg_iovlen = 1;
  }
  void expect_file() {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
  }
  void add_file(int file) {
    expect_file();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(header), &file, sizeof file);
  }
  // Returns the descriptor that came with the part; -1 for none.
  int file() {
    int file = -1;
    if (const cmsghdr* header = CMSG_FIRSTHDR(&message); header && header->cmsg_level == SOL_SOCKET &&
                                                         header->cmsg_type == SCM_RIGHTS &&
                                                         header->cmsg_len == CMSG_LEN(sizeof file))
      std::memcpy(&file, CMSG_DATA(header), sizeof file);
    return file;
  }

  iovec buffer;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
};

// Returns whether to try again after an error. With limits, sending and receiving do not block, so this
// function waits until the socket is ready.
bool wait_to_retry(const WaitLimits* limits, bool (*wait)(int, TimeLimit&, const StopToken&), int socket) {
  if (errno == EINTR) return true;
  if (!limits || errno != EAGAIN) return false;
  if (!wait(socket, limits->limit, limits->stop)) throw OutOfTime();
  return true;
}

bool write_all(int socket, const char* from, std::size_t bytes, int file, const WaitLimits* limits) {
  while (bytes > 0) {
    MessagePart part(const_cast<char*>(from), bytes);
    if (file >= 0) part.add_file(file);
    const int flags = MSG_NOSIGNAL | (limits ? MSG_DONTWAIT : 0);
    const ssize_t written = sandbox::send_message(socket, part.message, flags);
    if (written < 0 && wait_to_retry(limits, wait_to_write, socket)) continue;
    if (written <= 0) return false;
    file = -1;  // has gone with the first bytes
    from += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

// Reads that many bytes, and a file unless `file` is null. Returns false when the other end is gone.
bool read_all(int socket, std::string& to, std::size_t bytes, int* file, const WaitLimits* limits) {
  while (bytes > 0) {
    const std::size_t old_size = to.size(), wanted = std::min(bytes, max_read_bytes);
    to.resize(old_size + wanted);
    MessagePart part(to.data() + old_size, wanted);
    part.expect_file();
    const int flags = MSG_CMSG_CLOEXEC | (limits ? MSG_DONTWAIT : 0);
    const ssize_t got = ::recvmsg(socket, &part.message, flags);
    const int error = errno;
    to.resize(old_size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (const int received = got > 0 ? part.file() : -1; received >= 0) {
      if (!file || *file >= 0) {
        ::close(received);
        throw BadMessage();
      }
      *file = received;
    }
    errno = error;
    if (got < 0 && wait_to_retry(limits, wait_to_read, socket)) continue;
    if (got <= 0) return false;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool send_all(int socket, const std::string& bytes, int file, const WaitLimits* limits) {
  std::uint64_t length = bytes.size();
  // Sent together, so that the other side wakes up once.
  const std::string all = std::string(reinterpret_cast<const char*>(&length), sizeof length) + bytes;
  return write_all(socket, all.data(), all.size(), file, limits);
}

enum class FilePolicy { allowed, refused };

std::optional<Message> receive_all(int socket, std::uint64_t max_bytes, FilePolicy policy,
                                   const WaitLimits* limits) {
  Message message;
  int* const file = policy == FilePolicy::allowed ? &message.file : nullptr;
  std::string header;
  std::uint64_t length = 0;
  if (!read_all(socket, header, sizeof length, file, limits)) return std::nullopt;
  std::memcpy(&length, header.data(), sizeof length);
  if (length > max_bytes) throw BadMessage();
  if (!read_all(socket, message.bytes, length, file, limits)) return std::nullopt;
  return message;
}

}  // namespace

bool Channel::send(const std::string& bytes, int file) const {
  return send_all(socket_.number(), bytes, file, nullptr);
}

std::optional<Message> Channel::receive() const {
  constexpr std::uint64_t max_trusted_bytes = std::uint64_t{1} << 36;
  return receive_all(socket_.number(), max_trusted_bytes, FilePolicy::allowed, nullptr);
}

bool Channel::send(const std::string& bytes, int file, const WaitLimits& limits) const {
  return send_all(socket_.number(), bytes, file, &limits);
}

std::optional<std::string> Channel::receive(std::size_t max_bytes, const WaitLimits& limits) const {
  std::optional<Message> message = receive_all(socket_.number(), max_bytes, FilePolicy::refused, &limits);
  return message ? std::optional(std::move(message->bytes)) : std::nullopt;
}

}  // namespace gpulab::simulator::remote
