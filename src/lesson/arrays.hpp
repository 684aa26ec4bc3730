#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/cpu_vectors.hpp"
#include "lesson/handles.hpp"

namespace gpulab {

// With fewer elements than this, waking other CPU threads takes longer than the work.
constexpr std::size_t min_parallel_size = std::size_t{1} << 17;

// An array in host memory, aligned to a cache line. Its contents are undefined until it is filled.
class Array {
 public:
  explicit Array(const SizedArray& array)
      : name_(array.name),
        type_(array.type),
        initial_contents_(array.initial_contents),
        length_(array.length),
        row_length_(array.row_length()),
        data_(new (line_alignment) std::byte[array.bytes()]) {}

  const std::string& name() const { return name_; }
  ElementType type() const { return type_; }
  InitialContents initial_contents() const { return initial_contents_; }  // of an output, before a launch
  std::size_t length() const { return length_; }
  std::size_t row_length() const { return row_length_; }  // 0 without rows
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
  InitialContents initial_contents_;
  std::size_t length_, row_length_;
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

  // Returns the array of that name, or null.
  Array* find(const std::string& name);
  const Array* find(const std::string& name) const { return const_cast<Arrays*>(this)->find(name); }
  // Throws std::logic_error if there is no such array.
  Array& of(const ArrayHandle& handle);
  const Array& of(const ArrayHandle& handle) const { return const_cast<Arrays*>(this)->of(handle); }

 protected:
  Arrays(const std::vector<SizedArray>& arrays, Role role);

 private:
  std::vector<Array> arrays_;
};

// The arrays that a problem's kernels read. Filled once, then only read.
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

// The arrays that a problem's kernels write.
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

// Returns the index-th 64 random bits of a sequence: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). Elements
// are independent, so inputs do not depend on the number of threads that fill them.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Returns a uniform number in [0, 1), a multiple of 2^-24.
constexpr float random_float(std::uint64_t seed, std::uint64_t index) {
  return static_cast<float>(random_bits(seed, index) >> 40) * 0x1p-24f;
}

// Makes the inputs. The same seed makes the same inputs on any number of threads.

using Fill = std::function<void(Inputs& inputs, std::uint64_t seed)>;

// Sets each element i to value(seed, i).
template <class T, class Value>
Fill each_element(const Input<T>& input, Value value) {
  return [input, value](Inputs& inputs, std::uint64_t seed) {
    const std::span<T> elements = inputs[input];
#pragma omp parallel for if (elements.size() >= min_parallel_size)
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = value(seed, i);
  };
}

// Fills with random numbers in [low, low + width). Each of several arrays has its own sequence.
template <class... Handles>
Fill uniform_in(float low, float width, const Handles&... handles) {
  return [=](Inputs& inputs, std::uint64_t seed) {
    std::uint64_t sequence = sizeof...(handles) * seed;
    const auto fill = [&](const Input<float>& input) {
      const auto value = [=](std::uint64_t seed_of_array, std::size_t i) {
        return low + width * random_float(seed_of_array, i);
      };
      each_element(input, value)(inputs, sequence++);
    };
    (fill(handles), ...);
  };
}

// Replaces one element in four, at random, with one of these values.
inline Fill with_edges(const std::vector<Input<float>>& handles, const std::vector<float>& values) {
  return [=](Inputs& inputs, std::uint64_t seed) {
    for (std::size_t array = 0; array < handles.size(); ++array) {
      const std::span<float> elements = inputs[handles[array]];
      for (std::size_t i = 0; i < elements.size(); ++i)
        if (const std::uint64_t bits = random_bits(~seed - array, i); bits % 4 == 0)
          elements[i] = values[bits / 4 % values.size()];
    }
  };
}

// Zeros, ones, and the smallest numbers, denormal and normal, all of both signs.
inline const std::vector<float> edges_up_to_one{0.0f,      -0.0f,      1,         -1,
                                                0x1p-149f, -0x1p-149f, 0x1p-126f, -0x1p-126f,
                                                0x1p-11f,  -0.5f,      0.75f,     -0x1.fffffep-1f};

// The same, up to the largest numbers, infinities and NaN: for kernels that round each result once.
inline const std::vector<float> edges_of_floats = [] {
  using Limits = std::numeric_limits<float>;
  std::vector<float> all = edges_up_to_one;
  all.insert(all.end(), {0x1.fffffep127f, -0x1.fffffep127f, 0x1p24f + 2, -1e30f, 65504.5f, -2.5f,
                         Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()});
  return all;
}();

// Fills with numbers in [0, 1).
template <class... Handles>
Fill uniform(const Handles&... handles) {
  return uniform_in(0, 1, handles...);
}

// Fills with numbers in [-1, 1), so that long sums do not grow.
template <class... Handles>
Fill uniform_around_zero(const Handles&... handles) {
  return uniform_in(-1, 2, handles...);
}

// Computes a problem's expected outputs on the CPU.

using Reference = std::function<void(const Inputs& inputs, Outputs& outputs)>;

struct InputElement {
  AnyInput array;
  std::size_t index = 0;
};

// Returns the few inputs that an output element is computed from.
using Uses = std::function<std::vector<InputElement>(std::size_t element)>;

struct References {
  Reference plain;                               // the course's plain loop on one thread; may be left out
  Reference openmp;                              // the same result, optimised for all cores
  std::optional<double> operations_openmp = {};  // operations it performs; by default those of the traffic
  Uses uses = {};                                // left out if there are many
};

// Makes the plain and the OpenMP loop over one formula of the index.
template <class T, class Formula, class... Ts>
References by_index(const Output<T>& output, Formula formula, const Input<Ts>&... from) {
  return {.plain =
              [=](const Inputs& inputs, Outputs& outputs) {
                const auto loop = [&](std::span<T> to, std::span<const Ts>... in) {
                  for (std::size_t i = 0; i < to.size(); ++i) to[i] = formula(i, in...);
                };
                loop(outputs[output], inputs[from]...);
              },
          .openmp =
              [=](const Inputs& inputs, Outputs& outputs) {
                const auto loop = [&](std::span<T> to, std::span<const Ts>... in) {
#pragma omp parallel for simd
                  for (std::size_t i = 0; i < to.size(); ++i) to[i] = formula(i, in...);
                };
                loop(outputs[output], inputs[from]...);
              }};
}

// Does the same for formulas of elements i only: elementwise(C, [](float a, float b) { return a + b; }, A,
// B).
template <class T, class Formula, class... Ts>
References elementwise(const Output<T>& output, Formula formula, const Input<Ts>&... from) {
  References references = by_index(
      output, [formula](std::size_t i, std::span<const Ts>... in) { return formula(in[i]...); }, from...);
  references.uses = [=](std::size_t i) { return std::vector<InputElement>{{from, i}...}; };
  return references;
}

// Combines references of one output each, to run one after the other.
inline References both(const References& a, const References& b) {
  const auto in_turn = [](const Reference& first, const Reference& second) {
    return [=](const Inputs& inputs, Outputs& outputs) {
      first(inputs, outputs);
      second(inputs, outputs);
    };
  };
  return {.plain = in_turn(a.plain, b.plain), .openmp = in_turn(a.openmp, b.openmp)};
}

}  // namespace gpulab
