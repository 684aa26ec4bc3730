#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "device/host.hpp"
#include "lesson/launch.hpp"
#include "program/process.hpp"
#include "program/runtime/call.hpp"

// Functions of the runtime API for devices, and the properties of the simulated device, which are those of a
// small GPU and the same on every machine.

namespace gpulab::program::runtime {
namespace {

// As on an A100, except for the number of multiprocessors.
struct Multiprocessors {
  int count = 8, threads = 2048, blocks = 32, shared_bytes = 164 * 1024;  // all but the first of each
};
constexpr int registers = 65536, reserved_shared_bytes = 1024;
constexpr int clock_kilohertz = 1'410'000, memory_kilohertz = 1'215'000, bus_bits = 5120, l2_bytes = 40 << 20;

// Returns the multiprocessors by which a program chooses its grids.
Multiprocessors seen_multiprocessors() {
  const estimate::Gpu* const gpu = Runtime::instance().seen_gpu();
  if (!gpu) return {};
  return {.count = static_cast<int>(gpu->multiprocessors),
          .threads = 32 * static_cast<int>(gpu->max_warps),
          .blocks = static_cast<int>(gpu->max_blocks),
          .shared_bytes = static_cast<int>(gpu->shared_bytes)};
}

// Sets the limits of compute capability 8.0.
void set_texture_limits(cudaDeviceProp& properties) {
  const auto set = [](auto& limits, std::initializer_list<int> values) {
    std::copy(values.begin(), values.end(), limits);
  };
  constexpr int side = 32768, box = 16384, layers = 2048;
  properties.textureAlignment = properties.surfaceAlignment = 512;
  properties.texturePitchAlignment = 32;
  properties.maxTexture1D = 131072;
  properties.maxTexture1DLinear = 1 << 28;
  properties.maxTextureCubemap = properties.maxSurface1D = properties.maxSurfaceCubemap = side;
  set(properties.maxTexture2D, {131072, 65536});
  set(properties.maxSurface2D, {131072, 65536});
  set(properties.maxTexture2DLinear, {131072, 65000, 2097120});
  set(properties.maxTexture2DGather, {side, side});
  set(properties.maxTexture3D, {box, box, box});
  set(properties.maxSurface3D, {box, box, box});
  set(properties.maxTexture1DLayered, {side, layers});
  set(properties.maxSurface1DLayered, {side, layers});
  set(properties.maxTexture2DLayered, {side, side, layers});
  set(properties.maxSurface2DLayered, {side, side, layers});
  set(properties.maxTextureCubemapLayered, {side, layers - 2});
  set(properties.maxSurfaceCubemapLayered, {side, layers - 2});
}

cudaDeviceProp properties_of(device::Device& device, int index) {
  const DeviceProperties& known = device.properties();
  const Multiprocessors multiprocessors = seen_multiprocessors();
  cudaDeviceProp properties{};
  std::snprintf(properties.name, sizeof properties.name, "gpulab, simulated on the CPU");
  properties.totalGlobalMem = known.memory_bytes;
  properties.sharedMemPerBlock = max_static_shared_bytes(Runtime::instance());
  properties.sharedMemPerBlockOptin = max_shared_bytes_per_block;
  properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(multiprocessors.shared_bytes);
  properties.reservedSharedMemPerBlock = reserved_shared_bytes;
  properties.regsPerBlock = properties.regsPerMultiprocessor = registers;
  properties.warpSize = static_cast<int>(known.warp_size);
  properties.memPitch = 2147483647;
  properties.maxThreadsPerBlock = max_threads_per_block;
  properties.maxThreadsPerMultiProcessor = multiprocessors.threads;
  properties.maxBlocksPerMultiProcessor = multiprocessors.blocks;
  const Extent block = device::max_block, grid = device::max_grid;
  const int dimensions[] = {int(block.x), int(block.y), int(block.z)};
  std::copy(dimensions, dimensions + 3, properties.maxThreadsDim);
  const int blocks[] = {int(grid.x), int(grid.y), int(grid.z)};
  std::copy(blocks, blocks + 3, properties.maxGridSize);
  properties.clockRate = clock_kilohertz;
  properties.memoryClockRate = memory_kilohertz;
  properties.memoryBusWidth = bus_bits;
  properties.l2CacheSize = l2_bytes;
  properties.totalConstMem = device::max_constant_bytes;
  properties.major = 8;
  set_texture_limits(properties);
  properties.multiProcessorCount = multiprocessors.count;
  properties.deviceOverlap = properties.canMapHostMemory = properties.concurrentKernels =
      properties.unifiedAddressing = properties.cooperativeLaunch = 1;
  properties.asyncEngineCount = 2;
  properties.managedMemory = properties.concurrentManagedAccess = properties.streamPrioritiesSupported =
      properties.memoryPoolsSupported = 1;
  properties.globalL1CacheSupported = properties.localL1CacheSupported = properties.hostRegisterSupported = 1;
  properties.canUseHostPointerForRegisteredMem = properties.computePreemptionSupported = 1;
  properties.singleToDoublePrecisionPerfRatio = 2;
  properties.pciBusID = index + 1;
  return properties;
}

// Returns an attribute from its field of the properties, 0 without one. CUDA has the attribute if `is_known`.
int attribute_of(const cudaDeviceProp& properties, cudaDeviceAttr attribute, bool& is_known) {
  const std::map<int, long long> values{
      {cudaDevAttrMaxThreadsPerBlock, properties.maxThreadsPerBlock},
      {cudaDevAttrMaxBlockDimX, properties.maxThreadsDim[0]},
      {cudaDevAttrMaxBlockDimY, properties.maxThreadsDim[1]},
      {cudaDevAttrMaxBlockDimZ, properties.maxThreadsDim[2]},
      {cudaDevAttrMaxGridDimX, properties.maxGridSize[0]},
      {cudaDevAttrMaxGridDimY, properties.maxGridSize[1]},
      {cudaDevAttrMaxGridDimZ, properties.maxGridSize[2]},
      {cudaDevAttrMaxSharedMemoryPerBlock, properties.sharedMemPerBlock},
      {cudaDevAttrTotalConstantMemory, properties.totalConstMem},
      {cudaDevAttrWarpSize, properties.warpSize},
      {cudaDevAttrMaxPitch, properties.memPitch},
      {cudaDevAttrMaxRegistersPerBlock, properties.regsPerBlock},
      {cudaDevAttrClockRate, properties.clockRate},
      {cudaDevAttrTextureAlignment, properties.textureAlignment},
      {cudaDevAttrGpuOverlap, properties.deviceOverlap},
      {cudaDevAttrMultiProcessorCount, properties.multiProcessorCount},
      {cudaDevAttrCanMapHostMemory, properties.canMapHostMemory},
      {cudaDevAttrConcurrentKernels, properties.concurrentKernels},
      {cudaDevAttrPciBusId, properties.pciBusID},
      {cudaDevAttrMemoryClockRate, properties.memoryClockRate},
      {cudaDevAttrGlobalMemoryBusWidth, properties.memoryBusWidth},
      {cudaDevAttrL2CacheSize, properties.l2CacheSize},
      {cudaDevAttrMaxThreadsPerMultiProcessor, properties.maxThreadsPerMultiProcessor},
      {cudaDevAttrAsyncEngineCount, properties.asyncEngineCount},
      {cudaDevAttrUnifiedAddressing, properties.unifiedAddressing},
      {cudaDevAttrComputeCapabilityMajor, properties.major},
      {cudaDevAttrComputeCapabilityMinor, properties.minor},
      {cudaDevAttrStreamPrioritiesSupported, properties.streamPrioritiesSupported},
      {cudaDevAttrGlobalL1CacheSupported, properties.globalL1CacheSupported},
      {cudaDevAttrLocalL1CacheSupported, properties.localL1CacheSupported},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, properties.sharedMemPerMultiprocessor},
      {cudaDevAttrMaxRegistersPerMultiprocessor, properties.regsPerMultiprocessor},
      {cudaDevAttrManagedMemory, properties.managedMemory},
      {cudaDevAttrSingleToDoublePrecisionPerfRatio, properties.singleToDoublePrecisionPerfRatio},
      {cudaDevAttrConcurrentManagedAccess, properties.concurrentManagedAccess},
      {cudaDevAttrComputePreemptionSupported, properties.computePreemptionSupported},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, properties.canUseHostPointerForRegisteredMem},
      {cudaDevAttrCooperativeLaunch, properties.cooperativeLaunch},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, properties.sharedMemPerBlockOptin},
      {cudaDevAttrHostRegisterSupported, properties.hostRegisterSupported},
      {cudaDevAttrMaxBlocksPerMultiprocessor, properties.maxBlocksPerMultiProcessor},
      {cudaDevAttrReservedSharedMemoryPerBlock, properties.reservedSharedMemPerBlock},
      {cudaDevAttrMemoryPoolsSupported, properties.memoryPoolsSupported}};
  const auto found = values.find(attribute);
  constexpr int last_attribute = cudaDevAttrClusterLaunch;
  is_known = attribute > 0 && attribute <= last_attribute;
  return found == values.end() ? 0 : static_cast<int>(found->second);
}

