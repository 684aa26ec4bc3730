#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <semaphore>
#include <thread>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "estimate/gpu.hpp"
#include "program/process.hpp"
#include "program/runtime/runtime.hpp"
#include "sandbox/sandbox.hpp"
#include "simulator/remote/channel.hpp"
#include "simulator/schedule/hooks.hpp"
#include "simulator/watch/kernel_fault.hpp"
#include "source/endless_loops.hpp"

// Calls the program's main. This function has no unwind tables, so the search for a handler of an exception
// ends here. Then std::terminate names the exception and aborts where it was thrown, before destructors run.
extern "C" int gpulab_call_main(int count, char** words, char** environment, void* main_function);
#if defined(__x86_64__)
__asm__(
    ".text\n.globl gpulab_call_main\n.hidden gpulab_call_main\n.type gpulab_call_main, @function\n"
    "gpulab_call_main:\n  subq $8, %rsp\n  call *%rcx\n  addq $8, %rsp\n  ret\n"
    ".size gpulab_call_main, .-gpulab_call_main\n");
#else
extern "C" int gpulab_call_main(int count, char** words, char** environment, void* main_function) noexcept {
  return reinterpret_cast<int (*)(int, char**, char**)>(main_function)(count, words, environment);
}
#endif

namespace gpulab::program {
namespace {

using runtime::Runtime;
using simulator::remote::Channel;
using simulator::remote::Reader;
using simulator::remote::Writer;

// Returns the files that a program may use: the system's and, unless it is judged, those of its folder.
sandbox::Files files_for(const ProgramRequest& request) {
  sandbox::Files files{.read = sandbox::files_of_the_system(), .write = {"/dev/null"}};
  for (const char* path : {"/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu",
                           "/etc/localtime", "/dev/zero", "/dev/random"})
    files.read.emplace_back(path);
  files.read.push_back(std::filesystem::path(request.shared_object).parent_path());
  std::error_code failed;
  if (!request.is_judged && request.may_use_folder)
    files.write.push_back(std::filesystem::current_path(failed));
  return files;
}

// Connection to the process that started this one, open as long as this process lives.
const Channel* connection = nullptr;
std::recursive_mutex connection_mutex;
const pid_t own_process = ::getpid();  // a process that the program forks sends no report

std::vector<std::string> ask_for_lines(const std::string&, std::span<const std::uintptr_t> offsets) {
  const std::lock_guard lock(connection_mutex);
  const std::vector<std::uintptr_t> asked(offsets.begin(), offsets.end());
  if (!connection->send(Writer()(FromProgram::asks_for_lines, asked).take())) ::_exit(1);
  const auto answer = connection->receive();
  if (!answer) ::_exit(1);
  return Reader(answer->bytes).next<std::vector<std::string>>();
}

// Sends the program's report, once. It takes the caller's lock of the runtime, which is not locked if a
// signal ends the program while a kernel runs.
void send_report(int status, bool is_regular_end, std::unique_lock<std::recursive_mutex>) {
  static std::atomic<bool> is_sent = false;
  Runtime& runtime = Runtime::instance();
  if (!runtime.module() || ::getpid() != own_process || is_sent.exchange(true)) return;
  const ProgramReport report = runtime.take_report(status, is_regular_end);
  const std::lock_guard connection_lock(connection_mutex);
  connection->send(written_report(report));
  connection->receive();  // waits until the report has arrived
}

// Ends the process by the signal, which is blocked while its handler runs.
[[noreturn]] void end_by(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

// A signal that ends the process. A separate thread reports it, since the interrupted thread may hold any
// lock: malloc's, if the program has written past the end of a block.
struct LastSignal {
  int number = 0;
  runtime::Site site = {};                   // of the interrupted code
  std::optional<std::uintptr_t> fault = {};  // the address that could not be accessed
  bool is_own_fault = false;                 // of the program's own code, not of a library
  std::optional<bool> is_store = {};         // empty if that is unknown
  bool is_stack_damaged = false;             // so the calls around the code are unknown
  std::optional<int> refused_call = {};      // the number of the system call that the sandbox refused
};
LastSignal last_signal;
std::atomic<bool> is_interrupted = false;
std::binary_semaphore has_last_signal(0);

void report_last_signal() {
  has_last_signal.acquire();
  Runtime& runtime = Runtime::instance();
  std::unique_lock lock(runtime.mutex(), std::defer_lock);
  constexpr std::chrono::milliseconds pause(10);
  is_interrupted = last_signal.number == SIGINT || last_signal.number == SIGTERM;
  // The thread that has the lock may be the interrupted one, or waits for a kernel, which is stopped.
  const int max_pauses = is_interrupted ? 300 : 30;
  for (int i = 0; i < max_pauses && !runtime.has_stopped_kernel() && !lock.try_lock(); ++i)
    std::this_thread::sleep_for(pause);
  if (last_signal.fault)
    runtime.report_fault(*last_signal.fault, last_signal.site, last_signal.is_own_fault,
                         last_signal.is_store);
  if (last_signal.is_stack_damaged) runtime.report_stack_damage();
  if (last_signal.number == SIGABRT) runtime.report_abort(last_signal.site);
  if (is_interrupted) runtime.note_running_kernel();
  if (last_signal.refused_call)
    runtime.report_refused_call(sandbox::name_of_system_call(*last_signal.refused_call), last_signal.site);
  send_report(128 + last_signal.number, /*is_regular_end=*/false, std::move(lock));
  if (::ftrylockfile(stdout) == 0) ::fflush_unlocked(stdout);
  end_by(last_signal.number);
}

// Waits, in the signal's handler, until the other thread has ended the process. Ends the process itself after
// 10 s, since the report may wait for a lock that this thread holds.
[[noreturn]] void leave_to_reporting_thread(const LastSignal& signal) {
  static std::atomic_flag is_left;
  if (!is_left.test_and_set()) {
    last_signal = signal;
    has_last_signal.release();
  }
  constexpr unsigned max_wait_s = 10;
  ::sleep(max_wait_s);
  end_by(signal.number);
}

// Makes Ctrl-C, and the signal of `timeout`, report what was found so far and end the program. Both signals
// may come twice: to this process and to its group.
void report_on_interruption() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    ::signal(signal, [](int number) {
      static std::atomic_flag has_come;
      if (has_come.test_and_set()) return;
      last_signal.number = number;
      has_last_signal.release();
    });
  }
}

// Runs after all exit handlers of the program, because it is registered before the program is loaded.
void at_end(int status, void*) {
  Runtime::instance().end_host();
  send_report(status, /*is_regular_end=*/true, std::unique_lock(Runtime::instance().mutex()));
  std::cout.flush();
  std::fflush(nullptr);
  ::_exit(status);
}

// Handles a fault that comes while on_fault() reads the stack of the interrupted code.
void on_fault_in_handler(int signal, std::uintptr_t, std::uintptr_t, std::optional<bool>) {
  leave_to_reporting_thread({.number = signal, .is_stack_damaged = true});
}

void on_fault(int signal, std::uintptr_t address, std::uintptr_t instruction, std::optional<bool> is_store) {
  simulator::watch::set_host_fault_handler(on_fault_in_handler);
  sigset_t faults;
  ::sigemptyset(&faults);
  for (const int fault : {SIGSEGV, SIGBUS}) ::sigaddset(&faults, fault);
  ::pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
  leave_to_reporting_thread({.number = signal,
                             .site = runtime::site_in_program(instruction),
                             .fault = address,
                             .is_own_fault = Runtime::instance().module()->contains_code(instruction),
                             .is_store = is_store});
}

void on_abort(int signal) {
  leave_to_reporting_thread({.number = signal, .site = runtime::site_in_program(0)});
}

// Handles SIGSYS: the program made a system call that no harmless program makes, or sent itself the signal.
void on_refused_call(int signal, siginfo_t* call, void*) {
  if (call->si_code <= 0) on_abort(signal);  // sent by a process, not by the operating system
  leave_to_reporting_thread(
      {.number = signal, .site = runtime::site_in_program(0), .refused_call = call->si_syscall});
}

std::unique_ptr<simulator::compile::SimulatedModule> load(const ProgramRequest& request) {
  return std::make_unique<simulator::compile::SimulatedModule>(
      simulator::compile::CompiledFile{.shared_object = request.shared_object,
                                       .file = request.main_file,
                                       .instrumentation = instrumentation_for(request.watch),
                                       .kernels = request.kernels,
                                       .is_program = true});
}

[[noreturn]] void run_main(const ProgramRequest& request) {
  const auto main_function = Runtime::instance().module()->main_function();  // which compile() has checked
  std::vector<std::string> words{request.name};
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::exit(gpulab_call_main(static_cast<int>(words.size()), pointers.data(), environ,
                             reinterpret_cast<void*>(main_function)));
}

}  // namespace

