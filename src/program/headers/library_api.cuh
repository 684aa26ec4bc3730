// For: include_cublas_v2_h include_cublas_h include_cublas_api_h include_curand_h include_curand_kernel_h
// For: include_cufft_h include_cufftXt_h
// For: include_cub_cuh include_block_*_cuh include_warp_*_cuh include_device_*_cuh include_*cub_hpp
// How the headers of CUDA's libraries ask the runtime for work. The headers and the runtime include this text.
#define __LIBRARY_TYPES_H__
typedef enum cudaDataType_t {
  CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_8I, CUDA_C_32F, CUDA_C_64F, CUDA_C_16F, CUDA_C_8I, CUDA_R_8U, CUDA_C_8U,
  CUDA_R_32I, CUDA_C_32I, CUDA_R_32U, CUDA_C_32U, CUDA_R_16BF, CUDA_C_16BF, CUDA_R_4I, CUDA_C_4I, CUDA_R_4U, CUDA_C_4U,
  CUDA_R_16I, CUDA_C_16I, CUDA_R_16U, CUDA_C_16U, CUDA_R_64I, CUDA_C_64I, CUDA_R_64U, CUDA_C_64U, CUDA_R_8F_E4M3,
  CUDA_R_8F_E5M2, CUDA_R_8F_UE8M0, CUDA_R_6F_E2M3, CUDA_R_6F_E3M2, CUDA_R_4F_E2M1
} cudaDataType;
typedef enum cudaEmulationMantissaControl_t {
  CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC, CUDA_EMULATION_MANTISSA_CONTROL_FIXED
} cudaEmulationMantissaControl;
typedef enum libraryPropertyType_t { MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL } libraryPropertyType;

// The results of a request, with the numbers of cuBLAS's statuses.
enum gpulab_status {
  gpulab_done = 0, gpulab_no_handle = 1, gpulab_bad_value = 7, gpulab_not_done = 13, gpulab_not_supported = 15
};

// The state behind a handle of a library.
struct gpulab_library {
  cudaStream_t stream;
  int pointer_mode, math_mode, atomics_mode;  // of cuBLAS
  int generator;                              // of cuRAND: a curandRngType_t
  bool is_on_host, is_begun;                  // is_begun: a generator with this seed and offset exists
  unsigned long long seed, offset;
};
// A matrix in memory, in the order of columns. A vector of n elements is a matrix of one row, or a diagonal.
enum gpulab_shape { gpulab_vector, gpulab_general, gpulab_symmetric, gpulab_hermitian, gpulab_triangular };
struct gpulab_matrix {
  const char* name;  // in messages: "A"
  void* data;
  int type;  // a cudaDataType
  long long rows, columns, ld;
  long long below, above;  // stored diagonals below and above the main one; -1 if that one is not stored
  gpulab_shape shape;
  int operation;     // 0: the matrix itself, 1: its transpose, 2: its conjugate transpose, 3: its conjugate
  long long stride;  // between the matrices of a batch, or gpulab_by_pointers: data are pointers to them
};
constexpr int gpulab_no_operation = -1;  // an argument is none of its enumeration's values
constexpr long long gpulab_by_pointers = -0x7fffffffffffffff;
// A scalar argument: its address on the host or, by the pointer mode, on the device. If the type is -1, its value.
struct gpulab_scalar {
  const void* address;
  int type;
  double value;
};
enum gpulab_blas_operation {
  gpulab_product,      // c = alpha a b + beta c
  gpulab_trsm,         // c = alpha a^-1 b, or alpha a b^-1 if b is the triangular one
  gpulab_sum,          // c = alpha a + beta b
  gpulab_swap,         // of a and c
  gpulab_rotation,     // of a and c, by the cosine alpha and the sine beta
  gpulab_dot_product,  // the first of the reductions
  gpulab_nrm2,
  gpulab_asum,
  gpulab_iamax,
  gpulab_iamin
};
struct gpulab_blas_work {
  void* handle;
  const char* call;
  gpulab_blas_operation operation;
  gpulab_scalar alpha;
  gpulab_matrix a, b;
  gpulab_scalar beta;
  gpulab_matrix c;
  int batch;
  gpulab_scalar result;  // of a reduction
};

// Random numbers.
enum gpulab_distribution { gpulab_integers, gpulab_uniform, gpulab_normal, gpulab_log_normal };
struct gpulab_random_work {
  void* handle;
  const char* call;
  gpulab_distribution distribution;
  void* output;
  int is_double;
  size_t count;
  double mean, deviation;
};

// Consecutive elements that some work reads or writes; none if the address is null.
struct gpulab_operand {
  const char* name;
  const void* address;
  size_t element_bytes, count;
  bool is_read, is_written;
};

extern "C" {
// Queues work that the program's own code computes, and destroys its state after it.
cudaError_t gpulab_queue_work(const char* call, const gpulab_operand* operands, int count, cudaStream_t stream,
                              void (*compute)(void* state), void (*destroy)(void* state), void* state);
// Notes a call that asks only for the size of its temporary memory, so that these operands are not written.
void gpulab_note_size_query(const char* call, const gpulab_operand* operands, int count);
// Reports temporary memory that is too small for the call, which writes nothing.
cudaError_t gpulab_refuse_storage(const char* call, const gpulab_operand* operands, int count, size_t bytes,
                                  size_t needed);
// Returns bits for a result that the library leaves undefined in the calling thread of a kernel. `holder` is "lane" or
// "thread": number 0 of these has the result.
unsigned gpulab_undefined_result(const char* call, const char* holder);
gpulab_library* gpulab_open_library(const char* call, const char* closing_call);
// Returns the state of a handle; null, with a finding, if there is none.
gpulab_library* gpulab_library_at(const void* handle, const char* call);
gpulab_status gpulab_close_library(const void* handle, const char* call);
gpulab_status gpulab_random(const gpulab_random_work* work);
gpulab_status gpulab_blas(const gpulab_blas_work* work);
gpulab_status gpulab_copy_matrix(const char* call, int rows, int columns, int bytes, const void* from, int from_ld,
                                 void* to, int to_ld, cudaMemcpyKind kind, int is_asynchronous, cudaStream_t stream);
}
