// For: __ld* __st* __is* __cvta* __assume* __builtin_assume*
// Loads and stores with cache hints are plain loads and stores.
#define GPULAB_LOAD(name, type) \
  template <class T> GPULAB_INTRINSIC T name(const T* address) { return *(const type*)address; }
GPULAB_LOAD(__ldg, T) GPULAB_LOAD(__ldca, T) GPULAB_LOAD(__ldcg, T) GPULAB_LOAD(__ldcs, T) GPULAB_LOAD(__ldlu, T)
GPULAB_LOAD(__ldcv, T)
#undef GPULAB_LOAD
// Numbers can be read through a volatile pointer; vectors cannot.
#define GPULAB_VOLATILE_LOAD(T) \
  GPULAB_INTRINSIC T __ldcv(const T* address) { return *(const volatile T*)address; }
GPULAB_VOLATILE_LOAD(char) GPULAB_VOLATILE_LOAD(signed char) GPULAB_VOLATILE_LOAD(unsigned char)
GPULAB_VOLATILE_LOAD(short) GPULAB_VOLATILE_LOAD(unsigned short) GPULAB_VOLATILE_LOAD(int)
GPULAB_VOLATILE_LOAD(unsigned) GPULAB_VOLATILE_LOAD(long) GPULAB_VOLATILE_LOAD(unsigned long)
GPULAB_VOLATILE_LOAD(long long) GPULAB_VOLATILE_LOAD(unsigned long long) GPULAB_VOLATILE_LOAD(float)
GPULAB_VOLATILE_LOAD(double)
#undef GPULAB_VOLATILE_LOAD
template <class T> struct gpulab_value { typedef T type; };
#define GPULAB_STORE(name) \
  template <class T> GPULAB_INTRINSIC void name(T* address, typename gpulab_value<T>::type value) { *address = value; }
GPULAB_STORE(__stwb) GPULAB_STORE(__stcg) GPULAB_STORE(__stcs) GPULAB_STORE(__stwt)
#undef GPULAB_STORE
// Address spaces. Outside shared memory, the simulator does not tell global from local memory.
GPULAB_INTRINSIC unsigned __isShared(const void* address) {
  return (gpulab_address)address - gpulab_shared_begin < gpulab_shared_bytes;
}
GPULAB_INTRINSIC unsigned __isGlobal(const void* address) { return !__isShared(address); }
GPULAB_INTRINSIC unsigned __isConstant(const void*) { return 0; }
GPULAB_INTRINSIC unsigned __isLocal(const void*) { return 0; }
GPULAB_INTRINSIC unsigned __isGridConstant(const void*) { return 0; }
#define __assume(condition) __builtin_assume(condition)
#ifndef __clang__
#define __builtin_assume(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif
