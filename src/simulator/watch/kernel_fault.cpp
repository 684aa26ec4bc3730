#include "simulator/watch/kernel_fault.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "device/host.hpp"
#include "lesson/finding.hpp"
#include "sandbox/sandbox.hpp"
#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/schedule/hooks.hpp"

namespace gpulab::simulator::watch {
namespace {

struct Search {
  std::uintptr_t function;
  KernelCode found;
};

int find_executable_segment(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    const KernelCode code{begin, begin + segment.p_memsz};
    if (!code.contains(search.function)) continue;
    search.found = code;
    return 1;
  }
  return 0;
}

int find_image(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  std::uintptr_t begin = ~std::uintptr_t{0}, end = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    begin = std::min<std::uintptr_t>(begin, object->dlpi_addr + segment.p_vaddr);
    end = std::max<std::uintptr_t>(end, object->dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  if (search.function < begin || search.function >= end) return 0;
  search.found = {begin, end};
  return 1;
}

}  // namespace

AddressRange image_around(const void* function) {
  Search search{reinterpret_cast<std::uintptr_t>(function), {}};
  ::dl_iterate_phdr(find_image, &search);
  return {search.found.begin, search.found.end - search.found.begin};
}

KernelCode code_around(const void* function) {
  Search search{reinterpret_cast<std::uintptr_t>(function), {}};
  ::dl_iterate_phdr(find_executable_segment, &search);
  return search.found;
}

namespace {

std::string hexadecimal(std::uintptr_t number) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

}  // namespace

int line_number(const std::string& source_line) {
  int number = 0;
  const std::size_t colon = source_line.rfind(':');
  if (colon != std::string::npos)
    std::from_chars(source_line.data() + colon + 1, source_line.data() + source_line.size(), number);
  return number;
}

std::string source_line(std::uintptr_t instruction) {
  return source_lines({&instruction, 1}).front();
}

namespace {

// Returns whether a mangled name is a copy or move constructor or assignment: _ZN6NumberC2ERKS_,
// _ZN1n6NumberaSEOS0_.
bool copies_a_structure(std::string_view function) {
  if (!function.starts_with("_ZN") || !function.ends_with('_')) return false;
  std::string_view before = function.substr(0, function.rfind('S'));  // a substitution: the structure's name
  for (const std::string_view reference : {"ERK", "EO"})
    if (before.ends_with(reference)) before.remove_suffix(reference.size());
  if (before.ends_with("aS")) return true;
  return before.size() > 2 && before[before.size() - 2] == 'C' && before.back() >= '1' &&
         before.back() <= '5';
}

std::vector<std::string> lines_by_addr2line(const std::string& file,
                                            std::span<const std::uintptr_t> offsets) {
  std::vector<std::string> lines(offsets.size());
  std::vector<std::string> command{"addr2line", "-a", "-f", "-s", "-i", "-e", file};
  for (const std::uintptr_t offset : offsets) command.push_back(hexadecimal(offset));
  const sandbox::CommandResult found = sandbox::run_command(command, "/", {.starts_others = false});
  if (found.exit_status != 0) return lines;

  // -a begins each answer with the address. -i lists inlined functions, innermost first, each with the
  // function (-f) and the file and line. The kernel's own line is the first that is neither in the prelude
  // nor in an inlined copy of a structure. The line of such a copy is that of the structure's definition, and
  // only a fallback.
  std::istringstream answers(found.output);
  std::size_t answered = 0;
  bool has_own_line = false;
  for (std::string function, location; std::getline(answers, function);) {
    if (function.starts_with("0x")) {
      if (++answered > lines.size()) break;
      has_own_line = false;
      continue;
    }
    if (!std::getline(answers, location) || answered == 0) continue;
    location.resize(std::min(location.size(), location.find(" (discriminator")));
    if (location.find('?') != std::string::npos || location.starts_with("prelude.cuh")) continue;
    std::string& line = lines[answered - 1];
    line = has_own_line ? line + "\n" + location : location;
    has_own_line = has_own_line || !copies_a_structure(function);
  }
  return lines;
}

// Looks each offset up once: a lesson may launch a kernel hundreds of times, and addr2line takes longer to
// start than the kernel to run. A compiled file is named after its source, so its lines do not change.
std::vector<std::string> remembered_lines(const std::string& file, std::span<const std::uintptr_t> offsets) {
  if (file.starts_with("/proc/"))
    return lines_by_addr2line(file, offsets);  // the path of a descriptor can be that of another file later
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::uintptr_t>, std::string> known;
  const std::lock_guard lock(mutex);
  std::vector<std::uintptr_t> unknown;
  for (const std::uintptr_t offset : offsets)
    if (!known.contains({file, offset})) unknown.push_back(offset);
  if (!unknown.empty()) {
    const std::vector<std::string> found = lines_by_addr2line(file, unknown);
    for (std::size_t i = 0; i < unknown.size(); ++i) known[{file, unknown[i]}] = found[i];
  }
  std::vector<std::string> lines;
  for (const std::uintptr_t offset : offsets) lines.push_back(known.at({file, offset}));
  return lines;
}

LineFinder line_finder = remembered_lines;

// The original of each module that was loaded from a copy, by the copy's path.
std::mutex origins_mutex;
std::map<std::string, std::string> origins;

std::string origin_of(const std::string& file) {
  const std::lock_guard lock(origins_mutex);
  const auto found = origins.find(file);
  return found == origins.end() ? file : found->second;
}

}  // namespace

void set_origin(const std::string& copy, const std::string& original) {
  const std::lock_guard lock(origins_mutex);
  if (original.empty())
    origins.erase(copy);
  else
    origins[copy] = original;
}

namespace {
std::string main_file;
}

void set_main_file(std::string name) {
  main_file = std::move(name);
}

std::string other_file(const std::string& source_line) {
  const std::string file = source_line.substr(0, source_line.rfind(':'));
  return main_file.empty() || file == main_file ? "" : file;
}

LineFinder set_line_finder(LineFinder finder) {
  return std::exchange(line_finder, std::move(finder));
}

std::vector<std::string> found_lines(const std::string& file, std::span<const std::uintptr_t> offsets) {
  return line_finder(file, offsets);
}

std::vector<std::string> source_lines(std::span<const std::uintptr_t> instructions) {
  std::vector<std::string> lines = source_chains(instructions);
  for (std::string& line : lines) line.resize(std::min(line.size(), line.find('\n')));
  return lines;
}

std::vector<std::string> source_chains(std::span<const std::uintptr_t> instructions) {
  struct Module {
    std::vector<std::uintptr_t> offsets;
    std::vector<std::size_t> indices;  // into `instructions`
  };
  std::map<std::string, Module> modules;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    Dl_info info{};
    if (!::dladdr(reinterpret_cast<void*>(instructions[i]), &info) || !info.dli_fname) continue;
    Module& module = modules[info.dli_fname];
    module.offsets.push_back(instructions[i] - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
    module.indices.push_back(i);
  }
  std::vector<std::string> lines(instructions.size());
  for (const auto& [file, module] : modules) {
    const std::vector<std::string> found = found_lines(origin_of(file), module.offsets);
    for (std::size_t i = 0; i < found.size(); ++i) lines[module.indices[i]] = found[i];
  }
  return lines;
}

std::string time_limit_explanation(const std::string& running) {
  return fmt::format(
      "no thread returned for {}: {} is still running (GPULAB_TIME_LIMIT sets another number of seconds)",
      device::seconds_text(device::time_limit()), running);
}

namespace {

constexpr std::size_t signal_stack_bytes = 128 * 1024;
constexpr int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

int interrupt_signal() {
  return SIGRTMIN + 7;  // an arbitrary real-time signal
}

struct Fault {
  int signal = 0;
  std::uintptr_t address = 0;      // that could not be accessed
  std::uintptr_t instruction = 0;  // that faulted
  std::uintptr_t stack = 0;
};

thread_local Fault fault;
thread_local char* explanation_stack = nullptr;  // the upper end of the stack on which a fault is explained

// The registers have other names on each architecture.
#if defined(__x86_64__)
std::uintptr_t instruction_of(const ucontext_t& at) {
  return static_cast<std::uintptr_t>(at.uc_mcontext.gregs[REG_RIP]);
}
std::uintptr_t stack_of(const ucontext_t& at) {
  return static_cast<std::uintptr_t>(at.uc_mcontext.gregs[REG_RSP]);
}
std::optional<bool> is_store(const ucontext_t& at) {
  constexpr greg_t write_bit = 2;  // of a page fault's error code
  return (at.uc_mcontext.gregs[REG_ERR] & write_bit) != 0;
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
std::optional<bool> is_store(const ucontext_t&) {
  return std::nullopt;
}
void redirect(ucontext_t& at, void (*to)(), char* stack) {
  at.uc_mcontext.pc = reinterpret_cast<std::uintptr_t>(to);
  at.uc_mcontext.sp = reinterpret_cast<std::uintptr_t>(stack);
}
#endif

// Relates an address to the kernel argument that is the nearest pointer: "12 bytes past the start of argument
// 3". Only the lesson knows the array's name and size.
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
    relation = fmt::format("out of bounds, {} bytes {} the start of argument {}", bytes,
                           is_past ? "past" : "before", i + 1);
  }
  return relation;
}

// Returns whether the fault is that of a stack that is full.
bool is_near_stack(const Fault& what) {
  return what.signal == SIGSEGV && what.address < what.stack + 4096 &&
         what.stack < what.address + schedule::FiberStacks::usable_bytes;
}

// Returns the line of the author's code. For an instruction of a function of the prelude, that is the line of
// the call, whose return address is on the stack below that of the scheduler's call of the kernel.
std::string own_line(const Fault& what, const schedule::BlockScheduler& scheduler) {
  const KernelCode& kernel = scheduler.code();
  if (!kernel.contains(what.instruction)) return "";
  std::vector<std::uintptr_t> places{what.instruction};
  const KernelCode gpulab = code_around(reinterpret_cast<const void*>(&is_near_stack));
  if (!is_near_stack(what))
    for (const auto* word = reinterpret_cast<const std::uintptr_t*>(what.stack); !gpulab.contains(*word);
         ++word)
      if (kernel.contains(*word)) places.push_back(*word - 1);  // the end of the call
  // A loop over threads sets up its stack frame before the first line of the kernel.
  places.push_back(reinterpret_cast<std::uintptr_t>(scheduler.launch().function));
  const std::vector<std::string> lines = source_lines(places);
  const auto found = std::ranges::find_if_not(lines, &std::string::empty);
  return found == lines.end() ? "" : *found;
}

schedule::KernelFailure explained(const Fault& what, const schedule::BlockScheduler& scheduler) {
  const std::string line = own_line(what, scheduler);
  const std::string where = (line.empty() ? "" : line + ", ") + scheduler.running_thread();
  const auto failure = [&](DefectKind kind) {
    return Failure{.kind = kind, .line = line_number(line), .file = other_file(line)};
  };
  if (what.signal == interrupt_signal())
    return {"CUDA_ERROR_LAUNCH_TIMEOUT", time_limit_explanation(where), failure(DefectKind::time_limit)};
  if (what.signal == SIGFPE)
    return {"CUDA_ERROR_LAUNCH_FAILED",
            "integer division by zero at " + where + " (a GPU would go on with an undefined value)",
            failure(DefectKind::division_by_zero)};
  if (what.signal == SIGILL)  // the compiler's trap
    return {"CUDA_ERROR_ILLEGAL_ADDRESS", "an index outside its array, or a division by zero, at " + where,
            failure(DefectKind::illegal_address)};
  if (is_near_stack(what))
    return {
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        fmt::format(
            "the local variables of a thread need more than the {} KiB that the simulator gives it, as many as a GPU has, at {}",
            schedule::FiberStacks::usable_bytes / 1024, where),
        failure(DefectKind::stack_overflow)};
  const schedule::SimulatedLaunch& launch = scheduler.launch();
  for (const OwnedMemory& memory : launch.all_allocations)
    if (memory.range.contains(what.address))  // reachable memory does not fault
      return {"CUDA_ERROR_ILLEGAL_ADDRESS",
              fmt::format(
                  "memory of GPU {}, which GPU {} may not access, at {}: cuCtxEnablePeerAccess comes first",
                  memory.device, launch.device, where),
              failure(DefectKind::no_peer_access)};
  return {"CUDA_ERROR_ILLEGAL_ADDRESS", relation_to_arguments(what.address, launch) + ", at " + where,
          failure(DefectKind::illegal_address)};
}

[[noreturn]] void explain_fault() {
  schedule::BlockScheduler* scheduler = schedule::scheduler_of_this_thread();
  scheduler->fail(explained(fault, *scheduler));
}

void redirect_to_explanation(int signal, const siginfo_t& info, ucontext_t& at) {
  schedule::scheduler_of_this_thread()->leave_kernel();
  fault = {signal, reinterpret_cast<std::uintptr_t>(info.si_addr), instruction_of(at), stack_of(at)};
  redirect(at, &explain_fault, explanation_stack);
}

HostFaultHandler host_fault_handler = nullptr;

void on_fault(int signal, siginfo_t* info, void* context) {
  const schedule::BlockScheduler* scheduler = schedule::scheduler_of_this_thread();
  if (explanation_stack && scheduler && scheduler->in_kernel())
    redirect_to_explanation(signal, *info, *static_cast<ucontext_t*>(context));
  else if (HostFaultHandler handler = std::exchange(host_fault_handler, nullptr))
    handler(signal, info->si_code == SI_KERNEL ? no_address : reinterpret_cast<std::uintptr_t>(info->si_addr),
            instruction_of(*static_cast<ucontext_t*>(context)), is_store(*static_cast<ucontext_t*>(context)));
  else
    ::signal(signal, SIG_DFL);  // not in a kernel: the instruction is run again, and ends the process
}

void on_interrupt(int signal, siginfo_t* info, void* context) {
  auto& at = *static_cast<ucontext_t*>(context);
  const schedule::BlockScheduler* scheduler = schedule::scheduler_of_this_thread();
  if (explanation_stack && scheduler && scheduler->in_kernel() &&
      scheduler->code().contains(instruction_of(at)))
    redirect_to_explanation(signal, *info, at);
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
    : stacks_(::mmap(nullptr, 2 * signal_stack_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
  if (stacks_ == MAP_FAILED) throw std::bad_alloc();
  static std::once_flag installed;
  std::call_once(installed, install_handlers);
}

FaultGuard::~FaultGuard() {
  ::munmap(stacks_, 2 * signal_stack_bytes);
}

void FaultGuard::protect_this_thread() {
  stack_t stack{};
  stack.ss_sp = stacks_;
  stack.ss_size = signal_stack_bytes;
  ::sigaltstack(&stack, nullptr);
  explanation_stack = static_cast<char*>(stacks_) + 2 * signal_stack_bytes;
}

void interrupt_kernel(pthread_t worker) {
  ::pthread_kill(worker, interrupt_signal());
}

}  // namespace gpulab::simulator::watch
