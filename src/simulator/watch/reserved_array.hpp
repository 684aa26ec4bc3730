#pragma once

#include <cstddef>
#include <utility>

namespace gpulab::simulator::watch {

// Zeroed memory that is committed page by page when it is first touched, so it can be far larger than the
// machine's memory. The race detector keeps its records here, and the recorder of accesses keeps its tables
// here.
class ReservedBytes {
 public:
  ReservedBytes() = default;
  // Filled memory is written from end to end at once, and dense memory gradually, so they get large pages
  // where the system has them. Throws DeviceError when the process may not reserve that much address space.
  enum class Use { filled, dense, sparse };
  ReservedBytes(std::size_t bytes, Use use);
  ~ReservedBytes();
  ReservedBytes(ReservedBytes&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ReservedBytes& operator=(ReservedBytes&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  void* begin() const { return begin_; }
  // Gives the memory back to the system; it reads as zero again.
  void clear();

 private:
  void* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

// An array of T in ReservedBytes. Zero bytes must be a valid T.
template <class T>
class ReservedArray {
 public:
  ReservedArray() = default;
  ReservedArray(std::size_t count, ReservedBytes::Use use) : memory_(count * sizeof(T), use) {}

  T& operator[](std::size_t index) const { return static_cast<T*>(memory_.begin())[index]; }
  T* data() const { return static_cast<T*>(memory_.begin()); }
  void clear() { memory_.clear(); }

 private:
  ReservedBytes memory_;
};

}  // namespace gpulab::simulator::watch
