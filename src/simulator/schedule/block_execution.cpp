#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <utility>

#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/schedule/hooks.hpp"
#include "simulator/schedule/worker_pool.hpp"
#include "simulator/watch/kernel_fault.hpp"

namespace gpulab::simulator::schedule {

// How a block is given up when a kernel cannot go on.

void BlockScheduler::fail(KernelFailure failure) {
  failure_ = std::move(failure);
  give_up();
}

void BlockScheduler::add(watch::FoundDefect defect) {
  watch::BlockChecker& checker = *watchers_.checker();
  const watch::FoundDefect::Party at = defect.party;
  defect.party = checker.party(current_, at.line);
  defect.party.pc = at.pc;
  defect.party.access = at.access;
  checker.add(defect);
}

void BlockScheduler::fail_with(watch::FoundDefect defect, std::string error) {
  defect.ends_launch = true;
  add(defect);
  fail({std::move(error), "", {.kind = defect.kind}});
}

void BlockScheduler::give_up() {
  leave_kernel();
  fibers_.switch_to(std::move(fibers_.worker()), threads_[current_].context);
  __builtin_unreachable();
}

// The kernel's call that led to stop_if_asked(), on the stack of the thread that was stopped; 0 for none.
static thread_local std::uintptr_t stopped_at = 0;

void BlockScheduler::stop_if_asked(int line) {
  if (!asked_to_stop_.load(std::memory_order_relaxed)) [[likely]]
    return;
  const auto* word = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
  while (!code().contains(*word)) ++word;
  stopped_at = *word - 1;
  take_over();
  threads_[current_].position = line;
  standstill_ = Standstill::time_limit;
  give_up();
}

void BlockScheduler::forget_fibers() {
  for (Thread& thread : threads_) Fibers::forget(thread.context);
  fibers_.forget_idle();
}

KernelFailure BlockScheduler::standstill_explained() const {
  const std::string block = "block " + std::to_string(current_block_index().x);
  if (standstill_ == Standstill::no_stack)
    return {
        "CUDA_ERROR_OUT_OF_MEMORY",
        fmt::format(
            "there is no memory for the stacks of {}, {} KiB for each of its threads; raise the limits (ulimit -v, sysctl vm.max_map_count), or let the simulator use fewer CPUs (taskset)",
            block, FiberStacks::usable_bytes / 1024)};
  if (standstill_ == Standstill::endless_wait)
    return {"CUDA_ERROR_LAUNCH_TIMEOUT", "", {.kind = DefectKind::endless_wait}};
  if (standstill_ == Standstill::time_limit) {
    int line = threads_[current_].line();
    std::string where = line > 0 ? "line " + std::to_string(line) : "";
    if (line == 0) where = watch::source_line(stopped_at);
    if (line == 0) line = watch::line_number(where);
    return {"CUDA_ERROR_LAUNCH_TIMEOUT",
            watch::time_limit_explanation((where.empty() ? "" : where + ", ") + running_thread()),
            {.kind = DefectKind::time_limit, .line = line}};
  }
  if (barrier_.has_all(live_))
    return {"CUDA_ERROR_LAUNCH_FAILED",
            fmt::format("divergent barrier: the threads of {} wait at different __syncthreads(), {}", block,
                        waiting_lines()),
            {.kind = DefectKind::divergent_barrier}};
  return {"CUDA_ERROR_LAUNCH_TIMEOUT",
          fmt::format("deadlock: no thread of {} can go on, {}; a GPU would hang", block, waiting_lines()),
          {.kind = DefectKind::deadlock}};
}

// Returns the lanes that the thread waits for in a warp operation: "lanes 16 to 31 of the mask 0xffffffff".
std::string BlockScheduler::missing_lanes(unsigned thread) const {
  const Warp& warp = warps_.of(thread);
  const auto is_its = [&](const Warp::Group& group) {
    return group.arrived >> warp_size_.lane_of(thread) & 1;
  };
  const auto group = std::ranges::find_if(warp.groups, is_its);
  if (group == warp.groups.end()) return "other lanes of their warp";
  return watch::text_of_lanes(group->mask & warp.live & ~group->arrived, group->mask).data();
}

// Returns the number of the named barrier that the thread waits at; -1 if there is none.
int BlockScheduler::named_barrier_of(unsigned thread) const {
  const auto has_thread = [&](const NamedBarrier& barrier) {
    return std::ranges::find(barrier.waiting, thread) != barrier.waiting.end();
  };
  const auto found = std::ranges::find_if(named_barriers_, has_thread);
  return found == named_barriers_.end() ? -1 : static_cast<int>(found - named_barriers_.begin());
}

// Returns what the thread waits for: "32 more of the 64 threads of barrier 1".
std::string BlockScheduler::missing_arrivals(unsigned thread) const {
  const int number = named_barrier_of(thread);
  if (number < 0) return "others";
  const NamedBarrier& barrier = named_barriers_[static_cast<std::size_t>(number)];
  return fmt::format("{} more of the {} threads of barrier {}", barrier.expected - barrier.arrived,
                     barrier.expected, number);
}

std::string BlockScheduler::line_of(unsigned thread) const {
  const int line = threads_[thread].line();
  const watch::BlockChecker* const checker = watchers_.checker();
  const std::uintptr_t call = checker ? checker->party(thread, line).pc : 0;
  return line_text(line, call ? watch::other_file(watch::source_line(call - 1)) : "");
}

std::string BlockScheduler::waiting_lines() const {
  struct Waiting {
    int threads = 0;
    unsigned first = 0;
  };
  // By number and text of the line, state, position and named barrier.
  std::map<std::tuple<int, std::string, ThreadState, int, int>, Waiting> waiting;
  for (unsigned i = 0; i < started_count_; ++i)
    if (const Thread& thread = threads_[started_as(i)]; thread.is_waiting()) {
      Waiting& here = waiting[{thread.line(), line_of(started_as(i)), thread.state, thread.position,
                               named_barrier_of(started_as(i))}];
      if (here.threads++ == 0) here.first = started_as(i);
    }
  std::string text;
  for (const auto& [where, here] : waiting) {
    const std::string& line = std::get<1>(where);
    const ThreadState state = std::get<2>(where);
    const int column = column_of_position(std::get<3>(where));
    const auto is_in_line = [&](const auto& other) { return std::get<1>(other.first) == line; };
    const bool needs_column = column > 0 && std::ranges::count_if(waiting, is_in_line) > 1;
    text += (text.empty() ? "" : " and ") + std::to_string(here.threads) + " in " + line +
            (needs_column ? ", column " + std::to_string(column) : "");
    if (state == ThreadState::in_warp) text += " for " + missing_lanes(here.first);
    if (state == ThreadState::at_named_barrier) text += " for " + missing_arrivals(here.first);
  }
  return text;
}

// Logs why the block is at a standstill: the first waiting thread, and the first that waits in another line.
void BlockScheduler::add_standstill() {
  if (standstill_ == Standstill::endless_wait) return add_endless_wait();
  if (failure_ || standstill_ != Standstill::waiting) return;
  watch::BlockChecker& checker = *watchers_.checker();
  const bool all_at_barriers = barrier_.has_all(live_);
  watch::FoundDefect defect{.kind = all_at_barriers ? DefectKind::divergent_barrier : DefectKind::deadlock};
  int position = 0, named_barrier = -1;  // of the first thread
  for (unsigned i = 0; i < started_count_; ++i) {
    const unsigned number = started_as(i);
    const Thread& thread = threads_[number];
    if (!thread.is_waiting()) continue;
    if (!defect.party.has_thread) {
      defect.party = checker.party(number, thread.line());
      position = thread.position;
      named_barrier = named_barrier_of(number);
    } else if (thread.position != position || named_barrier_of(number) != named_barrier) {
      defect.has_other = true;
      defect.other = checker.party(number, thread.line());
      break;
    }
  }
  std::strncpy(defect.detail, waiting_lines().c_str(), sizeof defect.detail - 1);
  checker.add(defect);
}

// Logs a wait for a word that nobody changes: the first such thread, and the first that waits for something
// else.
void BlockScheduler::add_endless_wait() {
  watch::BlockChecker& checker = *watchers_.checker();
  const unsigned first = *std::ranges::min_element(polling_.parked());
  const PollingThreads::Poll& poll = polling_.last_poll(first);
  if (add_wait_for_phase(first, poll.access)) return;
  watch::FoundDefect defect = checker.endless_wait(first, poll.access);
  for (unsigned number = 0; number < thread_count_ && !defect.has_other; ++number) {
    const Thread& thread = threads_[number];
    if (!thread.is_waiting()) continue;
    defect.has_other = true;
    defect.other = checker.party(number, thread.line());
  }
  const std::size_t begun = pool_ ? pool_->begun_blocks() : 0, all = launch_->config.grid.volume();
  std::string detail = "the word holds " + std::to_string(poll.value);
  if (begun < all)
    detail += fmt::format("; {} of {} blocks have begun, no more fit on the device at once", begun, all);
  std::strncpy(defect.detail, detail.c_str(), sizeof defect.detail - 1);
  checker.add(defect);
}

// Logs a wait for a cuda::barrier's phase; false if the access is to another word.
bool BlockScheduler::add_wait_for_phase(unsigned thread, const watch::MemoryAccess& access) {
  const auto found = std::ranges::find(phase_barriers_, access.address, [](const PhaseBarrier* barrier) {
    return reinterpret_cast<std::uintptr_t>(&barrier->phase);
  });
  if (found == phase_barriers_.end()) return false;
  watch::FoundDefect defect = watchers_.checker()->endless_wait(thread, access);
  defect.kind = DefectKind::deadlock;
  std::snprintf(defect.detail, sizeof defect.detail, "its cuda::barrier expects %u arrivals, and %u came",
                (*found)->expected, (*found)->expected - (*found)->missing);
  watchers_.checker()->add(defect);
  return true;
}

void BlockScheduler::add_missed_barrier(int line) {
  watch::BlockChecker& checker = *watchers_.checker();
  watch::FoundDefect defect{.kind = DefectKind::missed_barrier,
                            .party = checker.party(barrier_.arrived().front(), line)};
  for (unsigned thread = 0; thread < thread_count_ && !defect.has_other; ++thread)
    if (threads_[thread].state == ThreadState::exited) {
      defect.has_other = true;
      defect.other = checker.party(thread, 0);
    }
  checker.add(defect);
}

std::string BlockScheduler::running_thread() const {
  const auto text = [](const Extent& index, const Extent& size) {
    if (size.y == 1 && size.z == 1) return std::to_string(index.x);
    return fmt::format("({}, {}, {})", index.x, index.y, index.z);
  };
  Extent thread = current_thread_index();
  if (mode_ == ExecutionMode::block) {
    const Index& index = nodes_[running_number()].index;
    thread = {index.x, index.y, index.z};
  }
  return fmt::format("block {} thread {}", text(current_block_index(), launch_->config.grid),
                     text(thread, launch_->config.block));
}

// How threads run in a loop or in a ring, and how the run queue takes over.
//
// The order of threads is the same in all modes, so a kernel gives the same results. There is one exception:
// after a barrier, a ring begins with a thread that depends on the block's number alone.

void BlockScheduler::start_execution() {
  fibers_.forget_idle();
  gpulab_ring = {};
  gpulab_loop_turn = {};
  loop_turn_ = &gpulab_loop_turn;
  nodes_.resize(std::max<std::size_t>(nodes_.size(), thread_count_));
  RingNode* at = nodes_.data();
  const Extent& block = launch_->config.block;
  for (unsigned z = 0; z < block.z; ++z)
    for (unsigned y = 0; y < block.y; ++y)
      for (unsigned x = 0; x < block.x; ++x) (at++)->index = {x, y, z};
  const bool may_use_fast_modes =
      launch_->instrumentation == device::Instrumentation::none && !is_reversed_ && !is_interrupted_;
  mode_of_launch_ = !may_use_fast_modes           ? ExecutionMode::scheduled
                    : launch_->loop.runs_barriers ? ExecutionMode::block
                    : launch_->loop.run           ? ExecutionMode::loop
                    : kernels_can_switch_fibers   ? ExecutionMode::ring
                                                  : ExecutionMode::scheduled;
}

std::uint64_t BlockScheduler::returned_threads() const {
  const LoopTurn* const turn = loop_turn_.load(std::memory_order_relaxed);
  return returned_.load(std::memory_order_relaxed) +
         (turn ? __atomic_load_n(&turn->number, __ATOMIC_RELAXED) : 0);
}

unsigned BlockScheduler::running_number() const {
  switch (mode_) {
    case ExecutionMode::block:
    case ExecutionMode::loop:
      return gpulab_loop_turn.number + gpulab_loop_turn.running;
    case ExecutionMode::ring:
      return number_of(*gpulab_ring.running);
    default:
      return current_;
  }
}

void BlockScheduler::run_loop() {
  const unsigned barriers = launch_->loop.run(launch_->arguments);
  if (mode_ == ExecutionMode::scheduled) return after_exit(current_);
  gpulab_loop_turn.number = 0;
  add_returned(thread_count_);
  live_ = 0;
  started_count_ = thread_count_;
  if (barriers == 0) return;
  fibers_.add_switches(std::uint64_t{barriers} * switches_at_barrier());
  jump_to(fibers_.worker());
}

// ---- The ring ---------------------------------------------------------------------------------------------

// Puts the running thread into the ring, and prepares a fiber for the thread after it.
inline void BlockScheduler::join_ring() {
  RingNode& mine = *gpulab_ring.running;
  threadIdx = mine.index;
  if (++started_count_ == thread_count_) {
    mine.next = first_node_;
    first_node_->previous = &mine;
    unstarted_node_ = nullptr;
    return;
  }
  RingNode& next = *(&mine + 1);
  unstarted_node_ = mine.next = &next;
  next.previous = &mine;
  next.next = &next;  // valid for a prefetch
  // A thread that began on the stack of the thread before it has not used the fiber prepared for it.
  next.context = mine.context ? std::move(mine.context) : fibers_.new_fiber();
  if (!next.context) {  // the first thread that has to wait ends the block
    standstill_ = Standstill::no_stack;
    next.context = std::move(fibers_.worker());
  }
}

// Takes a returned thread out of the ring. Returns true when the next one has not begun, and will run on the
// same stack.
inline bool BlockScheduler::leave_ring() {
  Ring& ring = gpulab_ring;
  RingNode& mine = *ring.running;
  add_returned(1);
  if (--live_ == 0) jump_to(fibers_.worker());
  RingNode*& pointer_to_mine = mine.previous ? mine.previous->next : first_node_;
  pointer_to_mine = mine.next;
  mine.next->previous = mine.previous;
  if (ring.barrier != 0 && --ring.missing == 0) open_barrier_in_ring();
  ring.running = mine.next;
  if (mine.next == unstarted_node_) return true;
  threadIdx = mine.next->index;
  prefetch_stack(mine.next->next->context);
  return false;
}

// The function of a fiber in a ring. It runs the current thread. When that thread returns, it runs the next
// one on the same stack or, if the next one has begun, switches to its fiber.
//
// The kernel and the switch to another thread are called by the same instruction. The CPU predicts returns
// from a stack of calls, so each thread's return is predicted to come here, whichever fiber it runs on.
void BlockScheduler::run_ring() {
  gpulab_ring.running->context = {};  // in use now
  HostCall step = launch_->call;
  join_ring();
  for (;;) {
    asm volatile("" : "+r"(step));  // keeps the compiler from splitting the call in two
    step(launch_->callee(), launch_->arguments);
    if (mode_ != ExecutionMode::ring) return after_exit(current_);
    const bool next_begins_here = leave_ring();
    if (next_begins_here)
      join_ring();
    else
      step = &resume_running;
  }
}

void BlockScheduler::resume_running(void*, void* const*) {
  jump_to(gpulab_ring.running->context);
}

namespace {
// Returns how many threads after the last to arrive are skipped before the one that goes on first.
unsigned threads_skipped(unsigned threads, std::uint32_t block) {
  constexpr unsigned char bits_reversed[] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
  return threads * bits_reversed[block % 16] / 16;
}
}  // namespace

// Returns the thread that goes on first after a barrier. It differs between sixteen consecutive blocks:
// blocks run in parallel, and often add to the same array, thread by thread. If all began with the same
// thread, they would contend for the same cache line.
RingNode* BlockScheduler::first_after_barrier(RingNode& last) const {
  RingNode* first = &last;
  for (unsigned left = threads_skipped(live_, number_of_block()); left > 0; --left) first = first->next;
  return first;
}

// Returns the number of switches that a ring takes, so that a function of a block has the same figure.
unsigned BlockScheduler::switches_at_barrier() const {
  if (thread_count_ == 1) return 0;
  return thread_count_ + (threads_skipped(thread_count_, number_of_block()) > 0);
}

// Waits at a barrier as the first or last thread to arrive. For those in between the kernel switches inline.
int BlockScheduler::barrier_in_ring(bool predicate, int position) {
  Ring& ring = gpulab_ring;
  RingNode& mine = *ring.running;
  if (ring.barrier == 0) {
    stop_if_asked(line_of_position(position));
    ring.barrier = position;
    ring.missing = live_;
    first_arrived_ = &mine;
  }
  barrier_.add(predicate);
  RingNode* to = mine.next;
  if (--ring.missing == 0) {
    open_barrier_in_ring();
    to = first_after_barrier(mine);
  }
  if (to != &mine) {
    ring.running = to;
    threadIdx = to->index;
    fibers_.switch_to(std::move(to->context), mine.context);
  }
  return barrier_.result();
}

void BlockScheduler::open_barrier_in_ring() {
  const int position = std::exchange(gpulab_ring.barrier, 0);
  if (live_ < thread_count_) record_missed_barrier(line_of_position(position));
  fibers_.add_switches(live_ - 1);
  barrier_.open();
}

// ---- The run queue takes over -----------------------------------------------------------------------------

void BlockScheduler::leave_fast_mode() {
  if (mode_ == ExecutionMode::block)
    fail({"CUDA_ERROR_NOT_SUPPORTED", "the simulator took this kernel for one that waits at barriers only"});
  const unsigned self = running_number();
  const ExecutionMode before = std::exchange(mode_, ExecutionMode::scheduled);
  start_schedule();
  current_ = self;
  if (before == ExecutionMode::loop) {
    gpulab_loop_turn = {.number = 0, .is_over = 1};
    add_returned(self);
    live_ = thread_count_ - self;
    started_count_ = self + 1;
  }
  // take_over_ring() then sets the state of the threads of a ring, which have not returned.
  for (unsigned i = 0; i < started_count_; ++i) threads_[i].state = ThreadState::exited;
  threads_[self].state = ThreadState::running;
  if (before == ExecutionMode::ring) take_over_ring();
  for (unsigned i = 0; i < started_count_; ++i)
    if (threads_[i].state == ThreadState::exited)
      warps_.of(i).live &= ~(LaneMask{1} << warp_size_.lane_of(i));
}

// Moves the ring's threads to the scheduler. Those from the first at the barrier up to the running thread
// wait there; the others are ready.
void BlockScheduler::take_over_ring() {
  const int position = std::exchange(gpulab_ring.barrier, 0);
  RingNode* const self = gpulab_ring.running;
  RingNode* at = position != 0 ? first_arrived_ : self;
  for (; at != self; at = at->next) {
    Thread& thread = threads_[number_of(*at)];
    thread.context = std::move(at->context);
    thread.state = ThreadState::at_barrier;
    thread.position = position;
    barrier_.arrive(number_of(*at), /*predicate=*/false);  // already counted
  }
  for (at = self->next; at != self && number_of(*at) < started_count_; at = at->next) {
    if (position != 0 && at == first_arrived_) return;
    threads_[number_of(*at)].context = std::move(at->context);
    make_ready(number_of(*at));
  }
}

}  // namespace gpulab::simulator::schedule
