#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "lesson/exercise.hpp"
#include "program/runtime/allocations.hpp"
#include "program/runtime/errors.hpp"
#include "program/runtime/graphs.hpp"
#include "program/runtime/textures.hpp"
#include "program/runtime/timeline.hpp"
#include "program/runtime/virtual_tables.hpp"
#include "simulator/compile/module.hpp"
#include "simulator/machine.hpp"
#include "simulator/stream.hpp"
#include "source/code.hpp"

// The CUDA runtime of a program that runs on simulated devices, in the same process.

namespace gpulab::program::runtime {

struct Stream {
  std::unique_ptr<simulator::SimulatedStream> queue;
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  bool is_default = false;
  std::size_t number = 0;                   // in reports; 0 is the default stream
  std::size_t default_operations_seen = 0;  // default-stream operations that this stream has waited for
  bool has_new_work = false;                // since the default stream last waited for it
  Site created, last_work;
  CapturedPlace captured;

  bool is_blocking() const { return !is_default && !(flags & cudaStreamNonBlocking); }
};

struct Event {
  simulator::SimulatedEvent event;
  unsigned flags = 0;
  int device = 0;
  bool was_recorded = false;
  Site created;
  CapturedPlace captured;  // of its last recording
  Site recorded_at;
  std::size_t recorded_stream = 0;  // its number
};

// A configured launch, before the call of its kernel.
struct PendingLaunch {
  LaunchConfig config;
  cudaStream_t stream = nullptr;
  Site site;
};

using simulator::compile::SimulatedKernel;
using simulator::schedule::ModuleVariable;
using simulator::watch::AddressRange;
using simulator::watch::MemoryAccess;
using simulator::watch::MemoryUse;

// Returns the line that launched the kernel, for a finding.
inline ProgramFinding::Other launched_at(const std::string& kernel, Site site) {
  return {place_of(site), "kernel " + kernel + " was launched here"};
}

class Runtime {
 public:
  // The shared object is loaded later, since its constructors may call the runtime.
  Runtime(ProgramWatch watch, bool reports_copied_data, WarpSize warp_size = {}, int devices = 1);
  // Takes the text of all the program's files, the main file first. Findings name variables by it.
  void set_text(std::string text);
  const source::Code& code() const { return code_; }
  std::size_t calls() const { return calls_; }
  // Returns whether the call is in a destructor in the main file.
  bool is_in_destructor(Site site) const;
  // Predicts the time of counted launches on this GPU. `code` is nvcc's for it, and may be empty.
  void predict_on(estimate::Gpu gpu, GpuCode code);
  // Returns the GPU that predictions are for, whose multiprocessors the program sees; null without one, and
  // for a program with cooperative launches, since the simulated device has to hold all their blocks at once.
  const estimate::Gpu* seen_gpu() const;
  static Runtime& instance() { return *instance_; }
  static bool exists() { return instance_ != nullptr; }

  void set_module(std::unique_ptr<simulator::compile::SimulatedModule> module);
  simulator::compile::SimulatedModule* module() { return module_.get(); }
  ProgramWatch watch() const { return watch_; }
  bool is_watching() const { return watch_ == ProgramWatch::defects; }

  // Returns the lock that every call of the API holds.
  std::recursive_mutex& mutex() { return mutex_; }
  // Returns whether a kernel was stopped for must_kernel_stop(): its thread waits for the end of the process.
  bool has_stopped_kernel() const { return has_stopped_kernel_; }