cudaError_t no_such_device(const Call& call, int device) {
  const int count = call.runtime().device_count();
  return call.fail(cudaErrorInvalidDevice,
                   "there is no device " + std::to_string(device) + "; this machine has " +
                       std::to_string(count) + (count == 1 ? " device, number 0" : " devices, from 0 on") +
                       (device >= count && device < max_devices
                            ? fmt::format("; run with --gpus {} to have {}", device + 1, device + 1)
                            : ""));
}

}  // namespace

cudaError_t check_device(const Call& call, int device) {
  const bool exists = device >= 0 && device < call.runtime().device_count();
  return exists ? cudaSuccess : no_such_device(call, device);
}

namespace {

cudaError_t set_device(const Call& call, int device) {
  if (const cudaError_t error = check_device(call, device)) return error;
  call.runtime().set_device(device);
  return cudaSuccess;
}

cudaError_t give_properties(const Call& call, cudaDeviceProp* properties, int device) {
  if (const cudaError_t error = check_device(call, device)) return error;
  return give(properties, properties_of(call.runtime().device(device), device));
}

cudaError_t give_attribute(const Call& call, int* value, cudaDeviceAttr attribute, int device) {
  if (const cudaError_t error = check_device(call, device)) return error;
  bool is_known = false;
  *value = attribute_of(properties_of(call.runtime().device(device), device), attribute, is_known);
  return is_known ? cudaSuccess : call.fail(cudaErrorInvalidValue, "there is no such attribute");
}

cudaError_t give_bus_id(const Call& call, char* text, int length, int device) {
  if (const cudaError_t error = check_device(call, device)) return error;
  std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0", device + 1);
  return cudaSuccess;
}

cudaError_t give_peer_access(const Call& call, int* can, int device, int peer) {
  if (const cudaError_t error = check_device(call, device)) return error;
  if (const cudaError_t error = check_device(call, peer)) return error;
  return give(can, device != peer);
}

cudaError_t set_peer_access(const Call& call, int peer, bool is_enabled) {
  if (const cudaError_t error = check_device(call, peer)) return error;
  const int device = call.runtime().current_device();
  const std::string peers = fmt::format("peer access of device {} to {}", device, peer);
  if (peer == device)
    return call.fail(cudaErrorPeerAccessUnsupported,
                     "device " + std::to_string(peer) + " is the current one, which is not a peer of itself");
  simulator::Machine& machine = call.runtime().machine();
  if (machine.can_access(device, peer) == is_enabled)
    return is_enabled ? call.fail(cudaErrorPeerAccessAlreadyEnabled, peers + " is enabled already")
                      : call.fail(cudaErrorPeerAccessNotEnabled, peers + " is not enabled");
  if (is_enabled)
    machine.enable_peer_access(device, peer);
  else
    machine.disable_peer_access(device, peer);
  return cudaSuccess;
}

std::map<int, std::size_t>& limits() {
  static std::map<int, std::size_t>& all =
      *new std::map<int, std::size_t>{{cudaLimitStackSize, 1024},
                                      {cudaLimitPrintfFifoSize, std::size_t{1} << 20},
                                      {cudaLimitMallocHeapSize, std::size_t{8} << 20},
                                      {cudaLimitDevRuntimeSyncDepth, 2},
                                      {cudaLimitDevRuntimePendingLaunchCount, 2048},
                                      {cudaLimitMaxL2FetchGranularity, 64},
                                      {cudaLimitPersistingL2CacheSize, 0}};
  return all;
}

cudaError_t no_such_limit(const Call& call) {
  return call.fail(cudaErrorUnsupportedLimit, "there is no such limit");
}

cudaError_t set_limit(const Call& call, cudaLimit limit, std::size_t value) {
  if (!limits().contains(limit)) return no_such_limit(call);
  limits()[limit] = value;
  return cudaSuccess;
}

cudaError_t give_limit(const Call& call, std::size_t* value, cudaLimit limit) {
  return limits().contains(limit) ? give(value, limits()[limit]) : no_such_limit(call);
}

cudaError_t give_priorities(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return cudaSuccess;
}

cudaError_t synchronize(const Call& call) {
  return call.runtime().synchronize_all(call.runtime().current_device());
}

// Resets the device, even after a sticky error.
cudaError_t reset(const Call& call) {
  call.runtime().reset_device();
  return cudaSuccess;
}

}  // namespace

