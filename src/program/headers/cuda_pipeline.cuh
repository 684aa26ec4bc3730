// For: include_pipeline include_barrier include_semaphore
// cuda::barrier and cuda::pipeline of <cuda/barrier> and <cuda/pipeline>, for the threads of a block, and the
// semaphores of <cuda/semaphore>.
namespace cuda {
template <size_t alignment> struct aligned_size_t {
  static constexpr size_t align = alignment;
  size_t value;
  explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  constexpr operator size_t() const { return value; }
};

GPULAB_INTRINSIC void gpulab_begin_phases(gpulab_phase_barrier& barrier, unsigned threads) {
  barrier.expected = barrier.missing = threads;
  barrier.phase = 0;
}
// Reports an atomic access to the barrier, although none is made, to find a barrier that was initialised late or never.
GPULAB_ATOMIC void gpulab_report_arrival(gpulab_phase_barrier* barrier) {
  GPULAB_REPORT_ATOMIC(&barrier->missing, GPULAB_BLOCK_SCOPE | GPULAB_RELAXED, 0);
}
GPULAB_INTRINSIC unsigned gpulab_arrive_at(gpulab_phase_barrier& barrier, unsigned threads, unsigned leave, int line) {
  gpulab_report_arrival(&barrier);
  return gpulab_arrive(&barrier, threads, leave, line);
}
GPULAB_INTRINSIC bool gpulab_has_reached(const gpulab_phase_barrier& barrier, unsigned phase) {
  if (int(gpulab_atomic_load(&barrier.phase, GPULAB_BLOCK_SCOPE | GPULAB_RELAXED) - phase) < 0) return false;
  gpulab_after_wait(&barrier);
  return true;
}
GPULAB_INTRINSIC void gpulab_wait_until(const gpulab_phase_barrier& barrier, unsigned phase) {
  while (!gpulab_has_reached(barrier, phase)) {}
}

template <thread_scope scope, class Completion = void>
class barrier {
  static_assert(scope >= thread_scope_block, "the simulated device has cuda::barrier with thread_scope_block only");

 public:
  struct arrival_token { unsigned phase; };
  barrier() = default;
  GPULAB_ASYNC explicit barrier(ptrdiff_t threads) { gpulab_begin_phases(state_, unsigned(threads)); }
  barrier(const barrier&) = delete;
  GPULAB_ASYNC arrival_token arrive(ptrdiff_t threads = 1, GPULAB_HERE) {
    return {gpulab_arrive_at(state_, unsigned(threads), 0, line)};
  }
  GPULAB_ASYNC void wait(const arrival_token& token) const { gpulab_wait_until(state_, token.phase + 1); }
  GPULAB_ASYNC bool try_wait(const arrival_token& token) const { return gpulab_has_reached(state_, token.phase + 1); }
  GPULAB_ASYNC void wait_parity(bool parity) const {
    while ((gpulab_atomic_load(&state_.phase, GPULAB_BLOCK_SCOPE | GPULAB_RELAXED) & 1) == unsigned(parity)) {}
    gpulab_after_wait(&state_);
  }
  GPULAB_ASYNC void arrive_and_wait(GPULAB_HERE) { wait(arrive(1, line)); }
  GPULAB_ASYNC void arrive_and_drop(GPULAB_HERE) { gpulab_arrive_at(state_, 1, 1, line); }
  friend GPULAB_ASYNC void init(barrier* object, ptrdiff_t threads) { gpulab_begin_phases(object->state_, unsigned(threads)); }
  gpulab_phase_barrier* gpulab_phases() { return &state_; }

 private:
  gpulab_phase_barrier state_;
};

// Two barriers for each stage: one ends when its copies have arrived, one when its readers have released it.
template <thread_scope scope, unsigned char stages> struct pipeline_shared_state {
  gpulab_phase_barrier filled_[stages], emptied_[stages];
  unsigned producers_;
};
enum class pipeline_role { producer, consumer };

template <thread_scope scope> class pipeline {
  static_assert(scope == thread_scope_block, "the simulated device has cuda::pipeline for threads and blocks");

 public:
  GPULAB_ASYNC pipeline(gpulab_phase_barrier* filled, gpulab_phase_barrier* emptied, unsigned stages)
      : filled_(filled), emptied_(emptied), stages_(stages) {}
  GPULAB_ASYNC void producer_acquire() { gpulab_wait_until(emptied_[head_ % stages_], head_ / stages_); }
  GPULAB_ASYNC void producer_commit(GPULAB_HERE) { gpulab_arrive_at(filled_[head_++ % stages_], 1, 0, line); }
  GPULAB_ASYNC void consumer_wait() { gpulab_wait_until(filled_[tail_ % stages_], tail_ / stages_ + 1); }
  GPULAB_ASYNC void consumer_release(GPULAB_HERE) { gpulab_arrive_at(emptied_[tail_++ % stages_], 1, 0, line); }
  GPULAB_ASYNC bool quit() { return true; }
  GPULAB_ASYNC gpulab_phase_barrier* gpulab_phases() { return &filled_[head_ % stages_]; }

 private:
  gpulab_phase_barrier *filled_, *emptied_;
  unsigned stages_, head_ = 0, tail_ = 0;
};
template <> class pipeline<thread_scope_thread> {
 public:
  GPULAB_ASYNC void producer_acquire() {}
  GPULAB_ASYNC void producer_commit() {
    gpulab_commit_copies();
    ++head_;
  }
  GPULAB_ASYNC void consumer_wait() {
    if (tail_ != head_) gpulab_wait_prior(head_ - tail_ - 1);
  }
  GPULAB_ASYNC void consumer_release() {}
  GPULAB_ASYNC bool quit() { return true; }
  GPULAB_ASYNC void gpulab_wait_prior(unsigned groups) {
    gpulab_wait_for_copies(groups);
    tail_ = head_ - groups;
  }
  GPULAB_ASYNC gpulab_phase_barrier* gpulab_phases() { return nullptr; }

 private:
  unsigned head_ = 0, tail_ = 0;
};
GPULAB_INTRINSIC pipeline<thread_scope_thread> make_pipeline() { return {}; }
template <unsigned char groups> GPULAB_ASYNC void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>& pipe) {
  pipe.gpulab_wait_prior(groups);
}

