#include "base/descriptor.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>

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

Descriptor nameless_file(const char* name, std::string_view content) {
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

}  // namespace gpulab
