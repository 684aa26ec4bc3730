#include "cuda/cache_eviction.hpp"

namespace gpulab::cuda {
namespace {

constexpr unsigned block_size = 256;
constexpr std::size_t bytes_of_quad = 16;
constexpr std::size_t bytes_when_l2_is_unknown = std::size_t{64} << 20;

// The buffer holds zeros, so nothing is ever stored: the condition is there so that the reads are kept.
const device::KernelSource source{"cache_eviction.cu", R"(
__global__ void read_all(uint4* buffer, unsigned long quads) {
  const unsigned long stride = (unsigned long)gridDim.x * blockDim.x;
  unsigned int seen = 0;
  for (unsigned long i = (unsigned long)blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += stride) {
    const uint4 quad = buffer[i];
    seen |= quad.x | quad.y | quad.z | quad.w;
  }
  if (seen != 0) buffer[0].x = 0;
}
)"};

Signature signature() {
  Signature signature;
  signature.types = {"uint4*", "unsigned long"};
  signature.sizes = {sizeof(device::DevicePointer), sizeof(unsigned long)};
  return signature;
}

std::size_t bytes_to_read(const DeviceProperties& properties) {
  return properties.l2_bytes ? 2 * properties.l2_bytes : bytes_when_l2_is_unknown;
}

}  // namespace

CacheEviction::CacheEviction(device::Device& device)
    : device_(device),
      module_(device.compile(source, {})),
      kernel_(module_->kernel("read_all", signature())),
      quads_(bytes_to_read(device.properties()) / bytes_of_quad) {
  config_.grid.x = device.resident_blocks(*kernel_, block_size, 0);
  config_.block.x = block_size;
  buffer_ = device::DeviceMemory(device, quads_ * bytes_of_quad);
}

void CacheEviction::run(device::Stream& stream) {
  if (!buffer_is_filled_) {
    device_.set(buffer_.address(), 0, quads_ * bytes_of_quad, stream);
    device_.synchronize(stream);  // other streams read it too
    buffer_is_filled_ = true;
  }
  device::DevicePointer buffer = buffer_.address();
  void* const arguments[] = {&buffer, &quads_};
  device_.launch(*kernel_, config_, arguments, stream);
}

}  // namespace gpulab::cuda
