#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gpulab::lessons::radio_astronomy {

// Standard deviation of the noise, in Jy/beam.
constexpr float synthetic_sigma = 0.01f;

// Fills an image with white Gaussian noise and one source, and another for every 10 000 pixels, at random
// places: few bright ones and many faint, as in the sky, from 6 to 250 sigma. Each looks like the beam of the
// telescope, a Gaussian 4 pixels wide at half its maximum. The same seed and size make the same image.
void fill_synthetic_sky(std::span<float> image, std::size_t width, std::uint64_t seed);

}  // namespace gpulab::lessons::radio_astronomy