int resident_blocks_per_multiprocessor(int block_size, std::size_t shared_bytes) {
  if (block_size <= 0) return 0;
  const Multiprocessors multiprocessors = seen_multiprocessors();
  const int warps = (block_size + 31) / 32;
  int blocks = std::min(multiprocessors.blocks, multiprocessors.threads / (warps * 32));
  if (shared_bytes > 0)
    blocks = std::min(blocks, static_cast<int>(static_cast<std::size_t>(multiprocessors.shared_bytes) /
                                               (shared_bytes + reserved_shared_bytes)));
  return blocks;
}

std::size_t resident_blocks(int block_size, std::size_t shared_bytes) {
  return static_cast<std::size_t>(seen_multiprocessors().count *
                                  resident_blocks_per_multiprocessor(block_size, shared_bytes));
}

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

GPULAB_ENTRY(cudaGetDeviceCount, (int* count), give(count, call.runtime().device_count()))
GPULAB_ENTRY(cudaGetDevice, (int* device), give(device, call.runtime().current_device()))
GPULAB_ENTRY(cudaSetDevice, (int device), set_device(call, device))
GPULAB_ENTRY(cudaInitDevice, (int device, unsigned, unsigned), check_device(call, device))
GPULAB_ENTRY(cudaChooseDevice, (int* device, const cudaDeviceProp*), give(device, 0))
GPULAB_ENTRY(cudaGetDeviceProperties, (cudaDeviceProp * properties, int device),
             give_properties(call, properties, device))
