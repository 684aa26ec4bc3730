#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>

#ifndef CUBLAS_API_H_
#error "NVIDIA's helper_cuda.h asks for CUBLAS_API_H_"
#endif

cublasHandle_t handle;

template <class T>
T* on_device(const std::vector<T>& values) {
  T* memory;
  cudaMalloc((void**)&memory, values.size() * sizeof(T));
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}

template <class T>
std::vector<T> on_host(const T* memory, size_t count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost);
  return values;
}

std::vector<float> numbers(int count, int step) {
  std::vector<float> values(count);
  for (int i = 0; i < count; ++i) values[i] = (i * step) % 11 - 5;
  return values;
}

void expect(const char* what, const std::vector<float>& got, const std::vector<float>& wanted) {
  float worst = 0;
  for (size_t i = 0; i < wanted.size(); ++i) worst = fmaxf(worst, fabsf(got[i] - wanted[i]));
  printf("%s %s\n", what, worst < 1e-3f ? "right" : "wrong");
}

void vectors() {
  const std::vector<float> x = numbers(6, 3), y = numbers(12, 5);
  float *dx = on_device(x), *dy = on_device(y), dot, norm, sum;
  const float two = 2, cosine = 0.6f, sine = 0.8f;
  int largest, smallest;
  cublasSdot(handle, 6, dx, 1, dy, 2, &dot);
  cublasSnrm2(handle, 6, dx, 1, &norm);
  cublasSasum(handle, 6, dx, 1, &sum);
  cublasIsamax(handle, 6, dx, 1, &largest);
  cublasIsamin(handle, 6, dx, 1, &smallest);
  float dot_wanted = 0, squares = 0, sum_wanted = 0;
  int most = 0, least = 0;
  for (int i = 0; i < 6; ++i) {
    dot_wanted += x[i] * y[2 * i], squares += x[i] * x[i], sum_wanted += fabsf(x[i]);
    if (fabsf(x[i]) > fabsf(x[most])) most = i;
    if (fabsf(x[i]) < fabsf(x[least])) least = i;
  }
  expect("reductions", {dot, norm, sum, float(largest), float(smallest)},
         {dot_wanted, sqrtf(squares), sum_wanted, float(most + 1), float(least + 1)});
  std::vector<float> added = y;
  for (int i = 0; i < 6; ++i) added[2 * i] += 2 * x[5 - i];
  cublasSaxpy(handle, 6, &two, dx, -1, dy, 2);
  expect("axpy", on_host(dy, 12), added);
  cublasSswap(handle, 6, dx, 1, dy, 1);
  cublasSscal(handle, 6, &two, dx, 1);
  std::vector<float> scaled(6), rotated(6);
  for (int i = 0; i < 6; ++i) scaled[i] = 2 * added[i];
  expect("swap, scal", on_host(dx, 6), scaled);
  cublasSrot(handle, 6, dx, 1, dy, 1, &cosine, &sine);
  for (int i = 0; i < 6; ++i) rotated[i] = 0.6f * x[i] - 0.8f * scaled[i];
  expect("rot", on_host(dy, 6), rotated);
  cublasScopy(handle, 6, dx, 1, dy, 1);
  expect("copy", on_host(dy, 6), on_host(dx, 6));
  cudaFree(dx), cudaFree(dy);
}

// Returns an element of op(A), for a column-major matrix.
float at(const std::vector<float>& A, int ld, bool is_transposed, int i, int j) {
  return is_transposed ? A[j + i * ld] : A[i + j * ld];
}

