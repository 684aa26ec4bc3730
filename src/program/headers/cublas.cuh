// For: include_cublas_v2_h include_cublas_h include_cublas_api_h
// cuBLAS: each call is one of the runtime's operations on matrices (library_api.cuh).
#define CUBLAS_API_H_  // NVIDIA's helper_cuda.h asks for it
#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VERSION 130000
#define CUBLASAPI
#define CUBLASWINAPI
#define GPULAB_BLAS_STATUSES(STATUS) \
  STATUS(SUCCESS, 0, "success") STATUS(NOT_INITIALIZED, 1, "the library was not initialized") \
  STATUS(ALLOC_FAILED, 3, "the resource allocation failed") \
  STATUS(INVALID_VALUE, 7, "an unsupported value or parameter was passed to the function") \
  STATUS(ARCH_MISMATCH, 8, "the function requires an architectural feature absent from the device") \
  STATUS(MAPPING_ERROR, 11, "an access to GPU memory space failed") \
  STATUS(EXECUTION_FAILED, 13, "the function failed to launch on the GPU") \
  STATUS(INTERNAL_ERROR, 14, "an internal operation failed") \
  STATUS(NOT_SUPPORTED, 15, "the requested functionality is not supported") \
  STATUS(LICENSE_ERROR, 16, "the requested functionality requires some license and an error was detected")
#define GPULAB_STATUS(name, number, text) CUBLAS_STATUS_##name = number,
enum cublasStatus_t { GPULAB_BLAS_STATUSES(GPULAB_STATUS) };
#undef GPULAB_STATUS
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER, CUBLAS_FILL_MODE_FULL };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C, CUBLAS_OP_HERMITAN = 2, CUBLAS_OP_CONJG };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };
enum cublasAtomicsMode_t { CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED };
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH, CUBLAS_TENSOR_OP_MATH, CUBLAS_PEDANTIC_MATH, CUBLAS_TF32_TENSOR_OP_MATH,
  CUBLAS_FP32_EMULATED_BF16X9_MATH, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
};
enum cublasGemmAlgo_t {
  CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_ALGO0, CUBLAS_GEMM_ALGO1, CUBLAS_GEMM_ALGO2,
  CUBLAS_GEMM_ALGO3, CUBLAS_GEMM_ALGO4, CUBLAS_GEMM_ALGO5, CUBLAS_GEMM_ALGO6, CUBLAS_GEMM_ALGO7,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99, CUBLAS_GEMM_DFALT_TENSOR_OP = 99, CUBLAS_GEMM_ALGO0_TENSOR_OP
};
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_16F_PEDANTIC, CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_32F_PEDANTIC,
  CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_64F_PEDANTIC, CUBLAS_COMPUTE_32I = 72, CUBLAS_COMPUTE_32I_PEDANTIC,
  CUBLAS_COMPUTE_32F_FAST_16F = 74, CUBLAS_COMPUTE_32F_FAST_16BF = 75, CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78, CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT = 79
};
typedef cudaDataType cublasDataType_t;
typedef gpulab_library* cublasHandle_t;
struct __half;
#ifdef __HIP__
typedef cuComplex cublasComplex;
typedef cuDoubleComplex cublasDoubleComplex;
typedef __half cublasHalf;
#endif

#define GPULAB_STATUS(name, number, text) \
  if (status == number) return is_name ? "CUBLAS_STATUS_" #name : text;
inline const char* gpulab_text_of(cublasStatus_t status, bool is_name) {
  GPULAB_BLAS_STATUSES(GPULAB_STATUS)
  return "unrecognized status";
}
inline const char* cublasGetStatusName(cublasStatus_t status) { return gpulab_text_of(status, /*is_name=*/true); }
inline const char* cublasGetStatusString(cublasStatus_t status) { return gpulab_text_of(status, /*is_name=*/false); }

// ---- Handles, and copies between host and device ----
GPULAB_INTRINSIC cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = gpulab_open_library(__func__, "cublasDestroy");
  return CUBLAS_STATUS_SUCCESS;
}
GPULAB_INTRINSIC cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  return (cublasStatus_t)gpulab_close_library(handle, __func__);
}
#define GPULAB_BLAS(name, ...) GPULAB_INTRINSIC cublasStatus_t cublas##name(cublasHandle_t handle, __VA_ARGS__)
#define GPULAB_IF_OPEN(...) \
  if (!gpulab_library_at(handle, __func__)) return CUBLAS_STATUS_NOT_INITIALIZED; \
  __VA_ARGS__; \
  return CUBLAS_STATUS_SUCCESS
