#pragma once

#include <string>

#include "core/result.hpp"
#include "report/layout.hpp"
#include "report/lesson_changes.hpp"
#include "report/table.hpp"

namespace gpulab::report {

// References first, then variants, with the figures of a GPU: time, throughput, speed-ups. At 120 columns and
// more the times have bars, where there is room for them.
Table measured_table(const LessonResult& result, const TextStyle& style,
                     const LessonChanges& changes = LessonChanges());

// The same rows for the simulator: counts and CPU time, and nothing that could be taken for a GPU's speed.
// Where even the CPU time could be, such as in front of a class, it can be left out.
Table simulated_table(const LessonResult& result, bool with_cpu_time = true,
                      const LessonChanges& changes = LessonChanges());

// One row for each variant that has figures, one column for each figure; empty when there are none.
std::string figures_table(const LessonResult& result, const TextStyle& style,
                          const LessonChanges& changes = LessonChanges());

// The records that were found, the first of them at least; empty when there are none.
std::string records_text(const LessonResult& result, const TextStyle& style);

// For each variant with a timeline, a line for each stream, on which every piece of work has its place in
// time; empty when there are none.
std::string timelines_text(const LessonResult& result, const TextStyle& style);

}  // namespace gpulab::report