template <class Group, unsigned char stages>
GPULAB_ASYNC pipeline<thread_scope_block> gpulab_begin_pipeline(
    const Group& group, pipeline_shared_state<thread_scope_block, stages>* state, unsigned producers,
    unsigned consumers, int line) {
  if (group.thread_rank() == 0)
    for (unsigned i = 0; i < stages; ++i) {
      gpulab_begin_phases(state->filled_[i], producers);
      gpulab_begin_phases(state->emptied_[i], consumers);
    }
  group.sync(line);
  return {state->filled_, state->emptied_, stages};
}
struct gpulab_line { int line; };  // not an int, so that no number of threads converts to it
template <class Group, unsigned char stages>
GPULAB_ASYNC pipeline<thread_scope_block> make_pipeline(
    const Group& group, pipeline_shared_state<thread_scope_block, stages>* state,
    gpulab_line here = {__builtin_LINE()}) {
  return gpulab_begin_pipeline(group, state, group.size(), group.size(), here.line);
}
template <class Group, unsigned char stages>
GPULAB_ASYNC pipeline<thread_scope_block> make_pipeline(
    const Group& group, pipeline_shared_state<thread_scope_block, stages>* state, size_t producers, GPULAB_HERE) {
  return gpulab_begin_pipeline(group, state, unsigned(producers), group.size() - unsigned(producers), line);
}
template <class Group, unsigned char stages>
GPULAB_ASYNC pipeline<thread_scope_block> make_pipeline(
    const Group& group, pipeline_shared_state<thread_scope_block, stages>* state, pipeline_role role, GPULAB_HERE) {
  if (group.thread_rank() == 0) state->producers_ = 0;
  group.sync(line);
  if (role == pipeline_role::producer) atomicAdd(&state->producers_, 1u);
  group.sync(line);
  const unsigned producers = state->producers_;
  return gpulab_begin_pipeline(group, state, producers, group.size() - producers, line);
}

template <class T, class Size, class Sync>
GPULAB_ASYNC void memcpy_async(T* to, const T* from, const Size& bytes, Sync& sync) {
  gpulab_copy_async((void*)to, from, size_t(bytes), 0, sync.gpulab_phases());
}
template <class Group, class T, class Size, class Sync>
GPULAB_ASYNC void memcpy_async(const Group& group, T* to, const T* from, const Size& bytes, Sync& sync) {
  gpulab_copy_by_group(group, to, from, size_t(bytes), sync.gpulab_phases());
}

template <thread_scope scope, ptrdiff_t least_max = 0x7FFFFFFF>
class counting_semaphore {
 public:
  static constexpr ptrdiff_t max() { return least_max; }
  constexpr explicit counting_semaphore(ptrdiff_t count) : count_(int(count)) {}
  counting_semaphore(const counting_semaphore&) = delete;
  __forceinline__ void release(ptrdiff_t threads = 1) { count_.fetch_add(int(threads), memory_order_release); }
  __forceinline__ void acquire() { while (!try_acquire()) {} }
  __forceinline__ bool try_acquire() {
    for (int count = count_.load(memory_order_relaxed); count > 0;)
      if (count_.compare_exchange_strong(count, count - 1, memory_order_acquire)) return true;
    return false;
  }

 private:
  atomic<int, scope> count_;
};
template <thread_scope scope> using binary_semaphore = counting_semaphore<scope, 1>;
namespace std {
template <ptrdiff_t least_max = 0x7FFFFFFF>
using counting_semaphore = cuda::counting_semaphore<thread_scope_system, least_max>;
using binary_semaphore = cuda::binary_semaphore<thread_scope_system>;
}
}  // namespace cuda
