#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lesson/exercise.hpp"
#include "program/runtime/errors.hpp"

namespace gpulab::program::runtime {

// Texture fetches as in the CUDA C++ Programming Guide's appendix on texture fetching.

struct TexelFormat {
  cudaChannelFormatKind kind = cudaChannelFormatKindFloat;
  unsigned bits = 32;     // of each channel: 8, 16 or 32
  unsigned channels = 1;  // 1, 2 or 4

  std::size_t bytes() const { return bits / 8 * channels; }
  friend bool operator==(const TexelFormat&, const TexelFormat&) = default;
};

// Returns none for a format that no array has: three channels, channels of different sizes, 8-bit floats.
std::optional<TexelFormat> format_of(const cudaChannelFormatDesc& description);

// Texels in memory, in slices of rows. Layers and the faces of cubes are slices.
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

// Sampling settings: the fields of cudaTextureDesc that matter.
struct Sampling {
  std::array<cudaTextureAddressMode, 3> address_modes{cudaAddressModeClamp, cudaAddressModeClamp,
                                                      cudaAddressModeClamp};
  bool is_linear = false;
  bool is_normalised_float = false;  // integers become numbers in [0, 1] or [-1, 1]
  bool has_normalised_coordinates = false;
  bool is_srgb = false;
  std::array<float, 4> border{};
};

// Returns whether fetches give floats. Only floats can be filtered.
bool gives_floats(const TexelFormat& format, const Sampling& sampling);

struct Fetch {
  gpulab_fetch_shape shape = gpulab_fetch_2d;
  float x = 0, y = 0, z = 0;
  int layer = 0;  // or the element of a linear fetch, or the component of a gather
};

using BeforeRead = void (*)(std::uintptr_t address, std::size_t bytes, const void* pc);
// Returns four channels of 32 bits, floats or integers. Channels that the texture lacks are 0, and so are all
// channels of a tex1Dfetch outside of the texture. Calls before_read, unless it is null, before each read.
std::array<std::uint32_t, 4> fetched(const Texels& texels, const Sampling& sampling, const Fetch& fetch,
                                     BeforeRead before_read = nullptr, const void* pc = nullptr);

// A CUDA array. Its handle is the address of its memory, which is an Allocation.
struct Array {
  cudaChannelFormatDesc format{};
  cudaExtent extent{};
  unsigned flags = 0;
  Texels texels;
};

// A texture or a surface object.
struct TextureObject {
  enum class Kind { texture, surface };
  Kind kind = Kind::texture;
  bool is_destroyed = false;
  cudaResourceDesc resource{};
  cudaTextureDesc description{};
  Texels texels;
  Sampling sampling;
};

// Arrays, textures and surfaces of a program. Kernels read them only while a call of the host waits, so none
// changes during a kernel.
class Textures {
 public:
  void add_array(cudaArray_t handle, const Array& array) { arrays_[handle] = array; }
  void remove_array(cudaArray_t handle) { arrays_.erase(handle); }
  // Returns null if it is not an array, or was freed.
  const Array* array(cudaArray_const_t handle) const {
    const auto found = arrays_.find(handle);
    return found == arrays_.end() ? nullptr : &found->second;
  }

  // Adds an object and returns its handle, which is never 0 and looks like no other argument of a kernel.
  unsigned long long add_object(TextureObject object) {
    objects_.push_back(std::move(object));
    return before_first + objects_.size();
  }
  // Returns null for a handle that was never created. Destroyed objects are kept.
  TextureObject* object(unsigned long long number) {
    const unsigned long long index = number - before_first - 1;
    return index < objects_.size() ? &objects_[index] : nullptr;
  }

  // A launch that is given an object and begins while the host destroys the object.
  struct LateUser {
    std::string kernel;
    Site launched;
  };
  void begin_destruction(unsigned long long number) { being_destroyed_ = number; }
  void note_launch(const std::string& kernel, Site site, const std::vector<std::uintptr_t>& words) {
    if (being_destroyed_ != 0 && std::ranges::find(words, being_destroyed_) != words.end())
      late_user_ = LateUser{kernel, site};
  }
  std::optional<LateUser> end_destruction() {
    being_destroyed_ = 0;
    return std::exchange(late_user_, std::nullopt);
  }

  // A defect in a kernel at the instruction `pc`. Each is reported once.
  struct KernelDefect {
    const char* pattern;
    std::string text, correction;
    const void* pc;
  };
  void add_defect(KernelDefect defect) {
    const std::lock_guard lock(mutex_);
    if (reported_.insert({defect.pc, defect.pattern}).second) defects_.push_back(std::move(defect));
  }
  std::vector<KernelDefect> take_defects() {
    const std::lock_guard lock(mutex_);
    return std::exchange(defects_, {});
  }

 private:
  std::map<cudaArray_const_t, Array> arrays_;
  static constexpr unsigned long long before_first = 0x7465'7874'0000'0000;
  std::deque<TextureObject> objects_;
  unsigned long long being_destroyed_ = 0;
  std::optional<LateUser> late_user_;
  std::mutex mutex_;
  std::set<std::pair<const void*, std::string>> reported_;
  std::vector<KernelDefect> defects_;
};

}  // namespace gpulab::program::runtime
