#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/scaling.hpp"
#include "run/ranks/ranks.hpp"

namespace gpulab::run::ranks {

// Where the parts of a lesson on scaling run: so many ranks with a problem of at most so many elements.
struct Place {
  Ranks& ranks;
  DividedProblem& problem;
};
using PlaceOf = std::function<Place(int ranks, std::size_t size)>;

// Measures what the time of the variant on several devices is predicted from: on one device, with few
// elements and with a quarter of them, and on 2, 4, 8, ... up to `most` what they do together.
ScalingModel measured_model(const Lesson& lesson, const Variant& variant, int most, std::size_t size,
                            double budget_s, const PlaceOf& place);

// "predicted from ...: 1 GPU 928 us, 2 GPUs 478 us; two GPUs beat one from 46 000 elements on".
std::string prediction_text(const ScalingModel& model, double bytes, double bytes_of_element);

// Speed-up and efficiency against the variant on one device, and the prediction. None without that.
std::vector<Figure> scaling_figures(const ScalingModel& model, const Variant& variant,
                                    const VariantResult& result, int ranks, double bytes,
                                    const LessonResult& so_far);

}  // namespace gpulab::run::ranks