  // ---- Errors ----
  // Records the error as this thread's last one, and returns it. `why` is empty if a finding explains it.
  cudaError_t fail(cudaError_t error, const char* call, Site site, const std::string& why);
  // Return the last error of this thread, for the program's query. The second also clears it.
  cudaError_t peek_at_last_error(const ErrorQuery& query);
  cudaError_t take_last_error(const ErrorQuery& query = {});
  // Returns the sticky error of asynchronous work, which all later calls return.
  cudaError_t sticky_error() const { return sticky_; }
  // Notes an allocation, which fails after a sticky error and gives no address.
  void note_allocation(const ErrorQuery& call) {
    if (sticky_ != cudaSuccess) failed_allocation_ = call;
  }
  void mark_error_seen(cudaError_t error);
  // Makes the call with that number on the timeline return an error after its work; `every_call` means all.
  void inject_failure(std::size_t call) { failing_call_ = call; }
  // Forgets the injected error of an earlier call, so that the program does not take it for a launch's.
  void forget_injected_failure() {
    if (failing_call_ > 0 && failing_call_ != every_call) take_last_error();
  }
  // Returns whether the latest call has to fail. If its error is sticky, all later calls fail, too.
  bool has_to_fail(bool is_sticky = false) {
    const bool is_this =
        failing_call_ == every_call || (failing_call_ > 0 && timeline_.calls() == failing_call_);
    fails_from_now_on_ = fails_from_now_on_ || (is_this && is_sticky);
    return is_this || fails_from_now_on_;
  }

  // ---- Devices ----
  int device_count() const { return static_cast<int>(devices_.size()); }
  int current_device() const { return device_of_thread_; }
  void set_device(int device) { device_of_thread_ = device; }
  device::Device& device(int index) { return *devices_[static_cast<std::size_t>(index)]; }
  device::Device& device() { return device(current_device()); }
  simulator::Machine& machine() { return *machine_; }
  // Frees the memory of the current device, and its streams, events and peer access.
  void reset_device();
  // Puts the device's values of __device__ and __constant__ variables in place of the previous device's.
  void use_variables_of(int device);

  // ---- Streams and work ----
  // Returns null if there is no such stream.
  Stream* stream(cudaStream_t handle);
  cudaStream_t create_stream(unsigned flags, int priority, Site site);
  void destroy_stream(cudaStream_t handle);
  std::vector<Stream*> streams_of(int device);
  Event* event(cudaEvent_t handle) const { return events_.at(handle); }
  cudaEvent_t create_event(unsigned flags, Site site) {
    auto event = std::make_unique<Event>(Event{.flags = flags, .device = current_device()});
    return events_.hold<cudaEvent_t>(std::move(event), site);
  }
  void destroy_event(cudaEvent_t handle) { events_.forget(handle); }
  // Notes that a stream waits for the latest recording of an event.
  void note_event_wait(const Stream& stream, const Event& event, Site site);

  // Makes the legacy default stream and blocking streams wait for each other, before work is queued.
  void order_with_default(Stream& stream);
  // Makes the stream wait for the device's default and blocking streams. If `is_after`, makes those streams
  // wait for it instead.
  void order_with_device(Stream& stream, int device, bool is_after);
  // Queues work in the stream or, while it is captured, adds the work to its last graph node.
  void put(Stream& stream, Site site, simulator::SimulatedStream::Work work);
  // Waits for all work of the stream. Errors of kernels become the sticky error.
  cudaError_t synchronize(Stream& stream);
  cudaError_t synchronize_all(int device);
  // These report copied elements that nobody has written, or that come from variables without a value. Call
  // them before bytes of the device are copied to the host.
  void look_for_unwritten(std::uintptr_t from, std::size_t bytes, const char* call, Site site);
  void look_for_unset_values(std::uintptr_t from, std::size_t bytes, const char* call, Site site);
  // Notes whether a copy or a set has just stored the pattern of an unset variable in memory of the device.
  void note_unset_pattern(std::uintptr_t memory, std::size_t bytes);
  // Returns whether the allocation's size is an int without sizeof, and the other call's size has a sizeof.
  bool lacks_sizeof(Site allocation, Site call) const;
  // Writes the output of kernels. Call it when the host has waited.
  void write_output();
  cudaError_t run_until(Event& event);
  // Runs one operation, so that a program that polls makes progress. Returns false if there was none.
  bool make_progress(simulator::SimulatedStream& queue);
  bool make_progress(Event& event);
  // Runs the next operation of the first stream that has work, and returns whether one has.
  bool run_one_operation();
  // Calls `work` with the device's memory accessible, and turns an exception into the sticky error.
  cudaError_t run_device_work(const std::function<void()>& work);

