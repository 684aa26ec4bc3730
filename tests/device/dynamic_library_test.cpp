#include "device/host.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace gpulab::device {
namespace {

TEST(DynamicLibrary, FindsAFunctionAndItsOwnPath) {
  const DynamicLibrary library({"libm.so.6"});
  double (*square_root)(double) = nullptr;
  library.find(square_root, "sqrt");
  EXPECT_EQ(square_root(9), 3);
  EXPECT_TRUE(library.path().ends_with("libm.so.6")) << library.path();
}

TEST(DynamicLibrary, TakesTheFirstNameThatCanBeOpened) {
  EXPECT_TRUE(DynamicLibrary({"libno_such_thing.so.1", "libm.so.6"}).path().ends_with("libm.so.6"));
}

TEST(DynamicLibrary, SaysWhatTheLoaderSaysOfTheFirstName) {
  try {
    DynamicLibrary({"libno_such_thing.so.1", "/nowhere/libno_such_thing.so"});
    FAIL() << "opened a library that does not exist";
  } catch (const std::runtime_error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("libno_such_thing.so.1: ")) << error.what();
  }
}

TEST(DynamicLibrary, NamesTheFunctionThatIsMissing) {
  const DynamicLibrary library({"libm.so.6"});
  void (*function)() = nullptr;
  try {
    library.find(function, "no_such_function");
    FAIL() << "found a function that does not exist";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("no_such_function"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace gpulab::device
