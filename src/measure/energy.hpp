#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "core/result.hpp"
#include "measure/sampling.hpp"

namespace gpulab::measure {

// Joules since some fixed moment; none where nobody counts them.
using EnergyCounter = std::function<std::optional<double>()>;

// Does the thing again and again, and divides the energy that was used by the number of runs. A GPU's counter
// moves about ten times a second, so both ends are moments at which it moved, at least half a second apart.
// None where the counter does not move for a second. A sample of the stopwatch must be much shorter than
// that.
std::optional<Energy> measure_energy(Stopwatch& stopwatch, std::size_t runs_in_a_sample,
                                     const EnergyCounter& counter);

}  // namespace gpulab::measure
