#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>

#include "core/launch.hpp"

namespace gpulab {

// What a variant does. A lesson expects it, a run observes it; the two are compared.
enum class Outcome {
  right,
  wrong,             // the result differs from the reference
  race,              // expected only: threads race, so any result may come out
  defect,            // something is wrong with it, whatever comes out: the device saw it when it watched
  out_of_bounds,     // wrote past the end of an array; the result itself may be right
  fails_to_launch,   // the device refuses the grid, the block or the shared memory
  fails_to_compile,  // a compiler refuses the kernel, or its signature is not what the lesson launches
  faults,            // the device stopped the kernel (illegal address, deadlock, time limit)
  leaks,             // right, but device memory that it allocated was not freed
  not_run,           // observed only: an earlier fault left the device unusable, or a library refused
};

std::string_view name_of(Outcome outcome);

// What a variant is expected to do: always the same, or what a function of the context says.
class Expectation {
 public:
  Expectation(Outcome always) : always_(always) {}  // NOLINT
  template <class Function>
  requires std::is_invocable_r_v<Outcome, Function, const LaunchContext&> Expectation(Function at)
      : at_(std::move(at)) {}  // NOLINT: a lesson writes either where an Expectation stands

  Outcome at(const LaunchContext& context) const { return always_ ? *always_ : at_(context); }

  // At all sizes and in all circumstances.
  bool is_always(Outcome outcome) const { return always_ == outcome; }

 private:
  std::optional<Outcome> always_;
  std::function<Outcome(const LaunchContext&)> at_;
};

// Whether what was observed comes of kernels that all ran to their end.
bool ran_to_its_end(Outcome observed);

// Whether what happened is what was expected. A race is as expected whatever came out.
bool is_as_expected(Outcome expected, Outcome observed);

}  // namespace gpulab
