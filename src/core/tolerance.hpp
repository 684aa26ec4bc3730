#pragma once

namespace gpulab {

// |actual - expected| <= absolute + relative * |expected| is right, anything else is wrong.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

constexpr Tolerance exact{};

}  // namespace gpulab
