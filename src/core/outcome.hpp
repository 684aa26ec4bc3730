#pragma once

#include <functional>
#include <string_view>
#include <type_traits>

#include "core/circumstances.hpp"

namespace gpulab {

// What a variant does. A lesson states it, a run observes it; the two are compared.
enum class Outcome {
  right,
  wrong,             // the result differs from the reference
  race,              // stated only: threads race, so any result may come out
  out_of_bounds,     // wrote past the end of an array; the result itself may be right
  fails_to_launch,   // the device refuses the grid, the block or the shared memory
  fails_to_compile,  // a compiler refuses the kernel, or its signature is not what the lesson launches
  faults,            // the device stopped the kernel (illegal address, deadlock, time limit)
  leaks,             // right, but device memory that it allocated was not freed
  not_run,           // observed only: an earlier fault left the device unusable, or a library refused
};

std::string_view name_of(Outcome outcome);

// What a variant is stated to do: always the same, or what a function of the circumstances says.
class Statement {
 public:
  Statement(Outcome always) : at_([always](const Circumstances&) { return always; }) {}  // NOLINT
  template <class Function>
  requires std::is_invocable_r_v<Outcome, Function, const Circumstances&> Statement(Function at)
      : at_(std::move(at)) {}  // NOLINT: a lesson writes either where a Statement stands

  Outcome at(const Circumstances& circumstances) const { return at_(circumstances); }

 private:
  std::function<Outcome(const Circumstances&)> at_;
};

// Whether what was observed comes of kernels that all ran to their end.
bool ran_to_its_end(Outcome observed);

// Whether what happened is what was stated. A race is as stated whatever came out.
bool is_as_stated(Outcome stated, Outcome observed);

}  // namespace gpulab
