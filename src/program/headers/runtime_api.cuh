// The CUDA runtime API as a program sees it: types and functions, with CUDA's names and numbers. A program's prelude
// and the code that runs it (program/runtime) both include this text, so that they agree. Functions have other names in
// object files, since GPU libraries that gpulab opens define CUDA's.
#define GPULAB_CALL(name, parameters) cudaError_t name parameters __asm__("gpulab_" #name)

// Errors: number, text, and the driver API's name for those that kernels end with.
#define GPULAB_ERRORS(ERROR) \
  ERROR(cudaSuccess, 0, "no error", "CUDA_SUCCESS") \
  ERROR(cudaErrorInvalidValue, 1, "invalid argument", "CUDA_ERROR_INVALID_VALUE") \
  ERROR(cudaErrorMemoryAllocation, 2, "out of memory", "CUDA_ERROR_OUT_OF_MEMORY") \
  ERROR(cudaErrorInitializationError, 3, "initialization error", "CUDA_ERROR_NOT_INITIALIZED") \
  ERROR(cudaErrorCudartUnloading, 4, "driver shutting down", "CUDA_ERROR_DEINITIALIZED") \
  ERROR(cudaErrorInvalidConfiguration, 9, "invalid configuration argument", "") \
  ERROR(cudaErrorInvalidPitchValue, 12, "invalid pitch argument", "") \
  ERROR(cudaErrorInvalidSymbol, 13, "invalid device symbol", "") \
  ERROR(cudaErrorInvalidHostPointer, 16, "invalid host pointer", "") \
  ERROR(cudaErrorInvalidDevicePointer, 17, "invalid device pointer", "") \
  ERROR(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor", "") \
  ERROR(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy", "") \
  ERROR(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version", "") \
  ERROR(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured", "") \
  ERROR(cudaErrorPriorLaunchFailure, 53, "unspecified launch failure in prior launch", "") \
  ERROR(cudaErrorLaunchMaxDepthExceeded, 65, "launch would exceed maximum depth of nested launches", "") \
  ERROR(cudaErrorInvalidDeviceFunction, 98, "invalid device function", "") \
  ERROR(cudaErrorNoDevice, 100, "no CUDA-capable device is detected", "CUDA_ERROR_NO_DEVICE") \
  ERROR(cudaErrorInvalidDevice, 101, "invalid device ordinal", "CUDA_ERROR_INVALID_DEVICE") \
  ERROR(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid", "CUDA_ERROR_INVALID_IMAGE") \
  ERROR(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device", "") \
  ERROR(cudaErrorUnsupportedLimit, 215, "limit is not supported on this architecture", "") \
  ERROR(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices", \
        "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED") \
  ERROR(cudaErrorInvalidResourceHandle, 400, "invalid resource handle", "CUDA_ERROR_INVALID_HANDLE") \
  ERROR(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state", "") \
  ERROR(cudaErrorSymbolNotFound, 500, "named symbol not found", "CUDA_ERROR_NOT_FOUND") \
  ERROR(cudaErrorNotReady, 600, "device not ready", "CUDA_ERROR_NOT_READY") \
  ERROR(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered", "CUDA_ERROR_ILLEGAL_ADDRESS") \
  ERROR(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch", \
        "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES") \
  ERROR(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated", "CUDA_ERROR_LAUNCH_TIMEOUT") \
  ERROR(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled", "") \
  ERROR(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled", "") \
  ERROR(cudaErrorSetOnActiveProcess, 708, "cannot set while device is active in this process", "") \
  ERROR(cudaErrorAssert, 710, "device-side assert triggered", "CUDA_ERROR_ASSERT") \
  ERROR(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped", \
        "") \
  ERROR(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region", "") \
  ERROR(cudaErrorMisalignedAddress, 716, "misaligned address", "CUDA_ERROR_MISALIGNED_ADDRESS") \
  ERROR(cudaErrorLaunchFailure, 719, "unspecified launch failure", "CUDA_ERROR_LAUNCH_FAILED") \
  ERROR(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch", "") \
  ERROR(cudaErrorNotPermitted, 800, "operation not permitted", "CUDA_ERROR_NOT_PERMITTED") \
  ERROR(cudaErrorNotSupported, 801, "operation not supported", "CUDA_ERROR_NOT_SUPPORTED") \
  ERROR(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing", "") \
  ERROR(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture", "") \
  ERROR(cudaErrorStreamCaptureMerge, 902, "operation would result in a merge of separate capture sequences", "") \
  ERROR(cudaErrorStreamCaptureUnmatched, 903, "capture was not ended in the same stream as it began", "") \
  ERROR(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work", "") \
  ERROR(cudaErrorStreamCaptureIsolation, 905, "dependency created on uncaptured work in another stream", "") \
  ERROR(cudaErrorStreamCaptureImplicit, 906, \
        "operation would make the legacy stream depend on a capturing blocking stream", "") \
  ERROR(cudaErrorCapturedEvent, 907, "operation not permitted on an event last recorded in a capturing stream", "") \
  ERROR(cudaErrorGraphExecUpdateFailure, 910, "the graph update was not performed because it included changes \
which violated constraints specific to instantiated graph update", "") \
  ERROR(cudaErrorUnknown, 999, "unknown error", "")
#define GPULAB_ERROR_NUMBER(name, number, text, driver_name) name = number,
#ifdef GPULAB_PROGRAM
enum [[nodiscard]] cudaError { GPULAB_ERRORS(GPULAB_ERROR_NUMBER) };  // so the compiler reports unused errors
#else
enum cudaError { GPULAB_ERRORS(GPULAB_ERROR_NUMBER) };
#endif
#undef GPULAB_ERROR_NUMBER
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};
enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3
};
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly = 2,
  cudaMemAdviseSetPreferredLocation = 3,
  cudaMemAdviseUnsetPreferredLocation = 4,
  cudaMemAdviseSetAccessedBy = 5,
  cudaMemAdviseUnsetAccessedBy = 6
};
enum cudaLimit {
  cudaLimitStackSize = 0,
  cudaLimitPrintfFifoSize = 1,
  cudaLimitMallocHeapSize = 2,
  cudaLimitDevRuntimeSyncDepth = 3,
  cudaLimitDevRuntimePendingLaunchCount = 4,
  cudaLimitMaxL2FetchGranularity = 5,
  cudaLimitPersistingL2CacheSize = 6
};
enum cudaFuncCache {
  cudaFuncCachePreferNone = 0,
  cudaFuncCachePreferShared = 1,
  cudaFuncCachePreferL1 = 2,
  cudaFuncCachePreferEqual = 3
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault = 0,
  cudaSharedMemBankSizeFourByte = 1,
  cudaSharedMemBankSizeEightByte = 2
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1,
  cudaSharedmemCarveoutMaxL1 = 0,
  cudaSharedmemCarveoutMaxShared = 100
};
enum cudaComputeMode {
  cudaComputeModeDefault = 0,
  cudaComputeModeExclusive = 1,
  cudaComputeModeProhibited = 2,
  cudaComputeModeExclusiveProcess = 3
};
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxBlockDimX = 2,
  cudaDevAttrMaxBlockDimY = 3,
  cudaDevAttrMaxBlockDimZ = 4,
  cudaDevAttrMaxGridDimX = 5,
  cudaDevAttrMaxGridDimY = 6,
  cudaDevAttrMaxGridDimZ = 7,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrTotalConstantMemory = 9,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMaxPitch = 11,
  cudaDevAttrMaxRegistersPerBlock = 12,
  cudaDevAttrClockRate = 13,
  cudaDevAttrTextureAlignment = 14,
  cudaDevAttrGpuOverlap = 15,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrKernelExecTimeout = 17,
  cudaDevAttrIntegrated = 18,
  cudaDevAttrCanMapHostMemory = 19,
  cudaDevAttrComputeMode = 20,
  cudaDevAttrConcurrentKernels = 31,
  cudaDevAttrEccEnabled = 32,
  cudaDevAttrPciBusId = 33,
  cudaDevAttrPciDeviceId = 34,
  cudaDevAttrTccDriver = 35,
  cudaDevAttrMemoryClockRate = 36,
  cudaDevAttrGlobalMemoryBusWidth = 37,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrAsyncEngineCount = 40,
  cudaDevAttrUnifiedAddressing = 41,
  cudaDevAttrPciDomainId = 50,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrStreamPrioritiesSupported = 78,
  cudaDevAttrGlobalL1CacheSupported = 79,
  cudaDevAttrLocalL1CacheSupported = 80,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxRegistersPerMultiprocessor = 82,
  cudaDevAttrManagedMemory = 83,
  cudaDevAttrIsMultiGpuBoard = 84,
  cudaDevAttrHostNativeAtomicSupported = 86,
  cudaDevAttrSingleToDoublePrecisionPerfRatio = 87,
  cudaDevAttrPageableMemoryAccess = 88,
  cudaDevAttrConcurrentManagedAccess = 89,
  cudaDevAttrComputePreemptionSupported = 90,
  cudaDevAttrCanUseHostPointerForRegisteredMem = 91,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrHostRegisterSupported = 99,
  cudaDevAttrPageableMemoryAccessUsesHostPageTables = 100,
  cudaDevAttrDirectManagedMemAccessFromHost = 101,
  cudaDevAttrMaxBlocksPerMultiprocessor = 106,
  cudaDevAttrMaxPersistingL2CacheSize = 108,
  cudaDevAttrMaxAccessPolicyWindowSize = 109,
  cudaDevAttrReservedSharedMemoryPerBlock = 111,
  cudaDevAttrMemoryPoolsSupported = 115,
  cudaDevAttrClusterLaunch = 120
};

