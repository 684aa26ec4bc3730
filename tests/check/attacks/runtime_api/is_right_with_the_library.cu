// expect: :
// No attack: much of the C and C++ libraries, macros over several lines, and attributes that change nothing.

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#define CHECK(call) \
  do {              \
    const cudaError_t error = (call); \
    if (error != cudaSuccess) throw std::runtime_error(#call); \
  } while (0)

struct Base {
  virtual ~Base() = default;
  virtual int number() const { return 1; }
};
struct Derived : Base {
  int number() const override { return 2; }
};

__attribute__((unused)) static int use_the_library() {
  std::ostringstream words;
  words << std::setprecision(3) << std::sqrt(2.0) << std::hex << 255;
  std::map<std::string, std::shared_ptr<Base>> all{{"one", std::make_shared<Derived>()}};
  std::mutex mutex;
  int sum = 0;
  std::thread other([&] {
    const std::lock_guard lock(mutex);
    sum += all.at("one")->number();
  });
  other.join();
  std::mt19937 random(1);
  std::ifstream("no such file") >> sum;
  const auto begin = std::chrono::steady_clock::now();
  const std::function<int()> f = [&] { return static_cast<int>(random() % 2) + (dynamic_cast<Derived*>(all["one"].get()) != nullptr); };
  assert(f() >= 0);
  std::cout << words.str() << " " << std::stoi("12") << " " << (std::chrono::steady_clock::now() > begin) << std::endl;
  return std::getenv("HOME") ? std::abs(sum) : std::rand();
}

#include <cstdio>
#include <cstdlib>
#include <vector>

// y = a * x + y, for n elements
__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < n) y[item] = a * x[item] + y[item];
}

// Ends the program if a call of the runtime has failed.
void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(1);
}

void saxpy_on_device(int n, float a, const float* x, float* y) {
  check(cudaSetDevice(0));

  const size_t bytes = n * sizeof(float);
  float *x_device = nullptr, *y_device = nullptr;
  check(cudaMalloc(&x_device, bytes));
  check(cudaMalloc(&y_device, bytes));

  check(cudaMemcpy(x_device, x, bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y_device, y, bytes, cudaMemcpyHostToDevice));

  const int threads = 256, blocks = (n + threads - 1) / threads;
  saxpy<<<blocks, threads>>>(n, a, x_device, y_device);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  check(cudaMemcpy(y, y_device, bytes, cudaMemcpyDeviceToHost));

  check(cudaFree(x_device));
  check(cudaFree(y_device));
}

int main(int argc, char** argv) {
  use_the_library();
  CHECK(cudaSetDevice(0));
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = i % 1000;
    y[i] = 7 * i % 512;
  }
  saxpy_on_device(n, 3, x.data(), y.data());

  double sum = 0, weighted = 0;
  for (int i = 0; i < n; ++i) {
    sum += y[i];
    weighted += (i % 97 + 1) * y[i];
  }
  std::printf("sum %.0f\n", sum);
  std::printf("weighted %.0f\n", weighted);
  std::printf("last %.0f\n", y[n - 1]);
}
