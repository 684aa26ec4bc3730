// For: include_cuda_atomic include_cuda_std_atomic cuda
// cuda::atomic_ref and cuda::atomic, for types of 1, 2, 4 and 8 bytes. On one device, system scope is the same as
// device scope.
namespace cuda {
namespace std {
enum memory_order {
  memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel,
  memory_order_seq_cst
};
}
using std::memory_order;
using std::memory_order_relaxed;
using std::memory_order_consume;
using std::memory_order_acquire;
using std::memory_order_release;
using std::memory_order_acq_rel;
using std::memory_order_seq_cst;
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
}

// Returns the traits of an atomic with that order and scope: GPULAB_RELEASES and others. GPULAB_RELAXED means that the
// atomic does not acquire.
GPULAB_INTRINSIC unsigned gpulab_traits(cuda::memory_order order, cuda::thread_scope scope) {
  const bool releases = order >= cuda::memory_order_release, acquires = order != cuda::memory_order_relaxed &&
      order != cuda::memory_order_release;
  return (releases ? GPULAB_RELEASES : 0) | (acquires ? 0 : GPULAB_RELAXED) |
         (scope >= cuda::thread_scope_block    ? GPULAB_BLOCK_SCOPE
          : scope == cuda::thread_scope_system ? GPULAB_SYSTEM_SCOPE
                                               : 0);
}
template <class T>
GPULAB_ATOMIC T gpulab_atomic_load(const T* address, unsigned traits) {
  GPULAB_REPORT_ATOMIC(address, (traits & ~GPULAB_RELEASES) | GPULAB_ONLY_LOADS, 0);
  typedef typename gpulab_word<sizeof(T)>::type Word __attribute__((may_alias));
  const Word word = gpulab_is_shared(address) ? *(const Word*)address : __atomic_load_n((const Word*)address, __ATOMIC_SEQ_CST);
  T value;
  __builtin_memcpy(&value, &word, sizeof(T));
#ifndef GPULAB_HOOKED
  gpulab_idle_atomic(address, sizeof(T), 0, 0);
#endif
  return value;
}
template <class T>
GPULAB_LOCAL bool gpulab_same_bits(T a, T b) { return __builtin_memcmp(&a, &b, sizeof(T)) == 0; }
template <class T, cuda::thread_scope scope>
struct gpulab_atomic_operations {
  typedef T value_type;
  typedef cuda::memory_order Order;
  static constexpr Order strict = cuda::memory_order_seq_cst;
  static_assert(sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0, "atomics have 1, 2, 4 or 8 bytes");
  T* address_;

  __forceinline__ T load(Order order = strict) const { return gpulab_atomic_load(address_, gpulab_traits(order, scope)); }
  __forceinline__ void store(T value, Order order = strict) const { exchange(value, order); }
  __forceinline__ T exchange(T value, Order order = strict) const {
    return update([value](T) GPULAB_UNHOOKED -> T { return value; }, order, value, GPULAB_OVERWRITES);
  }
  __forceinline__ bool compare_exchange_strong(T& expected, T desired, Order order = strict) const {
    const T wanted = expected;
    const T old = gpulab_compare_and_swap(address_, wanted, desired, gpulab_traits(order, scope));
    if (gpulab_same_bits(old, wanted)) return true;
    expected = old;
    return false;
  }
  __forceinline__ bool compare_exchange_strong(T& expected, T desired, Order order, Order) const {
    return compare_exchange_strong(expected, desired, order);
  }
  __forceinline__ bool compare_exchange_weak(T& expected, T desired, Order order = strict) const {
    return compare_exchange_strong(expected, desired, order);
  }
  __forceinline__ bool compare_exchange_weak(T& expected, T desired, Order order, Order) const {
    return compare_exchange_strong(expected, desired, order);
  }
  __forceinline__ T fetch_add(T v, Order order = strict) const { return update([v](T old) GPULAB_UNHOOKED -> T { return old + v; }, order, v); }
  __forceinline__ T fetch_sub(T v, Order order = strict) const { return update([v](T old) GPULAB_UNHOOKED -> T { return old - v; }, order, v); }
  __forceinline__ T fetch_min(T v, Order order = strict) const { return update([v](T old) GPULAB_UNHOOKED -> T { return v < old ? v : old; }, order, v); }
  __forceinline__ T fetch_max(T v, Order order = strict) const { return update([v](T old) GPULAB_UNHOOKED -> T { return old < v ? v : old; }, order, v); }
  __forceinline__ T fetch_and(T v, Order order = strict) const { return update([v](T old) GPULAB_UNHOOKED -> T { return old & v; }, order, v); }
  __forceinline__ T fetch_or(T v, Order order = strict) const { return update([v](T old) GPULAB_UNHOOKED -> T { return old | v; }, order, v); }
  __forceinline__ T fetch_xor(T v, Order order = strict) const { return update([v](T old) GPULAB_UNHOOKED -> T { return old ^ v; }, order, v); }
  __forceinline__ void wait(T old, Order order = strict) const { while (gpulab_same_bits(load(order), old)) gpulab_sleep(); }
  __forceinline__ void notify_one() const {}
  __forceinline__ void notify_all() const {}
  __forceinline__ bool is_lock_free() const { return true; }
  __forceinline__ operator T() const { return load(); }
  __forceinline__ T operator++() const { return fetch_add(T(1)) + T(1); }
  __forceinline__ T operator--() const { return fetch_sub(T(1)) - T(1); }
  __forceinline__ T operator++(int) const { return fetch_add(T(1)); }
  __forceinline__ T operator--(int) const { return fetch_sub(T(1)); }
  __forceinline__ T operator+=(T v) const { return fetch_add(v) + v; }
  __forceinline__ T operator-=(T v) const { return fetch_sub(v) - v; }
  __forceinline__ T operator&=(T v) const { return fetch_and(v) & v; }
  __forceinline__ T operator|=(T v) const { return fetch_or(v) | v; }
  __forceinline__ T operator^=(T v) const { return fetch_xor(v) ^ v; }

