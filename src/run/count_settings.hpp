#pragma once

#include <cstddef>

#include "core/lesson.hpp"

namespace gpulab::run {

// Work items. Counting accesses is slow, and what a warp does is the same everywhere.
constexpr std::size_t most_items_counted = std::size_t{1} << 18;

// The settings with which every access of a variant can be counted in about a second: those that are asked
// for or, where the problem is too large, with the largest of --size and the lesson's own counts halved until
// it is not. Throws UsageError for settings that make no sense, and where nothing that can be made smaller
// makes the problem small enough.
Settings settings_to_count_at(const Lesson& lesson, const Settings& asked);

}  // namespace gpulab::run
