#include "device/symbols.hpp"

#include <gtest/gtest.h>

namespace gpulab::device {
namespace {

TEST(DemangledName, IsWhatStandsInTheSource) {
  EXPECT_EQ(demangled_name("_Z5scalePKfi"), "scale(float const*, int)");
  EXPECT_EQ(demangled_name("_ZN5inner6nestedE"), "inner::nested");
}

TEST(DemangledName, LeavesNamesThatAreNotMangled) {
  EXPECT_EQ(demangled_name("factors"), "factors");
  EXPECT_EQ(demangled_name("f"), "f");  // which mangled is a type
  EXPECT_EQ(demangled_name("_Z"), "_Z");
}

}  // namespace
}  // namespace gpulab::device
