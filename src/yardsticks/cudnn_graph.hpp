#pragma once

#include <cudnn.h>
#include <cstdint>
#include <utility>
#include <vector>

#include "yardsticks/adaptor.hpp"

// cuDNN's graph API: an operation is described, heuristics propose configurations of engines for it, and each
// configuration becomes a plan that can run.

namespace gpulab::yardsticks {

void check(cudnnStatus_t status, const char* call);

// The library's attribute type for a C++ type.
template <class T>
constexpr cudnnBackendAttributeType_t attribute_type;
template <>
inline constexpr auto attribute_type<std::int64_t> = CUDNN_TYPE_INT64;
template <>
inline constexpr auto attribute_type<float> = CUDNN_TYPE_FLOAT;
template <>
inline constexpr auto attribute_type<void*> = CUDNN_TYPE_VOID_PTR;
template <>
inline constexpr auto attribute_type<cudnnHandle_t> = CUDNN_TYPE_HANDLE;
template <>
inline constexpr auto attribute_type<cudnnDataType_t> = CUDNN_TYPE_DATA_TYPE;
template <>
inline constexpr auto attribute_type<cudnnConvolutionMode_t> = CUDNN_TYPE_CONVOLUTION_MODE;
template <>
inline constexpr auto attribute_type<cudnnBackendHeurMode_t> = CUDNN_TYPE_HEUR_MODE;
template <>
inline constexpr auto attribute_type<cudnnBackendNumericalNote_t> = CUDNN_TYPE_NUMERICAL_NOTE;

// One of the library's descriptors, with its attributes.
class Descriptor {
 public:
  using Name = cudnnBackendAttributeName_t;

  explicit Descriptor(cudnnBackendDescriptorType_t type) {
    check(cudnnBackendCreateDescriptor(type, &value_), "cudnnBackendCreateDescriptor");
  }
  ~Descriptor() {
    if (value_) cudnnBackendDestroyDescriptor(value_);
  }
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }

  cudnnBackendDescriptor_t get() const { return value_; }

  template <class T>
  Descriptor& set(Name name, const std::vector<T>& values) {
    return set(name, attribute_type<T>, values.size(), values.data());
  }
  template <class T>
  Descriptor& set(Name name, T value) {
    return set(name, attribute_type<T>, 1, &value);
  }
  Descriptor& set(Name name, const Descriptor& other) {
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &other.value_);
  }
  void finalize() { check(cudnnBackendFinalize(value_), "cudnnBackendFinalize"); }

  // Returns at most `max` values of an attribute.
  template <class T>
  std::vector<T> get(Name name, std::int64_t max) const {
    std::vector<T> values(max);
    values.resize(get(name, attribute_type<T>, max, values.data()));
    return values;
  }
  // Returns attributes that are descriptors of that type.
  std::vector<Descriptor> get(Name name, cudnnBackendDescriptorType_t type, std::int64_t max) const;
  // Returns how many descriptors an attribute consists of.
  std::int64_t count(Name name) const;

 private:
  Descriptor& set(Name name, cudnnBackendAttributeType_t type, std::size_t count, const void* values);
  std::int64_t get(Name name, cudnnBackendAttributeType_t type, std::int64_t max, void* values) const;

  cudnnBackendDescriptor_t value_ = nullptr;
};

// One image of one channel and one filter, float32, with zeros beyond the image. Filters have odd lengths.
struct ConvolvedImage {
  int width, height, filter_width, filter_height;
};

// The convolution as a graph of cuDNN. It cross-correlates, as fast engines do, so callers flip the filter.
class ConvolutionGraph {
 public:
  ConvolutionGraph(cudnnHandle_t handle, const ConvolvedImage& image);

  // Returns configurations of engines in the order of one kind of heuristic. Throws std::runtime_error if
  // there is no such heuristic.
  std::vector<Descriptor> proposed(cudnnBackendHeurMode_t mode) const;

  // Returns how many engines cuDNN has for convolutions, including those that cannot do this one.
  std::int64_t engine_count() const;
  // Throws std::runtime_error if the engine cannot do this convolution.
  Descriptor default_configuration(std::int64_t engine) const;

 private:
  Descriptor image_, filter_, output_, convolution_, operation_, graph_;
};

// Returns whether a configuration multiplies in float32, not on tensor cores in TF32.
bool is_float32_throughout(const Descriptor& configuration);

// An executable configuration.
class Plan {
 public:
  // Throws std::runtime_error if the engine cannot do the operation.
  Plan(cudnnHandle_t handle, Descriptor configuration);

  std::size_t workspace_bytes() const;
  // Puts the operation into the handle's stream, with arguments from arguments_of().
  void enqueue(cudnnHandle_t handle, const Descriptor& arguments) const;

 private:
  Descriptor configuration_, plan_;
};

// Returns a plan's arguments, which are in device memory.
Descriptor arguments_of(const float* image, const float* flipped_filter, float* output, void* workspace);

}  // namespace gpulab::yardsticks
