// For: atomic* cuda include_* asm __asm __asm__
// Atomics; each returns the old value. Only one worker uses a block's shared memory, so a plain read-modify-write is
// atomic there, and several times faster than a locked one.
//
// Properties of an atomic for the checker: watch::AccessTraits.
enum {
  GPULAB_OVERWRITES = 1, GPULAB_BLOCK_SCOPE = 2, GPULAB_RELEASES = 8, GPULAB_ONLY_LOADS = 16, GPULAB_COMPARES = 32,
  GPULAB_RELAXED = 64, GPULAB_SYSTEM_SCOPE = 256
};
GPULAB_INTRINSIC bool gpulab_is_shared(const void* address) {
  return (gpulab_address)address - gpulab_shared_begin < gpulab_shared_bytes;
}
template <int bytes>
struct gpulab_word { typedef unsigned type; };
template <>
struct gpulab_word<1> { typedef unsigned char type; };
template <>
struct gpulab_word<2> { typedef unsigned short type; };
template <>
struct gpulab_word<8> { typedef unsigned long long type; };
template <class T, class Update>
GPULAB_ATOMIC T gpulab_atomic(T* address, Update update, unsigned traits = 0, unsigned long long operand = 0) {
  GPULAB_REPORT_ATOMIC(address, traits, 0);
  typedef typename gpulab_word<sizeof(T)>::type Word __attribute__((may_alias));
  Word* word = (Word*)address;
  const bool is_shared = gpulab_is_shared(address);
  Word seen = is_shared ? *word : __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    T old;
    __builtin_memcpy(&old, &seen, sizeof(T));
    const T updated = update(old);
    Word wanted;
    __builtin_memcpy(&wanted, &updated, sizeof(T));
    if (is_shared)
      *word = wanted;
    else if (!__atomic_compare_exchange_n(word, &seen, wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      continue;
    if (seen == wanted) gpulab_idle_atomic(address, sizeof(T), operand, __builtin_return_address(0));
    return old;
  }
}
template <class T>
GPULAB_ATOMIC T gpulab_atomic_add(T* address, T value, unsigned traits = 0) {
  GPULAB_REPORT_ATOMIC(address, traits, value);
  T old;
  if (gpulab_is_shared(address)) {
    old = *address;
    *address = old + value;
  } else {
    old = __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
  }
  if (value == 0) gpulab_idle_atomic(address, sizeof(T), 0, __builtin_return_address(0));
  return old;
}
// Compare-and-swap; compares the bits, as CUDA does.
template <class T>
GPULAB_ATOMIC T gpulab_compare_and_swap(T* address, T compare, T value, unsigned traits = 0) {
  typedef typename gpulab_word<sizeof(T)>::type Word __attribute__((may_alias));
  Word expected, wanted;
  __builtin_memcpy(&expected, &compare, sizeof(T));
  __builtin_memcpy(&wanted, &value, sizeof(T));
  GPULAB_REPORT_ATOMIC(address, traits | GPULAB_COMPARES, expected);
  Word* word = (Word*)address;
  Word seen = expected;
  if (gpulab_is_shared(address)) {
    seen = *word;
    if (seen == expected) *word = wanted;
  } else {
    __atomic_compare_exchange_n(word, &seen, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
  if (seen != expected || expected == wanted)
    gpulab_idle_atomic(address, sizeof(T), expected * 31ull + wanted, __builtin_return_address(0));
  T old;
  __builtin_memcpy(&old, &seen, sizeof(T));
  return old;
}

// Every operation has three scopes: the device, _block, and _system, which includes all devices.
#define GPULAB_SCOPES(operation) operation(, 0) operation(_block, GPULAB_BLOCK_SCOPE) operation(_system, GPULAB_SYSTEM_SCOPE)
#define GPULAB_ATOMIC_ADD(type, sum, suffix, traits)                               \
  GPULAB_INTRINSIC type atomicAdd##suffix(type* address, type value) { return sum; }
#define GPULAB_ATOMIC_UPDATE(type, name, suffix, traits, expression)                                  \
  GPULAB_INTRINSIC type atomic##name##suffix(type* address, type value) {                             \
    return gpulab_atomic(address, [value](type old) GPULAB_UNHOOKED -> type { return expression; },   \
                         traits, (unsigned long long)value);                                          \
  }
#define GPULAB_ATOMIC_SWAP(type, suffix, traits)                                                 \
  GPULAB_INTRINSIC type atomicCAS##suffix(type* address, type compare, type value) {             \
    return gpulab_compare_and_swap(address, compare, value, traits);                             \
  }
#define GPULAB_ATOMIC_LIMITS(type, suffix, traits)                                \
  GPULAB_ATOMIC_UPDATE(type, Min, suffix, traits, old < value ? old : value)      \
  GPULAB_ATOMIC_UPDATE(type, Max, suffix, traits, old > value ? old : value)
#define GPULAB_ATOMIC_WORD(type, suffix, traits)                                                      \
  GPULAB_ATOMIC_ADD(type, gpulab_atomic_add(address, value, traits), suffix, traits)                  \
  GPULAB_ATOMIC_UPDATE(type, Exch, suffix, (traits) | GPULAB_OVERWRITES, ((void)old, value))          \
  GPULAB_ATOMIC_LIMITS(type, suffix, traits)                                                          \
  GPULAB_ATOMIC_UPDATE(type, And, suffix, (traits) | (value == 0) * GPULAB_OVERWRITES, old & value)   \
  GPULAB_ATOMIC_UPDATE(type, Or, suffix, (traits) | (value == type(-1)) * GPULAB_OVERWRITES, old | value) \
  GPULAB_ATOMIC_UPDATE(type, Xor, suffix, traits, old ^ value)                                        \
  GPULAB_ATOMIC_SWAP(type, suffix, traits)
#define GPULAB_ATOMICS(suffix, traits)                                                                           \
  GPULAB_ATOMIC_WORD(int, suffix, traits)                                                                        \
  GPULAB_ATOMIC_WORD(unsigned, suffix, traits)                                                                   \
  GPULAB_ATOMIC_WORD(gpulab_word<8>::type, suffix, traits)                                                       \
  GPULAB_ATOMIC_LIMITS(long long, suffix, traits)                                                                \
  GPULAB_ATOMIC_SWAP(unsigned short, suffix, traits)                                                             \
  GPULAB_ATOMIC_UPDATE(float, Add, suffix, traits, old + value)                                                  \
  GPULAB_ATOMIC_UPDATE(double, Add, suffix, traits, old + value)                                                 \
  GPULAB_ATOMIC_UPDATE(float, Exch, suffix, (traits) | GPULAB_OVERWRITES, ((void)old, value))                    \
  GPULAB_ATOMIC_UPDATE(unsigned, Inc, suffix, traits, old >= value ? 0 : old + 1)                                \
  GPULAB_ATOMIC_UPDATE(unsigned, Dec, suffix, traits, old == 0 || old > value ? value : old - 1)                 \
  GPULAB_INTRINSIC int atomicSub##suffix(int* address, int value) {                                              \
    return gpulab_atomic_add(address, int(0u - unsigned(value)), traits);                                        \
  }                                                                                                              \
  GPULAB_INTRINSIC unsigned atomicSub##suffix(unsigned* address, unsigned value) {                               \
    return gpulab_atomic_add(address, 0u - value, traits);                                                       \
  }
GPULAB_SCOPES(GPULAB_ATOMICS)
#undef GPULAB_ATOMICS
#undef GPULAB_ATOMIC_WORD
#undef GPULAB_ATOMIC_LIMITS
#undef GPULAB_ATOMIC_SWAP
#undef GPULAB_ATOMIC_UPDATE
#undef GPULAB_ATOMIC_ADD
#undef GPULAB_SCOPES