#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaHostRegisterIoMemory 0x04
#define cudaHostRegisterReadOnly 0x08
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventInterprocess 0x04
#define cudaEventRecordDefault 0x00
#define cudaEventWaitDefault 0x00
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceBlockingSync 0x04
#define cudaDeviceMapHost 0x08
#define cudaDeviceLmemResizeToMax 0x10
#define cudaPeerAccessDefault 0x00
#define cudaOccupancyDefault 0x00
#define cudaOccupancyDisableCachingOverride 0x01
#define cudaCpuDeviceId ((int)-1)
#define cudaInvalidDeviceId ((int)-2)
#define CUDART_VERSION 12000
// Include guards, by which helper_cuda.h chooses its functions.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define CUDART_CB
#define CUDARTAPI

enum cudaMemLocationType {
  cudaMemLocationTypeInvalid = 0,
  cudaMemLocationTypeDevice = 1,
  cudaMemLocationTypeHost = 2,
  cudaMemLocationTypeHostNuma = 3,
  cudaMemLocationTypeHostNumaCurrent = 4
};
struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};
enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1,
  cudaMemPoolReuseAllowOpportunistic = 2,
  cudaMemPoolReuseAllowInternalDependencies = 3,
  cudaMemPoolAttrReleaseThreshold = 4,
  cudaMemPoolAttrReservedMemCurrent = 5,
  cudaMemPoolAttrReservedMemHigh = 6,
  cudaMemPoolAttrUsedMemCurrent = 7,
  cudaMemPoolAttrUsedMemHigh = 8
};
typedef struct gpulab_memory_pool* cudaMemPool_t;
typedef struct cudaArray* cudaArray_t;
typedef const struct cudaArray* cudaArray_const_t;
typedef struct gpulab_stream* cudaStream_t;
typedef struct gpulab_event* cudaEvent_t;
typedef struct gpulab_graph* cudaGraph_t;
typedef struct gpulab_graph_node* cudaGraphNode_t;
typedef struct gpulab_graph_exec* cudaGraphExec_t;
typedef void (*cudaHostFn_t)(void* data);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void* data);

