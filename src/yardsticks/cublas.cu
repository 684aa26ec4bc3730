#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <iterator>

#include "yardsticks/adaptor.hpp"

namespace gpulab::yardsticks {
namespace {

using yardsticks::check;

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": " + cublasGetStatusString(status));
}

// A handle in pedantic mode: float32 arithmetic, no tensor cores.
class Handle {
 public:
  Handle() {
    check(cublasCreate(&handle_), "cublasCreate");
    check(cublasSetMathMode(handle_, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
  }
  ~Handle() { cublasDestroy(handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // Sets the stream in which the handle works, and returns the handle.
  cublasHandle_t for_stream(cudaStream_t stream) const {
    check(cublasSetStream(handle_, stream), "cublasSetStream");
    return handle_;
  }

 private:
  cublasHandle_t handle_ = nullptr;
};

// Row-major C = A B. In cuBLAS's column-major order that is C^T = B^T A^T.
class CublasSgemm : public RepeatableCall {
 public:
  CublasSgemm(void* const* arguments, cudaStream_t)
      : a_(argument<const float*>(arguments, 0)),
        b_(argument<const float*>(arguments, 1)),
        c_(argument<float*>(arguments, 2)),
        m_(argument<int>(arguments, 3)),
        n_(argument<int>(arguments, 4)),
        k_(argument<int>(arguments, 5)) {}

  void enqueue(cudaStream_t stream) {
    const float alpha = 1, beta = 0;
    check(cublasSgemm(handle_.for_stream(stream), CUBLAS_OP_N, CUBLAS_OP_N, n_, m_, k_, &alpha, b_, n_, a_, k_, &beta,
                      c_, n_),
          "cublasSgemm");
  }

 private:
  Handle handle_;
  const float *a_, *b_;
  float* c_;
  int m_, n_, k_;
};

// Rounds four neighbouring floats per thread in each step of a grid-stride loop, and in thread 0 the last few.
__global__ void round_four(const float* __restrict__ from, __half* __restrict__ to, std::size_t count) {
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::size_t i = thread; i < count / 4; i += std::size_t{gridDim.x} * blockDim.x) {
    const float4 x = reinterpret_cast<const float4*>(from)[i];
    reinterpret_cast<__half2*>(to)[2 * i] = __floats2half2_rn(x.x, x.y);
    reinterpret_cast<__half2*>(to)[2 * i + 1] = __floats2half2_rn(x.z, x.w);
  }
  if (thread == 0)
    for (std::size_t i = count / 4 * 4; i < count; ++i) to[i] = __float2half_rn(from[i]);
}

// Rounds floats in device memory to half precision, with 16 blocks per multiprocessor of an H100, which has 132.
void round_to_half(const float* from, void* to, std::size_t count, cudaStream_t stream) {
  round_four<<<16 * 132, 256, 0, stream>>>(from, static_cast<__half*>(to), count);
  check(cudaGetLastError(), "round_four");
}

// C = A B with A and B rounded to half precision first, and float32 sums. Rounding is timed, too.
class CublasHalf : public RepeatableCall {
 public:
  CublasHalf(void* const* arguments, cudaStream_t)
      : a_(argument<const float*>(arguments, 0)),
        b_(argument<const float*>(arguments, 1)),
        c_(argument<float*>(arguments, 2)),
        m_(argument<int>(arguments, 3)),
        n_(argument<int>(arguments, 4)),
        k_(argument<int>(arguments, 5)),
        half_a_(half_bytes(m_, k_)),
        half_b_(half_bytes(k_, n_)) {}

  void enqueue(cudaStream_t stream) {
    const float alpha = 1, beta = 0;
    round_to_half(a_, half_a_.get(), half_a_.bytes() / 2, stream);
    round_to_half(b_, half_b_.get(), half_b_.bytes() / 2, stream);
    check(cublasGemmEx(handle_.for_stream(stream), CUBLAS_OP_N, CUBLAS_OP_N, n_, m_, k_, &alpha, half_b_.get(),
                       CUDA_R_16F, n_, half_a_.get(), CUDA_R_16F, k_, &beta, c_, CUDA_R_32F, n_,
                       CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
  }

 private:
  static std::size_t half_bytes(int rows, int columns) {
    return std::size_t{2} * static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }

  Handle handle_;
  const float *a_, *b_;
  float* c_;
  int m_, n_, k_;
  Workspace half_a_, half_b_;
};

// y = x / |x| by the two calls that a user of cuBLAS makes. cublasSscal scales in place, and by a factor: so x is
// copied to y, and the inverse of the norm is computed, beforehand and untimed. Most users also wait for the
// norm on the host, which is not timed either.
class CublasNormalize {
 public:
  CublasNormalize(void* const* arguments, cudaStream_t stream)
      : x_(argument<const float*>(arguments, 0)),
        y_(argument<float*>(arguments, 2)),
        size_(argument<int>(arguments, 3)) {
    // Scalars are in device memory, so that no call waits for the host.
    check(cublasSetPointerMode(handle_.for_stream(stream), CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
    find_norm(stream);
    float norm = 0;
    check(cudaMemcpyAsync(&norm, norm_.get(), sizeof norm, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    const float inverse = norm > 0 ? 1 / norm : 0;  // a vector of zeros stays zero
    check(cudaMemcpy(inverse_.get(), &inverse, sizeof inverse, cudaMemcpyDefault), "cudaMemcpy");
  }

  void reset(cudaStream_t stream) {
    const std::size_t bytes = static_cast<std::size_t>(size_) * sizeof(float);
    check(cudaMemcpyAsync(y_, x_, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
  }

  void enqueue(cudaStream_t stream) {
    find_norm(stream);
    check(cublasSscal(handle_.for_stream(stream), size_, static_cast<const float*>(inverse_.get()), y_, 1),
          "cublasSscal");
  }

 private:
  void find_norm(cudaStream_t stream) {
    check(cublasSnrm2(handle_.for_stream(stream), size_, x_, 1, static_cast<float*>(norm_.get())), "cublasSnrm2");
  }

  Handle handle_;
  Workspace norm_{sizeof(float)}, inverse_{sizeof(float)};
  const float* x_;
  float* y_;
  int size_;
};

const std::string library = "cuBLAS " + std::to_string(CUBLAS_VER_MAJOR) + "." +
                            std::to_string(CUBLAS_VER_MINOR) + "." + std::to_string(CUBLAS_VER_PATCH);

const GpulabYardstick offered[] = {
    yardstick<CublasSgemm>("cublas-sgemm", "(const float*, const float*, float*, int, int, int)"),
    yardstick<CublasHalf>("cublas-half", "(const float*, const float*, float*, int, int, int)"),
    yardstick<CublasNormalize>("cublas-normalize", "(const float*, const double*, float*, int)"),
};

}  // namespace
}  // namespace gpulab::yardsticks

extern "C" __attribute__((visibility("default"))) GpulabYardsticks gpulab_yardsticks() {
  using namespace gpulab::yardsticks;
  return {library.c_str(), offered, static_cast<int>(std::size(offered))};
}