#define GPULAB_SETTING(What, Type, member) \
  GPULAB_BLAS(Set##What, Type value) { GPULAB_IF_OPEN(handle->member = value); } \
  GPULAB_BLAS(Get##What, Type* value) { GPULAB_IF_OPEN(*value = (Type)handle->member); }
GPULAB_SETTING(Stream, cudaStream_t, stream)
GPULAB_SETTING(PointerMode, cublasPointerMode_t, pointer_mode)
GPULAB_SETTING(MathMode, cublasMath_t, math_mode)
GPULAB_SETTING(AtomicsMode, cublasAtomicsMode_t, atomics_mode)
GPULAB_BLAS(GetVersion, int* version) { GPULAB_IF_OPEN(*version = CUBLAS_VERSION); }
GPULAB_BLAS(SetWorkspace, void*, size_t) { GPULAB_IF_OPEN(); }
#define GPULAB_FROM_TO int bytes, const void* A, int lda, void* B, int ldb
#define GPULAB_COPY(name, kind, rows, is_asynchronous, stream, parameters) \
  GPULAB_INTRINSIC cublasStatus_t cublas##name parameters { \
    return (cublasStatus_t)gpulab_copy_matrix(__func__, rows, n, bytes, A, lda, B, ldb, cudaMemcpy##kind, \
                                              is_asynchronous, stream); }
#define GPULAB_COPIES(name, kind) \
  GPULAB_COPY(name##Matrix, kind, m, 0, 0, (int m, int n, GPULAB_FROM_TO)) \
  GPULAB_COPY(name##MatrixAsync, kind, m, 1, stream, (int m, int n, GPULAB_FROM_TO, cudaStream_t stream)) \
  GPULAB_COPY(name##Vector, kind, 1, 0, 0, (int n, GPULAB_FROM_TO)) \
  GPULAB_COPY(name##VectorAsync, kind, 1, 1, stream, (int n, GPULAB_FROM_TO, cudaStream_t stream))
GPULAB_COPIES(Set, HostToDevice)
GPULAB_COPIES(Get, DeviceToHost)

// ---- Matrices and scalars, as the runtime takes them ----
template <class T>
constexpr int gpulab_type_of = CUDA_R_32I;
#define GPULAB_TYPE(T, kind) template <> constexpr int gpulab_type_of<T> = kind;
GPULAB_TYPE(float, CUDA_R_32F)
GPULAB_TYPE(double, CUDA_R_64F)
GPULAB_TYPE(cuComplex, CUDA_C_32F)
GPULAB_TYPE(cuDoubleComplex, CUDA_C_64F)
GPULAB_TYPE(__half, CUDA_R_16F)
// Returns the matrix A. The rows and columns are those of op(A).
GPULAB_INTRINSIC gpulab_matrix gpulab_op(const char* name, const void* data, int type, int rows, int columns, int ld,
                                         cublasOperation_t op = CUBLAS_OP_N, long long stride = 0) {
  const bool is_turned = op == CUBLAS_OP_T || op == CUBLAS_OP_C;
  const int m = is_turned ? columns : rows, n = is_turned ? rows : columns;
  return {name, (void*)data, type, m, n, ld, m, n, gpulab_general, op, stride};
}
// Returns the matrix, marked as invalid if an argument is none of its enumeration's values.
GPULAB_INTRINSIC gpulab_matrix gpulab_valid_if(bool is_valid, gpulab_matrix matrix) {
  if (!is_valid) matrix.operation = gpulab_no_operation;
  return matrix;
}
// Returns a square matrix of which one triangle is stored.
template <class T>
GPULAB_INTRINSIC gpulab_matrix gpulab_half_of(gpulab_shape shape, const char* name, const T* data, int n, int ld,
                                              cublasFillMode_t uplo, cublasOperation_t op = CUBLAS_OP_N,
                                              cublasDiagType_t diag = CUBLAS_DIAG_NON_UNIT) {
  const bool is_unit = diag == CUBLAS_DIAG_UNIT, is_upper = uplo == CUBLAS_FILL_MODE_UPPER;
  const int other_side = is_unit ? -1 : 0;  // diagonals that are stored in the other triangle; -1 without the main one
  return gpulab_valid_if((is_upper || uplo == CUBLAS_FILL_MODE_LOWER) && (is_unit || diag == CUBLAS_DIAG_NON_UNIT),
                         {name, (void*)data, gpulab_type_of<T>, n, n, ld, is_upper ? other_side : n,
                          is_upper ? n : other_side, shape, op, 0});
}
// Returns a vector as a row. The operation may make it a column, or conjugate it.
template <class T>
GPULAB_INTRINSIC gpulab_matrix gpulab_row(const char* name, const T* data, int n, int increment, int op = 0) {
  const T* const first = increment < 0 ? data - (n - 1LL) * increment : data;
  return {name, (void*)first, gpulab_type_of<T>, 1, n, increment, 1, n, gpulab_vector, op, 0};
}
GPULAB_INTRINSIC gpulab_matrix gpulab_diagonal(gpulab_matrix row) {
  row.rows = row.columns, row.ld -= 1, row.below = row.above = 0;
  return row;
}
template <class T>
GPULAB_INTRINSIC gpulab_scalar gpulab_given(const T* address) {
  return {address, gpulab_type_of<T>, 0};
}
GPULAB_INTRINSIC gpulab_scalar gpulab_given(gpulab_scalar number) {
  return number;
}
constexpr gpulab_scalar gpulab_zero = {nullptr, -1, 0}, gpulab_one = {nullptr, -1, 1};
constexpr gpulab_matrix gpulab_no_matrix = {};
template <class Alpha, class Beta>
GPULAB_INTRINSIC cublasStatus_t gpulab_do(cublasHandle_t handle, const char* call, gpulab_blas_operation operation,
                                          Alpha alpha, const gpulab_matrix& a, const gpulab_matrix& b, Beta beta,
                                          const gpulab_matrix& c, int batch = 1) {
  const gpulab_blas_work work = {handle, call, operation, gpulab_given(alpha), a, b, gpulab_given(beta), c, batch, {}};
  return (cublasStatus_t)gpulab_blas(&work);
}
template <class T>
GPULAB_INTRINSIC cublasStatus_t gpulab_reduce(cublasHandle_t handle, const char* call, gpulab_blas_operation operation,
                                              T* result, const gpulab_matrix& x, const gpulab_matrix& y = {}) {
  const gpulab_blas_work work = {handle, call, operation, gpulab_one, x, y, gpulab_zero, {}, 1, gpulab_given(result)};
  return (cublasStatus_t)gpulab_blas(&work);
}

// ---- Functions, for each type T with the letter X in their names. Parameters are named by their operands ----
#define GPULAB_DO(operation, ...) return gpulab_do(handle, __func__, gpulab_##operation, __VA_ARGS__)
#define GPULAB_SIZE (side == CUBLAS_SIDE_LEFT ? m : n)
#define GPULAB_DO_AT_SIDE(operation, alpha, a, b, beta, c) \
  if (side == CUBLAS_SIDE_LEFT) GPULAB_DO(operation, alpha, a, b, beta, c); \
  GPULAB_DO(operation, alpha, b, gpulab_valid_if(side == CUBLAS_SIDE_RIGHT, a), beta, c)
#define GPULAB_REDUCE(operation, ...) return gpulab_reduce(handle, __func__, gpulab_##operation, result, __VA_ARGS__)
#define GPULAB_ROW(x, n) gpulab_row(#x, x, n, inc##x)
#define GPULAB_IN_COLUMN(x, n) gpulab_row(#x, x, n, inc##x, CUBLAS_OP_T)
#define GPULAB_OP(T, A, m, n, ...) gpulab_op(#A, A, gpulab_type_of<T>, m, n, ld##A, __VA_ARGS__)
#define GPULAB_MATRIX(T, A) GPULAB_OP(T, A, m, n, CUBLAS_OP_N)
#define GPULAB_TRIANGLE(A, n) gpulab_half_of(gpulab_triangular, #A, A, n, ld##A, uplo, trans, diag)
#define GPULAB_HALF(shape, A, n) gpulab_half_of(gpulab_##shape, #A, A, n, ld##A, uplo)
#define GPULAB_TRIANGULAR cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag

#define GPULAB_FOR_FACTOR(X, T, R, F) \
  GPULAB_BLAS(X##scal, int n, const F* alpha, T* x, int incx) { \
    GPULAB_DO(sum, alpha, GPULAB_ROW(x, n), gpulab_no_matrix, gpulab_zero, GPULAB_ROW(x, n)); } \
  GPULAB_BLAS(X##rot, int n, T* x, int incx, T* y, int incy, const R* c, const F* s) { \
    GPULAB_DO(rotation, c, GPULAB_ROW(x, n), gpulab_no_matrix, s, GPULAB_ROW(y, n)); }
GPULAB_FOR_FACTOR(S, float, float, float)
GPULAB_FOR_FACTOR(D, double, double, double)
GPULAB_FOR_FACTOR(C, cuComplex, float, cuComplex)
GPULAB_FOR_FACTOR(Z, cuDoubleComplex, double, cuDoubleComplex)
GPULAB_FOR_FACTOR(Cs, cuComplex, float, float)
GPULAB_FOR_FACTOR(Zd, cuDoubleComplex, double, double)

#define GPULAB_FOR_TYPE(X, T, R, N, I) \
  GPULAB_BLAS(X##axpy, int n, const T* alpha, const T* x, int incx, T* y, int incy) { \
    GPULAB_DO(sum, alpha, GPULAB_ROW(x, n), GPULAB_ROW(y, n), gpulab_one, GPULAB_ROW(y, n)); } \
  GPULAB_BLAS(X##copy, int n, const T* x, int incx, T* y, int incy) { \
    GPULAB_DO(sum, gpulab_one, GPULAB_ROW(x, n), gpulab_no_matrix, gpulab_zero, GPULAB_ROW(y, n)); } \
  GPULAB_BLAS(X##swap, int n, T* x, int incx, T* y, int incy) { \
    GPULAB_DO(swap, gpulab_one, GPULAB_ROW(x, n), gpulab_no_matrix, gpulab_zero, GPULAB_ROW(y, n)); } \
  GPULAB_BLAS(N##nrm2, int n, const T* x, int incx, R* result) { GPULAB_REDUCE(nrm2, GPULAB_ROW(x, n)); } \
  GPULAB_BLAS(N##asum, int n, const T* x, int incx, R* result) { GPULAB_REDUCE(asum, GPULAB_ROW(x, n)); } \
  GPULAB_BLAS(I##amax, int n, const T* x, int incx, int* result) { \
    GPULAB_REDUCE(iamax, GPULAB_ROW(x, n)); } \
  GPULAB_BLAS(I##amin, int n, const T* x, int incx, int* result) { \
    GPULAB_REDUCE(iamin, GPULAB_ROW(x, n)); } \
  GPULAB_BLAS(X##gemv, cublasOperation_t trans, int m, int n, const T* alpha, const T* A, int ldA, const T* x, \
              int incx, const T* beta, T* y, int incy) { \
    const int rows = trans == CUBLAS_OP_N ? m : n, columns = trans == CUBLAS_OP_N ? n : m; \
    GPULAB_DO(product, alpha, GPULAB_OP(T, A, rows, columns, trans), GPULAB_IN_COLUMN(x, columns), beta, \
              GPULAB_ROW(y, rows)); } \
  GPULAB_BLAS(X##trmv, GPULAB_TRIANGULAR, int n, const T* A, int ldA, T* x, int incx) { \
    GPULAB_DO(product, gpulab_one, GPULAB_TRIANGLE(A, n), GPULAB_IN_COLUMN(x, n), gpulab_zero, GPULAB_ROW(x, n)); } \
  GPULAB_BLAS(X##trsv, GPULAB_TRIANGULAR, int n, const T* A, int ldA, T* x, int incx) { \
    GPULAB_DO(trsm, gpulab_one, GPULAB_TRIANGLE(A, n), GPULAB_IN_COLUMN(x, n), gpulab_zero, GPULAB_ROW(x, n)); } \
  GPULAB_BLAS(X##geam, cublasOperation_t transA, cublasOperation_t transB, int m, int n, const T* alpha, \
              const T* A, int ldA, const T* beta, const T* B, int ldB, T* C, int ldC) { \
    GPULAB_DO(sum, alpha, GPULAB_OP(T, A, m, n, transA), GPULAB_OP(T, B, m, n, transB), beta, GPULAB_MATRIX(T, C)); } \
  GPULAB_BLAS(X##dgmm, cublasSideMode_t side, int m, int n, const T* A, int ldA, const T* x, int incx, T* C, \
              int ldC) { \
    GPULAB_DO_AT_SIDE(product, gpulab_one, gpulab_diagonal(GPULAB_ROW(x, GPULAB_SIZE)), GPULAB_MATRIX(T, A), \
                      gpulab_zero, GPULAB_MATRIX(T, C)); } \
  GPULAB_BLAS(X##trmm, cublasSideMode_t side, GPULAB_TRIANGULAR, int m, int n, const T* alpha, const T* A, int ldA, \
              const T* B, int ldB, T* C, int ldC) { \
    GPULAB_DO_AT_SIDE(product, alpha, GPULAB_TRIANGLE(A, GPULAB_SIZE), GPULAB_MATRIX(T, B), gpulab_zero, \
                      GPULAB_MATRIX(T, C)); } \
  GPULAB_BLAS(X##trsm, cublasSideMode_t side, GPULAB_TRIANGULAR, int m, int n, const T* alpha, const T* A, int ldA, \
              T* B, int ldB) { \
    GPULAB_DO_AT_SIDE(trsm, alpha, GPULAB_TRIANGLE(A, GPULAB_SIZE), GPULAB_MATRIX(T, B), gpulab_zero, \
                      GPULAB_MATRIX(T, B)); } \
  GPULAB_GEMM(X, T)

#define GPULAB_OPS cublasOperation_t transA, cublasOperation_t transB, int m, int n, int k
#define GPULAB_PRODUCT(typeA, a, typeB, b, typeC, c, ...) \
  GPULAB_DO(product, alpha, gpulab_op("A", A, typeA, m, k, ldA, transA, a), \
            gpulab_op("B", B, typeB, k, n, ldB, transB, b), beta, \
            gpulab_op("C", (const void*)C, typeC, m, n, ldC, CUBLAS_OP_N, c), __VA_ARGS__)
#define GPULAB_PRODUCT_OF(T, a, b, c, batch) \
  GPULAB_PRODUCT(gpulab_type_of<T>, a, gpulab_type_of<T>, b, gpulab_type_of<T>, c, batch)
#define GPULAB_GEMM(X, T) \
  GPULAB_BLAS(X##gemm, GPULAB_OPS, const T* alpha, const T* A, int ldA, const T* B, int ldB, const T* beta, T* C, \
              int ldC) { GPULAB_PRODUCT_OF(T, 0, 0, 0, 1); } \
  GPULAB_BLAS(X##gemmBatched, GPULAB_OPS, const T* alpha, const T* const A[], int ldA, const T* const B[], int ldB, \
              const T* beta, T* const C[], int ldC, int batch) { \
    GPULAB_PRODUCT_OF(T, gpulab_by_pointers, gpulab_by_pointers, gpulab_by_pointers, batch); } \
  GPULAB_BLAS(X##gemmStridedBatched, GPULAB_OPS, const T* alpha, const T* A, int ldA, long long strideA, const T* B, \
              int ldB, long long strideB, const T* beta, T* C, int ldC, long long strideC, int batch) { \
    GPULAB_PRODUCT_OF(T, strideA, strideB, strideC, batch); }
GPULAB_FOR_TYPE(S, float, float, S, Is)
GPULAB_FOR_TYPE(D, double, double, D, Id)
GPULAB_FOR_TYPE(C, cuComplex, float, Sc, Ic)
GPULAB_FOR_TYPE(Z, cuDoubleComplex, double, Dz, Iz)
GPULAB_GEMM(H, __half)

// Functions of symmetric and of Hermitian matrices. `op` transposes or conjugate transposes the second factor of rk.
#define GPULAB_FOR_HALF(X, T, R, sy, shape, op, row_op) \
  GPULAB_BLAS(X##sy##mv, cublasFillMode_t uplo, int n, const T* alpha, const T* A, int ldA, const T* x, int incx, \
              const T* beta, T* y, int incy) { \
    GPULAB_DO(product, alpha, GPULAB_HALF(shape, A, n), GPULAB_IN_COLUMN(x, n), beta, GPULAB_ROW(y, n)); } \
  GPULAB_BLAS(X##sy##mm, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, const T* alpha, const T* A, \
              int ldA, const T* B, int ldB, const T* beta, T* C, int ldC) { \
    GPULAB_DO_AT_SIDE(product, alpha, GPULAB_HALF(shape, A, GPULAB_SIZE), GPULAB_MATRIX(T, B), beta, \
                      GPULAB_MATRIX(T, C)); } \
  GPULAB_BLAS(X##sy##r, cublasFillMode_t uplo, int n, const R* alpha, const T* x, int incx, T* A, int ldA) { \
    GPULAB_DO(product, alpha, GPULAB_IN_COLUMN(x, n), gpulab_row("x", x, n, incx, row_op), gpulab_one, \
              GPULAB_HALF(shape, A, n)); } \
  GPULAB_BLAS(X##sy##rk, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const R* alpha, const T* A, \
              int ldA, const R* beta, T* C, int ldC) { \
    GPULAB_DO(product, alpha, GPULAB_OP(T, A, n, k, trans), \
              GPULAB_OP(T, A, k, n, trans == CUBLAS_OP_N ? op : CUBLAS_OP_N), beta, GPULAB_HALF(shape, C, n)); }
GPULAB_FOR_HALF(S, float, float, sy, symmetric, CUBLAS_OP_T, 0)
GPULAB_FOR_HALF(D, double, double, sy, symmetric, CUBLAS_OP_T, 0)
GPULAB_FOR_HALF(C, cuComplex, cuComplex, sy, symmetric, CUBLAS_OP_T, 0)
GPULAB_FOR_HALF(Z, cuDoubleComplex, cuDoubleComplex, sy, symmetric, CUBLAS_OP_T, 0)
GPULAB_FOR_HALF(C, cuComplex, float, he, hermitian, CUBLAS_OP_C, 3)
GPULAB_FOR_HALF(Z, cuDoubleComplex, double, he, hermitian, CUBLAS_OP_C, 3)

#define GPULAB_FOR_PAIR(dot, ger, T, op) \
  GPULAB_BLAS(dot, int n, const T* x, int incx, const T* y, int incy, T* result) { \
    GPULAB_REDUCE(dot_product, gpulab_row("x", x, n, incx, op), GPULAB_ROW(y, n)); } \
  GPULAB_BLAS(ger, int m, int n, const T* alpha, const T* x, int incx, const T* y, int incy, T* A, int ldA) { \
    GPULAB_DO(product, alpha, GPULAB_IN_COLUMN(x, m), gpulab_row("y", y, n, incy, op), gpulab_one, \
              GPULAB_MATRIX(T, A)); }
GPULAB_FOR_PAIR(Sdot, Sger, float, 0)
GPULAB_FOR_PAIR(Ddot, Dger, double, 0)
GPULAB_FOR_PAIR(Cdotu, Cgeru, cuComplex, 0)
GPULAB_FOR_PAIR(Zdotu, Zgeru, cuDoubleComplex, 0)
GPULAB_FOR_PAIR(Cdotc, Cgerc, cuComplex, 3)
GPULAB_FOR_PAIR(Zdotc, Zgerc, cuDoubleComplex, 3)

// ---- Types chosen at run time ----
// Returns a scalar in the type of the computation: a cublasComputeType_t, or a cudaDataType as in older versions.
GPULAB_INTRINSIC gpulab_scalar gpulab_number(const void* address, int compute, cudaDataType type) {
  if (compute < CUBLAS_COMPUTE_16F) return {address, compute, 0};
  const bool is_64 = compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC;
  if (type == CUDA_C_32F || type == CUDA_C_64F) return {address, is_64 ? CUDA_C_64F : CUDA_C_32F, 0};
  const int of_32 = compute < CUBLAS_COMPUTE_32F ? CUDA_R_16F : compute / 2 == 36 ? CUDA_R_32I : CUDA_R_32F;
  return {address, is_64 ? CUDA_R_64F : of_32, 0};
}
GPULAB_BLAS(GemmStridedBatchedEx, GPULAB_OPS, const void* alpha_at, const void* A, cudaDataType typeA, int ldA,
            long long strideA, const void* B, cudaDataType typeB, int ldB, long long strideB, const void* beta_at,
            void* C, cudaDataType typeC, int ldC, long long strideC, int batch, int compute, cublasGemmAlgo_t) {
  const gpulab_scalar alpha = gpulab_number(alpha_at, compute, typeC), beta = gpulab_number(beta_at, compute, typeC);
  GPULAB_PRODUCT(typeA, strideA, typeB, strideB, typeC, strideC, batch);
}
GPULAB_BLAS(GemmEx, GPULAB_OPS, const void* alpha_at, const void* A, cudaDataType typeA, int ldA, const void* B,
            cudaDataType typeB, int ldB, const void* beta_at, void* C, cudaDataType typeC, int ldC, int compute,
            cublasGemmAlgo_t) {
  const gpulab_scalar alpha = gpulab_number(alpha_at, compute, typeC), beta = gpulab_number(beta_at, compute, typeC);
  GPULAB_PRODUCT(typeA, 0, typeB, 0, typeC, 0, 1);
}
