// For: include_cufft_h include_cufftXt_h
// cuFFT: a transform is queued in its plan's stream (program/runtime/library_work.cpp). The program's own code computes
// it, in double precision.
#define _CUFFT_H_  // NVIDIA's helper_cuda.h asks for it
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
#define CUFFT_VERSION 12000
enum cufftResult {
  CUFFT_SUCCESS, CUFFT_INVALID_PLAN, CUFFT_ALLOC_FAILED, CUFFT_INVALID_TYPE, CUFFT_INVALID_VALUE, CUFFT_INTERNAL_ERROR,
  CUFFT_EXEC_FAILED, CUFFT_SETUP_FAILED, CUFFT_INVALID_SIZE, CUFFT_UNALIGNED_DATA, CUFFT_INVALID_DEVICE = 11,
  CUFFT_NO_WORKSPACE = 13, CUFFT_NOT_IMPLEMENTED, CUFFT_NOT_SUPPORTED = 16, CUFFT_MISSING_DEPENDENCY,
  CUFFT_NVRTC_FAILURE, CUFFT_NVJITLINK_FAILURE, CUFFT_NVSHMEM_FAILURE
};
enum cufftType { CUFFT_C2C = 0x29, CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_Z2Z = 0x69, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c };
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef int cufftHandle;

// The layout of an array: element i, j, k of transform b is at b * distance + ((i * rows + j) * row_length + k) *
// stride. The basic layout has no gaps.
struct gpulab_fft_layout {
  long long rows, row_length, stride, distance;
  bool is_basic;
};
// A plan. Along the last dimension, elements are neighbours in memory. With fewer dimensions, the first sizes are 1.
struct gpulab_fft_plan {
  gpulab_library* library;
  cufftType type;
  long long size[3];
  int batch;
  gpulab_fft_layout in, out;
  bool is_made;
};
inline gpulab_fft_plan* gpulab_fft_plans[1024];  // a plan's handle is its index + 1
inline gpulab_fft_plan* gpulab_fft_plan_at(cufftHandle handle, const char* call) {
  gpulab_fft_plan* const plan = handle > 0 && handle <= 1024 ? gpulab_fft_plans[handle - 1] : nullptr;
  return gpulab_library_at(plan ? plan->library : nullptr, call) ? plan : nullptr;
}

GPULAB_INTRINSIC cufftResult gpulab_fft_create(cufftHandle* handle, const char* call) {
  for (int i = 0; i < 1024; ++i)
    if (!gpulab_fft_plans[i]) {
      gpulab_fft_plans[i] = new gpulab_fft_plan{gpulab_open_library(call, "cufftDestroy"), CUFFT_C2C, {}, 0, {}, {}, false};
      *handle = i + 1;
      return CUFFT_SUCCESS;
    }
  return CUFFT_ALLOC_FAILED;
}
GPULAB_INTRINSIC cufftResult cufftCreate(cufftHandle* handle) { return gpulab_fft_create(handle, __func__); }
GPULAB_INTRINSIC cufftResult cufftDestroy(cufftHandle handle) {
  gpulab_fft_plan* const plan = gpulab_fft_plan_at(handle, __func__);
  if (!plan) return CUFFT_INVALID_PLAN;
  gpulab_close_library(plan->library, __func__);
  delete plan;
  gpulab_fft_plans[handle - 1] = nullptr;
  return CUFFT_SUCCESS;
}
// Makes a plan with the layouts of a call. Without an array of row lengths (null), a layout is the basic one.
inline cufftResult gpulab_fft_make(gpulab_fft_plan* plan, int rank, const long long* n, const long long* in_rows, long long in_stride, long long in_distance, const long long* out_rows, long long out_stride, long long out_distance, cufftType type, long long batch, size_t* work_bytes) {
  if (!plan) return CUFFT_INVALID_PLAN;
  if (rank < 1 || rank > 3 || batch < 1) return CUFFT_INVALID_VALUE;
  for (int i = 0; i < rank; ++i)
    if (n[i] < 1) return CUFFT_INVALID_SIZE;
  for (int i = 0; i < 3; ++i) plan->size[i] = i < 3 - rank ? 1 : n[i - 3 + rank];
  const auto layout = [&](const long long* rows, long long stride, long long distance) {
    return gpulab_fft_layout{rows && rank > 1 ? rows[rank - 2] : plan->size[1], rows ? rows[rank - 1] : 0, rows ? stride : 1, distance, !rows};
  };
  plan->type = type;
  plan->batch = batch;
  plan->in = layout(in_rows, in_stride, in_distance);
  plan->out = layout(out_rows, out_stride, out_distance);
  plan->is_made = true;
  if (work_bytes) *work_bytes = 0;
  return CUFFT_SUCCESS;
}