  // ---- Launches ----
  void configure(const PendingLaunch& launch);
  void launch(const char* kernel, const void* body, std::size_t bytes, HostCall call, std::uintptr_t pc);
  cudaError_t take_launch_error();
  void report_called_kernel(const std::string& name, Site site);
  // Returns the kernel that contains the address, or null. Messages call it by `name`, or by its own name.
  SimulatedKernel* kernel_at(std::uintptr_t pc, const char* name = nullptr);
  std::size_t max_dynamic_shared_bytes(const SimulatedKernel& kernel) const;
  void allow_dynamic_shared(const SimulatedKernel& kernel, std::size_t bytes) {
    allowed_shared_[&kernel] = bytes;
  }

  // ---- Graphs ----
  void begin_node(Stream& stream, cudaGraphNodeType type);
  void join_capture(Stream& stream, std::shared_ptr<Capture> capture);
  void leave_capture(Capture& capture);
  void note_captured(const CapturedPlace& place, Site site);
  Capture* forbidding_capture(bool any_mode) const;
  bool invalidate_capture_of_default_stream();
  cudaGraph_t hold(std::unique_ptr<Graph> graph, Site created) {
    return graphs_.hold<cudaGraph_t>(std::move(graph), created);
  }
  cudaGraphExec_t hold(std::unique_ptr<GraphExec> exec, Site created) {
    return execs_.hold<cudaGraphExec_t>(std::move(exec), created);
  }
  // Return null if there is no such graph.
  Graph* graph(cudaGraph_t handle) const { return graphs_.at(handle); }
  GraphExec* graph_exec(cudaGraphExec_t handle) const { return execs_.at(handle); }
  void forget(cudaGraph_t handle) { graphs_.forget(handle); }
  // Completes the work of the graph's launches first.
  void forget(cudaGraphExec_t handle);
  std::unique_ptr<GraphExec> instantiate(const Graph& graph) const;
  void launch_graph(GraphExec& exec, Stream& stream, Site site);
  void note_wait_for_stream(Site site) {
    wait_for_stream_ = site;
    step_of_wait_ = steps_;
  }
  // Notes a function that calls a kernel with the addresses of its arguments.
  using KernelCall = void (*)(void* kernel, void** arguments);
  void note_kernel(void* kernel, KernelCall call) { kernel_calls_[kernel] = call; }
  // Launches the kernel that was noted at the address, with the latest configuration.
  cudaError_t launch_address(void* kernel, void** arguments);

  // ---- Memory ----
  Allocations& allocations() { return allocations_; }
  Textures& textures() { return textures_; }
  const VirtualTables& virtual_tables() const { return virtual_tables_; }
  cudaError_t allocate(Allocation wanted, void** memory, const char* call);
  void free(const Allocation& allocation, Site site);
  // Notes that memory is copied in chunks, and drops a finding that a copy of it counts elements, not bytes.
  void note_chunks(const Allocation& allocation);

  // Notes that the program has asked for the variable's address on the device.
  void note_address_of(const void* variable) { noted_addresses_.insert(address_of(variable)); }
  // Notes that a copy gives values to bytes of the variable. If bytes before them have no values yet, the
  // whole variable counts as set.
  void note_values_of(const ModuleVariable& variable, std::uintptr_t begin, std::size_t bytes) {
    std::size_t& bytes_set = bytes_set_[variable.range.begin];
    const std::size_t first = begin - variable.range.begin;
    bytes_set = first > bytes_set ? variable.range.bytes : std::max(bytes_set, first + bytes);
  }
  bool knows_address_of(const ModuleVariable& variable) const {
    return noted_addresses_.contains(variable.range.begin);
  }

