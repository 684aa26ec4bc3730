#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/cache_line.hpp"
#include "core/element_type.hpp"
#include "core/parameters.hpp"

namespace gpulab {

// One array in host memory, which begins at a cache line. Its contents are whatever the memory held, until
// something fills it.
class Array {
 public:
  explicit Array(const Parameter& parameter)
      : name_(parameter.name),
        type_(parameter.type),
        before_(parameter.before),
        length_(parameter.length),
        data_(new (line_alignment) std::byte[parameter.bytes()]) {}

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

// The arrays of one role, found by the names that the problem's arrays have.
class Arrays {
 public:
  Arrays(const std::vector<Parameter>& parameters, Role role) {
    for (const Parameter& parameter : parameters)
      if (parameter.role == role) arrays_.emplace_back(parameter);
  }

  template <class T>
  std::span<T> get(const std::string& name) {
    return typed(*this, name, element_type_of<T>()).template as<T>();
  }
  template <class T>
  std::span<const T> get(const std::string& name) const {
    return typed(*this, name, element_type_of<T>()).template as<T>();
  }

  auto begin() { return arrays_.begin(); }
  auto end() { return arrays_.end(); }
  auto begin() const { return arrays_.begin(); }
  auto end() const { return arrays_.end(); }
  std::size_t count() const { return arrays_.size(); }
  const Array& operator[](std::size_t index) const { return arrays_[index]; }

  // The array of that name, or null.
  Array* find(const std::string& name) {
    for (Array& array : arrays_)
      if (array.name() == name) return &array;
    return nullptr;
  }

 private:
  template <class Self>
  static auto& typed(Self& self, const std::string& name, ElementType type) {
    for (auto& array : self.arrays_)
      if (array.name() == name && array.type() == type) return array;
    throw std::logic_error("the lesson has no array '" + name + "' of that type");
  }

  std::vector<Array> arrays_;
};

}  // namespace gpulab
