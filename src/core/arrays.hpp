#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "core/cpu_vectors.hpp"
#include "core/handles.hpp"

namespace gpulab {

// For fewer elements than this, to wake other CPU threads takes longer than to do the work.
constexpr std::size_t worth_threads = std::size_t{1} << 17;

// One array in host memory, which begins at a cache line. Its contents are whatever the memory held, until
// something fills it.
class Array {
 public:
  explicit Array(const SizedArray& array)
      : name_(array.name),
        type_(array.type),
        before_(array.before),
        length_(array.length),
        data_(new (line_alignment) std::byte[array.bytes()]) {}

  const std::string& name() const { return name_; }
  ElementType type() const { return type_; }
  Before before() const { return before_; }  // of an output: what it holds when a kernel is launched
  std::size_t length() const { return length_; }
  std::span<std::byte> bytes() { return {data_.get(), length_ * size_of(type_)}; }
  std::span<const std::byte> bytes() const { return {data_.get(), length_ * size_of(type_)}; }

  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(data_.get()), length_};
  }
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data_.get()), length_};
  }

 private:
  struct Delete {
    void operator()(std::byte* data) const { ::operator delete[](data, line_alignment); }
  };

  std::string name_;
  ElementType type_;
  Before before_;
  std::size_t length_;
  std::unique_ptr<std::byte[], Delete> data_;
};

inline double value_of(const Array& array, std::size_t index) {
  return with_type(array.type(),
                   [&](auto zero) { return static_cast<double>(array.as<decltype(zero)>()[index]); });
}

// The arrays of one role.
class Arrays {
 public:
  auto begin() { return arrays_.begin(); }
  auto end() { return arrays_.end(); }
  auto begin() const { return arrays_.begin(); }
  auto end() const { return arrays_.end(); }
  std::size_t count() const { return arrays_.size(); }
  const Array& at(std::size_t index) const { return arrays_.at(index); }

  // The array of that name, or null.
  Array* find(const std::string& name);
  const Array* find(const std::string& name) const { return const_cast<Arrays*>(this)->find(name); }
  // Throws std::logic_error where there is no such array.
  Array& of(const ArrayHandle& handle);
  const Array& of(const ArrayHandle& handle) const { return const_cast<Arrays*>(this)->of(handle); }

 protected:
  Arrays(const std::vector<SizedArray>& arrays, Role role);

 private:
  std::vector<Array> arrays_;
};

// What a problem's kernels read. Filled once, and only read from then on.
class Inputs : public Arrays {
 public:
  explicit Inputs(const std::vector<SizedArray>& arrays) : Arrays(arrays, Role::input) {}

  template <class T>
  std::span<T> operator[](const Input<T>& handle) {
    return of(handle).template as<T>();
  }
  template <class T>
  std::span<const T> operator[](const Input<T>& handle) const {
    return of(handle).template as<T>();
  }
};

// What they write.
class Outputs : public Arrays {
 public:
  explicit Outputs(const std::vector<SizedArray>& arrays) : Arrays(arrays, Role::output) {}

  template <class T>
  std::span<T> operator[](const Output<T>& handle) {
    return of(handle).template as<T>();
  }
  template <class T>
  std::span<const T> operator[](const Output<T>& handle) const {
    return of(handle).template as<T>();
  }
};

}  // namespace gpulab