void products() {
  const int m = 4, n = 3, k = 5, ld = 7;
  const std::vector<float> A = numbers(ld * ld, 3), B = numbers(ld * ld, 4), C = numbers(ld * ld, 7);
  const float alpha = 2, beta = 3, zero = 0;
  float *a = on_device(A), *b = on_device(B);
  for (int transposes = 0; transposes < 4; ++transposes) {
    const bool ta = transposes & 1, tb = transposes & 2;
    float* c = on_device(C);
    std::vector<float> wanted = C;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        float sum = 0;
        for (int p = 0; p < k; ++p) sum += at(A, ld, ta, i, p) * at(B, ld, tb, p, j);
        wanted[i + j * ld] = alpha * sum + beta * C[i + j * ld];
      }
    cublasSgemm(handle, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, &alpha, a, ld, b, ld, &beta, c, ld);
    expect("gemm", on_host(c, ld * ld), wanted);
    cudaFree(c);
  }
  // y of gemv and C of gemm, with beta 0, may be NaN before.
  float* y = on_device(std::vector<float>(m, NAN));
  cublasSgemv(handle, CUBLAS_OP_N, m, n, &alpha, a, ld, b, 1, &zero, y, 1);
  std::vector<float> wanted(m);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) wanted[i] += alpha * A[i + j * ld] * B[j];
  expect("gemv", on_host(y, m), wanted);
  float* c = on_device(C);
  cublasSger(handle, m, n, &alpha, b, 1, b + m, 2, c, ld);
  std::vector<float> ranked = C;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) ranked[i + j * ld] += alpha * B[i] * B[m + 2 * j];
  expect("ger", on_host(c, ld * ld), ranked);
  cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &alpha, a, ld, &zero, a, ld, c, ld);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) ranked[i + j * ld] = alpha * A[j + i * ld];
  expect("geam", on_host(c, ld * ld), ranked);
  cublasSsyrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, n, k, &alpha, a, ld, &zero, c, ld);
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) {
      ranked[i + j * ld] = 0;
      for (int p = 0; p < k; ++p) ranked[i + j * ld] += alpha * A[p + i * ld] * A[p + j * ld];
    }
  expect("syrk", on_host(c, ld * ld), ranked);
  for (float* memory : {a, b, c, y}) cudaFree(memory);
}

// Compares triangular solves with triangular products, and the products with a loop.
void triangles() {
  const int m = 4, n = 3;
  const float one = 1, alpha = 2;
  std::vector<float> A = numbers(m * m, 3);
  for (int i = 0; i < m; ++i) A[i + i * m] = 4;
  const std::vector<float> B = numbers(m * n, 5);
  float *a = on_device(A), *b = on_device(B), *c = on_device(B);
  for (int which = 0; which < 16; ++which) {
    const bool is_right = which & 1, is_upper = which & 2, is_transposed = which & 4, is_unit = which & 8;
    const auto side = is_right ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
    const auto uplo = is_upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    const auto op = is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    const auto diag = is_unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    const int rows = is_right ? n : m, columns = is_right ? m : n;
    cublasStrmm(handle, side, uplo, op, diag, rows, columns, &alpha, a, m, b, rows, c, rows);
    std::vector<float> wanted(m * n);
    const auto half = [&](int i, int j) {
      if (is_transposed) std::swap(i, j);
      return i == j ? (is_unit ? 1 : A[i + i * m]) : (i < j) == is_upper ? A[i + j * m] : 0;
    };
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        for (int p = 0; p < m; ++p)
          wanted[i + j * rows] += alpha * (is_right ? B[i + p * rows] * half(p, j) : half(i, p) * B[p + j * rows]);
    expect("trmm", on_host(c, m * n), wanted);
    const float reciprocal = 0.5f;
    cublasStrsm(handle, side, uplo, op, diag, rows, columns, &reciprocal, a, m, c, rows);
    expect("trsm", on_host(c, m * n), B);
  }
  cublasSsymm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, m, n, &one, a, m, b, m, &one, c, m);
  std::vector<float> wanted = B;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int p = 0; p < m; ++p) wanted[i + j * m] += A[i < p ? i + p * m : p + i * m] * B[p + j * m];
  expect("symm", on_host(c, m * n), wanted);
  for (float* memory : {a, b, c}) cudaFree(memory);
}

void batches() {
  const float one = 1, zero = 0;
  float* all = on_device(numbers(12, 3));
  float* sums = on_device(std::vector<float>(12));
  cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, all + 8, 2, -4, all, 2, 0, &zero, sums + 8, 2, -4, 3);
  const std::vector<float> strided = on_host(sums, 12);
  float** pointers = on_device(std::vector<float*>{all, all + 4, all + 8, all, all, all, sums, sums + 4, sums + 8});
  cudaMemset(sums, 0, 48);
  cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, pointers, 2, pointers + 3, 2, &zero, pointers + 6, 2, 3);
  const std::vector<float> A = numbers(12, 3);
  std::vector<float> wanted(12);
  for (int one_of = 0; one_of < 3; ++one_of)
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        for (int p = 0; p < 2; ++p) wanted[4 * one_of + i + 2 * j] += A[4 * one_of + i + 2 * p] * A[p + 2 * j];
  expect("strided", strided, wanted);
  expect("pointers", on_host(sums, 12), wanted);
  cudaFree(all), cudaFree(sums), cudaFree(pointers);
}

