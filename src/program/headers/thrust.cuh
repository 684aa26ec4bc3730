// What Thrust's headers lack on the simulated device. Their C++ system runs algorithms on the host, one element after the
// other; this gives their device vectors memory of the device, and has the policies of their CUDA system. It comes
// after the C and C++ libraries and before the prelude, whose macros would change Thrust. The headers that it takes
// the place of include it.
#pragma once
#include <thrust/device_ptr.h>
#include <thrust/device_reference.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
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

template <class T>
class device_allocator {
 public:
  typedef T value_type;
  typedef device_ptr<T> pointer;
  typedef device_ptr<const T> const_pointer;
  typedef device_reference<T> reference;
  typedef device_reference<const T> const_reference;
  typedef std::size_t size_type;
  typedef std::ptrdiff_t difference_type;
  typedef std::true_type is_always_equal;
  template <class U>
  struct rebind {
    typedef device_allocator<U> other;
  };

  device_allocator() {}
  device_allocator(const device_allocator&) {}
  template <class U>
  device_allocator(const device_allocator<U>&) {}
  device_allocator& operator=(const device_allocator&) = default;

  pointer allocate(size_type count) { return pointer(gpulab_allocate<T>(count, "thrust::device_vector")); }
  void deallocate(pointer memory, size_type) {
    gpulab_free_thrust((void*)memory.get(), "the destructor of thrust::device_vector");
  }
  size_type max_size() const { return std::size_t(-1) / sizeof(T); }

  friend bool operator==(const device_allocator&, const device_allocator&) { return true; }
  friend bool operator!=(const device_allocator&, const device_allocator&) { return false; }
};

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

// The policies of Thrust's CUDA system. The device has done its work before the program goes on, so no stream needs to be
// waited for; temporary memory comes from the host.
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
