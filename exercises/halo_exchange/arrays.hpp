#pragma once

#include <cstddef>

#include "lesson/handles.hpp"
#include "lesson/problem.hpp"

namespace gpulab::lessons::halo_exchange {

const Input<float> image{"image"};  // with a halo of zeros above and one below
const Input<float> filter{"filter"};
const Output<float> output{"output"};
// Results of the steps: rows with their halos. On one GPU they hold the rows of all ranks, one after another.
const Scratch<float> even{"even", InitialContents::cleared}, odd{"odd", InitialContents::cleared};
const Scalar<int> width{"width"}, height{"height"}, side{"side"}, halo{"halo"}, steps{"steps"};
const Scalar<int> own{"own"}, own_above{"own_above"}, count{"count"};  // rows
const Scalar<int> rank_of{"rank"}, ranks_of{"ranks"};

// Returns the rows of a rank. A rank has none, or at least as many as a halo: in an image of few rows the
// last ranks have none.
Share rows_of(int rank, int ranks, std::size_t height, std::size_t halo);

// Returns how many ranks have rows.
int ranks_with_rows(int ranks, std::size_t height, std::size_t halo);

// Returns the problem: an image, convolved several times.
Problem problem(const Settings& settings);

}  // namespace gpulab::lessons::halo_exchange
