#include "simulator/check/launch_watch.hpp"

#include <algorithm>

#include "simulator/fault/kernel_code.hpp"

namespace gpulab::simulator::check {

void LaunchWatch::start(std::vector<WatchedRegion> regions, const schedule::SimulatedLaunch& launch,
                        std::size_t max_accesses) {
  if (launch.heap && launch.heap != heap_) {
    heap_ = launch.heap;
    heap_shadow_ = MemoryShadow(heap_->range());
    heap_region_ = {.range = heap_->range(), .allowed = heap_->range(), .shadow = &heap_shadow_};
  }
  compares_and_swaps_ = launch.compares_and_swaps;
  device_ = launch.device;
  looks_further_ = !launch.devices_memory.empty();
  beside_ = nullptr;
  max_accesses_ = max_accesses;
  accesses_ = 0;
  regions_ = std::move(regions);
  module_image_ = fault::image_around(launch.function);
  std::ranges::sort(regions_, {}, [](const WatchedRegion& region) { return region.range.begin; });
  if (segments.is_half_full()) {
    for (const WatchedRegion& region : regions_)
      if (region.shadow) region.shadow->forget_accesses();
    heap_shadow_.forget_accesses();
    segments.restart();
  }
  segments.clear();
  first_segment_ = segments.end();
  releases.clear();
  sites.clear();
}

const WatchedRegion* LaunchWatch::region_of(std::uintptr_t address) const {
  const auto after = std::ranges::upper_bound(regions_, address, {},
                                              [](const WatchedRegion& region) { return region.range.begin; });
  if (after == regions_.begin() || !(after - 1)->range.contains(address))
    return heap_region_.range.contains(address) ? &heap_region_ : nullptr;
  return &*(after - 1);
}

}  // namespace gpulab::simulator::check