std::optional<int> run_program_if_asked(const std::vector<std::string>& words) {
  if (words.size() != 2 || words[1] != program_word) return std::nullopt;
  static const Channel channel{Descriptor(programs_socket)};
  connection = &channel;
  auto message = channel.receive();
  if (!message) return 1;
  const ProgramRequest request = read_request(Reader(std::move(message->bytes)));
  const sandbox::Confinement confinement(
      sandbox::mode_of(request.sandbox), files_for(request),
      request.is_judged ? sandbox::SystemCalls::kernels : sandbox::SystemCalls::program);
  // Before other threads start: they would keep the rights that this one gives up, and kernels run on them.
  if (!confinement.confine_files()) return 1;
  // A kernel that hangs is reported before the whole program is stopped.
  // A loop that cannot end needs no longer limit.
  constexpr double endless_loop_limit_s = 5;
  if (request.is_judged || source::endless_loop_at(request.text))
    ::setenv("GPULAB_TIME_LIMIT",
             std::to_string(request.is_judged ? request.time_limit_s / 2 : endless_loop_limit_s).c_str(), 0);
  simulator::watch::set_main_file(request.main_file);
  simulator::watch::set_line_finder(ask_for_lines);
  simulator::schedule::set_kernel_output(stdout);
  static Runtime runtime(request.watch, request.reports_copied_data, WarpSize(request.warp_size),
                         request.gpus);
  runtime.machine().checked().set_sampling(request.samples_blocks);
  runtime.set_text(request.text);
  runtime.inject_failure(request.failing_call);
  if (!request.gpu.empty()) runtime.predict_on(estimate::read_gpu(request.gpu), request.gpu_code);
  ::on_exit(at_end, nullptr);
  ::fcntl(programs_socket, F_SETFD, FD_CLOEXEC);
  if (const auto mode = sandbox::mode_of(request.sandbox);
      mode != sandbox::Mode::off && !sandbox::restrict_sending_to_send_message(programs_socket) &&
      mode == sandbox::Mode::require)
    return 1;
  if (!confinement.confine_system_calls()) return 1;
  runtime.set_module(load(request));
  static auto& guard = *new simulator::watch::FaultGuard;  // also while the report is written
  guard.protect_this_thread();
  simulator::watch::set_host_fault_handler(on_fault);
  simulator::schedule::set_host_defect_handler([](const simulator::watch::FoundDefect& defect) {
    Runtime::instance().report_host_defect(defect);
    if (defect.kind == DefectKind::other) leave_to_reporting_thread({.number = SIGILL});
  });
  ::signal(SIGABRT, on_abort);
  std::thread(report_last_signal).detach();
  static const StoppableKernels stoppable([] { return is_interrupted.load(); });
  if (!request.is_judged) report_on_interruption();
  struct sigaction refused {};
  refused.sa_sigaction = &on_refused_call;
  refused.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSYS, &refused, nullptr);
  if (request.is_output_shown) std::setvbuf(stdout, nullptr, _IOLBF, 0);  // stdout is a pipe to a terminal
  run_main(request);
}

}  // namespace gpulab::program
