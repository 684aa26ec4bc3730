#include <string>

#include "program/runtime/call.hpp"
#include "program/runtime/runtime.hpp"
#include "simulator/schedule/hooks.hpp"

namespace gpulab::program::runtime {

// Launches, and functions of the runtime API for kernels.

namespace {

Extent extent_of(const unsigned* dimensions) {
  return {dimensions[0], dimensions[1], dimensions[2]};
}

cudaError_t no_kernel(const Call& call) {
  return call.fail(cudaErrorInvalidDeviceFunction, "that is not a kernel of this program");
}

SimulatedKernel* kernel_at(const Call& call, const void* kernel) {
  return call.runtime().kernel_at(address_of(kernel));
}

cudaError_t give_attributes(const Call& call, cudaFuncAttributes* attributes, const void* kernel) {
  const auto* const found = kernel_at(call, kernel);
  if (!found) return no_kernel(call);
  *attributes = {};
  attributes->sharedSizeBytes = found->shared.static_bytes;
  attributes->constSizeBytes = found->constant_bytes;
  attributes->maxThreadsPerBlock = static_cast<int>(found->max_threads);
  attributes->numRegs = 32;
  attributes->ptxVersion = attributes->binaryVersion = 80;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(call.runtime().max_dynamic_shared_bytes(*found));
  return cudaSuccess;
}

cudaError_t set_attribute(const Call& call, const void* kernel, cudaFuncAttribute attribute, int value) {
  const auto* const found = kernel_at(call, kernel);
  if (!found) return no_kernel(call);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || static_cast<std::size_t>(value) + found->shared.static_bytes > max_shared_bytes_per_block)
    return call.fail(cudaErrorInvalidValue,
                     std::to_string(value) + " bytes of shared memory are more than a block can have");
  call.runtime().allow_dynamic_shared(*found, static_cast<std::size_t>(value));
  return cudaSuccess;
}

cudaError_t give_resident_blocks(const Call& call, int* blocks, const void* kernel, int block_size,
                                 std::size_t dynamic_shared_bytes) {
  const auto* const found = kernel_at(call, kernel);
  if (!found) return no_kernel(call);
  return give(blocks, resident_blocks_per_multiprocessor(block_size,
                                                         found->shared.static_bytes + dynamic_shared_bytes));
}

}  // namespace

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

void gpulab_configure_launch(const unsigned* grid, const unsigned* block, size_t dynamic_shared_bytes,
                             cudaStream_t stream, int is_cooperative) {
  const gpulab::LaunchConfig config{.grid = extent_of(grid),
                                    .block = extent_of(block),
                                    .dynamic_shared_bytes = dynamic_shared_bytes,
                                    .cooperative = is_cooperative != 0};
  if (auto* const scheduler = gpulab::simulator::schedule::scheduler_of_this_thread())
    return scheduler->configure_child(config, address_of(stream), address_of(__builtin_return_address(0)));
  const Call call;
  call.runtime().configure({config, stream, site_of_call(__builtin_return_address(0))});
}

void gpulab_launch(const char* kernel, const void* body, size_t bytes, void (*run)(void*, void* const*)) {
  const auto pc = address_of(__builtin_return_address(0));
  if (auto* const scheduler = gpulab::simulator::schedule::scheduler_of_this_thread()) {
    if (!scheduler->launch_child(kernel, {static_cast<const std::byte*>(body), bytes}, run, pc))
      scheduler->fail({"CUDA_ERROR_LAUNCH_FAILED",
                       std::string("the kernel ") + kernel + " is called like a function in a kernel"});
    return;
  }
  const Call call;
  call.runtime().launch(kernel, body, bytes, run, pc);
}

void gpulab_note_kernel(void* kernel, void (*call_kernel)(void*, void**)) {
  Call().runtime().note_kernel(kernel, call_kernel);
}

cudaError_t gpulab_launch_address(const void* kernel, void** arguments) {
  return Call().runtime().launch_address(const_cast<void*>(kernel), arguments);
}

cudaError_t gpulab_end_of_launch() {
  return Call().runtime().take_launch_error();
}

GPULAB_ENTRY_NAMED(gpulab_function_attributes, cudaFuncGetAttributes,
                   (cudaFuncAttributes * attributes, const void* kernel),
                   give_attributes(call, attributes, kernel))
GPULAB_ENTRY_NAMED(gpulab_set_function_attribute, cudaFuncSetAttribute,
                   (const void* kernel, cudaFuncAttribute attribute, int value),
                   set_attribute(call, kernel, attribute, value))
GPULAB_ENTRY_NAMED(gpulab_use_function, cudaFuncSetCacheConfig, (const void* kernel),
                   kernel_at(call, kernel) ? cudaSuccess : no_kernel(call))
GPULAB_ENTRY_NAMED(gpulab_active_blocks, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
                   (int* blocks, const void* kernel, int block_size, size_t dynamic_shared_bytes),
                   give_resident_blocks(call, blocks, kernel, block_size, dynamic_shared_bytes))
