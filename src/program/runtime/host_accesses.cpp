#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "program/runtime/call.hpp"
#include "program/runtime/runtime.hpp"
#include "simulator/schedule/hooks.hpp"

// The host's own accesses to memory between the calls of the runtime. Beginnings and ends of these calls
// divide the host's execution into steps, which steps_ counts.

namespace gpulab::program::runtime {
namespace {

using simulator::schedule::host_accesses;
using simulator::schedule::HostAccesses;

DefectAccess access_of(MemoryAccess::Operation operation) {
  return operation == MemoryAccess::Operation::load ? DefectAccess::load : DefectAccess::store;
}

// Last volatile load by this thread, perhaps of a flag. It is recorded again at the next access, because the
// hook comes before the load, and the flag may be set in between.
thread_local std::optional<MemoryAccess> last_volatile_load;

// Memory whose accesses need no check before the host's next call.
struct QuietMemory {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::size_t step = 0;  // only in this step of the host
};
thread_local QuietMemory quiet;

// Accesses by one instruction to consecutive addresses, as a loop makes them. All but the first are recorded
// together, before the host's next call.
struct AccessRun {
  MemoryAccess::Operation operation = {};
  std::uintptr_t pc = 0;
  std::uintptr_t begin = 0;
  std::uintptr_t recorded_end = 0;  // the accesses from here to `end` are not recorded yet
  std::uintptr_t end = 0;
  std::uintptr_t allocation_end = 0;
  std::size_t step = 0;  // only in this step of the host