void complex() {
  cuComplex* x = on_device(std::vector<cuComplex>{{1, 2}, {3, -1}});
  cuComplex result, alpha = {0, 1};
  cublasCdotc(handle, 2, x, 1, x, 1, &result);
  cublasCscal(handle, 2, &alpha, x, 1);
  const std::vector<cuComplex> turned = on_host(x, 2);
  expect("complex", {result.x, result.y, turned[0].x, turned[0].y}, {15, 0, -2, 1});
  const float two = 2, cosine = 0, sine = 1;
  cublasCsscal(handle, 2, &two, x, 1);
  cublasCsrot(handle, 1, x, 1, x + 1, 1, &cosine, &sine);
  const std::vector<cuComplex> rotated = on_host(x, 2);
  expect("real factor", {rotated[0].x, rotated[0].y, rotated[1].x, rotated[1].y}, {2, 6, 4, -2});
  cudaFree(x);
}

// Cases for each type: op(A) op(B) with leading dimensions beyond the sizes, one half of A, and a diagonal.
using Number = std::complex<double>;
template <class T>
T number(int i) {
  return T((i * 3) % 7 - 2.0);
}
template <>
cuComplex number(int i) {
  return {float((i * 3) % 7 - 2), float(i % 5 - 1)};
}
template <>
cuDoubleComplex number(int i) {
  return {(i * 3) % 7 - 2.0, i % 5 - 1.0};
}
template <class T>
Number value(T x) {
  return double(x);
}
Number value(cuComplex x) {
  return {x.x, x.y};
}
Number value(cuDoubleComplex x) {
  return {x.x, x.y};
}

// Returns a number of the type that a function takes as its factor.
template <class F, class... Others>
F scalar_of(cublasStatus_t (*)(cublasHandle_t, cublasFillMode_t, int, const F*, Others...)) {
  return number<F>(6);
}

// Prints whether each element (i, j) in device memory is wanted(i, j), and the padding is unchanged.
template <class T, class Function>
void expect_matrix(const char* what, const T* memory, int ld, int m, int n, Function wanted) {
  bool is_right = true;
  const std::vector<T> got = on_host(memory, ld * ld);
  for (int j = 0; j < ld; ++j)
    for (int i = 0; i < ld; ++i)
      is_right &= std::abs(value(got[i + j * ld]) - (i < m && j < n ? wanted(i, j) : value(number<T>(i + j * ld)))) < 1e-3;
  printf("%s %s\n", what, is_right ? "right" : "wrong");
}

// Functions of cuBLAS for one type.
template <class T, auto gemm, auto symv, auto symm, auto ger, auto syr, auto syrk, auto dgmm, auto trmv, auto trsv>
void type(bool conjugated) {
  const int ld = 5, m = 3, n = 2, k = 4;
  std::vector<T> A;
  for (int i = 0; i < ld * ld; ++i) A.push_back(number<T>(i));
  const auto at = [&](int i, int j) { return value(A[i + j * ld]); };
  const auto turn = [=](Number x) { return conjugated ? std::conj(x) : x; };
  const auto full = [&](int i, int j) { return i == j && conjugated ? at(i, i).real() : i >= j ? at(i, j) : turn(at(j, i)); };
  const T alpha = number<T>(6), beta = number<T>(4);
  const auto real = scalar_of(syr);  // of type T, or for Hermitian matrices real
  const Number a = value(alpha), b = value(beta);
  T *dA = on_device(A), *dC = on_device(A);
  const auto begin = [&] { cublasSetMatrix(ld, ld, sizeof(T), A.data(), ld, dC, ld); };
  begin(), gemm(handle, CUBLAS_OP_C, CUBLAS_OP_T, m, n, k, &alpha, dA, ld, dA, ld, &beta, dC, ld);
  expect_matrix("gemm", dC, ld, m, n, [&](int i, int j) {
    Number sum = b * at(i, j);
    for (int p = 0; p < k; ++p) sum += a * std::conj(at(p, i)) * at(j, p);
    return sum;
  });
  begin(), symv(handle, CUBLAS_FILL_MODE_LOWER, m, &alpha, dA, ld, dA + ld, 1, &beta, dC, 1);
  expect_matrix("symv", dC, ld, m, 1, [&](int i, int j) {
    Number sum = b * at(i, j);
    for (int p = 0; p < m; ++p) sum += a * full(i, p) * at(p, 1);
    return sum;
  });
  begin(), symm(handle, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, m, n, &alpha, dA, ld, dA, ld, &beta, dC, ld);
  expect_matrix("symm", dC, ld, m, n, [&](int i, int j) {
    Number sum = b * at(i, j);
    for (int p = 0; p < n; ++p) sum += a * at(i, p) * full(p, j);
    return sum;
  });
  begin(), ger(handle, m, n, &alpha, dA, 1, dA + ld, 2, dC, ld);
  expect_matrix("ger", dC, ld, m, n, [&](int i, int j) { return at(i, j) + a * at(i, 0) * turn(at(2 * j, 1)); });
  begin(), syr(handle, CUBLAS_FILL_MODE_LOWER, m, &real, dA + ld, 1, dC, ld);
  expect_matrix("syr", dC, ld, m, m, [&](int i, int j) {
    return i < j ? at(i, j) : full(i, j) + value(real) * at(i, 1) * turn(at(j, 1));
  });
  begin(), syrk(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, m, k, &real, dA, ld, &real, dC, ld);
  expect_matrix("syrk", dC, ld, m, m, [&](int i, int j) {
    if (i > j) return at(i, j);
    Number sum = value(real) * (i == j && conjugated ? at(i, i).real() : at(i, j));
    for (int p = 0; p < k; ++p) sum += value(real) * at(i, p) * turn(at(j, p));
    return sum;
  });
  begin(), dgmm(handle, CUBLAS_SIDE_LEFT, m, n, dA, ld, dA + ld, 2, dC, ld);
  expect_matrix("dgmm", dC, ld, m, n, [&](int i, int j) { return at(2 * i, 1) * at(i, j); });
  begin(), trmv(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_C, CUBLAS_DIAG_UNIT, m, dA, ld, dC, 1);
  expect_matrix("trmv", dC, ld, m, 1, [&](int i, int j) {
    Number sum = at(i, j);
    for (int p = 0; p < i; ++p) sum += std::conj(at(p, i)) * at(p, j);
    return sum;
  });
  trsv(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_C, CUBLAS_DIAG_UNIT, m, dA, ld, dC, 1);
  expect_matrix("trsv", dC, ld, m, 1, at);
  cudaFree(dA), cudaFree(dC);
}

