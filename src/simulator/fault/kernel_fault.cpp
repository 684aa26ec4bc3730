#include "simulator/fault/kernel_fault.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "core/defect.hpp"
#include "core/error.hpp"
#include "device/launch_limits.hpp"
#include "simulator/fault/kernel_code.hpp"
#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/schedule/device_calls.hpp"

namespace gpulab::simulator::fault {

std::string time_limit_explanation(const std::string& running) {
  return "no thread returned for " + device::number_of_seconds(device::time_limit()) + ": " + running +
         " is still running (GPULAB_TIME_LIMIT sets another number of seconds)";
}

namespace {

constexpr std::size_t stack_bytes = 128 * 1024;
constexpr int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

int interrupt_signal() {
  return SIGRTMIN + 7;  // an arbitrary one of those that are for programs to use
}

struct Fault {
  int signal = 0;
  std::uintptr_t address = 0;      // that was touched
  std::uintptr_t instruction = 0;  // that touched it
  std::uintptr_t stack = 0;
};

thread_local Fault fault;
thread_local char* landing = nullptr;  // the top of the stack to explain a fault on

// Linux keeps these registers under other names on each architecture.
#if defined(__x86_64__)
std::uintptr_t instruction_of(const ucontext_t& at) {
  return static_cast<std::uintptr_t>(at.uc_mcontext.gregs[REG_RIP]);
}
std::uintptr_t stack_of(const ucontext_t& at) {
  return static_cast<std::uintptr_t>(at.uc_mcontext.gregs[REG_RSP]);
}
void redirect(ucontext_t& at, void (*to)(), char* stack) {
  // As after a call: the stack pointer is 8 less than a multiple of 16.
  at.uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(to);
  at.uc_mcontext.gregs[REG_RSP] = reinterpret_cast<greg_t>(stack) - 8;
}
#elif defined(__aarch64__)
std::uintptr_t instruction_of(const ucontext_t& at) {
  return at.uc_mcontext.pc;
}
std::uintptr_t stack_of(const ucontext_t& at) {
  return at.uc_mcontext.sp;
}
void redirect(ucontext_t& at, void (*to)(), char* stack) {
  at.uc_mcontext.pc = reinterpret_cast<std::uintptr_t>(to);
  at.uc_mcontext.sp = reinterpret_cast<std::uintptr_t>(stack);
}
#endif

// The argument of the kernel whose value, taken for a pointer, is nearest to an address: "12 bytes past the
// start of argument 3". Which array it is, and how long, only the lesson knows.
std::string relation_to_arguments(std::uintptr_t address, const schedule::SimulatedLaunch& launch) {
  constexpr std::uintptr_t too_far = std::uintptr_t{1} << 40;
  std::uintptr_t nearest = too_far;
  std::string relation = "an address outside the memory of the device";
  if (address < 4096) return "a null pointer";
  for (std::size_t i = 0; launch.argument_sizes && i < launch.argument_sizes->size(); ++i) {
    if ((*launch.argument_sizes)[i] != sizeof(void*)) continue;
    const auto start = reinterpret_cast<std::uintptr_t>(*static_cast<void* const*>(launch.arguments[i]));
    const bool is_past = address >= start;
    const std::uintptr_t bytes = is_past ? address - start : start - address;
    if (bytes >= nearest) continue;
    nearest = bytes;
    relation = "out of bounds, " + std::to_string(bytes) + " bytes " + (is_past ? "past" : "before") +
               " the start of argument " + std::to_string(i + 1);
  }
  return relation;
}

schedule::KernelFailure explained(const Fault& what, const schedule::BlockScheduler& scheduler) {
  // A line of the C library would mean nothing to whoever wrote the kernel.
  std::string line =
      scheduler.code().contains(what.instruction) ? source_line(what.instruction) : std::string();
  // A loop over threads makes room for the kernel's variables before it comes to a line of the kernel.
  if (line.empty() && scheduler.code().contains(what.instruction))
    line = source_line(reinterpret_cast<std::uintptr_t>(scheduler.launch().function));
  const std::string where = (line.empty() ? "" : line + ", ") + scheduler.running_thread();
  const auto because = [&](DefectKind kind) { return Failure{.kind = kind, .line = line_number(line)}; };
  if (what.signal == interrupt_signal())
    return {"CUDA_ERROR_LAUNCH_TIMEOUT", time_limit_explanation(where), because(DefectKind::time_limit)};
  const bool near_stack =
      what.address < what.stack + 4096 && what.stack < what.address + schedule::FiberStacks::usable_bytes;
  if (what.signal == SIGFPE)
    return {"CUDA_ERROR_LAUNCH_FAILED",
            "integer division by zero at " + where + " (a GPU would go on with an undefined value)",
            because(DefectKind::division_by_zero)};
  if (what.signal == SIGILL)  // the compiler's trap
    return {"CUDA_ERROR_ILLEGAL_ADDRESS", "an index outside its array, or a division by zero, at " + where,
            because(DefectKind::illegal_address)};
  if (near_stack)
    return {"CUDA_ERROR_ILLEGAL_ADDRESS",
            "the local variables of a thread need more than the " +
                std::to_string(schedule::FiberStacks::usable_bytes / 1024) +
                " KiB that the simulator gives it, at " + where,
            because(DefectKind::stack_overflow)};
  const schedule::SimulatedLaunch& launch = scheduler.launch();
  for (const count::OwnedMemory& memory : launch.devices_memory)
    if (memory.range.contains(what.address))  // what it may access does not fault
      return {"CUDA_ERROR_ILLEGAL_ADDRESS",
              "memory of GPU " + std::to_string(memory.device) + ", which GPU " +
                  std::to_string(launch.device) + " may not access, at " + where +
                  ": cuCtxEnablePeerAccess comes first",
              because(DefectKind::no_peer_access)};
  return {"CUDA_ERROR_ILLEGAL_ADDRESS", relation_to_arguments(what.address, launch) + ", at " + where,
          because(DefectKind::illegal_address)};
}

[[noreturn]] void land() {
  schedule::BlockScheduler* scheduler = schedule::scheduler_of_this_thread();
  scheduler->fail(explained(fault, *scheduler));
}

void go_and_explain(int signal, const siginfo_t& info, ucontext_t& at) {
  schedule::scheduler_of_this_thread()->leave_kernel();
  fault = {signal, reinterpret_cast<std::uintptr_t>(info.si_addr), instruction_of(at), stack_of(at)};
  redirect(at, &land, landing);
}

HostFaultHandler host_fault_handler = nullptr;

void on_fault(int signal, siginfo_t* info, void* context) {
  const schedule::BlockScheduler* scheduler = schedule::scheduler_of_this_thread();
  if (landing && scheduler && scheduler->in_kernel())
    go_and_explain(signal, *info, *static_cast<ucontext_t*>(context));
  else if (HostFaultHandler handler = std::exchange(host_fault_handler, nullptr))
    handler(signal, reinterpret_cast<std::uintptr_t>(info->si_addr),
            instruction_of(*static_cast<ucontext_t*>(context)));
  else
    ::signal(signal, SIG_DFL);  // not a kernel: the instruction is run again, and ends the process
}

void on_interrupt(int signal, siginfo_t* info, void* context) {
  auto& at = *static_cast<ucontext_t*>(context);
  const schedule::BlockScheduler* scheduler = schedule::scheduler_of_this_thread();
  if (landing && scheduler && scheduler->in_kernel() && scheduler->code().contains(instruction_of(at)))
    go_and_explain(signal, *info, at);
}

void install_handlers() {
  struct sigaction action {};
  action.sa_sigaction = &on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  for (const int signal : faults) ::sigaction(signal, &action, nullptr);
  action.sa_sigaction = &on_interrupt;
  ::sigaction(interrupt_signal(), &action, nullptr);
}

}  // namespace

void set_host_fault_handler(HostFaultHandler handler) {
  host_fault_handler = handler;
}

FaultGuard::FaultGuard()
    : stacks_(::mmap(nullptr, 2 * stack_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
  if (stacks_ == MAP_FAILED) throw std::bad_alloc();
  static std::once_flag installed;
  std::call_once(installed, install_handlers);
}

FaultGuard::~FaultGuard() {
  ::munmap(stacks_, 2 * stack_bytes);
}

void FaultGuard::protect_this_thread() {
  stack_t stack{};
  stack.ss_sp = stacks_;
  stack.ss_size = stack_bytes;
  ::sigaltstack(&stack, nullptr);
  landing = static_cast<char*>(stacks_) + 2 * stack_bytes;
}

void interrupt_kernel(pthread_t worker) {
  ::pthread_kill(worker, interrupt_signal());
}

}  // namespace gpulab::simulator::fault
