#pragma once

#include <cstddef>

#include "core/extent.hpp"
#include "core/settings.hpp"

namespace gpulab {

// What a variant's launch and its outcome may depend on.
struct LaunchContext {
  Settings settings;
  Extent work;              // work items: size of them in x, or an image's width and height
  unsigned block_size = 0;  // threads of a block, as asked for

  std::size_t size() const { return work.volume(); }
};

}  // namespace gpulab
