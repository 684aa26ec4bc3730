// Fits Thrust's headers to the simulated device. Thrust's C++ system runs algorithms on the host, one element after the
// other. This file gives Thrust's vectors the device's memory, and has the policies of its CUDA system. It comes after
// the C and C++ libraries and before the prelude, whose macros would change Thrust. It also replaces some of Thrust's
// headers, which consist of an #include of this file.
#pragma once
#include <thrust/detail/vector_base.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/system/cpp/pointer.h>
#include <thrust/system_error.h>
#include <thrust/version.h>
#include <new>
#include <type_traits>

extern "C" {
int gpulab_begin_thrust();
int gpulab_malloc_thrust(void** memory, size_t bytes, size_t element_bytes, const char* call);
int gpulab_free_thrust(void* memory, const char* call);
}

static const int gpulab_has_thrust = gpulab_begin_thrust();

THRUST_NAMESPACE_BEGIN

template <class T>
inline T* gpulab_allocate(std::size_t count, const char* call) {
  void* memory = nullptr;
  if (gpulab_malloc_thrust(&memory, count * sizeof(T), sizeof(T), call) != 0) throw std::bad_alloc();
  return static_cast<T*>(memory);
}

// An allocator for vectors with this type of pointer.
template <class T, template <class> class Pointer, bool is_managed>
struct gpulab_allocator {
  typedef T value_type;
  typedef Pointer<T> pointer;
  typedef std::true_type is_always_equal;
  static constexpr const char* call = is_managed ? "thrust::universal_vector" : "thrust::device_vector";

  pointer allocate(std::size_t count) { return pointer(gpulab_allocate<T>(count, call)); }
  void deallocate(pointer memory, std::size_t) { gpulab_free_thrust((void*)memory.get(), call); }
  std::size_t max_size() const { return std::size_t(-1) / sizeof(T); }
  friend bool operator==(const gpulab_allocator&, const gpulab_allocator&) { return true; }
  friend bool operator!=(const gpulab_allocator&, const gpulab_allocator&) { return false; }
};
template <class T>
struct device_allocator : gpulab_allocator<T, device_ptr, false> {
  template <class U>
  struct rebind {
    typedef device_allocator<U> other;
  };
  device_allocator() {}
  template <class U>
  device_allocator(const device_allocator<U>&) {}
};
template <class T>
using universal_ptr = system::cpp::universal_pointer<T>;
template <class T>
struct universal_allocator : gpulab_allocator<T, universal_ptr, true> {
  template <class U>
  struct rebind {
    typedef universal_allocator<U> other;
  };
  universal_allocator() {}
  template <class U>
  universal_allocator(const universal_allocator<U>&) {}
};
template <class T, class Allocator = universal_allocator<T>>
using universal_vector = detail::vector_base<T, Allocator>;

inline device_ptr<void> device_malloc(std::size_t bytes) {
  return device_ptr<void>(static_cast<void*>(gpulab_allocate<char>(bytes, "thrust::device_malloc")));
}
template <class T>
inline device_ptr<T> device_malloc(std::size_t count) {
  return device_ptr<T>(gpulab_allocate<T>(count, "thrust::device_malloc"));
}
inline void device_free(device_ptr<void> memory) { gpulab_free_thrust(memory.get(), "thrust::device_free"); }

// Names that courses use and version 3 no longer has.
#if THRUST_VERSION >= 300000
template <class Argument, class Result>
struct unary_function {
  typedef Argument argument_type;
  typedef Result result_type;
};
template <class First, class Second, class Result>
struct binary_function {
  typedef First first_argument_type;
  typedef Second second_argument_type;
  typedef Result result_type;
};
template <class T>
struct identity : ::cuda::std::identity {};
using ::cuda::std::max;
using ::cuda::std::min;
#endif
namespace system {
inline const error_category& cuda_category() { return system_category(); }
}  // namespace system
using system::cuda_category;

// The policies of Thrust's CUDA system. The device has done its work before the program continues, so no stream needs a
// wait. Temporary memory comes from the host.
namespace system {
namespace cuda {
struct gpulab_policy : thrust::system::cpp::detail::execution_policy<gpulab_policy> {
  template <class Stream>
  const gpulab_policy& on(Stream) const {
    return *this;
  }
  template <class Allocator>
  const gpulab_policy& operator()(Allocator&&) const {
    return *this;
  }
};
static const gpulab_policy par{}, par_nosync{};
}  // namespace cuda
}  // namespace system
namespace cuda = system::cuda;
namespace cuda_cub = system::cuda;

THRUST_NAMESPACE_END

// Included here too, because on a GPU Thrust's headers include them for their own needs, and programs rely on it.
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <iostream>
