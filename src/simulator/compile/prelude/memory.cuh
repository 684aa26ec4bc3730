// For: mem* __builtin_mem* malloc free new delete virtual assert
// memcpy and its like, malloc and free on the device's heap, and assert. This part comes last, since its macros are
// for the kernel file alone. In kernels without hooks, memcpy is the compiler's.
extern "C" {
void* memcpy(void* to, const void* from, size_t bytes);
void* memmove(void* to, const void* from, size_t bytes);
void* memset(void* to, int value, size_t bytes);
int memcmp(const void* a, const void* b, size_t bytes);
void* malloc(size_t bytes);
void free(void* memory);
void* gpulab_malloc(size_t bytes);
void gpulab_free(void* memory);
// For hooked kernels. `room` is the size of the object where the compiler knows it; otherwise the largest number.
void* gpulab_copy(void* to, const void* from, size_t bytes, size_t room, size_t room_of_source);
void* gpulab_fill(void* to, int value, size_t bytes, size_t room);
[[noreturn]] void gpulab_assertion_failed(const char* condition, int line);
}
namespace std {
using ::memcpy;
using ::memmove;
using ::memset;
using ::malloc;
using ::free;
using ::gpulab_malloc;
using ::gpulab_free;
using ::gpulab_copy;
using ::gpulab_fill;
}
// Compilers do not always hook the construction of an object, such as new (place) T(f()). So constructing an object
// counts as a store to all of it.
#ifdef GPULAB_HOOKED
extern "C" void* gpulab_object(void* place, size_t bytes);
#else
#define gpulab_object(place, bytes) (place)
#endif
// These operators must not replace the program's own. Clang compiles them under other names, on which GCC 12 crashes;
// GCC hides them.
#ifdef __clang__
#define GPULAB_HEAP(declaration, name, call) declaration __asm__(name);
#else
#define GPULAB_HEAP(declaration, name, call) declaration { call; }
__asm__(".hidden _Znwm, _Znam, _ZdlPv, _ZdaPv, _ZdlPvm, _ZdaPvm");
#endif
GPULAB_HEAP(void* operator new(size_t bytes), "gpulab_malloc", return gpulab_object(gpulab_malloc(bytes), bytes))
GPULAB_HEAP(void* operator new[](size_t bytes), "gpulab_malloc", return gpulab_malloc(bytes))
GPULAB_HEAP(void operator delete(void* memory) noexcept, "gpulab_free", gpulab_free(memory))
GPULAB_HEAP(void operator delete[](void* memory) noexcept, "gpulab_free", gpulab_free(memory))
GPULAB_HEAP(void operator delete(void* memory, size_t) noexcept, "gpulab_free", gpulab_free(memory))
GPULAB_HEAP(void operator delete[](void* memory, size_t) noexcept, "gpulab_free", gpulab_free(memory))
#undef GPULAB_HEAP
// Placement new: new (place) T.
#if defined(__clang__) && defined(GPULAB_HOOKED)
// Clang knows the standard's placement new, and does not call it.
struct gpulab_place {
  void* address;
  gpulab_place(void* address) : address(address) {}
};
__forceinline__ void* operator new(size_t bytes, gpulab_place place) noexcept { return gpulab_object(place.address, bytes); }
__forceinline__ void* operator new[](size_t bytes, gpulab_place place) noexcept { return gpulab_object(place.address, bytes); }
#else
__forceinline__ void* operator new(size_t bytes, void* place) noexcept { return gpulab_object(place, bytes); }
__forceinline__ void* operator new[](size_t bytes, void* place) noexcept { return gpulab_object(place, bytes); }
#endif
// Renamed, since compilers remove pairs of malloc and free.
#define malloc(bytes) gpulab_malloc(bytes)
#define free(memory) gpulab_free(memory)
#define assert(...) ((__VA_ARGS__) ? (void)0 : gpulab_assertion_failed(#__VA_ARGS__, __builtin_LINE()))
#ifdef GPULAB_HOOKED
// memcpy, memmove and __builtin_memcpy are not defined by one another, since a kernel file may define one of them by
// another, too.
#define GPULAB_COPY(to, from, bytes) \
  gpulab_copy(to, from, bytes, __builtin_object_size(to, 0), __builtin_object_size(from, 0))
#define GPULAB_FILL(to, value, bytes) gpulab_fill(to, value, bytes, __builtin_object_size(to, 0))
#define memcpy(to, from, bytes) GPULAB_COPY(to, from, bytes)
#define memmove(to, from, bytes) GPULAB_COPY(to, from, bytes)
#define memset(to, value, bytes) GPULAB_FILL(to, value, bytes)
GPULAB_INTRINSIC int gpulab_compare(const void* a, const void* b, size_t bytes) {
  const unsigned char *left = (const unsigned char*)a, *right = (const unsigned char*)b;
  for (size_t i = 0; i < bytes; ++i)
    if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
  return 0;
}
#define memcmp(a, b, bytes) gpulab_compare(a, b, bytes)
#define __builtin_memcpy(to, from, bytes) GPULAB_COPY(to, from, bytes)
#define __builtin_memmove(to, from, bytes) GPULAB_COPY(to, from, bytes)
#define __builtin_memset(to, value, bytes) GPULAB_FILL(to, value, bytes)
#endif