// Transforms n numbers that lie `step` apart, by a mixed-radix FFT over the prime factors of n, the smallest one first.
// `roots` has the powers of the root of unity of order n * root_step, and `scratch` has n elements.
struct gpulab_fft_number { double re, im; };
GPULAB_UNHOOKED inline void gpulab_fft(const gpulab_fft_number* from, gpulab_fft_number* to, long long n, long long step, const gpulab_fft_number* roots, long long root_step, gpulab_fft_number* scratch) {
  if (n == 1) {
    *to = *from;
    return;
  }
  long long p = 2;
  while (n % p != 0) p = p * p > n ? n : p + 1;
  const long long m = n / p;
  for (long long r = 0; r < p; ++r) gpulab_fft(from + r * step, to + r * m, m, step * p, roots, root_step * p, scratch);
  for (long long k = 0; k < m; ++k) {
    for (long long q = 0; q < p; ++q) {
      gpulab_fft_number sum = {0, 0};
      for (long long r = 0; r < p; ++r) {
        const gpulab_fft_number w = roots[r * (k + q * m) % n * root_step], x = to[r * m + k];
        sum.re += w.re * x.re - w.im * x.im;
        sum.im += w.re * x.im + w.im * x.re;
      }
      scratch[q] = sum;
    }
    for (long long q = 0; q < p; ++q) to[q * m + k] = scratch[q];
  }
}

GPULAB_UNHOOKED inline gpulab_fft_number gpulab_fft_load(float x) { return {x, 0}; }
GPULAB_UNHOOKED inline gpulab_fft_number gpulab_fft_load(double x) { return {x, 0}; }
GPULAB_UNHOOKED inline gpulab_fft_number gpulab_fft_load(float2 x) { return {x.x, x.y}; }
GPULAB_UNHOOKED inline gpulab_fft_number gpulab_fft_load(double2 x) { return {x.x, x.y}; }
GPULAB_UNHOOKED inline void gpulab_fft_store(float& x, gpulab_fft_number value) { x = float(value.re); }
GPULAB_UNHOOKED inline void gpulab_fft_store(double& x, gpulab_fft_number value) { x = value.re; }
GPULAB_UNHOOKED inline void gpulab_fft_store(float2& x, gpulab_fft_number value) { x = {float(value.re), float(value.im)}; }
GPULAB_UNHOOKED inline void gpulab_fft_store(double2& x, gpulab_fft_number value) { x = {value.re, value.im}; }

template <class In, class Out>
struct gpulab_fft_work {
  static constexpr bool is_half_in = sizeof(Out) < sizeof(In), is_half_out = sizeof(In) < sizeof(Out);
  gpulab_fft_plan plan;
  In* in;
  Out* out;
  int sign;

  long long width(bool is_half) const { return is_half ? plan.size[2] / 2 + 1 : plan.size[2]; }
  // Completes a basic layout. In place, a row of reals has room for its complex result.
  void complete(gpulab_fft_layout& layout, bool is_half, bool is_real) const {
    if (!layout.is_basic) return;
    layout.row_length = is_real && (const void*)in == out ? 2 * width(true) : width(is_half);
    layout.distance = plan.size[0] * layout.rows * layout.row_length;
  }
  long long last(const gpulab_fft_layout& layout, bool is_half) const {
    return (plan.batch - 1) * layout.distance + (((plan.size[0] - 1) * layout.rows + plan.size[1] - 1) * layout.row_length + width(is_half) - 1) * layout.stride;
  }
  bool has_gaps(const gpulab_fft_layout& layout, bool is_half) const {
    return last(layout, is_half) + 1 != plan.batch * plan.size[0] * plan.size[1] * width(is_half);
  }

