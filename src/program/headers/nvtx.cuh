// For: include_nvToolsExt_h include_roctx_h
// NVTX, and ROCTX for HIP: marks and ranges are for profilers, so nothing happens here.
#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE sizeof(nvtxEventAttributes_t)
enum { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 };
enum { NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE = 2 };
enum { NVTX_PAYLOAD_UNKNOWN = 0, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1, NVTX_PAYLOAD_TYPE_INT64 = 2, NVTX_PAYLOAD_TYPE_DOUBLE = 3 };
typedef unsigned long long nvtxRangeId_t;
typedef struct nvtxDomainRegistration* nvtxDomainHandle_t;
struct nvtxEventAttributes_t {
  unsigned short version, size;
  unsigned category;
  int colorType;
  unsigned color;
  int payloadType, reserved0;
  union { unsigned long long ullValue; long long llValue; double dValue; } payload;
  int messageType;
  union { const char* ascii; const wchar_t* unicode; } message;
};
inline int nvtxRangePushA(const char*) { return 0; }
inline int nvtxRangePushW(const wchar_t*) { return 0; }
inline int nvtxRangePushEx(const nvtxEventAttributes_t*) { return 0; }
inline int nvtxRangePop() { return 0; }
inline nvtxRangeId_t nvtxRangeStartA(const char*) { return 1; }
inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t*) { return 1; }
inline void nvtxRangeEnd(nvtxRangeId_t) {}
inline void nvtxMarkA(const char*) {}
inline void nvtxMarkEx(const nvtxEventAttributes_t*) {}
inline void nvtxNameOsThreadA(unsigned, const char*) {}
inline nvtxDomainHandle_t nvtxDomainCreateA(const char*) { return nullptr; }
inline void nvtxDomainDestroy(nvtxDomainHandle_t) {}
inline int nvtxDomainRangePushEx(nvtxDomainHandle_t, const nvtxEventAttributes_t*) { return 0; }
inline int nvtxDomainRangePop(nvtxDomainHandle_t) { return 0; }
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark nvtxMarkA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA
typedef unsigned long long roctx_range_id_t;
inline int roctxRangePushA(const char*) { return 0; }
inline int roctxRangePop() { return 0; }
inline roctx_range_id_t roctxRangeStartA(const char*) { return 1; }
inline void roctxRangeStop(roctx_range_id_t) {}
inline void roctxMarkA(const char*) {}
#define roctxRangePush roctxRangePushA
#define roctxRangeStart roctxRangeStartA
#define roctxMark roctxMarkA
