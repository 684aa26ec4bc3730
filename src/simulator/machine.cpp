#include "simulator/machine.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>

namespace gpulab::simulator {
namespace {

// Returns whether a launch is worth checking in parallel: 2^19 threads take a tenth of a second.
bool is_large(const LaunchConfig& config) {
  constexpr std::size_t threads = std::size_t{1} << 19;
  return (config.grid.volume() - config.first_block) * config.block.volume() > threads;
}

// Returns the arrays of shared memory to which threads have stored, with the last writer of each of their
// words. `words` has the writer of each word of all shared memory.
std::vector<SharedWriters> writers_of_arrays(const schedule::SharedMemory& shared,
                                             const std::vector<std::uint16_t>& words) {
  std::vector<schedule::SharedMemory::Range> arrays = shared.statics;
  if (shared.has_dynamic)
    arrays.push_back({shared.dynamic_offset, shared.dynamic_bytes, SharedWriters::dynamic_memory});
  std::vector<SharedWriters> all;
  for (const auto& [offset, bytes, variable, is_guard] : arrays) {
    constexpr std::size_t word_bytes = 4;
    const std::size_t first = std::min(offset / word_bytes, words.size());
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(first);
    const std::size_t count = std::min(bytes / word_bytes, words.size() - first);
    SharedWriters writers{variable, {begin, begin + static_cast<std::ptrdiff_t>(count)}};
    const auto is_somebody = [](std::uint16_t thread) { return thread != SharedWriters::no_thread; };
    if (!is_guard && std::ranges::any_of(writers.threads, is_somebody)) all.push_back(std::move(writers));
  }
  return all;
}

bool is_endless_wait(const schedule::KernelFailure& failure) {
  return failure.failure.kind == DefectKind::endless_wait;
}

}  // namespace

void Machine::add_device(int index) {
  devices_ = std::max(devices_, index + 1);
  std::erase_if(peer_access_, [&](const auto& pair) { return pair.first == index || pair.second == index; });
}

device::DevicePointer Machine::allocate(std::size_t bytes, int device) {
  const watch::AddressRange allocation = memory_.allocate(bytes, device);
  checked_.memory().add(allocation, device);
  return allocation.begin;
}

void Machine::free(device::DevicePointer pointer) noexcept {
  checked_.free(pointer);
  memory_.free(pointer);
}

void Machine::begin_work(const StreamOp& op, const std::string& name, std::vector<watch::MemoryUse> uses) {
  if (checked_.watches_work()) checked_.on_work(op, name, std::move(uses));
}

std::string Machine::name_of_work(int device, const std::string& what) const {
  if (devices_ > 1) return fmt::format("GPU {}'s {}", device, what);
  return "the " + what;
}

void Machine::copy(device::DevicePointer to, const void* from, std::size_t bytes) {
  std::memmove(reinterpret_cast<void*>(to), from, bytes);
  checked_.memory().mark_written({to, bytes});
}

void Machine::set(device::DevicePointer to, unsigned char value, std::size_t bytes) {
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  checked_.memory().mark_written({to, bytes});
}

std::vector<device::PeerTraffic> Machine::take_peer_traffic() {
  std::vector<device::PeerTraffic> taken = std::exchange(traffic_, {});
  std::ranges::sort(taken, {}, [](const device::PeerTraffic& link) { return std::pair(link.from, link.to); });
  return taken;
}

// ---- Launches ---------------------------------------------------------------------------------------------

void Machine::run(QueuedLaunch& queued, const StreamOp& op) {
  schedule::SimulatedLaunch& launch = queued.launch;
  launch.order = thread_order;
  launch.in_order = in_order;
  launch.heap = &heap_;
  if (devices() > 1) launch.all_allocations = memory_.allocations();
  for (watch::OwnedMemory& memory : launch.all_allocations)
    memory.is_reachable = can_access(launch.device, memory.device);
  children.clear();
  const bool is_checked = launch.instrumentation == device::Instrumentation::checked;
  launch.continues_after_block_failure =
      continues_after_block_failure && is_checked && !launch.config.cooperative;
  if (is_checked)
    run_checked(queued, op);
  else
    run_unchecked(queued);
}

// Runs a launch that is not checked. Peer memory without peer access is closed, to fault as on a GPU.
void Machine::run_unchecked(QueuedLaunch& queued) {
  schedule::SimulatedLaunch& launch = queued.launch;
  if (launch.instrumentation == device::Instrumentation::counted) {
    launch.accesses_to_sample = sampled_accesses;
    launch.records_footprints = records_footprints;
    launch.global_memory.clear();
    for (const watch::OwnedMemory& memory : memory_.allocations())
      launch.global_memory.push_back(memory.range);
    for (const schedule::ModuleVariable& variable : queued.variables)
      if (!variable.is_constant) launch.global_memory.push_back(variable.range);
  }
  std::vector<watch::OwnedMemory> unreachable = launch.all_allocations;
  std::erase_if(unreachable, &watch::OwnedMemory::is_reachable);
  schedule::WorkerPool::Outcome outcome;
  {
    const ClosedMemory closed(std::move(unreachable));
    outcome = workers_.run(launch);
  }
  fiber_switches += outcome.fiber_switches;
  take_children(outcome);
  take_output(outcome);
  checked_.memory().mark_all_written();
  for (const auto& [line, threads] : outcome.missed_barriers)
    notes.insert(
        "not all threads of a block reached the barrier in line " + std::to_string(line) +
        ": others had returned or taken another path; CUDA does not define this, although GPUs since Volta accept it");
  if (outcome.failure && !outcome.sample.is_cut_off)
    keep_or_throw(*outcome.failure, outcome.failure->explanation);
  for (const device::PeerTraffic& traffic : outcome.traffic) add_traffic(traffic);
  AccessCounts counts = watch::accesses_by_line(outcome.accesses);
  for (LineAccesses& accesses : counts.lines) accesses.warp_size = launch.warp_size.lanes();
  counts.writers = writers_of_arrays(launch.shared, outcome.writers);
  counts.sample = std::move(outcome.sample);
  access_counts.add(std::move(counts));
}

// Keeps the kernel's child launches in the order of its blocks, whichever block ran first.
void Machine::take_children(schedule::WorkerPool::Outcome& outcome) {
  children = std::move(outcome.children);
  std::ranges::stable_sort(children, {}, &schedule::ChildLaunch::block);
}

// Runs a checked launch. Its findings must not depend on timing, so blocks run one after another. A large
// launch first runs on all workers, and is repeated in order only if it fails or has a defect.
schedule::WorkerPool::Outcome Machine::run_in_order_if_needed(QueuedLaunch& queued, const StreamOp& op) {
  schedule::SimulatedLaunch& launch = queued.launch;
  const std::string kernel = "kernel " + queued.name;  // without "the" before it
  const std::string name = devices_ > 1 ? name_of_work(launch.device, kernel) : kernel;
  if (workers_.workers() > 1 && is_large(launch.config) && checked_.save(queued.variables)) {
    launch.in_order = false;
    checked_.start(launch, queued.variables, op, name);
    schedule::WorkerPool::Outcome outcome = workers_.run(launch);
    // One worker would reach the time limit, too.
    const bool is_too_slow = outcome.failure && outcome.failure->failure.kind == DefectKind::time_limit;
    if (is_too_slow || (!outcome.failure && checked_.are_harmless(outcome.defects))) return outcome;
    checked_.restore();
  }
  launch.in_order = true;
  checked_.start(launch, queued.variables, op, name);
  return workers_.run(launch);
}

// Keeps what was printed, in the order of the blocks. A limit bounds it, in case nobody ever takes it.
void Machine::take_output(schedule::WorkerPool::Outcome& outcome) {
  constexpr std::size_t max_bytes = std::size_t{1} << 24;
  if (output.size() > max_bytes) return;
  std::ranges::stable_sort(outcome.output, {}, &schedule::BlockOutput::block);
  for (const schedule::BlockOutput& printed : outcome.output) output += printed.text;
}

void Machine::run_checked(QueuedLaunch& queued, const StreamOp& op) {
  schedule::WorkerPool::Outcome outcome = run_in_order_if_needed(queued, op);
  constexpr std::uint64_t steps_per_switch = 4;
  steps += checked_.accesses() + steps_per_switch * outcome.fiber_switches;
  for (const device::PeerTraffic& traffic : outcome.traffic) add_traffic(traffic);
  take_children(outcome);
  take_output(outcome);
  if (outcome.block_failure) {
    // Other blocks may have waited for the failed one: that is no defect of theirs.
    std::erase_if(outcome.defects,
                  [](const watch::FoundDefect& defect) { return defect.kind == DefectKind::endless_wait; });
    if (!outcome.failure || is_endless_wait(*outcome.failure)) outcome.failure = outcome.block_failure;
  }
  const std::string defect = checked_.finish(queued.launch, outcome.defects);
  if (!outcome.failure) return;
  keep_or_throw(*outcome.failure,
                outcome.failure->explanation.empty() ? defect : outcome.failure->explanation);
}

void Machine::keep_or_throw(const schedule::KernelFailure& failure, const std::string& explanation) {
  if (continues_after_block_failure && failure.lets_gpu_go_on())
    block_failure = {failure.name, explanation, failure.failure};
  else
    throw device::DeviceError("cuStreamSynchronize", failure.name, explanation, failure.failure);
}

}  // namespace gpulab::simulator