  GPULAB_UNHOOKED void transform() const {
    const long long *n = plan.size, all = n[0] * n[1] * n[2];
    long long longest = 0;
    for (int d = 0; d < 3; ++d) longest = n[d] > longest ? n[d] : longest;
    gpulab_fft_number *const x = new gpulab_fft_number[all + 4 * longest], *const line = x + all, *const result = line + longest, *const roots = result + longest, *const scratch = roots + longest;
    const auto offset_of = [&](const gpulab_fft_layout& layout, long long i) GPULAB_UNHOOKED { return ((i / n[2] / n[1] * layout.rows + i / n[2] % n[1]) * layout.row_length + i % n[2]) * layout.stride; };
    const double two_pi = 6.283185307179586477;
    for (int b = 0; b < plan.batch; ++b) {
      for (long long i = 0; i < all; ++i)
        if (!is_half_in || i % n[2] < width(true)) {
          x[i] = gpulab_fft_load(in[b * plan.in.distance + offset_of(plan.in, i)]);
        } else {  // the conjugate of the element at the opposite indices
          const long long opposite = ((n[0] - i / n[2] / n[1]) % n[0] * n[1] + (n[1] - i / n[2] % n[1]) % n[1]) * n[2] + n[2] - i % n[2];
          x[i] = gpulab_fft_load(in[b * plan.in.distance + offset_of(plan.in, opposite)]);
          x[i].im = -x[i].im;
        }
      for (long long d = 2, step = 1; d >= 0; step *= n[d--]) {
        for (long long k = 0; k < n[d]; ++k) roots[k] = {cos(two_pi * k / n[d]), sign * sin(two_pi * k / n[d])};
        for (long long i = 0; i < all; ++i)
          if (n[d] > 1 && i / step % n[d] == 0) {
            for (long long k = 0; k < n[d]; ++k) line[k] = x[i + k * step];
            gpulab_fft(line, result, n[d], 1, roots, 1, scratch);
            for (long long k = 0; k < n[d]; ++k) x[i + k * step] = result[k];
          }
      }
      for (long long i = 0; i < all; ++i)
        if (!is_half_out || i % n[2] < width(true)) gpulab_fft_store(out[b * plan.out.distance + offset_of(plan.out, i)], x[i]);
    }
    delete[] x;
  }
};

template <class In, class Out>
GPULAB_INTRINSIC cufftResult gpulab_fft_execute(cufftHandle handle, cufftType type, In* in, Out* out, int sign, const char* call) {
  gpulab_fft_plan* const plan = gpulab_fft_plan_at(handle, call);
  if (!plan) return CUFFT_INVALID_PLAN;
  if (!plan->is_made || plan->type != type) return CUFFT_INVALID_TYPE;
  if ((sign != CUFFT_FORWARD && sign != CUFFT_INVERSE) || !in || !out) return CUFFT_INVALID_VALUE;
  typedef gpulab_fft_work<In, Out> Work;
  Work* const work = new Work{*plan, in, out, sign};
  work->complete(work->plan.in, Work::is_half_in, Work::is_half_out);
  work->complete(work->plan.out, Work::is_half_out, Work::is_half_in);
  // An input with gaps is not checked for unwritten elements. In an output with gaps, the gaps count as written, too.
  const gpulab_operand operands[] = {
    {"input", in, sizeof(In), size_t(work->last(work->plan.in, Work::is_half_in) + 1), !work->has_gaps(work->plan.in, Work::is_half_in), false},
    {"output", out, sizeof(Out), size_t(work->last(work->plan.out, Work::is_half_out) + 1), false, true}};
  return gpulab_queue_work(call, operands, 2, plan->library->stream, [](void* state) { static_cast<Work*>(state)->transform(); }, [](void* state) { delete static_cast<Work*>(state); }, work) ? CUFFT_EXEC_FAILED : CUFFT_SUCCESS;
}
#define GPULAB_FFT(name, In, Out) \
  GPULAB_INTRINSIC cufftResult cufftExec##name(cufftHandle plan, In* idata, Out* odata, int direction) { return gpulab_fft_execute(plan, CUFFT_##name, idata, odata, direction, __func__); }
