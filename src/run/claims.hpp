#pragma once

#include <functional>
#include <vector>

#include "core/lesson.hpp"
#include "core/result.hpp"

namespace gpulab::run {

// Tests what the lesson says about those variants that were run. A claim about times holds when it does so
// over both confidence intervals, and does not hold when it does nowhere in them. One about counts is tested
// as it is. One that is not meant for what context_of gives is not measured.
std::vector<ClaimResult> judge_claims(const std::vector<Claim>& claims, const LessonResult& result,
                                      const std::function<LaunchContext(const Claim&)>& context_of = {});

}  // namespace gpulab::run
