#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace gpulab {

// What a variant does. A lesson states it, a run observes it; the two are compared.
enum class Outcome {
  right,
  wrong,             // the result differs from the reference
  race,              // stated only: threads race, so any result may come out
  out_of_bounds,     // wrote past the end of an array; the result itself may be right
  fails_to_launch,   // the device refuses the grid, the block or the shared memory
  fails_to_compile,  // a compiler refuses the kernel, or its signature is not what the lesson launches
  faults,            // observed only: the device stopped the kernel (illegal address, deadlock, time limit)
  not_run,           // observed only: an earlier fault left the device unusable
};

std::string_view name_of(Outcome outcome);

// What a variant does at a given size (elements) and block size (threads).
using OutcomeAt = std::function<Outcome(std::size_t size, unsigned block_size)>;

// Either the same outcome at every size, or a function of the size.
class Statement {
 public:
  Statement(Outcome always) : at_([always](std::size_t, unsigned) { return always; }) {}  // NOLINT
  template <class Function>
  requires std::is_invocable_r_v<Outcome, Function, std::size_t, unsigned> Statement(Function at)
      : at_(std::move(at)) {}  // NOLINT: a lesson writes either where a Statement stands

  Outcome at(std::size_t size, unsigned block_size) const { return at_(size, block_size); }

 private:
  OutcomeAt at_;
};

// Whether what happened is what was stated. A race is as stated whatever came out.
bool is_as_stated(Outcome stated, Outcome observed);

}  // namespace gpulab
