#include <curand.h>
#include <cstdio>
#include <vector>

// Prints the values at these indices. curand.txt has what cuRAND 13.0 itself gives for the seed 1234.
template <class T>
void show(const char* name, const std::vector<T>& values, const std::vector<size_t>& places) {
  printf("%s", name);
  for (const size_t i : places) printf(" %.6g", double(values[i]));
  printf("\n");
}

template <class T, class Function, class... More>
std::vector<T> made(curandGenerator_t generator, Function function, size_t count, More... more) {
  std::vector<T> values(count);
  T* memory;
  cudaMalloc((void**)&memory, count * sizeof(T));
  if (function(generator, memory, count, more...) != CURAND_STATUS_SUCCESS) printf("fails\n");
  cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(memory);
  return values;
}

struct Generator {
  curandGenerator_t handle;
  explicit Generator(curandRngType_t type) {
    curandCreateGenerator(&handle, type);
    curandSetPseudoRandomGeneratorSeed(handle, 1234);
  }
  ~Generator() { curandDestroyGenerator(handle); }
};

void numbers() {
  const std::vector<size_t> places = {0, 1, 2, 4096, 19999};
  for (const curandRngType_t type : {CURAND_RNG_PSEUDO_DEFAULT, CURAND_RNG_PSEUDO_PHILOX4_32_10}) {
    Generator bits(type), uniform(type), normal(type), logarithm(type);
    show("bits", made<unsigned>(bits.handle, curandGenerate, 20000), places);
    show("uniform", made<float>(uniform.handle, curandGenerateUniform, 20000), places);
    show("normal", made<float>(normal.handle, curandGenerateNormal, 20000, 0.0f, 1.0f), places);
    show("log-normal", made<float>(logarithm.handle, curandGenerateLogNormal, 20000, 0.0f, 1.0f), places);
  }
  Generator doubles(CURAND_RNG_PSEUDO_XORWOW), normals(CURAND_RNG_PSEUDO_XORWOW);
  show("double", made<double>(doubles.handle, curandGenerateUniformDouble, 20000), places);
  show("normal double", made<double>(normals.handle, curandGenerateNormalDouble, 20000, 0.0, 1.0), places);
}

// The sequence goes on where the previous call ended, even if that one made another distribution.
void one_after_the_other() {
  Generator whole(CURAND_RNG_PSEUDO_XORWOW), parts(CURAND_RNG_PSEUDO_XORWOW);
  const std::vector<float> all = made<float>(whole.handle, curandGenerateUniform, 20000);
  made<float>(parts.handle, curandGenerateNormal, 10002, 0.0f, 1.0f);
  printf("%d\n", made<float>(parts.handle, curandGenerateUniform, 1)[0] == all[9097]);
  curandSetGeneratorOffset(parts.handle, 9097);
  printf("%d\n", made<float>(parts.handle, curandGenerateUniform, 1)[0] == all[9097]);
  curandGenerator_t host;
  curandCreateGeneratorHost(&host, CURAND_RNG_PSEUDO_XORWOW);
  curandSetPseudoRandomGeneratorSeed(host, 1234);
  std::vector<float> values(20000);
  curandGenerateUniform(host, values.data(), values.size());
  printf("%d\n", values == all);
  curandDestroyGenerator(host);
}

void statuses() {
  Generator generator(CURAND_RNG_PSEUDO_DEFAULT);
  curandGenerator_t other;
  float x[2], *memory;
  cudaMalloc(&memory, 12);
  printf("%d\n", curandGenerateNormal(generator.handle, memory, 3, 0, 1));  // odd
  printf("%d\n", curandGenerateUniform((curandGenerator_t)&other, memory, 3));  // no generator
  printf("%d\n", curandGenerateUniform(generator.handle, x, 2));  // host memory
  printf("%d\n", curandGenerateUniform(generator.handle, memory, 4));  // too many
  curandCreateGenerator(&other, CURAND_RNG_PSEUDO_DEFAULT);  // leaks
  cudaFree(memory);
}

int main(int, char** argv) {
  const char which = argv[1][0];
  which == 'n' ? numbers() : which == 'o' ? one_after_the_other() : statuses();
}
