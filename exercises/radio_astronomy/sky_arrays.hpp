#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lesson/handles.hpp"

// Arrays of the lesson. The known ones are filled from the start, so that every step can be tried alone;
// outputs are compared with the reference; the others are scratch.

namespace gpulab::lessons::radio_astronomy {

const Input<float> sky{"image"};
const Scalar<int> size{"size"}, width{"width"}, rows{"rows"};

const Input<double> known_noise{"known_noise"};
const Input<std::uint8_t> known_mask{"known_mask"};
const Input<std::int32_t> known_labels{"known_labels"};

const Output<double> noise{"noise"};  // median, sigma, values kept
const Output<std::uint8_t> mask{"mask"};
const Output<std::int32_t> labels{"labels"};

// Room in the catalogue; sources beyond it are labelled, but not measured.
constexpr std::size_t catalogue_rows = 65536;

// Catalogue; row i is the source with label i + 1.
const Output<double> center_x{"x", InitialContents::cleared}, center_y{"y", InitialContents::cleared},
    flux{"flux", InitialContents::cleared};
const Output<float> peak{"peak", InitialContents::cleared};
const Output<std::int32_t> source_pixels{"pixels", InitialContents::cleared};

const std::vector<AnyOutput> catalogue{center_x, center_y, flux, peak, source_pixels};

// Most blocks that add up the distances from the median.
constexpr unsigned max_partials = 4096;

// Scratch of clipping: the interval that is kept; for each of the two middle values the counts of 256 values
// of a digit, the digits found so far, and how many values come before it; three sums of every block.
const Scratch<double> bounds{"bounds"}, partials{"partials"};
const Scratch<std::uint32_t> digit_counts{"counts"}, keys{"keys"}, ranks{"ranks"};

// Scratch of clipping in one launch: the counts of three passes, and the blocks that have reached the
// barrier.
constexpr std::size_t words_of_passes = std::size_t{3} * 2 * 4096 + 1;
const Scratch<std::uint32_t> pass_counts{"pass_counts"};
const Scalar<int> rows_on_chip{"rows_on_chip"};

// Scratch of labelling: the parent of each pixel; the sources that begin in each block, and before it.
const Scratch<std::int32_t> parents{"parents"}, block_roots{"block_roots"}, roots_before{"roots_before"};

}  // namespace gpulab::lessons::radio_astronomy