void types() {
  type<float, cublasSgemm, cublasSsymv, cublasSsymm, cublasSger, cublasSsyr, cublasSsyrk, cublasSdgmm, cublasStrmv,
       cublasStrsv>(false);
  type<double, cublasDgemm, cublasDsymv, cublasDsymm, cublasDger, cublasDsyr, cublasDsyrk, cublasDdgmm, cublasDtrmv,
       cublasDtrsv>(false);
  type<cuComplex, cublasCgemm, cublasCsymv, cublasCsymm, cublasCgeru, cublasCsyr, cublasCsyrk, cublasCdgmm,
       cublasCtrmv, cublasCtrsv>(false);
  type<cuComplex, cublasCgemm, cublasChemv, cublasChemm, cublasCgerc, cublasCher, cublasCherk, cublasCdgmm,
       cublasCtrmv, cublasCtrsv>(true);
  type<cuDoubleComplex, cublasZgemm, cublasZsymv, cublasZsymm, cublasZgeru, cublasZsyr, cublasZsyrk, cublasZdgmm,
       cublasZtrmv, cublasZtrsv>(false);
  type<cuDoubleComplex, cublasZgemm, cublasZhemv, cublasZhemm, cublasZgerc, cublasZher, cublasZherk, cublasZdgmm,
       cublasZtrmv, cublasZtrsv>(true);
}

// Halves, which are exact for small numbers, and a sum in float.
void halves() {
  const std::vector<__half> A = {1.0f, 2.0f, 3.0f, 0.5f};
  const __half one = 1.0f, zero = 0.0f;
  const float unit = 1, none = 0;
  __half *a = on_device(A), *c = on_device(A);
  float* sums = on_device(std::vector<float>(4));
  cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a, 2, a, 2, &zero, c, 2);
  cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &unit, a, CUDA_R_16F, 2, a, CUDA_R_16F, 2, &none, sums,
               CUDA_R_32F, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  std::vector<float> numbers;
  for (const __half x : on_host(c, 4)) numbers.push_back(float(x));
  expect("Hgemm", numbers, {7, 3, 4.5f, 6.25f});
  expect("GemmEx", on_host(sums, 4), {7, 3, 4.5f, 6.25f});
  cudaFree(a), cudaFree(c), cudaFree(sums);
}

