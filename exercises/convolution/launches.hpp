#pragma once

#include "core/execution.hpp"
#include "core/launch.hpp"
#include "core/parameters.hpp"
#include "core/settings.hpp"

// How the kernels of the lesson are launched.

namespace gpulab::convolution {

// Of a kernel that takes the filter from global memory, and of one that has it in constant memory.
Parameters with_filter(const Settings& settings);
Parameters without_filter(const Settings& settings);

// Of the two kernels for a filter that is a column times a row.
Parameters pass_over_rows(const Settings& settings);
Parameters pass_over_columns(const Settings& settings);

// A pixel per thread; a tile of the block's pixels and the halo around them.
ChosenLaunch pixels_and_halo(const LaunchRequest& request);

// Eight pixels per thread, one below the other; the filter, its columns filled up to whole eights, the tile
// and its halo.
LaunchConfig columns_and_halo(const LaunchRequest& request);

// A pass over the rows and a pass over the columns, where the filter is a column times a row; otherwise,
// naive.
void in_two_passes(Execution& run);

}  // namespace gpulab::convolution
