#include <fmt/format.h>
#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "device/host.hpp"
#include "device/symbols.hpp"
#include "program/compiler.hpp"
#include "program/runtime/call.hpp"
#include "program/runtime/runtime.hpp"
#include "simulator/stream.hpp"

namespace gpulab::program::runtime {

// Launches of kernels, by the host and by kernels.

namespace {

thread_local std::vector<PendingLaunch> configured_launches;
thread_local cudaError_t error_of_last_launch = cudaSuccess;

// Guesses the bytes that a launch moves, for the timeline: each thread loads two words and stores one.
std::size_t bytes_moved_by(const LaunchConfig& config) {
  constexpr std::size_t bytes_of_a_thread = 12;
  return bytes_of_a_thread * config.grid.volume() * config.block.volume();
}

}  // namespace

std::size_t max_static_shared_bytes(const Runtime& runtime) {
  static const bool is_hip = runtime.code().whole().find("hip/hip_runtime.h") != std::string::npos;
  return is_hip ? std::size_t{64} * 1024 : device::max_static_shared_bytes;
}

void Runtime::configure(const PendingLaunch& launch) {
  configured_launches.push_back(launch);
}

SimulatedKernel* Runtime::kernel_at(std::uintptr_t pc, const char* name) {
  const auto function = module_ ? module_->function_at(pc) : std::nullopt;
  if (!function) return nullptr;
  auto& kernel = kernels_[function->symbol];
  if (!kernel) {
    std::string shown = name ? name : device::kernel_name(function->symbol);
    if (!name) shown = shown.substr(0, shown.find('<'));
    kernel = module_->kernel_of(*function, shown);
    kernel->instrumentation = instrumentation_for(watch_);
  }
  return kernel.get();
}

std::size_t Runtime::max_dynamic_shared_bytes(const SimulatedKernel& kernel) const {
  const auto allowed = allowed_shared_.find(&kernel);
  const std::size_t most = max_static_shared_bytes(*this);
  const std::size_t by_default = most - std::min(most, kernel.shared.static_bytes);
  return allowed == allowed_shared_.end() ? by_default : std::max(by_default, allowed->second);
}

void Runtime::drop_launch(const PendingLaunch& launch, const char* kernel, cudaError_t error,
                          const std::string& why, const std::string& correction) {
  error_of_last_launch = error;
  remember({.error = error,
            .call = kernel,
            .site = launch.site,
            .why = fmt::format("the launch of {} was refused ({}): {}", kernel, cudaGetErrorName(error), why),
            .is_launch = true,
            .correction = correction});
}

// Reports why the device refuses a launch, and returns whether it does.
bool Runtime::report_refusal(const PendingLaunch& pending, const char* name, const SimulatedKernel& kernel) {
  const auto refuse = [&](cudaError_t error, const std::string& why, const std::string& correction = "") {
    drop_launch(pending, kernel.name.c_str(), error, why, correction);
    return true;
  };
  const Stream* const target = stream(pending.stream);
  if (!target)
    return refuse(
        cudaErrorInvalidResourceHandle, "its stream does not exist, or was destroyed",
        "cudaStreamCreate(&stream) before the launch, and cudaStreamDestroy(stream) after its last use");
  if (target->device != current_device())
    return refuse(
        cudaErrorInvalidResourceHandle,
        fmt::format(
            "its stream is of device {}, and device {} is current: cudaSetDevice({}) comes before the launch",
            target->device, current_device(), target->device));
  if (target->is_default && invalidate_capture_of_default_stream())
    return refuse(cudaErrorStreamCaptureImplicit,
                  "it uses the default stream while a stream that waits for it is captured");
  const LaunchConfig& config = pending.config;
  if (const std::size_t threads = config.block.volume(), max_threads = kernel.max_threads;
      max_threads < max_threads_per_block && threads > max_threads)
    return refuse(cudaErrorInvalidValue,
                  fmt::format("the kernel's __launch_bounds__ allow {} threads in a block, not {}",
                              grouped(max_threads), grouped(threads)),
                  "at most " + grouped(max_threads) +
                      " threads in a block, or in __launch_bounds__ a larger number, up to 1 024");
  if (const std::size_t bytes = kernel.shared.static_bytes; bytes > max_static_shared_bytes(*this))
    return refuse(cudaErrorInvalidValue,
                  fmt::format("the kernel has {} bytes of static shared memory, and a block has at most {}",
                              grouped(bytes), grouped(max_static_shared_bytes(*this))),
                  "smaller __shared__ arrays, since nvcc does not compile these");
  if (const auto broken =
          device::broken_launch_limit(config, kernel.shared.static_bytes, max_shared_bytes_per_block))
    return refuse(broken->is_of_shared_memory ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration,
                  broken->text,
                  config.block.volume() > max_threads_per_block
                      ? "at most " + grouped(max_threads_per_block) + " threads in a block, and more blocks" +
                            (config.grid.volume() <= max_threads_per_block && config.grid.volume() > 1
                                 ? ": are blocks and threads exchanged?"
                                 : "")
                  : config.grid.volume() == 0 && config.block.volume() > 0
                      ? fmt::format("at least one block: ({0} + {1}) / {2} rounds up, for {0} elements", "n",
                                    config.block.x - 1, config.block.x)
                  : broken->is_of_shared_memory ? "less shared memory"
                  : config.block.z > 64 ? "at most 64 threads in z, and more in x or y, or more blocks"
                  : std::max(config.grid.y, config.grid.z) > 65535
                      ? "at most 65 535 blocks in y and in z; x has room for more"
                      : "");
  if (config.dynamic_shared_bytes > max_dynamic_shared_bytes(kernel))
    return refuse(
        cudaErrorInvalidValue,
        fmt::format(
            "{} bytes of dynamic shared memory are more than the {} that a kernel may use without cudaFuncSetAttribute",
            grouped(config.dynamic_shared_bytes), grouped(max_dynamic_shared_bytes(kernel))),
        fmt::format(
            "cudaFuncSetAttribute({}, cudaFuncAttributeMaxDynamicSharedMemorySize, {}) before the launch",
            name, config.dynamic_shared_bytes));
  const std::size_t max_blocks = resident_blocks(static_cast<int>(config.block.volume()),
                                                 kernel.shared.static_bytes + config.dynamic_shared_bytes);
  if (config.cooperative && config.grid.volume() > max_blocks)
    return refuse(
        cudaErrorCooperativeLaunchTooLarge,
        fmt::format(
            "all blocks of a cooperative launch run at once, and the device holds {} of this size, not {}",
            grouped(max_blocks), grouped(config.grid.volume())));
  return false;
}

cudaError_t Runtime::launch_address(void* kernel, void** arguments) {
  if (const auto noted = kernel_calls_.find(kernel); noted != kernel_calls_.end()) {
    noted->second(kernel, arguments);
  } else {
    drop_launch(
        configured_launches.back(), "a kernel by its address", cudaErrorInvalidDeviceFunction,
        "gpulab finds a kernel by its address only if the kernel's own file casts it, as (void*)kernel; a GPU finds others, too");
    configured_launches.pop_back();
  }
  return take_launch_error();
}

void Runtime::launch(const char* name, const void* body, std::size_t bytes, HostCall call,
                     std::uintptr_t pc) {
  error_of_last_launch = sticky_;
  if (configured_launches.empty()) {
    ++launches_;
    // The innermost frame is that of the kernel, so the call is in its caller.
    const Site inside = site_in_program(0), call_site{inside.callers[0] ? inside.callers[0] : inside.pc};
    return report_called_kernel(name, call_site);
  }
  const PendingLaunch pending = configured_launches.back();
  configured_launches.pop_back();
  ++launches_;
  if (sticky_ != cudaSuccess) {
    if (dropped_launches_++ == 0) first_dropped_ = pending.site;
    return;
  }
  SimulatedKernel& kernel = *kernel_at(pc, name);
  if (report_refusal(pending, name, kernel)) return;
  Stream& target = *stream(pending.stream);
  void* argument = const_cast<void*>(body);
  Launched launched = prepare_launch(pending, kernel, pc, {static_cast<const std::byte*>(body), bytes}, call);
  look_for_variable_names(name, launched.words, pending.site);
  keep_sent(body, bytes);
  launched_since_clock_ = pending.site;
  timeline_.add_call(std::string(name) + "<<<>>>", pending.site);
  forget_injected_failure();
  if (has_to_fail()) error_of_last_launch = fail(cudaErrorInvalidConfiguration, "", pending.site, "");
  for (const std::uintptr_t word : launched.words)
    if (allocations_.at(word)) note_address(pending.site.pc, target.number, word);
  begin_node(target, cudaGraphNodeTypeKernel);
  launches_ -= target.captured ? 1 : 0;  // its graph counts it
  if (!target.captured) waiting_launches_[timeline_.calls()] = pending.site;
  put(target, pending.site,
      [this, launched, index = target.device, number = timeline_.calls()](const simulator::StreamOp&) {
        waiting_launches_.erase(number);
        begin_launch(launched, index);
      });
  launched.step = timeline_.add_work(
      {TimelineEntry::Kind::kernel, name, target.number, bytes_moved_by(pending.config)}, pending.site);
  device(target.device).launch(kernel, pending.config, &argument, *target.queue);
  put(target, pending.site, [this, launched, index = target.device](const simulator::StreamOp& op) {
    end_launch(launched, op, index, /*depth=*/0);
  });
}

void Runtime::report_called_kernel(const std::string& name, Site site) {
  add({.pattern = "kernel-called",
       .place = place_of(site),
       .text = "the kernel " + name + " is called like a function",
       .correction = name + "<<<blocks, threads>>>(...)"});
}

// Prepares the kernel for a launch, which keeps a copy of these arguments.
Runtime::Launched Runtime::prepare_launch(const PendingLaunch& pending, SimulatedKernel& kernel,
                                          std::uintptr_t pc, std::span<const std::byte> arguments,
                                          HostCall call) const {
  kernel.call = call;
  kernel.argument_sizes = {arguments.size()};
  // The arguments are the members of a closure, which is aligned for them.
  const auto* const first_word = reinterpret_cast<const std::uintptr_t*>(arguments.data());
  const std::size_t words = is_watching() ? arguments.size() / sizeof(std::uintptr_t) : 0;
  return {.kernel = kernel.name,
          .symbol = module_->function_at(pc)->symbol,
          .site = pending.site,
          .config = pending.config,
          .static_shared_bytes = kernel.shared.static_bytes,
          .words = {first_word, first_word + words},
          .calls_before = calls_};
}

void Runtime::begin_launch(const Launched& launched, int device_index) {
  use_variables_of(device_index);
  textures_.note_launch(launched.kernel, launched.site, launched.words);
  running_kernel_ = launched.kernel;
  running_site_ = launched.site;
  calls_before_running_kernel_ = launched.calls_before;
  running_words_ = launched.words;
  running_blocks_ = launched.config.grid.volume();
  keep_host_accessible(LaunchPhase::before, launched.words);
}

// Ends a launch that the device has run, and runs the child launches of its kernel. So work that waits for
// the kernel also waits for its children.
void Runtime::end_launch(const Launched& launched, const simulator::StreamOp& op, int device_index,
                         int depth) {
  std::vector<simulator::schedule::ChildLaunch> children = std::exchange(machine_->children, {});
  running_kernel_.clear();
  keep_host_accessible(LaunchPhase::after, launched.words);
  const auto failure = std::exchange(machine_->block_failure, std::nullopt);
  if (is_watching() && !failure && children.empty()) look_for_unreached_elements(launched);
  const bool is_explained = collect_findings(launched.kernel, launched.site);
  if (failure) {
    if (!is_explained) add_failure(failure->failure, failure->explanation, launched.kernel, launched.site);
    mark_all_written();  // since the rest of the launch did not run
  } else if (is_watching()) {
    look_for_partial_writes(launched);
    look_for_idle_threads(launched);
    look_for_undefined_results(launched);
    look_for_unset_constants(launched);
  }
  if (watch_ == ProgramWatch::accesses) count_launch(launched);
  const auto is_tail = [](const auto& child) { return child.stream == address_of(cudaStreamTailLaunch); };
  std::ranges::stable_partition(children, [&](const auto& child) { return !is_tail(child); });
  for (const simulator::schedule::ChildLaunch& child : children)
    run_child(child, op, device_index, depth + 1);
}

void Runtime::run_child(const simulator::schedule::ChildLaunch& child, const simulator::StreamOp& op,
                        int device_index, int depth) {
  constexpr int max_depth = 24;  // as on GPUs
  if (!child.call) return;       // it was configured, but its kernel was never called
  ++launches_;
  const PendingLaunch pending{child.config, nullptr, {child.issued_at}};
  SimulatedKernel& kernel = *kernel_at(child.pc, child.kernel.c_str());
  if (depth > max_depth)
    return drop_launch(pending, kernel.name.c_str(), cudaErrorLaunchMaxDepthExceeded,
                       "kernels launch kernels at most " + std::to_string(max_depth) + " deep");
  if (report_refusal(pending, child.kernel.c_str(), kernel)) return;
  const Launched launched = prepare_launch(pending, kernel, child.pc, child.arguments, child.call);
  void* argument = const_cast<std::byte*>(child.arguments.data());
  const auto queued = simulator::queued_launch(kernel, child.config, &argument);
  queued->launch.device = device_index;
  begin_launch(launched, device_index);
  machine_->run(*queued, op);
  end_launch(launched, op, device_index, depth);
}

cudaError_t Runtime::take_launch_error() {
  return std::exchange(error_of_last_launch, cudaSuccess);
}

// Adds the accesses of a launch and, from them, its predicted time. A template's instantiations are separate.
void Runtime::count_launch(const Launched& launched) {
  const auto& [name, symbol, site, config, static_shared_bytes, words, calls_before, step] = launched;
  const std::string kernel = device::kernel_name(symbol);
  KernelCounts& counts = counts_[kernel];
  counts.kernel = kernel;
  ++counts.launches;
  AccessCounts accesses = devices_.front()->instruments()->take_access_counts();
  if (prediction_) {
    const Estimate estimate =
        prediction_->of(kernel, symbol, config, static_shared_bytes + config.dynamic_shared_bytes, accesses);
    if (estimate.why_not.empty() && step) timeline_.predict(*step, estimate.seconds);
    auto known = std::ranges::find(counts.predicted, config, &PredictedLaunches::config);
    if (known == counts.predicted.end())
      known = counts.predicted.insert(known, {.config = config,
                                              .limiter = estimate.bounds.front().limiter,
                                              .is_guessed = !estimate.launches.front().work.has_instructions,
                                              .why_not = estimate.why_not});
    if (known->why_not.empty()) known->why_not = estimate.why_not;
    ++known->launches;
    known->seconds += estimate.seconds;
    known->low_s += estimate.low_s;
    known->high_s += estimate.high_s;
  }
  accesses.sample = {};
  counts.counts.add(std::move(accesses));
}

}  // namespace gpulab::program::runtime
