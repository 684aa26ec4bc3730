#pragma once

#include <optional>

#include "core/result.hpp"

// What follows from a result by arithmetic, for every output format. A figure is absent when something that
// it needs was not measured.

namespace gpulab::report {

// Whether a variant's figures mean anything: it is right, and right by intention.
bool is_right_as_expected(const VariantResult& variant);

// Median time of a kernel whose figures mean something, at the size asked for.
std::optional<double> kernel_median_s(const LessonResult& result, const VariantResult& variant);

// Median time of a CPU reference.
std::optional<double> reference_median_s(const ReferenceResult& reference);

// The bytes that the problem must move, over the time; absent too where the lesson declares none.
std::optional<double> effective_bytes_per_s(const Traffic& traffic, std::optional<double> seconds);

// Floating-point operations per second; none where the problem has none.
std::optional<double> operations_per_s(const Traffic& traffic, std::optional<double> seconds);

// The median of a variant that computes the whole problem, so that rates and speed-ups of it make sense.
std::optional<double> problem_median_s(const LessonResult& result, const VariantResult& variant);

// Of the device's theoretical peak, of memory or of arithmetic, whichever limits the problem; 1 is all of it.
// Of all the devices together that the variant ran on.
std::optional<double> fraction_of_peak(const LessonResult& result, const VariantResult& variant,
                                       std::optional<double> seconds);

// The kernel and the copies in both directions: a sum of medians, not a measurement of its own.
std::optional<double> with_copies_s(const LessonResult& result, std::optional<double> kernel_s);

// How many times as fast as the reference something is that takes so long.
std::optional<double> speed_up(const ReferenceResult& reference, std::optional<double> seconds);

}  // namespace gpulab::report
