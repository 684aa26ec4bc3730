#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/extent.hpp"
#include "core/handles.hpp"
#include "core/settings.hpp"

namespace gpulab {

struct Problem;

// What a variant's launch and its outcome may depend on.
struct LaunchContext {
  Settings settings;
  Extent work;                       // work items, as Problem::work_items has them
  unsigned block_size = 0;           // threads of a block, as asked for
  const Problem* problem = nullptr;  // outlives this

  std::size_t size() const { return work.volume(); }

  // The problem's value of a scalar. Throws std::logic_error where it has none.
  template <class T>
  T operator[](const Scalar<T>& scalar) const {
    const std::uint64_t bits = value_bits(scalar.name);
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }

  // Elements of an array of the problem. Throws std::logic_error where there is no such array.
  std::size_t length(const ArrayHandle& array) const;

 private:
  std::uint64_t value_bits(const char* scalar) const;
};

}  // namespace gpulab
