#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_transform.cuh>

#include <cuda/std/tuple>

#include "yardsticks/adaptor.hpp"

namespace gpulab::yardsticks {

struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// Each factor belongs to 1024 elements.
struct AddAndMultiply {
  const float* factors;
  __device__ float operator()(float a, float b, int item) const { return (a + b) * factors[item / 1024]; }
};

class CubTransformAdd : public RepeatableCall {
 public:
  CubTransformAdd(void* const* arguments, cudaStream_t)
      : a_(argument<const float*>(arguments, 0)),
        b_(argument<const float*>(arguments, 1)),
        c_(argument<float*>(arguments, 2)),
        size_(argument<int>(arguments, 3)) {}

  void enqueue(cudaStream_t stream) {
    check(cub::DeviceTransform::Transform(cuda::std::make_tuple(a_, b_), c_, size_, Add{}, stream),
          "cub::DeviceTransform::Transform");
  }

 private:
  const float *a_, *b_;
  float* c_;
  int size_;
};

class CubTransformAddAndMultiply : public RepeatableCall {
 public:
  CubTransformAddAndMultiply(void* const* arguments, cudaStream_t)
      : a_(argument<const float*>(arguments, 0)),
        b_(argument<const float*>(arguments, 1)),
        factors_(argument<const float*>(arguments, 2)),
        c_(argument<float*>(arguments, 3)),
        size_(argument<int>(arguments, 4)) {}

  void enqueue(cudaStream_t stream) {
    const auto inputs = cuda::std::make_tuple(a_, b_, thrust::counting_iterator<int>(0));
    check(cub::DeviceTransform::Transform(inputs, c_, size_, AddAndMultiply{factors_}, stream),
          "cub::DeviceTransform::Transform");
  }

 private:
  const float *a_, *b_, *factors_;
  float* c_;
  int size_;
};

}  // namespace gpulab::yardsticks
