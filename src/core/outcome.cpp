#include "core/outcome.hpp"

namespace gpulab {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::right:
      return "right";
    case Outcome::wrong:
      return "wrong";
    case Outcome::race:
      return "race";
    case Outcome::defect:
      return "defect";
    case Outcome::out_of_bounds:
      return "out of bounds";
    case Outcome::fails_to_launch:
      return "fails to launch";
    case Outcome::fails_to_compile:
      return "fails to compile";
    case Outcome::faults:
      return "faults";
    case Outcome::leaks:
      return "leaks";
    case Outcome::not_run:
      return "not run";
  }
  return "unknown";
}

bool ran_to_its_end(Outcome observed) {
  switch (observed) {
    case Outcome::fails_to_compile:
    case Outcome::fails_to_launch:
    case Outcome::faults:
    case Outcome::not_run:
      return false;
    default:
      return true;
  }
}

bool is_as_expected(Outcome expected, Outcome observed) {
  if (expected == Outcome::race) return observed == Outcome::right || observed == Outcome::wrong;
  return expected == observed;
}

}  // namespace gpulab