  // ---- Findings ----
  void add(ProgramFinding finding);
  bool check_not_freed(std::span<const MemoryUse> uses, const char* call, Site site);
  // Reports an invalid access by the program's code (`is_own`) or by a library. The process is about to end.
  void report_fault(std::uintptr_t address, const Site& site, bool is_own, std::optional<bool> is_store);
  // Reports a system call that the sandbox has refused; the process is about to end.
  void report_refused_call(const std::string& name, const Site& site);
  void report_abort(const Site& site);
  void note_running_kernel();
  void report_stack_damage();
  void report_refused_file(const std::string& what, const Site& site);
  // Reports a defect in the host's code. The program continues.
  void report_host_defect(const simulator::watch::FoundDefect& defect);
  // Drops the finding of that pattern at the site, since there was no mistake.
  void drop_finding(std::string_view pattern, Site site);
  ProgramReport take_report(int exit_status, bool is_regular_end);
  // Keep the data copied to and from the device, if the report is to have them.
  void keep_sent(const void* bytes, std::size_t count) { keep(sent_, bytes, count); }
  void keep_brought_back(const void* bytes, std::size_t count) { keep(brought_back_, bytes, count); }
  Timeline& timeline() { return timeline_; }
  void begin_call();
  void end_call();
  void watch_host_accesses();
  // Notes that the host frees page-locked memory: pending work must not use it any more.
  void note_host_free(const Allocation& memory, std::uintptr_t pc);
  // Checks an access by the host's code to memory that HostAccesses watches.
  void on_host_access(const MemoryAccess& access);
  // Notes that the host updates a word by compare-and-swap.
  void on_host_swap(std::uintptr_t address);
  void on_clock(Site site);
  // Runs queued work while the program makes no call, since it may be waiting for it.
  void work_while_host_is_silent();
  // Takes the lock of the calls. The helper thread yields it while its kernel waits for the host.
  [[nodiscard]] std::unique_lock<std::recursive_mutex> take_lock();
  // Notes that the host's code has ended, so that no kernel waits for it any more.
  void end_host() { ++helper_.hosts_waiting; }
  void set_in_callback(bool is_inside) {
    in_callback_ = is_inside;
    had_callback_ = true;
  }
  // Orders the host after the work before a callback, if callbacks may signal the host.
  void order_host_after_callback(const simulator::StreamOp& op) {
    if (has_signals_) machine_->order()->host_waits_for(op.clock);
  }
  bool is_in_callback() const { return in_callback_; }

  // ---- Thrust, whose algorithms run on the host and use the device's memory ----
  void begin_thrust();
  bool has_thrust() const { return has_thrust_; }
  // Runs all queued work of the device, since Thrust uses the results without a call of the runtime.
  void finish_queued_work();

 private:
  // A call or a launch that failed.
  struct FailedCall {
    cudaError_t error = cudaSuccess;
    const char* call = "";  // or the kernel
    Site site;
    std::string why;
    bool is_launch = false;
    bool is_seen = false;                  // the program has asked for the error's text
    std::vector<ErrorQuery> queries = {};  // calls that returned the error
    bool is_taken = false;                 // the last error has been cleared since
    std::string correction = {};           // what to write, if that is known
    std::size_t calls_before = 0, findings_before = 0;
  };
  struct OpenMemory;
  // A launch, as the report needs it.
  struct Launched {
    std::string kernel, symbol;
    Site site;
    LaunchConfig config;
    std::size_t static_shared_bytes = 0;
    std::vector<std::uintptr_t> words;     // of the arguments
    std::size_t calls_before = 0;          // calls of the runtime before the launch
    std::optional<std::size_t> step = {};  // of the timeline
  };

