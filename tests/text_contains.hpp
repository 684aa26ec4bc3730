#pragma once

#include <gtest/gtest.h>

#include <string>

namespace gpulab {

inline testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << text << "' does not contain '" << part << "'";
}

}  // namespace gpulab
