#pragma once

#include "core/result.hpp"
#include "report/table.hpp"

namespace gpulab {

// References first, then variants, with the figures of a GPU: time, throughput, speed-ups.
Table measured_table(const LessonResult& result);

// The same rows for the simulator: counts and CPU time, and nothing that could be taken for a GPU's speed.
Table simulated_table(const LessonResult& result);

}  // namespace gpulab