  // Records the thread's last error and, if it has a reason, adds it to the report.
  void remember(const FailedCall& failed);
  void keep(std::string& kept, const void* bytes, std::size_t count) const;
  // Keeps a kernel's memory that both host and device can access.
  enum class LaunchPhase { before, after };
  void keep_host_accessible(LaunchPhase phase, const std::vector<std::uintptr_t>& words);
  // Returns whether the next function has checked an access of this instruction to this memory in the host's
  // present step. Needs no lock.
  bool was_checked_in_this_step(const MemoryAccess& access) const;
  // Checks an access by Thrust, or by other code to memory that only Thrust may access. Needs the lock.
  // Returns false, without a check, for any other access.
  bool try_check_for_thrust(const MemoryAccess& access);
  // Numbers an access by the host, and returns its site, which is looked up once in each step.
  Site note_host_access(std::uintptr_t pc);
  void check_access_by_thrust(const MemoryAccess& access, const Allocation& memory, Site site);
  void add_overrun_by_thrust(const MemoryAccess& access, const Allocation& memory, Site site);
  const Allocation* memory_before(const MemoryAccess& access) const;
  void add_overflowed_index(const Defect& defect, ProgramFinding& finding) const;
  void add_device_pointer(std::uintptr_t address, const Allocation& memory, Site site, bool is_store);
  void record_host_access(const MemoryAccess& access);
  void record_access_runs();
  void note_host_flags(const std::vector<Defect>& defects);
  void add_host_race(const Defect& defect);
  std::optional<simulator::watch::PublishedStore> published_store_of(const Defect& defect) const;
  void complete_races(std::vector<Defect>& defects);
  void add_volatile_races(std::vector<Defect>& defects) const;
  void add_missing_fence(const Defect& defect, ProgramFinding& finding) const;
  void add_bound(const Defect& defect, Site site, ProgramFinding& finding) const;
  void add_race_advice(const Defect& defect, ProgramFinding& finding) const;
  void add_variable_of_device(const ModuleVariable& variable, DefectAccess access, Site site);
  bool does_helper_wait() const;
  // Releases the lock of the calls for a moment, so that another thread can take it.
  void yield_lock();
  void watch_for_host();
  bool is_in_stream_work() const;
  void wait_for_helper();
  // These functions handle work and handles that are left at the end of the program.
  void end_all_work(int exit_status);
  void add_leaks_of_handles();
  void look_for_unreached_elements(const Launched& launched);
  // Looks for stored results of a library that are undefined in the threads that have stored them.
  void look_for_undefined_results(const Launched& launched);
  void look_for_partial_writes(const Launched& launched);
  void look_for_idle_threads(const Launched& launched);
  void look_for_unset_constants(const Launched& launched);
  void add_counted_allocation(const Allocation& memory, const std::string& kernel,
                              ProgramFinding& finding) const;
  void look_for_ignored_pitch(const std::string& kernel, Site site, const Allocation& memory);
  void look_for_unread_result(const Allocation& memory);
  void add_suspects(int exit_status);
  void add_errors(int exit_status);
  void forget_reads_before_swaps();
  void look_for_variable_names(const char* kernel, std::span<const std::uintptr_t> words, Site site);
  void add_host_pointer(const Defect& defect, const std::string& kernel, Site site,
                        ProgramFinding& finding) const;
  void forget_reads_before(const Defect& race, const Allocation& memory);
  void drop_stores_at_element(const Defect::Party& reader, ProgramFinding& race);
  void add_partial_write(const Allocation& memory, ProgramFinding& finding) const;
  void add_what_was_written(const Defect& defect, ProgramFinding& finding) const;
  void add_failure(const Failure& failure, const std::string& explanation, const std::string& kernel,
                   Site site);
  // Returns whether a defect explains that the kernel has ended early. Its name is empty if none has run.
  bool collect_findings(const std::string& kernel, Site site);
  void count_launch(const Launched& launched);
  void mark_all_written();
  bool add_undefined_value(const Defect& defect, ProgramFinding& finding);
  bool are_in_same_streams(const Defect& defect) const;
  Defect with_advice_for_parts(Defect defect) const;
  void add_operations(const Defect& defect, ProgramFinding& finding) const;
  void add_why_freed(const Allocation& memory, Site site, std::string_view requested,
                     ProgramFinding& finding) const;
  void add_useless_wait(const Defect& defect, ProgramFinding& finding) const;
  void add_leaks_of_memory();
  void add_about_memory(const Defect& defect, const Allocation& memory, const std::string& kernel, Site site,
                        ProgramFinding& finding);
  void add_kernel_defect(const Defect& defect, const std::string& kernel, Site site);
  bool add_to_race_with_copy(const ProgramFinding& finding, const std::string& kernel, DefectAccess access);
  bool report_refusal(const PendingLaunch& pending, const char* name, const SimulatedKernel& kernel);
  Launched prepare_launch(const PendingLaunch& pending, SimulatedKernel& kernel, std::uintptr_t pc,
                          std::span<const std::byte> arguments, HostCall call) const;
  void begin_launch(const Launched& launched, int device_index);
  void end_launch(const Launched& launched, const simulator::StreamOp& op, int device_index, int depth);
  void run_child(const simulator::schedule::ChildLaunch& child, const simulator::StreamOp& op,
                 int device_index, int depth);
  void drop_launch(const PendingLaunch& launch, const char* kernel, cudaError_t error, const std::string& why,
                   const std::string& correction = "");

