#include "program/runtime/textures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace gpulab::program::runtime {
namespace {

// The one or two texels that a coordinate selects along an axis, and the weight of the second.
struct AxisTexels {
  std::ptrdiff_t first = 0, second = 0;  // -1 for the border
  float weight = 0;
};

std::ptrdiff_t texel_index(std::ptrdiff_t i, std::ptrdiff_t size, cudaTextureAddressMode mode) {
  if (mode == cudaAddressModeWrap) return (i % size + size) % size;
  if (mode == cudaAddressModeMirror) {
    const std::ptrdiff_t in_period = (i % (2 * size) + 2 * size) % (2 * size);
    return in_period < size ? in_period : 2 * size - 1 - in_period;
  }
  if (mode == cudaAddressModeBorder) return i < 0 || i >= size ? -1 : i;
  return std::clamp<std::ptrdiff_t>(i, 0, size - 1);
}

// Returns the texels of a coordinate. Wrap and mirror need normalised coordinates; without them the mode is
// clamp. The weight is a fixed-point number with 8 fractional bits.
AxisTexels texels_on_axis(float coordinate, std::size_t length, cudaTextureAddressMode mode,
                          bool is_normalised, bool is_linear) {
  const auto size = static_cast<std::ptrdiff_t>(length);
  float position = std::isnan(coordinate) ? 0 : coordinate;
  if (!is_normalised && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror))
    mode = cudaAddressModeClamp;
  if (std::isinf(position) && mode != cudaAddressModeClamp && mode != cudaAddressModeBorder) position = 0;
  if (mode == cudaAddressModeWrap) position -= std::floor(position);
  if (mode == cudaAddressModeMirror) position -= 2 * std::floor(position / 2);
  if (is_normalised) position *= static_cast<float>(length);
  position = std::clamp(position, -2.0f, 2 * static_cast<float>(length) + 2);
  if (!is_linear) return {texel_index(static_cast<std::ptrdiff_t>(std::floor(position)), size, mode)};
  const float centred = position - 0.5f, below = std::floor(centred);
  const auto first = static_cast<std::ptrdiff_t>(below);
  return {texel_index(first, size, mode), texel_index(first + 1, size, mode),
          std::floor((centred - below) * 256 + 0.5f) / 256};
}

float float_of_half(std::uint32_t bits) {
  const std::uint32_t sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3FF;
  if (exponent == 0) return std::copysign(std::ldexp(static_cast<float>(fraction), -24), sign ? -1.0f : 1.0f);
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000 | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

float linear_of_srgb(float value) {
  return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
}

std::int32_t with_sign(std::uint32_t value, unsigned bits) {
  return static_cast<std::int32_t>(value << (32 - bits)) >> (32 - bits);
}

std::uint32_t converted(std::uint32_t value, unsigned channel, const TexelFormat& format,
                        const Sampling& sampling) {
  const bool is_signed = format.kind == cudaChannelFormatKindSigned;
  if (format.kind == cudaChannelFormatKindFloat)
    return format.bits == 16 ? std::bit_cast<std::uint32_t>(float_of_half(value)) : value;
  if (!gives_floats(format, sampling))
    return is_signed ? static_cast<std::uint32_t>(with_sign(value, format.bits)) : value;
  const float largest = static_cast<float>((1u << (format.bits - is_signed)) - 1);
  float number = is_signed ? std::max(-1.0f, static_cast<float>(with_sign(value, format.bits)) / largest)
                           : static_cast<float>(value) / largest;
  if (sampling.is_srgb && format.bits == 8 && !is_signed && channel < 3) number = linear_of_srgb(number);
  return std::bit_cast<std::uint32_t>(number);
}

class Fetcher {
 public:
  Fetcher(const Texels& texels, const Sampling& sampling, BeforeRead before_read, const void* pc)
      : texels_(texels), sampling_(sampling), before_read_(before_read), code_(pc) {}

  using Texel = std::array<std::uint32_t, 4>;

  Texel at(std::ptrdiff_t x, std::ptrdiff_t y, std::ptrdiff_t z) const {
    if (x < 0 || y < 0 || z < 0) return border();
    const TexelFormat& format = texels_.format;
    const std::uintptr_t address = texels_.at(static_cast<std::size_t>(x) * format.bytes(),
                                              static_cast<std::size_t>(y), static_cast<std::size_t>(z));
    if (before_read_) before_read_(address, format.bytes(), code_);
    Texel texel{};
    for (unsigned i = 0; i < format.channels; ++i) {
      std::uint32_t value = 0;
      std::memcpy(&value, reinterpret_cast<const void*>(address + i * format.bits / 8), format.bits / 8);
      texel[i] = converted(value, i, format, sampling_);
    }
    return texel;
  }

  // Returns a weighted sum of up to eight texels. Those of weight 0 are not read.
  Texel filtered(const AxisTexels& x, const AxisTexels& y, const AxisTexels& z) const {
    std::array<float, 4> sum{};
    for (int corner = 0; corner < 8; ++corner) {
      const auto weight = [corner](const AxisTexels& axis, int bit) {
        return corner & bit ? axis.weight : 1 - axis.weight;
      };
      const auto index = [corner](const AxisTexels& axis, int bit) {
        return corner & bit ? axis.second : axis.first;
      };
      const float share = weight(x, 1) * weight(y, 2) * weight(z, 4);
      if (share == 0) continue;
      const Texel texel = at(index(x, 1), index(y, 2), index(z, 4));
      for (unsigned i = 0; i < 4; ++i) sum[i] += share * std::bit_cast<float>(texel[i]);
    }
    return std::bit_cast<Texel>(sum);
  }

 private:
  Texel border() const {
    Texel texel{};
    for (unsigned i = 0; i < texels_.format.channels; ++i)
      texel[i] = gives_floats(texels_.format, sampling_)
                     ? std::bit_cast<std::uint32_t>(sampling_.border[i])
                     : static_cast<std::uint32_t>(std::lrint(sampling_.border[i]));
    return texel;
  }

  const Texels& texels_;
  const Sampling& sampling_;
  const BeforeRead before_read_;
  const void* const code_;
};

// The point where a direction meets a cube: the face, and the coordinates on that face, in [0, 1].
struct FacePoint {
  int face = 0;
  float s = 0, t = 0;
};

FacePoint face_point_of(float x, float y, float z) {
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  const auto point_on = [](int face, float s, float t, float major) {
    return FacePoint{face, (s / major + 1) / 2, (t / major + 1) / 2};
  };
  if (az >= ax && az >= ay) return z >= 0 ? point_on(4, x, -y, az) : point_on(5, -x, -y, az);
  if (ay >= ax) return y >= 0 ? point_on(2, x, z, ay) : point_on(3, x, -z, ay);
  return x >= 0 ? point_on(0, -z, -y, ax) : point_on(1, z, -y, ax);
}

// Returns the four texels around a coordinate in gather order: anticlockwise from the lower left.
std::array<std::uint32_t, 4> gathered(const Fetcher& from, const AxisTexels& x, const AxisTexels& y,
                                      std::size_t component) {
  return {from.at(x.first, y.second, 0)[component], from.at(x.second, y.second, 0)[component],
          from.at(x.second, y.first, 0)[component], from.at(x.first, y.first, 0)[component]};
}

}  // namespace

