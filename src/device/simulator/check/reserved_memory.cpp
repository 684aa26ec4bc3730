#include "device/simulator/check/reserved_memory.hpp"

#include <sys/mman.h>

#include "device/device.hpp"

namespace gpulab {

ReservedBytes::ReservedBytes(std::size_t bytes, Use use) : bytes_(bytes) {
  if (bytes == 0) return;
  void* const reserved =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED)
    throw DeviceError("watching a kernel", "CUDA_ERROR_OUT_OF_MEMORY",
                      "there are no addresses for " + std::to_string(bytes) +
                          " bytes; raise the limit (ulimit -v) or choose a smaller size");
  begin_ = reserved;
  if (use == Use::dense) ::madvise(reserved, bytes, MADV_HUGEPAGE);
}

ReservedBytes::~ReservedBytes() {
  if (begin_) ::munmap(begin_, bytes_);
}

void ReservedBytes::clear() {
  if (begin_) ::madvise(begin_, bytes_, MADV_DONTNEED);
}

}  // namespace gpulab
