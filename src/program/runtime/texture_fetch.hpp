#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "program/runtime/cuda_api.hpp"

// What a texture gives at a coordinate, as the CUDA programming guide's appendix on texture fetching says.

namespace gpulab::program::runtime {

struct TexelFormat {
  cudaChannelFormatKind kind = cudaChannelFormatKindFloat;
  unsigned bits = 32;     // of a channel: 8, 16 or 32
  unsigned channels = 1;  // 1, 2 or 4

  std::size_t bytes() const { return bits / 8 * channels; }
  friend bool operator==(const TexelFormat&, const TexelFormat&) = default;
};

// None for a format that no array has: three channels, channels of different sizes, 8 bits of float.
std::optional<TexelFormat> format_of(const cudaChannelFormatDesc& description);

// Elements in rows in slices, in memory. Layers and the faces of cubes are slices.
struct Texels {
  std::uintptr_t begin = 0;
  TexelFormat format;
  std::size_t width = 0, height = 1, depth = 1;  // at least 1
  std::size_t pitch = 0;  // bytes from row to row; the next slice begins where this one ends

  std::size_t row_bytes() const { return width * format.bytes(); }
  std::uintptr_t at(std::size_t x_bytes, std::size_t y, std::size_t z) const {
    return begin + (z * height + y) * pitch + x_bytes;
  }
};

// How a texture reads: the fields of cudaTextureDesc that count.
struct Sampling {
  std::array<cudaTextureAddressMode, 3> address_modes{cudaAddressModeClamp, cudaAddressModeClamp,
                                                      cudaAddressModeClamp};
  bool is_linear = false;
  bool is_normalised_float = false;  // integers become numbers in [0, 1] or [-1, 1]
  bool has_normalised_coordinates = false;
  bool is_srgb = false;
  std::array<float, 4> border{};
};

// Whether it gives floats. Only those can be filtered.
bool gives_floats(const TexelFormat& format, const Sampling& sampling);

struct Fetch {
  gpulab_fetch_shape shape = gpulab_fetch_2d;
  float x = 0, y = 0, z = 0;
  int layer = 0;
};

// Four channels of 32 bits, floats or integers; channels that the texture lacks are 0. What lies outside by
// tex1Dfetch is 0. before_read is called before each element that counts is read; it may be null.
using BeforeRead = void (*)(std::uintptr_t address, std::size_t bytes, const void* code);
std::array<std::uint32_t, 4> fetched(const Texels& texels, const Sampling& sampling, const Fetch& fetch,
                                     BeforeRead before_read = nullptr, const void* code = nullptr);

}  // namespace gpulab::program::runtime
