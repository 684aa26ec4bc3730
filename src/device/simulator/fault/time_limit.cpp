#include "device/simulator/fault/time_limit.hpp"

#include <cstdio>
#include <cstdlib>

#include "core/error.hpp"

namespace gpulab {

double time_limit() {
  constexpr double default_seconds = 60, most_seconds = 1e9;
  const char* const wanted = std::getenv("GPULAB_TIME_LIMIT");
  if (!wanted || !*wanted) return default_seconds;
  char* end = nullptr;
  const double seconds = std::strtod(wanted, &end);
  if (*end != '\0' || !(seconds > 0 && seconds <= most_seconds))
    throw UsageError(std::string("GPULAB_TIME_LIMIT is '") + wanted +
                     "'; give the number of seconds that a simulated kernel may run without progress");
  return seconds;
}

std::string time_limit_explanation(const std::string& running) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g s: ", time_limit());
  return "no thread returned for " + std::string(seconds) + running +
         " is still running (GPULAB_TIME_LIMIT sets another number of seconds)";
}

}  // namespace gpulab
