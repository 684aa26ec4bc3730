#pragma once

#include "base/error.hpp"
#include "test.hpp"

namespace gpulab::image {

// Returns the sentence of the refusal that a call throws.
template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace gpulab::image