  template <class Update>
  __forceinline__ T update(Update update, Order order, T operand, unsigned more_traits = 0) const {
    return gpulab_atomic(address_, update, gpulab_traits(order, scope) | more_traits, gpulab_bits(operand));
  }
};

namespace cuda {
template <class T, thread_scope scope = thread_scope_system>
struct atomic_ref : gpulab_atomic_operations<T, scope> {
  explicit __forceinline__ atomic_ref(T& word) : gpulab_atomic_operations<T, scope>{&word} {}
  __forceinline__ T operator=(T value) const { this->store(value); return value; }
};
// An atomic variable. Its members call those of an atomic_ref to it.
template <class T, thread_scope scope = thread_scope_system>
struct atomic {
  typedef cuda::memory_order Order;
  static constexpr Order strict = memory_order_seq_cst;
  alignas(sizeof(T)) T word_;
  atomic() = default;
  constexpr atomic(T value) : word_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  __forceinline__ atomic_ref<T, scope> ref() const { return atomic_ref<T, scope>(const_cast<T&>(word_)); }
  __forceinline__ T load(Order order = strict) const { return ref().load(order); }
  __forceinline__ void store(T value, Order order = strict) { ref().store(value, order); }
  __forceinline__ T exchange(T value, Order order = strict) { return ref().exchange(value, order); }
  __forceinline__ bool compare_exchange_strong(T& e, T d, Order order = strict) { return ref().compare_exchange_strong(e, d, order); }
  __forceinline__ bool compare_exchange_strong(T& e, T d, Order order, Order) { return ref().compare_exchange_strong(e, d, order); }
  __forceinline__ bool compare_exchange_weak(T& e, T d, Order order = strict) { return ref().compare_exchange_strong(e, d, order); }
  __forceinline__ bool compare_exchange_weak(T& e, T d, Order order, Order) { return ref().compare_exchange_strong(e, d, order); }
  __forceinline__ T fetch_add(T v, Order order = strict) { return ref().fetch_add(v, order); }
  __forceinline__ T fetch_sub(T v, Order order = strict) { return ref().fetch_sub(v, order); }
  __forceinline__ T fetch_min(T v, Order order = strict) { return ref().fetch_min(v, order); }
  __forceinline__ T fetch_max(T v, Order order = strict) { return ref().fetch_max(v, order); }
  __forceinline__ T fetch_and(T v, Order order = strict) { return ref().fetch_and(v, order); }
  __forceinline__ T fetch_or(T v, Order order = strict) { return ref().fetch_or(v, order); }
  __forceinline__ T fetch_xor(T v, Order order = strict) { return ref().fetch_xor(v, order); }
  __forceinline__ void wait(T old, Order order = strict) const { ref().wait(old, order); }
  __forceinline__ void notify_one() {}
  __forceinline__ void notify_all() {}
  __forceinline__ operator T() const { return load(); }
  __forceinline__ T operator=(T value) { store(value); return value; }
  __forceinline__ T operator++() { return fetch_add(T(1)) + T(1); }
  __forceinline__ T operator--() { return fetch_sub(T(1)) - T(1); }
  __forceinline__ T operator++(int) { return fetch_add(T(1)); }
  __forceinline__ T operator--(int) { return fetch_sub(T(1)); }
  __forceinline__ T operator+=(T v) { return fetch_add(v) + v; }
  __forceinline__ T operator-=(T v) { return fetch_sub(v) - v; }
};
GPULAB_INTRINSIC void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
  if (order == memory_order_relaxed) return;
  if (scope >= thread_scope_block)
    __threadfence_block();
  else
    __threadfence();
}
namespace std {
template <class T>
using atomic_ref = cuda::atomic_ref<T>;
template <class T>
using atomic = cuda::atomic<T>;
GPULAB_INTRINSIC void atomic_thread_fence(memory_order order) { cuda::atomic_thread_fence(order); }
}
}
