#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace gpulab {

// A file, pipe or socket that is open, and is closed when this goes.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }  // -1 where nothing is open
  bool is_open() const { return number_ >= 0; }
  // Leaves errno as it is.
  void close();

 private:
  int number_ = -1;
};

// All of these are closed in a program that this one starts, unless it is given them.

struct Pipe {
  Descriptor reader, writer;  // not open where there could be no pipe; errno says why
};

Pipe make_pipe();

// A file without a name that has this content, at its beginning. Not open where it could not be made.
Descriptor nameless_file(const char* name, std::string_view content);

// False when not all could be written; errno says why.
bool write_all(int descriptor, std::string_view bytes);

// Waits for bytes and appends them. Returns how many have come: 0 at the end, -1 with errno.
std::ptrdiff_t read_more(int descriptor, std::string& bytes);

}  // namespace gpulab
