#include "cuda/properties.hpp"

#include <gtest/gtest.h>

namespace gpulab::cuda {
namespace {

TEST(CudaProperties, ComputesThePeakOfDoubleDataRateMemory) {
  // NVIDIA T4: 5001 MHz, 256 bits; the data sheet says 320 GB/s.
  EXPECT_DOUBLE_EQ(theoretical_peak(5.001e9, 256), 320.064e9);
  // NVIDIA H200: 3201 MHz, 6144 bits; the data sheet says 4.8 TB/s, with a slower clock.
  EXPECT_DOUBLE_EQ(theoretical_peak(3.201e9, 6144), 4916.736e9);
}

TEST(CudaProperties, KnowsNoPeakWhenTheDriverTellsNoClockOrNoWidth) {
  EXPECT_EQ(theoretical_peak(0, 256), 0);
  EXPECT_EQ(theoretical_peak(5e9, 0), 0);
  EXPECT_EQ(theoretical_peak(-1, 256), 0);
}

}  // namespace
}  // namespace gpulab::cuda
