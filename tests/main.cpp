#include <gtest/gtest.h>

#include "run/devices.hpp"

// The process of a confined device is the program that asks for it, also where that is the tests.
int main(int argc, char** argv) {
  if (const auto served = gpulab::run::serve_device_if_asked({argv, argv + argc})) return *served;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
