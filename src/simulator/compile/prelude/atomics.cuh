// Atomics. Shared memory belongs to one worker, on which a plain read-modify-write is already indivisible and
// several times faster than a locked one. Each returns the old value.
GPULAB_INTRINSIC bool gpulab_is_shared(const void* address) {
  return (gpulab_address)address - gpulab_shared_begin < gpulab_shared_bytes;
}
template <int bytes>
struct gpulab_word { typedef unsigned type; };
template <>
struct gpulab_word<8> { typedef unsigned long long type; };
template <class T, class Update>
GPULAB_ATOMIC T gpulab_atomic(T* address, Update update) {
  GPULAB_REPORT_ATOMIC(address);
  if (gpulab_is_shared(address)) {
    const T old = *address;
    *address = update(old);
    return old;
  }
  typedef typename gpulab_word<sizeof(T)>::type Word __attribute__((may_alias));
  Word* word = (Word*)address;
  Word seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    T old;
    __builtin_memcpy(&old, &seen, sizeof(T));
    const T updated = update(old);
    Word wanted;
    __builtin_memcpy(&wanted, &updated, sizeof(T));
    if (__atomic_compare_exchange_n(word, &seen, wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
  }
}
template <class T>
GPULAB_ATOMIC T gpulab_atomic_add(T* address, T value) {
  GPULAB_REPORT_ATOMIC(address);
  if (gpulab_is_shared(address)) {
    const T old = *address;
    *address = old + value;
    return old;
  }
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
GPULAB_INTRINSIC int atomicAdd(int* a, int v) { return gpulab_atomic_add(a, v); }
GPULAB_INTRINSIC unsigned atomicAdd(unsigned* a, unsigned v) { return gpulab_atomic_add(a, v); }
GPULAB_INTRINSIC unsigned long long atomicAdd(unsigned long long* a, unsigned long long v) {
  return gpulab_atomic_add(a, v);
}
GPULAB_INTRINSIC float atomicAdd(float* a, float v) {
  return gpulab_atomic(a, [v](float old) GPULAB_UNHOOKED { return old + v; });
}
GPULAB_INTRINSIC double atomicAdd(double* a, double v) {
  return gpulab_atomic(a, [v](double old) GPULAB_UNHOOKED { return old + v; });
}
GPULAB_INTRINSIC int atomicSub(int* a, int v) { return gpulab_atomic_add(a, -v); }
GPULAB_INTRINSIC unsigned atomicSub(unsigned* a, unsigned v) { return gpulab_atomic_add(a, 0u - v); }
GPULAB_INTRINSIC float atomicExch(float* a, float v) {
  return gpulab_atomic(a, [v](float) GPULAB_UNHOOKED { return v; });
}
#define GPULAB_ATOMIC_UPDATE(type, name, expression)                        \
  GPULAB_INTRINSIC type atomic##name(type* address, type value) {           \
    return gpulab_atomic(address, [value](type old) GPULAB_UNHOOKED -> type { return expression; }); \
  }
#define GPULAB_ATOMIC_UPDATES(type)                                \
  GPULAB_ATOMIC_UPDATE(type, Exch, ((void)old, value))             \
  GPULAB_ATOMIC_UPDATE(type, Min, old < value ? old : value)       \
  GPULAB_ATOMIC_UPDATE(type, Max, old > value ? old : value)       \
  GPULAB_ATOMIC_UPDATE(type, And, old& value)                      \
  GPULAB_ATOMIC_UPDATE(type, Or, old | value)                      \
  GPULAB_ATOMIC_UPDATE(type, Xor, old ^ value)                     \
  GPULAB_INTRINSIC type atomicCAS(type* address, type compare, type value) { \
    return gpulab_atomic(address, [=](type old) GPULAB_UNHOOKED -> type { return old == compare ? value : old; }); \
  }
GPULAB_ATOMIC_UPDATES(int)
GPULAB_ATOMIC_UPDATES(unsigned)
GPULAB_ATOMIC_UPDATES(unsigned long long)
GPULAB_ATOMIC_UPDATE(unsigned, Inc, old >= value ? 0 : old + 1)
GPULAB_ATOMIC_UPDATE(unsigned, Dec, old == 0 || old > value ? value : old - 1)
#undef GPULAB_ATOMIC_UPDATES
#undef GPULAB_ATOMIC_UPDATE
// The scopes of an atomic differ in cost on a GPU only.
#define atomicAdd_block atomicAdd
#define atomicAdd_system atomicAdd
#define atomicCAS_block atomicCAS
#define atomicCAS_system atomicCAS
