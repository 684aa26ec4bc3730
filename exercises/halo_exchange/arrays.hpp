#pragma once

#include <cstddef>

#include "lesson/handles.hpp"
#include "lesson/problem.hpp"

namespace gpulab::lessons::halo_exchange {

const Input<float> image{"image"};  // between a halo of zeros above and one below
const Input<float> filter{"filter"};
const Output<float> output{"output"};
// What steps hand on: rows with their halos. On one GPU for all ranks, one after another.
const Scratch<float> even{"even", Before::cleared}, odd{"odd", Before::cleared};
const Scalar<int> width{"width"}, height{"height"}, side{"side"}, halo{"halo"}, steps{"steps"};
const Scalar<int> own{"own"}, own_above{"own_above"}, count{"count"};  // rows
const Scalar<int> rank_of{"rank"}, ranks_of{"ranks"};

// The rows of a rank. Each rank that has any has at least as many as a halo, so where the image is low, the
// last ones have none.
Share rows_of(int rank, int ranks, std::size_t height, std::size_t halo);

// How many ranks have rows.
int ranks_with_rows(int ranks, std::size_t height, std::size_t halo);

// An image, convolved several times.
Problem problem(const Settings& settings);

}  // namespace gpulab::lessons::halo_exchange