std::optional<TexelFormat> format_of(const cudaChannelFormatDesc& description) {
  const int bits[] = {description.x, description.y, description.z, description.w};
  unsigned channels = 0;
  while (channels < 4 && bits[channels] > 0) ++channels;
  if (channels == 0 || channels == 3) return std::nullopt;
  for (unsigned i = 0; i < 4; ++i)
    if (bits[i] != (i < channels ? bits[0] : 0)) return std::nullopt;
  const bool is_float = description.f == cudaChannelFormatKindFloat;
  const bool is_known = bits[0] == 32 || bits[0] == 16 || (bits[0] == 8 && !is_float);
  if (!is_known || description.f < cudaChannelFormatKindSigned || description.f > cudaChannelFormatKindFloat)
    return std::nullopt;
  return TexelFormat{description.f, static_cast<unsigned>(bits[0]), channels};
}

bool gives_floats(const TexelFormat& format, const Sampling& sampling) {
  return format.kind == cudaChannelFormatKindFloat || (sampling.is_normalised_float && format.bits < 32);
}

std::array<std::uint32_t, 4> fetched(const Texels& texels, const Sampling& sampling, const Fetch& fetch,
                                     BeforeRead before_read, const void* pc) {
  const Fetcher fetcher(texels, sampling, before_read, pc);
  if (fetch.shape == gpulab_fetch_linear) {
    const bool is_inside = fetch.layer >= 0 && static_cast<std::size_t>(fetch.layer) < texels.width;
    return is_inside ? fetcher.at(fetch.layer, 0, 0) : Fetcher::Texel{};
  }
  const bool is_cube = fetch.shape == gpulab_fetch_cubemap || fetch.shape == gpulab_fetch_cubemap_layered;
  const bool is_gather = fetch.shape == gpulab_fetch_gather;
  const bool is_layered = fetch.shape == gpulab_fetch_1d_layered || fetch.shape == gpulab_fetch_2d_layered;
  const bool has_y = fetch.shape != gpulab_fetch_1d && fetch.shape != gpulab_fetch_1d_layered;
  const auto on_axis = [&](float coordinate, std::size_t length, std::size_t axis) {
    return texels_on_axis(coordinate, length, is_cube ? cudaAddressModeClamp : sampling.address_modes[axis],
                          is_cube || sampling.has_normalised_coordinates, sampling.is_linear || is_gather);
  };
  const FacePoint point = is_cube ? face_point_of(fetch.x, fetch.y, fetch.z) : FacePoint{0, fetch.x, fetch.y};
  const AxisTexels x = on_axis(point.s, texels.width, 0);
  const AxisTexels y = has_y ? on_axis(point.t, texels.height, 1) : AxisTexels{};
  if (is_gather) return gathered(fetcher, x, y, static_cast<std::size_t>(std::clamp(fetch.layer, 0, 3)));
  AxisTexels z;
  if (fetch.shape == gpulab_fetch_3d) z = on_axis(fetch.z, texels.depth, 2);
  const auto last = static_cast<std::ptrdiff_t>(texels.depth) - 1;
  if (is_layered) z.first = std::clamp<std::ptrdiff_t>(fetch.layer, 0, last);
  if (is_cube)
    z.first = std::clamp<std::ptrdiff_t>(
        fetch.shape == gpulab_fetch_cubemap ? point.face : 6 * std::ptrdiff_t{fetch.layer} + point.face, 0,
        last);
  return sampling.is_linear ? fetcher.filtered(x, y, z) : fetcher.at(x.first, y.first, z.first);
}

}  // namespace gpulab::program::runtime
