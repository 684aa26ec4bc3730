// For: include_curand_h include_curand_kernel_h
// cuRAND's functions for the host (program/runtime/random.cpp). The toolkit's curand_kernel.h, which has those for
// kernels, needs the types.
#define CURAND_H_
#define CURAND_VER_MAJOR 10
#define CURAND_VER_MINOR 4
#define CURAND_VERSION 10400
#define CURANDAPI
typedef enum curandStatus {
  CURAND_STATUS_SUCCESS, CURAND_STATUS_VERSION_MISMATCH = 100, CURAND_STATUS_NOT_INITIALIZED,
  CURAND_STATUS_ALLOCATION_FAILED, CURAND_STATUS_TYPE_ERROR, CURAND_STATUS_OUT_OF_RANGE,
  CURAND_STATUS_LENGTH_NOT_MULTIPLE, CURAND_STATUS_DOUBLE_PRECISION_REQUIRED, CURAND_STATUS_LAUNCH_FAILURE = 201,
  CURAND_STATUS_PREEXISTING_FAILURE, CURAND_STATUS_INITIALIZATION_FAILED, CURAND_STATUS_ARCH_MISMATCH,
  CURAND_STATUS_INTERNAL_ERROR = 999
} curandStatus_t;
// Generators and orderings that are offered. A program that names another one is refused by its name.
typedef enum curandRngType {
  CURAND_RNG_PSEUDO_DEFAULT = 100, CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161
} curandRngType_t;
typedef enum curandOrdering {
  CURAND_ORDERING_PSEUDO_BEST = 100, CURAND_ORDERING_PSEUDO_DEFAULT, CURAND_ORDERING_PSEUDO_LEGACY = 103
} curandOrdering_t;
enum curandMethod {
  CURAND_CHOOSE_BEST, CURAND_ITR, CURAND_KNUTH, CURAND_HITR, CURAND_M1, CURAND_M2, CURAND_BINARY_SEARCH,
  CURAND_DISCRETE_GAUSS, CURAND_REJECTION, CURAND_DEVICE_API, CURAND_FAST_REJECTION, CURAND_3RD, CURAND_DEFINITION,
  CURAND_POISSON
};
typedef enum curandMethod curandMethod_t;
typedef double curandDistribution_st, *curandDistribution_t;
typedef struct curandDistributionShift_st* curandDistributionShift_t;
typedef struct curandDistributionM2Shift_st* curandDistributionM2Shift_t;
typedef struct curandHistogramM2_st* curandHistogramM2_t;
typedef unsigned int curandHistogramM2K_st, *curandHistogramM2K_t;
typedef curandDistribution_st curandHistogramM2V_st, *curandHistogramM2V_t;
typedef struct curandDiscreteDistribution_st* curandDiscreteDistribution_t;
typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
typedef gpulab_library* curandGenerator_t;
typedef struct curandGenerator_st curandGenerator_st;

inline curandStatus_t gpulab_rand_status(gpulab_status status) {
  return status == gpulab_done            ? CURAND_STATUS_SUCCESS
         : status == gpulab_no_handle     ? CURAND_STATUS_NOT_INITIALIZED
         : status == gpulab_bad_value     ? CURAND_STATUS_LENGTH_NOT_MULTIPLE
         : status == gpulab_not_supported ? CURAND_STATUS_TYPE_ERROR
                                          : CURAND_STATUS_LAUNCH_FAILURE;
}
GPULAB_INTRINSIC curandStatus_t gpulab_create(curandGenerator_t* generator, curandRngType_t type, bool is_on_host,
                                              const char* call) {
  *generator = gpulab_open_library(call, "curandDestroyGenerator");
  (*generator)->generator = type;
  (*generator)->is_on_host = is_on_host;
  return CURAND_STATUS_SUCCESS;
}
GPULAB_INTRINSIC curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return gpulab_create(generator, type, /*is_on_host=*/false, __func__);
}
GPULAB_INTRINSIC curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return gpulab_create(generator, type, /*is_on_host=*/true, __func__);
}
GPULAB_INTRINSIC curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  return gpulab_rand_status(gpulab_close_library(generator, __func__));
}
inline curandStatus_t curandGetVersion(int* version) {
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}
#define GPULAB_SET_RANDOM(name, parameter, ...) \
  GPULAB_INTRINSIC curandStatus_t curand##name(curandGenerator_t generator, parameter) { \
    if (!gpulab_library_at(generator, __func__)) return CURAND_STATUS_NOT_INITIALIZED; \
    __VA_ARGS__; \
    return CURAND_STATUS_SUCCESS; }
GPULAB_SET_RANDOM(SetStream, cudaStream_t stream, generator->stream = stream)
GPULAB_SET_RANDOM(SetPseudoRandomGeneratorSeed, unsigned long long seed,
                  generator->seed = seed, generator->is_begun = false)
GPULAB_SET_RANDOM(SetGeneratorOffset, unsigned long long offset,
                  generator->offset = offset, generator->is_begun = false)
GPULAB_SET_RANDOM(SetGeneratorOrdering, curandOrdering_t, )
GPULAB_INTRINSIC curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return gpulab_library_at(generator, __func__) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}

#define GPULAB_RANDOM(name, T, distribution, mean, deviation, ...) \
  GPULAB_INTRINSIC curandStatus_t curandGenerate##name(curandGenerator_t generator, T* output, size_t count \
                                                       __VA_OPT__(,) __VA_ARGS__) { \
    const gpulab_random_work work = {generator, __func__, distribution, output, sizeof(T) == sizeof(double), count, \
                                     mean, deviation}; \
    return gpulab_rand_status(gpulab_random(&work)); }
GPULAB_RANDOM(, unsigned int, gpulab_integers, 0, 1)
GPULAB_RANDOM(Uniform, float, gpulab_uniform, 0, 1)
GPULAB_RANDOM(UniformDouble, double, gpulab_uniform, 0, 1)
GPULAB_RANDOM(Normal, float, gpulab_normal, mean, deviation, float mean, float deviation)
GPULAB_RANDOM(NormalDouble, double, gpulab_normal, mean, deviation, double mean, double deviation)
GPULAB_RANDOM(LogNormal, float, gpulab_log_normal, mean, deviation, float mean, float deviation)
GPULAB_RANDOM(LogNormalDouble, double, gpulab_log_normal, mean, deviation, double mean, double deviation)