#define GPULAB_FFT_ONE_WAY(name, In, Out, sign) \
  GPULAB_INTRINSIC cufftResult cufftExec##name(cufftHandle plan, In* idata, Out* odata) { return gpulab_fft_execute(plan, CUFFT_##name, idata, odata, sign, __func__); }
GPULAB_FFT(C2C, cufftComplex, cufftComplex)
GPULAB_FFT(Z2Z, cufftDoubleComplex, cufftDoubleComplex)
GPULAB_FFT_ONE_WAY(R2C, cufftReal, cufftComplex, CUFFT_FORWARD)
GPULAB_FFT_ONE_WAY(D2Z, cufftDoubleReal, cufftDoubleComplex, CUFFT_FORWARD)
GPULAB_FFT_ONE_WAY(C2R, cufftComplex, cufftReal, CUFFT_INVERSE)
GPULAB_FFT_ONE_WAY(Z2D, cufftDoubleComplex, cufftDoubleReal, CUFFT_INVERSE)

// ---- Plans: made in one call, or for a handle from cufftCreate ----
#define GPULAB_FFT_PLAN(name, parameters, ...) \
  GPULAB_INTRINSIC cufftResult cufftMakePlan##name(cufftHandle plan, GPULAB_FFT_UNPACK parameters, size_t* workSize) { return gpulab_fft_make(gpulab_fft_plan_at(plan, __func__), __VA_ARGS__, workSize); } \
  GPULAB_INTRINSIC cufftResult cufftPlan##name(cufftHandle* plan, GPULAB_FFT_UNPACK parameters) { \
    size_t* const workSize = nullptr; \
    const cufftResult result = gpulab_fft_create(plan, __func__); \
    return result ? result : gpulab_fft_make(gpulab_fft_plan_at(*plan, __func__), __VA_ARGS__, workSize); }
#define GPULAB_FFT_UNPACK(...) __VA_ARGS__
struct gpulab_fft_sizes {
  long long values[3] = {1, 1, 1};
  bool is_given = true;
  gpulab_fft_sizes(int x, int y = 1, int z = 1) : values{x, y, z} {}
  gpulab_fft_sizes(const int* sizes, int rank) : is_given(sizes) {
    for (int i = 0; sizes && i < rank && i < 3; ++i) values[i] = sizes[i];
  }
  operator const long long*() const { return is_given ? values : nullptr; }
};
#define GPULAB_FFT_BASIC nullptr, 1, 0, nullptr, 1, 0
GPULAB_FFT_PLAN(1d, (int nx, cufftType type, int batch), 1, gpulab_fft_sizes(nx), GPULAB_FFT_BASIC, type, batch)
GPULAB_FFT_PLAN(2d, (int nx, int ny, cufftType type), 2, gpulab_fft_sizes(nx, ny), GPULAB_FFT_BASIC, type, 1)
GPULAB_FFT_PLAN(3d, (int nx, int ny, int nz, cufftType type), 3, gpulab_fft_sizes(nx, ny, nz), GPULAB_FFT_BASIC, type, 1)
GPULAB_FFT_PLAN(Many, (int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride, int odist, cufftType type, int batch), rank, gpulab_fft_sizes(n, rank), gpulab_fft_sizes(inembed, rank), istride, idist, gpulab_fft_sizes(onembed, rank), ostride, odist, type, batch)

GPULAB_INTRINSIC cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  gpulab_fft_plan* const plan = gpulab_fft_plan_at(handle, __func__);
  if (plan) plan->library->stream = stream;
  return plan ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
GPULAB_INTRINSIC cufftResult cufftGetSize(cufftHandle handle, size_t* workSize) {
  *workSize = 0;
  return gpulab_fft_plan_at(handle, __func__) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
GPULAB_INTRINSIC cufftResult cufftSetWorkArea(cufftHandle handle, void*) { return gpulab_fft_plan_at(handle, __func__) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }
GPULAB_INTRINSIC cufftResult cufftSetAutoAllocation(cufftHandle handle, int) { return gpulab_fft_plan_at(handle, __func__) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }
inline cufftResult cufftGetVersion(int* version) {
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}