  static inline Runtime* instance_ = nullptr;
  static inline thread_local int device_of_thread_ = 0;
  ProgramWatch watch_;
  bool reports_copied_data_;
  source::Code code_{""};
  std::string sent_, brought_back_;
  std::set<std::uintptr_t> given_before_;  // memory of host and device that earlier kernels were given
  std::recursive_mutex mutex_;
  std::atomic<bool> has_stopped_kernel_ = false;
  std::vector<std::unique_ptr<device::Device>> devices_;
  std::shared_ptr<simulator::Machine> machine_;
  std::unique_ptr<simulator::compile::SimulatedModule> module_;
  HeldByHandle<Stream> streams_;
  std::vector<std::unique_ptr<Stream>> default_streams_;  // by device
  std::size_t default_operations_ = 0, streams_made_ = 0;
  HeldByHandle<Event> events_;
  HeldByHandle<Graph> graphs_;
  HeldByHandle<GraphExec> execs_;
  std::map<void*, KernelCall> kernel_calls_;
  std::map<std::string, std::unique_ptr<SimulatedKernel>> kernels_;  // by symbol
  std::map<const SimulatedKernel*, std::size_t> allowed_shared_;
  Allocations allocations_;
  Textures textures_;
  VirtualTables virtual_tables_;
  std::deque<Allocation> freed_;  // addresses that are not reused yet
  cudaError_t sticky_ = cudaSuccess;
  std::optional<ErrorQuery> failed_allocation_;  // the last after the sticky error
  std::vector<FailedCall> failed_calls_;
  std::string running_kernel_;
  Site running_site_;
  std::size_t calls_before_running_kernel_ = 0;  // when it was launched
  int open_scopes_ = 0;                          // number of nested OpenMemory scopes
  bool in_callback_ = false, had_callback_ = false;
  bool has_signals_ = true;  // the program's text has means by which a callback can signal the host
  std::vector<ProgramFinding> findings_;
  std::map<std::string, KernelCounts> counts_;
  std::set<std::string> read_kernels_;  // whose text was searched for sums that each block repeats
  std::string output_;                  // printed by kernels
  bool has_thrust_ = false, is_finishing_queued_work_ = false;
  std::size_t launches_ = 0, calls_ = 0, dropped_launches_ = 0;
  Site first_dropped_;                            // launch that did not run, because of a sticky error
  std::map<std::size_t, Site> waiting_launches_;  // that are queued, by their calls
  Timeline timeline_;
  std::optional<Prediction> prediction_;
  std::size_t failing_call_ = 0;  // number of the call in which an error is injected; 0 for none
  bool fails_from_now_on_ = false;
  std::atomic<std::size_t> steps_{0};  // of the host: beginnings and ends of its calls
  std::atomic<bool> has_work_ = false, has_helper_thread_ = false;
  // The thread that runs work while the host makes no call; helper_thread.cpp.
  struct Helper {
    std::counting_semaphore<> wakes{0};
    std::atomic<simulator::SimulatedStream*> wanted = nullptr;  // the stream whose work the host asks for
    std::atomic<bool> is_running = false;                       // an operation, which began at `began`
    std::atomic<bool> kernel_waits = false;                     // the operation's kernel, for the host
    std::atomic<int> calls_waiting = 0;                         // calls of the host that wait for the lock
    std::atomic<int> hosts_waiting = 0;  // threads of the host that wait for the operation to end
    std::chrono::steady_clock::time_point began;
  } helper_;
  std::shared_ptr<const int> always_watched_;  // keeps all stream operations watched
  std::vector<ModuleVariable> variables_;
  int device_of_variables_ = 0;               // the device that their present values belong to
  std::vector<std::string> kept_variables_;   // values of the variables by device; empty for a single device
  std::set<std::uintptr_t> noted_addresses_;  // of variables whose address the program has asked for
  std::map<std::uintptr_t, std::size_t> bytes_set_;  // of variables, from their beginnings on
  std::vector<std::uintptr_t> running_words_;        // arguments of the running kernel
  std::size_t running_blocks_ = 0;                   // in its grid
  // Memory that a kernel left out, or that was copied to the host without being written, perhaps by mistake.
  struct Suspect {
    ProgramFinding finding;
    std::string kernel;  // empty for a copy
    AddressRange unreached = {};
    std::size_t left_out = 0;  // elements that the launch does not reach
    bool is_certain = false;   // a mistake even if the program does not fail
    bool needs_copy = false;   // counts only if the unreached memory is copied to the host
    bool has_several_blocks = false;
    bool is_guarded = false;  // each thread has passed the kernel's guard, which expects more threads
    bool is_input = false;    // a later kernel may read the rest

