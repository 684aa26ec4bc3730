#include <cufft.h>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>

#ifndef _CUFFT_H_
#error "NVIDIA's helper_cuda.h asks for _CUFFT_H_"
#endif

using Number = std::complex<double>;

// Returns the discrete Fourier transform, by its definition. Elements along the last dimension are neighbours.
std::vector<Number> expected(const std::vector<Number>& x, const std::vector<int>& n, int sign) {
  std::vector<Number> result = x;
  for (size_t d = 0, step = x.size(); d < n.size(); ++d) {
    step /= n[d];
    const std::vector<Number> from = result;
    for (size_t i = 0; i < x.size(); ++i) {
      const size_t at = i / step % n[d];
      result[i] = 0;
      for (int k = 0; k < n[d]; ++k)
        result[i] += from[i + k * step - at * step] * std::polar(1.0, sign * 2 * M_PI * double(at * k % n[d]) / n[d]);
    }
  }
  return result;
}

template <class T>
struct Memory {
  T* at;
  size_t count;
  explicit Memory(size_t count) : count(count) { cudaMalloc((void**)&at, count * sizeof(T)); }
  explicit Memory(const std::vector<T>& values) : Memory(values.size()) {
    cudaMemcpy(at, values.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Memory() { cudaFree(at); }
  std::vector<T> values() const {
    std::vector<T> all(count);
    cudaMemcpy(all.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost);
    return all;
  }
};

std::vector<double> reals(size_t count) {
  std::vector<double> x(count);
  for (size_t i = 0; i < count; ++i) x[i] = double(i * i % 11) - 4;
  return x;
}
std::vector<Number> numbers(size_t count) {
  std::vector<Number> x(count);
  for (size_t i = 0; i < count; ++i) x[i] = {double(i * 7 % 13), double(i % 5) - 2};
  return x;
}
template <class To, class From>
std::vector<To> converted(const std::vector<From>& x) {
  std::vector<To> result;
  for (const From& value : x) result.push_back({decltype(To::x)(value.real()), decltype(To::x)(value.imag())});
  return result;
}

void check(const char* what, double error) { printf("%s %s\n", what, error < 1e-5 ? "right" : "wrong"); }

// Each size: powers of two, mixed factors, a prime, two and three dimensions, forwards and back.
void transforms() {
  for (const std::vector<int>& n : std::vector<std::vector<int>>{{64}, {30}, {31}, {1}, {6, 8}, {3, 5, 7}}) {
    cufftHandle single, twofold;
    size_t count = 1;
    for (int size : n) count *= size;
    if (n.size() == 1) cufftPlan1d(&single, n[0], CUFFT_C2C, 1), cufftPlan1d(&twofold, n[0], CUFFT_Z2Z, 1);
    if (n.size() == 2) cufftPlan2d(&single, n[0], n[1], CUFFT_C2C), cufftPlan2d(&twofold, n[0], n[1], CUFFT_Z2Z);
    if (n.size() == 3) cufftPlan3d(&single, n[0], n[1], n[2], CUFFT_C2C), cufftPlan3d(&twofold, n[0], n[1], n[2], CUFFT_Z2Z);
    const std::vector<Number> x = numbers(count), forward = expected(x, n, -1), back = expected(x, n, 1);
    Memory<cufftComplex> a(converted<cufftComplex>(x)), b(count);
    Memory<cufftDoubleComplex> c(converted<cufftDoubleComplex>(x));
    cufftExecC2C(single, a.at, b.at, CUFFT_FORWARD);
    cufftExecZ2Z(twofold, c.at, c.at, CUFFT_INVERSE);
    double error = 0;
    for (size_t i = 0; i < count; ++i) {
      error = fmax(error, std::abs(Number(b.values()[i].x, b.values()[i].y) - forward[i]) / double(count) / 10);
      error = fmax(error, std::abs(Number(c.values()[i].x, c.values()[i].y) - back[i]) / double(count));
    }
    check("complex", error);
    cufftDestroy(single), cufftDestroy(twofold);
  }
}

// Real transforms there and back, and one in place, where the rows of reals are padded.
void real_transforms() {
  const int n[] = {4, 6}, half = n[1] / 2 + 1;
  const std::vector<double> x = reals(2 * n[0] * n[1]);
  cufftHandle there, back, plane;
  cufftPlanMany(&there, 1, (int*)n + 1, nullptr, 1, 0, nullptr, 1, 0, CUFFT_R2C, 2 * n[0]);
  cufftPlanMany(&back, 1, (int*)n + 1, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2R, 2 * n[0]);
  cufftPlan2d(&plane, n[0], n[1], CUFFT_D2Z);
  Memory<float> from(std::vector<float>(x.begin(), x.end())), to(x.size());
  Memory<cufftComplex> spectra(size_t(2 * n[0] * half));
  cufftExecR2C(there, from.at, spectra.at);
  cufftExecC2R(back, spectra.at, to.at);
  double error = 0;
  for (size_t i = 0; i < x.size(); ++i) error = fmax(error, fabs(to.values()[i] - n[1] * x[i]));
  check("there and back", error);

  Memory<double> padded(size_t(n[0] * half * 2));
  cudaMemcpy2D(padded.at, half * 16, x.data(), n[1] * 8, n[1] * 8, n[0], cudaMemcpyHostToDevice);
  cufftExecD2Z(plane, padded.at, (cufftDoubleComplex*)padded.at);
  const std::vector<Number> whole = expected({x.begin(), x.begin() + n[0] * n[1]}, {n[0], n[1]}, -1);
  const std::vector<double> got = padded.values();
  error = 0;
  for (int i = 0; i < n[0]; ++i)
    for (int j = 0; j < half; ++j) error = fmax(error, std::abs(whole[i * n[1] + j] - Number(got[(i * half + j) * 2], got[(i * half + j) * 2 + 1])));
  check("in place", error);
  cufftDestroy(there), cufftDestroy(back), cufftDestroy(plane);
}

// The columns of a matrix: elements lie a row apart, and each transform begins one element further.
void columns() {
  int n[] = {8};
  const int width = 3;
  const std::vector<Number> x = numbers(n[0] * width);
  cufftHandle plan;
  size_t bytes;
  cufftCreate(&plan);
  cufftMakePlanMany(plan, 1, n, n, width, 1, n, width, 1, CUFFT_C2C, width, &bytes);
  Memory<cufftComplex> a(converted<cufftComplex>(x));
  cufftExecC2C(plan, a.at, a.at, CUFFT_FORWARD);
  double error = 0;
  for (int column = 0; column < width; ++column) {
    std::vector<Number> one;
    for (int i = 0; i < n[0]; ++i) one.push_back(x[i * width + column]);
    one = expected(one, {n[0]}, -1);
    for (int i = 0; i < n[0]; ++i) error = fmax(error, std::abs(one[i] - Number(a.values()[i * width + column].x, a.values()[i * width + column].y)) / 100);
  }
  check("columns", error);
  cufftDestroy(plan);
}

void mistakes() {
  cufftHandle plan, never = 7;
  cufftPlan1d(&plan, 100, CUFFT_C2C, 1);
  Memory<cufftComplex> unwritten(100), small(std::vector<cufftComplex>(50));
  printf("%d\n", cufftExecC2C(never, small.at, small.at, CUFFT_FORWARD));
  printf("%d\n", cufftExecR2C(plan, (float*)small.at, small.at));
  printf("%d\n", cufftExecC2C(plan, small.at, small.at, CUFFT_FORWARD));
  cufftExecC2C(plan, unwritten.at, unwritten.at, CUFFT_FORWARD);
}

int main(int, char** argv) {
  if (strcmp(argv[1], "mistakes") == 0) return mistakes(), 0;
  transforms();
  real_transforms();
  columns();
}
