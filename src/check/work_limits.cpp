#include <algorithm>

#include "check/checks.hpp"

namespace gpulab::check {

std::size_t max_accesses(const Lesson& lesson, const Settings& settings, unsigned block_size) {
  // Each thread may look at as many elements as a block of the usual size has.
  constexpr double times_the_work = 15, elements_of_a_block = 260;
  const double threads = lesson.has_size() ? static_cast<double>(settings.size + block_size) : 0;
  const double allowed = times_the_work * work_of(lesson, settings, block_size) +
                         std::min<double>(block_size, elements_of_a_block) * threads;
  return std::max(always_allowed_accesses, static_cast<std::size_t>(allowed));
}

std::size_t max_accesses(const Traffic& traffic) {
  constexpr double times_the_min = 1000, always_allowed = 1e7;  // also in blocks of a single thread
  const double words = (traffic.bytes_read + traffic.bytes_written) / sizeof(float);
  return static_cast<std::size_t>(std::max(always_allowed, times_the_min * (words + traffic.operations)));
}

namespace {

// Limits in seconds of a usual machine.
constexpr double in_all_orders_s = 2.5, most_s = 8;

double usual_seconds(const device::LaunchWork& work) {
  constexpr double steps_per_s = 2e7, far_more = 10, at_least_s = 0.2;
  const double of_steps_s = static_cast<double>(work.steps) / steps_per_s;
  return work.cpu_s > far_more * of_steps_s + at_least_s ? work.cpu_s : of_steps_s;
}

}  // namespace

bool SpentWork::leaves_room_for_all_orders() const {
  return spent_s_ <= in_all_orders_s;
}

bool SpentWork::leaves_room_for(double work) const {
  const double times = slowest_work_ > 0 ? work / slowest_work_ : 0;
  const double expected_s = slowest_s_ * (is_growing_ && times > 1 ? times * times : times);
  return spent_s_ + expected_s <= most_s;
}

void SpentWork::add(const device::LaunchWork& done, double work) {
  constexpr double slow_s = 0.1;
  const double seconds = usual_seconds(done);
  const double times = slowest_work_ > 0 ? work / slowest_work_ : 0;
  spent_s_ += seconds;
  if (seconds <= slowest_s_ * times) return;
  is_growing_ |= times > 2 && seconds > slow_s && seconds > 2 * slowest_s_ * times;
  slowest_s_ = seconds;
  slowest_work_ = work;
}

}  // namespace gpulab::check