    bool is_of_copy() const { return kernel.empty(); }
  };
  std::vector<Suspect> suspects_;
  // Adds a launch that may be too small, unless it is known.
  void suspect_grid(Suspect suspect);
  // A read of memory that nobody has written.
  struct UnwrittenRead {
    SourcePlace line;         // of the read
    SourcePlace reported_at;  // the place of the finding
    std::uintptr_t memory = 0;
  };
  std::vector<UnwrittenRead> unwritten_reads_;
  struct RequestedWork {
    std::set<std::size_t> streams;
    std::size_t last_step = 0;  // when the call was made last
  };
  std::map<std::uintptr_t, RequestedWork> streams_of_call_;  // by return address of the call
  // The streams of a recording and of a wait for it, by the return addresses of both calls.
  std::map<std::pair<std::uintptr_t, std::uintptr_t>, std::set<std::pair<std::size_t, std::size_t>>>
      event_waits_;
  Site wait_for_stream_;  // the last such wait of the host
  std::size_t step_of_wait_ = 0;
  std::map<std::uintptr_t, CapturedCall> captured_calls_;  // by return address
  bool has_sent_unset_pattern_ = false;                    // the host has, by a copy or a set
  std::vector<ProgramFinding> unread_results_;             // possible reasons for a failure
  struct ReadBesideAtomics {
    SourcePlace place;
    std::uintptr_t address;
  };
  std::vector<ReadBesideAtomics> reads_beside_atomics_;  // by the host, of words that kernels update
  struct HostAccess {
    Site site;  // with the callers, since the access may be in a library's function
    std::size_t step = 0;
    std::size_t number = 0;  // among the host's accesses
    bool frees = false;      // the memory
  };
  std::map<std::uintptr_t, HostAccess> host_accesses_;  // by return address, in a step
  std::size_t last_host_access_ = 0;                    // its number
  std::size_t last_host_flag_ = 0;  // number of the last access that a kernel may wait for
  // The instruction that set the last unfenced flag that the host has read; 0 without one.
  std::uintptr_t unfenced_flag_pc_ = 0;
  std::mutex swaps_mutex_;
  std::set<std::uintptr_t> swapped_;  // words that the host updates by compare-and-swap
  bool has_clock_ = false;            // the program has read a clock
  Site launched_since_clock_;         // the last launch since then, unless the host has waited
};

}  // namespace gpulab::program::runtime