  bool try_extend(const MemoryAccess& access) {
    if (access.pc != pc || access.operation != operation || access.address < begin || access.address > end ||
        access.address + access.bytes > allocation_end)
      return false;
    end = std::max(end, access.address + access.bytes);
    return true;
  }
};
thread_local std::array<AccessRun, 16> runs;
// Only the main thread has runs, since its calls record them. Other threads may never make a call.
thread_local const bool is_main_thread = getpid() == gettid();

AccessRun& run_of(std::uintptr_t pc) {
  return runs[pc / 4 % runs.size()];
}

// Ends the run, and returns those of its accesses that are not recorded yet.
std::optional<MemoryAccess> take_unrecorded(AccessRun& run, std::size_t step) {
  if (run.pc == 0) return std::nullopt;
  const AccessRun ended = std::exchange(run, {});
  if (ended.step != step || ended.recorded_end >= ended.end) return std::nullopt;
  return MemoryAccess{ended.operation, ended.recorded_end, ended.end - ended.recorded_end, ended.pc};
}

const char* verb_for(DefectAccess access) {
  return access == DefectAccess::load ? "reads" : "writes";
}

}  // namespace

void Runtime::begin_call() {
  record_access_runs();
  ++calls_;
  ++steps_;
}

void Runtime::end_call() {
  if (has_thrust_) finish_queued_work();
  ++steps_;
  if (is_watching()) host_accesses.set_pending(!machine_->order()->has_host_waited());
}

void Runtime::watch_host_accesses() {
  if (!is_watching()) return;
  host_accesses.forget_all();
  host_accesses.set_handler([](const MemoryAccess& access) { instance().on_host_access(access); });
  for (const auto& [begin, allocation] : allocations_.all())
    if ((allocation.kind != MemoryKind::device || has_thrust_) && !allocation.is_freed)
      host_accesses.watch(
          begin, allocation.bytes,
          allocation.kind == MemoryKind::device ? HostAccesses::always : HostAccesses::while_work_is_pending);
  for (const ModuleVariable& variable : variables_)
    host_accesses.watch(variable.range.begin, variable.range.bytes,
                        variable.is_managed ? HostAccesses::while_work_is_pending : HostAccesses::always);
}

// Records an access by the host. If it reads the value of a volatile or atomic write, the work that wrote
// this value happens before the host's next accesses.
void Runtime::record_host_access(const MemoryAccess& access) {
  const simulator::watch::HostView view = machine_->checked().on_host({.address = access.address,
                                                                       .bytes = access.bytes,
                                                                       .access = access_of(access.operation),
                                                                       .is_strong = access.is_volatile,
                                                                       .pc = access.pc});
  if (view.unfenced_flag_pc != 0) unfenced_flag_pc_ = view.unfenced_flag_pc;
  if (view.seen) machine_->order()->host_sees(simulator::StreamClock(view.seen->clock));
  if (access.is_volatile || view.must_check_each_load) return;
  const Allocation* const memory = allocations_.at(access.address);
  if (!memory) return;
  const std::uintptr_t end = access.address + access.bytes;
  if (view.is_quiet)
    quiet = {memory->begin, memory->bytes, steps_};
  else if (is_main_thread)
    run_of(access.pc) = {.operation = access.operation,
                         .pc = access.pc,
                         .begin = access.address,
                         .recorded_end = end,
                         .end = end,
                         .allocation_end = memory->begin + memory->bytes,
                         .step = steps_};
}

void Runtime::record_access_runs() {
  for (AccessRun& run : runs)
    if (const auto unrecorded = take_unrecorded(run, steps_)) record_host_access(*unrecorded);
}

// Checks an access by the host. A volatile access may be to a flag for which a kernel in another thread
// waits. So it does not wait for the lock, but goes unchecked if another thread has the lock.
void Runtime::on_host_access(const MemoryAccess& access) {
  if (access.address - quiet.begin < quiet.bytes && quiet.step == steps_) return;
  if (has_thrust_ && was_checked_in_this_step(access)) return;
  if (AccessRun& run = run_of(access.pc); run.step == steps_ && !access.is_volatile && run.try_extend(access))
    return;
  if (access.is_volatile && access.operation == MemoryAccess::Operation::load) last_volatile_load = access;
  const auto lock = access.is_volatile ? std::unique_lock(mutex_, std::try_to_lock) : take_lock();
  if (!lock) return;
  if (is_in_stream_work()) return;
  if (has_thrust_ && try_check_for_thrust(access)) return;
  if (!access.is_volatile && last_volatile_load)
    record_host_access(*std::exchange(last_volatile_load, std::nullopt));
  for (const ModuleVariable& variable : variables_)
    if (variable.range.contains(access.address) && !variable.is_managed && !is_called_by_thrust(access.pc))
      return add_variable_of_device(variable, access_of(access.operation), {access.pc});
  note_host_access(access.pc);
  if (access.is_volatile) record_access_runs();
  if (const auto unrecorded = take_unrecorded(run_of(access.pc), steps_)) record_host_access(*unrecorded);
  record_host_access(access);
  if (access.is_volatile && access.operation == MemoryAccess::Operation::store)
    last_host_flag_ = last_host_access_;
  if (machine_->checked().has_defects()) collect_findings(/*kernel=*/"", /*site=*/{});
}

Site Runtime::note_host_access(std::uintptr_t pc) {
  HostAccess& known = host_accesses_[pc];
  if (known.step != steps_) known = {site_of_call(reinterpret_cast<const void*>(pc)), steps_};
  known.number = ++last_host_access_;
  return known.site;
}

// Counts as a write of all of the memory.
void Runtime::note_host_free(const Allocation& memory, std::uintptr_t pc) {
  if (!is_watching() || is_in_stream_work()) return;
  note_host_access(pc);
  host_accesses_[pc].frees = true;
  record_host_access({MemoryAccess::Operation::store, memory.begin, memory.bytes, pc});
  if (machine_->checked().has_defects()) collect_findings(/*kernel=*/"", /*site=*/{});
}

void Runtime::add_variable_of_device(const ModuleVariable& variable, DefectAccess access, Site site) {
  const bool is_read = access == DefectAccess::load;
  add({.pattern = "device-variable-on-host",
       .place = place_of(site),
       .text = fmt::format(
           "the host {} {}, a {} variable: on the host the name stands for a copy that the device never {}",
           verb_for(access), variable.name, variable.is_constant ? "__constant__" : "__device__",
           is_read ? "writes" : "reads"),
       .correction =
           is_read ? "cudaMemcpyFromSymbol(&copy, " + variable.name + ", sizeof copy), and read the copy"
                   : "cudaMemcpyToSymbol(" + variable.name + ", &value, sizeof value)"});
}

// Notes the host's plain stores to words for which a kernel waits: what the host stores before one is ready.
void Runtime::note_host_flags(const std::vector<Defect>& defects) {
  for (const Defect& defect : defects)
    if (defect.is_with_host && defect.is_note && defect.party.access != DefectAccess::load)
      last_host_flag_ = std::max(last_host_flag_, host_accesses_[defect.host_at].number);
}

void Runtime::add_host_race(const Defect& defect) {
  const Allocation* const memory = allocations_.at(defect.address);
  const SourcePlace issued = place_of({defect.issued_at});
  const HostAccess& access = host_accesses_[defect.host_at];
  const SourcePlace place = place_of(access.site);
  const bool does_host_read = defect.party.access == DefectAccess::load;
  const bool is_flag = defect.is_note && !does_host_read && !access.frees;
  // The kernel may have waited for a flag that the host set after this write.
  if (!does_host_read && access.number < last_host_flag_) return;
  const std::string name = memory ? memory->name() : "a __managed__ variable";
  const std::string pronoun = memory ? "them" : "it";  // an allocation's name is "the 64 bytes that ... gave"
  std::string text = std::string("the host ") + (access.frees ? "frees" : verb_for(defect.party.access)) +
                     " " + name + " while " + defect.other_work +
                     (issued.line > 0 ? ", started in " + text_of(issued) + "," : "") + " may still be " +
                     (defect.other->access == DefectAccess::load ? "reading" : "writing") + " " + pronoun +
                     ": that call is asynchronous, and the host has not waited for it since";
  if (is_flag)
    text = fmt::format(
        "{} may wait for this value in {}, and the host stores it through a plain pointer: the "
        "host's compiler may move or drop such a store",
        defect.other_work, text_of(SourcePlace{defect.other->file, defect.other->line}));
  else if (!does_host_read && !access.frees)
    text += defect.other->access == DefectAccess::load ? ", so the work may read the new values"
                                                       : ", so the later write remains";
  const SourcePlace flag =
      does_host_read && unfenced_flag_pc_ != 0 ? place_of({unfenced_flag_pc_}) : SourcePlace{};
  if (flag.line > 0)
    text += "; the host has read a flag that " + text_of(flag) +
            " sets, but no fence stands between the kernel's write and that flag";
  ProgramFinding finding{
      .pattern = "race-host",
      // A callback may have told the host that the work was done.
      .is_note = is_flag || (had_callback_ && has_signals_),
      .place = place,
      .text = text,
      .correction = flag.line > 0 ? "__threadfence_system() before " + text_of(flag) +
                                        ", or cudaDeviceSynchronize() in place of the flag"
                                  : "cudaDeviceSynchronize() before " +
                                        (place.line > 0 ? text_of(SourcePlace{place.file, place.line})
                                                        : std::string("that")) +
                                        ", or cudaStreamSynchronize(stream) for its stream"};
  if (is_flag) finding.correction = "a volatile pointer, or an atomic, for the store";
  if (does_host_read && defect.other->access == DefectAccess::atomic)
    reads_beside_atomics_.push_back({finding.place, defect.address});
  if (issued.line > 0) finding.others.push_back({issued, defect.other_work + " is started here"});
  if (const auto requested = streams_of_call_.find(defect.issued_at);
      requested != streams_of_call_.end() && requested->second.last_step < step_of_wait_ &&
      step_of_wait_ < access.step)
    finding.others.push_back({place_of(wait_for_stream_), "the host waits here, but for another stream"});
  if (defect.other->line > 0)
    finding.others.push_back({{defect.other->file, defect.other->line},
                              defect.other_work +
                                  (defect.other->access == DefectAccess::load ? " reads" : " writes") +
                                  " it here"});
  add(std::move(finding));
}

// Does not take the lock of the calls, since a running kernel may wait for this swap.
void Runtime::on_host_swap(std::uintptr_t address) {
  const std::lock_guard lock(swaps_mutex_);
  swapped_.insert(address);
}

// Drops the findings about reads of words that the host also updates by compare-and-swap: if such a read was
// stale, the swap fails, and does no harm.
void Runtime::forget_reads_before_swaps() {
  const std::lock_guard lock(swaps_mutex_);
  for (const ReadBesideAtomics& read : reads_beside_atomics_)
    if (swapped_.contains(read.address))
      std::erase_if(findings_, [&](const ProgramFinding& finding) {
        return finding.pattern == "race-host" && finding.place == read.place;
      });
}

}  // namespace gpulab::program::runtime
