#pragma once

#include "radio_astronomy/find_sources.hpp"
#include "test.hpp"

namespace gpulab::lessons::radio_astronomy {

constexpr float blank = std::numeric_limits<float>::quiet_NaN();
constexpr float infinite = std::numeric_limits<float>::infinity();

// Tests of the steps on a CPU, on one thread and on all, which have to give the same.
class OnCpu : public testing::TestWithParam<const Steps*> {
 protected:
  const Steps& steps() const { return *GetParam(); }
};

inline const auto both_ways = testing::Values(&on_one_thread, &on_all_threads);

inline std::string name_of_way(const testing::TestParamInfo<const Steps*>& info) {
  return info.param == &on_one_thread ? "OneThread" : "AllThreads";
}

}  // namespace gpulab::lessons::radio_astronomy
