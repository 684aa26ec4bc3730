#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/program.hpp"
#include "program/runtime/site.hpp"
#include "program/runtime/texture_fetch.hpp"

namespace gpulab::program::runtime {

// An array as the program asked for it. Its handle is the address of its memory, which is an Allocation.
struct Array {
  cudaChannelFormatDesc format{};
  cudaExtent extent{};
  unsigned flags = 0;
  Texels texels;
};

// A texture or a surface object.
struct TextureObject {
  bool is_surface = false, is_destroyed = false;
  cudaResourceDesc resource{};
  cudaTextureDesc description{};
  Texels texels;
  Sampling sampling;
  Site created, destroyed;
};

// The arrays, textures and surfaces of a program. Kernels read what the host has described: they run while a
// call of the host waits, so nothing changes meanwhile.
class Textures {
 public:
  void add(cudaArray_t handle, const Array& array) { arrays_[handle] = array; }
  void remove(cudaArray_t handle) { arrays_.erase(handle); }
  // Null for what is no array, or was freed.
  const Array* array(cudaArray_const_t handle) const {
    const auto found = arrays_.find(handle);
    return found == arrays_.end() ? nullptr : &found->second;
  }

  // The number that the program knows it by; none is 0.
  unsigned long long add(TextureObject object) {
    objects_.push_back(std::move(object));
    return objects_.size();
  }
  // Null for one that never was. Those that were destroyed are known.
  TextureObject* object(unsigned long long number) {
    return number - 1 < objects_.size() ? &objects_[number - 1] : nullptr;
  }

  // Something is wrong in a kernel, at that code. Each once.
  struct Trouble {
    const char* pattern;
    std::string text, instead;
    const void* code;
  };
  void add(Trouble trouble) {
    const std::lock_guard lock(mutex_);
    if (known_.insert({trouble.code, trouble.pattern}).second) troubles_.push_back(std::move(trouble));
  }
  std::vector<Trouble> take_troubles() {
    const std::lock_guard lock(mutex_);
    return std::exchange(troubles_, {});
  }

 private:
  std::map<cudaArray_const_t, Array> arrays_;
  std::deque<TextureObject> objects_;
  std::mutex mutex_;
  std::set<std::pair<const void*, std::string>> known_;
  std::vector<Trouble> troubles_;
};

}  // namespace gpulab::program::runtime
