#pragma once

#include <cstddef>
#include <utility>

namespace gpulab {

// Zeroed memory of which only what is touched counts: it can be far larger than the machine's.
class ReservedBytes {
 public:
  ReservedBytes() = default;
  // Dense memory is touched from end to end, and so is had in large pages where the system has them. Throws
  // DeviceError when the process may not have so many addresses.
  enum class Use { dense, sparse };
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
  // Gives the memory back; it is zero again.
  void clear();

 private:
  void* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

// The same as an array of T, for which zero bytes must be a value.
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

}  // namespace gpulab