struct cudaUUID_t {
  char bytes[16];
};
struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  int clockRate;  // kHz
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
  int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2];
  int maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap;
  int maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
  int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3];
  int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
  int unifiedAddressing;
  int memoryClockRate;  // kHz
  int memoryBusWidth;   // bits
  int l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported;
  int globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess;
  int computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
  int cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, memoryPoolsSupported, clusterLaunch;
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
  int preferredShmemCarveout;
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
};
struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPos {
  size_t x, y, z;
};
struct cudaPitchedPtr {
  void* ptr;
  size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2
};
enum cudaGraphNodeType {
  cudaGraphNodeTypeKernel = 0,
  cudaGraphNodeTypeMemcpy = 1,
  cudaGraphNodeTypeMemset = 2,
  cudaGraphNodeTypeHost = 3,
  cudaGraphNodeTypeGraph = 4,
  cudaGraphNodeTypeEmpty = 5
};
enum cudaGraphExecUpdateResult {
  cudaGraphExecUpdateSuccess = 0,
  cudaGraphExecUpdateError = 1,
  cudaGraphExecUpdateErrorTopologyChanged = 2
};
struct cudaGraphExecUpdateResultInfo {
  cudaGraphExecUpdateResult result;
  cudaGraphNode_t errorNode, errorFromNode;
};
struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void **kernelParams, **extra;
};
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};
struct cudaMemsetParams {
  void* dst;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height;
};