GPULAB_ENTRY(cudaDeviceGetAttribute, (int* value, cudaDeviceAttr attribute, int device),
             give_attribute(call, value, attribute, device))
GPULAB_ENTRY(cudaDeviceGetPCIBusId, (char* text, int length, int device),
             give_bus_id(call, text, length, device))
GPULAB_ENTRY(cudaDeviceSynchronize, (), synchronize(call))
GPULAB_ENTRY(cudaThreadSynchronize, (), synchronize(call))
GPULAB_ENTRY(cudaSetDeviceFlags, (unsigned), cudaSuccess)
GPULAB_ENTRY(cudaGetDeviceFlags, (unsigned* flags), give(flags, cudaDeviceMapHost))
GPULAB_ENTRY(cudaDeviceSetLimit, (cudaLimit limit, size_t value), set_limit(call, limit, value))
GPULAB_ENTRY(cudaDeviceGetLimit, (size_t * value, cudaLimit limit), give_limit(call, value, limit))
GPULAB_ENTRY(cudaDeviceSetCacheConfig, (cudaFuncCache), cudaSuccess)
GPULAB_ENTRY(cudaDeviceGetCacheConfig, (cudaFuncCache * config), give(config, cudaFuncCachePreferNone))
GPULAB_ENTRY(cudaDeviceSetSharedMemConfig, (cudaSharedMemConfig), cudaSuccess)
GPULAB_ENTRY(cudaDeviceGetSharedMemConfig, (cudaSharedMemConfig * config),
             give(config, cudaSharedMemBankSizeFourByte))
GPULAB_ENTRY(cudaDeviceGetStreamPriorityRange, (int* least, int* greatest), give_priorities(least, greatest))
GPULAB_ENTRY(cudaDeviceCanAccessPeer, (int* can, int device, int peer),
             give_peer_access(call, can, device, peer))
GPULAB_ENTRY(cudaDeviceEnablePeerAccess, (int peer, unsigned),
             set_peer_access(call, peer, /*is_enabled=*/true))
GPULAB_ENTRY(cudaDeviceDisablePeerAccess, (int peer), set_peer_access(call, peer, /*is_enabled=*/false))
GPULAB_ENTRY(cudaDriverGetVersion, (int* version), give(version, CUDART_VERSION))
GPULAB_ENTRY(cudaRuntimeGetVersion, (int* version), give(version, CUDART_VERSION))
GPULAB_ENTRY(cudaProfilerStart, (), cudaSuccess)
GPULAB_ENTRY(cudaProfilerStop, (), cudaSuccess)

cudaError_t cudaDeviceReset() {
  return reset(Call("cudaDeviceReset", __builtin_return_address(0)));
}

cudaError_t cudaThreadExit() {
  return reset(Call("cudaThreadExit", __builtin_return_address(0)));
}