// Integers with int32 sums, bfloat16 with float sums, and copies in a stream.
void narrow() {
  const std::vector<signed char> A = {1, 2, -3, 4};
  const std::vector<unsigned short> B = {0x3f80, 0x4000, 0xc040, 0x4080};  // the same in bfloat16
  const int one = 1, zero = 0;
  const float unit = 1, none = 0;
  int* sums = on_device(std::vector<int>(4));
  std::vector<int> whole(4);
  std::vector<float> real(4);
  signed char* a = on_device(A);
  cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a, CUDA_R_8I, 2, a, CUDA_R_8I, 2, &zero, sums, CUDA_R_32I, 2,
               CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT);
  cublasGetVectorAsync(4, sizeof(int), sums, 1, whole.data(), 1, 0);
  cudaDeviceSynchronize();
  expect("int8", {float(whole[0]), float(whole[1]), float(whole[2]), float(whole[3])}, {-5, 10, -15, 10});
  unsigned short* b;
  cudaMalloc(&b, 8);
  cublasSetMatrixAsync(2, 2, 2, B.data(), 2, b, 2, 0);
  cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &unit, b, CUDA_R_16BF, 2, b, CUDA_R_16BF, 2, &none, sums, CUDA_R_32F, 2,
               CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  cublasGetMatrixAsync(2, 2, sizeof(float), sums, 2, real.data(), 2, 0);
  cudaDeviceSynchronize();
  expect("bfloat16", real, {-5, 10, -15, 10});
  cudaFree(a), cudaFree(b), cudaFree(sums);
}

void pointer_mode() {
  float* x = on_device(std::vector<float>{3, 4, 0});
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  cublasSnrm2(handle, 2, x, 1, x + 2);
  cublasSscal(handle, 2, x + 2, x, 1);
  expect("device", on_host(x, 3), {15, 20, 5});
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
  cudaFree(x);
}

void statuses() {
  float* x = on_device(std::vector<float>(4));
  const float one = 1;
  const auto none = (cublasFillMode_t)7;
  const auto product = [&](cudaDataType a, cudaDataType c, cublasComputeType_t type) {
    return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, x, a, 1, x, a, 1, &one, x, c, 1, type, CUBLAS_GEMM_DEFAULT);
  };
  for (const cublasStatus_t status :
       {cublasSscal(nullptr, 4, &one, x, 1), cublasSscal(handle, -4, &one, x, 1),
        cublasSgemv(handle, CUBLAS_OP_N, 2, 2, &one, x, 1, x, 1, &one, x, 1),  // leading
        cublasSgemv(handle, CUBLAS_OP_N, 1, 1, &one, x, 1, x, 0, &one, x, 1),  // increment
        cublasSgemv(handle, (cublasOperation_t)7, 1, 1, &one, x, 1, x, 1, &one, x, 1),
        cublasStrsv(handle, none, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 1, x, 1, x, 1),
        cublasStrsv(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, (cublasDiagType_t)7, 1, x, 1, x, 1),
        cublasSsymm(handle, (cublasSideMode_t)7, CUBLAS_FILL_MODE_UPPER, 1, 1, &one, x, 1, x, 1, &one, x, 1),  // side
        product(CUDA_R_8F_E4M3, CUDA_R_16F, CUBLAS_COMPUTE_32F),  // types
        product(CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I), product(CUDA_R_32F, CUDA_R_16F, CUBLAS_COMPUTE_32F),
        product(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_64F)})
    printf("%s\n", cublasGetStatusName(status));
  cudaFree(x);
}

void past_the_end() {
  float* x = on_device(std::vector<float>(99));  // too small
  const float one = 1;
  cublasSscal(handle, 100, &one, x, 1);  // scales
  cudaFree(x);
}

void unwritten() {
  float *x, result;
  cudaMalloc(&x, 400);
  cublasSasum(handle, 100, x, 1, &result);  // sums
  cudaFree(x);
}

void host_memory() {
  float x[4] = {}, result;
  cublasSasum(handle, 4, x, 1, &result);  // foreign
}

void result_on_device() {
  float* x = on_device(std::vector<float>(4));
  cublasSasum(handle, 4, x, 1, x + 3);  // result
  cudaFree(x);
}

void race() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  float* x = on_device(std::vector<float>(4));
  const float one = 1;
  cublasSetStream(handle, stream);
  cublasSscal(handle, 4, &one, x, 1);  // in the stream
  cudaMemset(x, 0, 16);
  cudaDeviceSynchronize();
  cublasSetStream(handle, 0);
  cudaStreamDestroy(stream);
  cudaFree(x);
}

int main(int, char** argv) {
  cublasCreate(&handle);  // creates
  const struct {
    const char* name;
    void (*run)();
  } cases[] = {{"vectors", vectors},         {"products", products},       {"triangles", triangles},
               {"batches", batches},         {"complex", complex},         {"types", types}, {"halves", halves}, {"narrow", narrow}, {"pointer_mode", pointer_mode},
               {"statuses", statuses},       {"past_the_end", past_the_end}, {"unwritten", unwritten},
               {"host_memory", host_memory}, {"result_on_device", result_on_device}, {"race", race}};
  for (const auto& one : cases)
    if (!std::strcmp(one.name, argv[1])) one.run();
  if (std::strcmp(argv[1], "leak")) cublasDestroy(handle);
}