extern "C" {
// ---- Devices ----
GPULAB_CALL(cudaGetDeviceCount, (int* count));
GPULAB_CALL(cudaGetDevice, (int* device));
GPULAB_CALL(cudaSetDevice, (int device));
GPULAB_CALL(cudaChooseDevice, (int* device, const cudaDeviceProp* properties));
GPULAB_CALL(cudaGetDeviceProperties, (cudaDeviceProp* properties, int device));
GPULAB_CALL(cudaDeviceGetAttribute, (int* value, cudaDeviceAttr attribute, int device));
GPULAB_CALL(cudaDeviceGetPCIBusId, (char* text, int length, int device));
GPULAB_CALL(cudaDeviceSynchronize, ());
GPULAB_CALL(cudaThreadSynchronize, ());
GPULAB_CALL(cudaDeviceReset, ());
GPULAB_CALL(cudaThreadExit, ());
GPULAB_CALL(cudaInitDevice, (int device, unsigned device_flags, unsigned flags));
GPULAB_CALL(cudaSetDeviceFlags, (unsigned flags));
GPULAB_CALL(cudaGetDeviceFlags, (unsigned* flags));
GPULAB_CALL(cudaDeviceSetLimit, (cudaLimit limit, size_t value));
GPULAB_CALL(cudaDeviceGetLimit, (size_t* value, cudaLimit limit));
GPULAB_CALL(cudaDeviceSetCacheConfig, (cudaFuncCache config));
GPULAB_CALL(cudaDeviceGetCacheConfig, (cudaFuncCache* config));
GPULAB_CALL(cudaDeviceSetSharedMemConfig, (cudaSharedMemConfig config));
GPULAB_CALL(cudaDeviceGetSharedMemConfig, (cudaSharedMemConfig* config));
GPULAB_CALL(cudaDeviceGetStreamPriorityRange, (int* least, int* greatest));
GPULAB_CALL(cudaDeviceCanAccessPeer, (int* can, int device, int peer));
GPULAB_CALL(cudaDeviceEnablePeerAccess, (int peer, unsigned flags));
GPULAB_CALL(cudaDeviceDisablePeerAccess, (int peer));
GPULAB_CALL(cudaDriverGetVersion, (int* version));
GPULAB_CALL(cudaRuntimeGetVersion, (int* version));
GPULAB_CALL(cudaMemGetInfo, (size_t* free, size_t* total));
GPULAB_CALL(cudaProfilerStart, ());
GPULAB_CALL(cudaProfilerStop, ());

// ---- Errors ----
GPULAB_CALL(cudaGetLastError, ());
GPULAB_CALL(cudaPeekAtLastError, ());
const char* cudaGetErrorName(cudaError_t error) __asm__("gpulab_cudaGetErrorName");
const char* cudaGetErrorString(cudaError_t error) __asm__("gpulab_cudaGetErrorString");

// ---- Memory. element_bytes is the size of the type that the program's pointer points to; 0 for void. ----
GPULAB_CALL(gpulab_malloc_device, (void** memory, size_t bytes, size_t element_bytes));
GPULAB_CALL(gpulab_malloc_managed, (void** memory, size_t bytes, unsigned flags, size_t element_bytes));
GPULAB_CALL(gpulab_malloc_host, (void** memory, size_t bytes, unsigned flags, size_t element_bytes));
GPULAB_CALL(gpulab_host_alloc, (void** memory, size_t bytes, unsigned flags, size_t element_bytes));
GPULAB_CALL(cudaMallocPitch, (void** memory, size_t* pitch, size_t width, size_t height));
GPULAB_CALL(cudaMalloc3D, (cudaPitchedPtr * memory, cudaExtent extent));
GPULAB_CALL(cudaMallocAsync, (void** memory, size_t bytes, cudaStream_t stream));
GPULAB_CALL(cudaFree, (void* memory));
GPULAB_CALL(cudaFreeHost, (void* memory));
GPULAB_CALL(cudaFreeAsync, (void* memory, cudaStream_t stream));
GPULAB_CALL(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * pool, int device));
GPULAB_CALL(cudaDeviceGetMemPool, (cudaMemPool_t * pool, int device));
GPULAB_CALL(cudaMemPoolSetAttribute, (cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value));
GPULAB_CALL(cudaMemPoolGetAttribute, (cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value));
GPULAB_CALL(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t bytes));
GPULAB_CALL(cudaHostRegister, (void* memory, size_t bytes, unsigned flags));
GPULAB_CALL(cudaHostUnregister, (void* memory));
GPULAB_CALL(cudaHostGetDevicePointer, (void** device, void* host, unsigned flags));
GPULAB_CALL(cudaHostGetFlags, (unsigned* flags, void* host));
GPULAB_CALL(cudaPointerGetAttributes, (cudaPointerAttributes * attributes, const void* memory));
GPULAB_CALL(cudaMemcpy, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind));
GPULAB_CALL(cudaMemcpyAsync,
            (void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = 0));
