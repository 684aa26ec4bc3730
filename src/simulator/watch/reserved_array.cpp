#include "simulator/watch/reserved_array.hpp"

#include <sys/mman.h>
#include <string>

#include "device/device.hpp"

namespace gpulab::simulator::watch {

ReservedBytes::ReservedBytes(std::size_t bytes, Use use) : bytes_(bytes) {
  if (bytes == 0) return;
  void* const reserved =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED)
    throw device::DeviceError(
        "watching a kernel", "CUDA_ERROR_OUT_OF_MEMORY",
        "cannot reserve " + std::to_string(bytes) +
            " bytes of address space; raise the limit (ulimit -v) or choose a smaller size");
  begin_ = reserved;
  // Clearing large pages takes long where a kernel touches little of a huge array.
  constexpr std::size_t max_large_page_bytes = std::size_t{512} << 20;
  if (use == Use::filled || (use == Use::dense && bytes <= max_large_page_bytes))
    ::madvise(reserved, bytes, MADV_HUGEPAGE);
}

ReservedBytes::~ReservedBytes() {
  if (begin_) ::munmap(begin_, bytes_);
}

void ReservedBytes::clear() {
  if (begin_) ::madvise(begin_, bytes_, MADV_DONTNEED);
}

}  // namespace gpulab::simulator::watch