GPULAB_CALL(cudaMemcpyPeer, (void* to, int to_device, const void* from, int from_device, size_t bytes));
GPULAB_CALL(cudaMemcpyPeerAsync, (void* to, int to_device, const void* from, int from_device, size_t bytes,
                                  cudaStream_t stream = 0));
GPULAB_CALL(cudaMemcpy2D, (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                           size_t height, cudaMemcpyKind kind));
GPULAB_CALL(cudaMemcpy2DAsync, (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                size_t height, cudaMemcpyKind kind, cudaStream_t stream = 0));
GPULAB_CALL(cudaMemcpy3D, (const cudaMemcpy3DParms* what));
GPULAB_CALL(cudaMemcpy3DAsync, (const cudaMemcpy3DParms* what, cudaStream_t stream = 0));
GPULAB_CALL(gpulab_copy_to_symbol, (const void* symbol, size_t symbol_bytes, const void* from, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, int is_asynchronous, cudaStream_t stream));
GPULAB_CALL(gpulab_copy_from_symbol, (void* to, const void* symbol, size_t symbol_bytes, size_t bytes,
                                      size_t offset, cudaMemcpyKind kind, int is_asynchronous, cudaStream_t stream));
GPULAB_CALL(gpulab_symbol_address, (void** address, const void* symbol));
GPULAB_CALL(gpulab_set, (void* to, int value, size_t bytes, int is_of_integers));
GPULAB_CALL(gpulab_set_async, (void* to, int value, size_t bytes, cudaStream_t stream, int is_of_integers));
GPULAB_CALL(cudaMemset2D, (void* to, size_t pitch, int value, size_t width, size_t height));
GPULAB_CALL(cudaMemset2DAsync,
            (void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream = 0));
GPULAB_CALL(cudaMemset3D, (cudaPitchedPtr to, int value, cudaExtent extent));
GPULAB_CALL(cudaMemPrefetchAsync, (const void* memory, size_t bytes, int device, cudaStream_t stream = 0));
GPULAB_CALL(cudaMemAdvise, (const void* memory, size_t bytes, cudaMemoryAdvise advice, int device));

// ---- Streams and events ----
GPULAB_CALL(cudaStreamCreate, (cudaStream_t * stream));
GPULAB_CALL(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags));
GPULAB_CALL(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority));
GPULAB_CALL(cudaStreamDestroy, (cudaStream_t stream));
GPULAB_CALL(cudaStreamSynchronize, (cudaStream_t stream));
GPULAB_CALL(cudaStreamQuery, (cudaStream_t stream));
GPULAB_CALL(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags = 0));
GPULAB_CALL(cudaStreamAddCallback,
            (cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags));
GPULAB_CALL(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void* data));
GPULAB_CALL(cudaStreamGetFlags, (cudaStream_t stream, unsigned* flags));
GPULAB_CALL(cudaStreamGetPriority, (cudaStream_t stream, int* priority));
GPULAB_CALL(cudaStreamAttachMemAsync,
            (cudaStream_t stream, void* memory, size_t bytes = 0, unsigned flags = cudaMemAttachSingle));
GPULAB_CALL(gpulab_create_event, (cudaEvent_t * event, unsigned flags));
GPULAB_CALL(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags));
GPULAB_CALL(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream = 0));
GPULAB_CALL(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream = 0, unsigned flags = 0));
GPULAB_CALL(cudaEventSynchronize, (cudaEvent_t event));
GPULAB_CALL(cudaEventQuery, (cudaEvent_t event));
GPULAB_CALL(cudaEventElapsedTime, (float* milliseconds, cudaEvent_t start, cudaEvent_t stop));
GPULAB_CALL(cudaEventDestroy, (cudaEvent_t event));

// ---- Graphs ----
GPULAB_CALL(cudaStreamBeginCapture, (cudaStream_t stream, cudaStreamCaptureMode mode));
GPULAB_CALL(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t* graph));
GPULAB_CALL(cudaStreamIsCapturing, (cudaStream_t stream, cudaStreamCaptureStatus* status));
GPULAB_CALL(cudaGraphCreate, (cudaGraph_t * graph, unsigned flags));
GPULAB_CALL(cudaGraphClone, (cudaGraph_t * made, cudaGraph_t graph));
GPULAB_CALL(cudaGraphDestroy, (cudaGraph_t graph));
GPULAB_CALL(cudaGraphAddKernelNode, (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     size_t count, const cudaKernelNodeParams* what));
GPULAB_CALL(cudaGraphAddMemcpyNode, (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     size_t count, const cudaMemcpy3DParms* what));
GPULAB_CALL(cudaGraphAddMemcpyNode1D,
            (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count, void* to,
             const void* from, size_t bytes, cudaMemcpyKind kind));
GPULAB_CALL(cudaGraphAddMemsetNode, (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     size_t count, const cudaMemsetParams* what));
GPULAB_CALL(cudaGraphAddHostNode, (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   size_t count, const cudaHostNodeParams* what));
GPULAB_CALL(cudaGraphAddChildGraphNode, (cudaGraphNode_t * node, cudaGraph_t graph,
                                         const cudaGraphNode_t* after, size_t count, cudaGraph_t child));
GPULAB_CALL(cudaGraphAddEmptyNode,
            (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count));
GPULAB_CALL(cudaGraphAddDependencies,
            (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count));
GPULAB_CALL(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count));
GPULAB_CALL(cudaGraphGetRootNodes, (cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count));
GPULAB_CALL(cudaGraphNodeGetType, (cudaGraphNode_t node, cudaGraphNodeType* type));
GPULAB_CALL(cudaGraphKernelNodeSetParams, (cudaGraphNode_t node, const cudaKernelNodeParams* what));
GPULAB_CALL(cudaGraphExecKernelNodeSetParams,
            (cudaGraphExec_t exec, cudaGraphNode_t node, const cudaKernelNodeParams* what));
GPULAB_CALL(gpulab_instantiate, (cudaGraphExec_t * exec, cudaGraph_t graph));
GPULAB_CALL(gpulab_update_graph,
            (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResult* result));
GPULAB_CALL(cudaGraphUpload, (cudaGraphExec_t exec, cudaStream_t stream));
GPULAB_CALL(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream));
GPULAB_CALL(cudaGraphExecDestroy, (cudaGraphExec_t exec));

// ---- Kernels, by their address ----
GPULAB_CALL(gpulab_function_attributes, (cudaFuncAttributes * attributes, const void* kernel));
GPULAB_CALL(gpulab_set_function_attribute, (const void* kernel, cudaFuncAttribute attribute, int value));
GPULAB_CALL(gpulab_use_function, (const void* kernel));
GPULAB_CALL(gpulab_active_blocks, (int* blocks, const void* kernel, int block_size, size_t dynamic_shared_bytes));
// Parts of a launch. The bytes of the body are copied.
void gpulab_configure_launch(const unsigned* grid, const unsigned* block, size_t dynamic_shared_bytes,
                             cudaStream_t stream, int is_cooperative);
void gpulab_launch(const char* kernel, const void* body, size_t bytes, void (*call)(void*, void* const*));
GPULAB_CALL(gpulab_end_of_launch, ());
void gpulab_note_kernel(void* kernel, void (*call)(void* kernel, void** arguments));
GPULAB_CALL(gpulab_launch_address, (const void* kernel, void** arguments));
}
