#include "report/claim_text.hpp"

#include <fmt/format.h>

namespace gpulab {

std::string claim_text(const Claim& claim) {
  switch (claim.kind) {
    case Claim::Kind::not_faster:
      return fmt::format("{} is no faster than {}", claim.better, claim.worse);
    case Claim::Kind::fewer_counted:
      return fmt::format("{} has at least {:g}x fewer {} than {}", claim.better, claim.ratio, claim.figure,
                         claim.worse);
    case Claim::Kind::faster:
      break;
  }
  return fmt::format("{} is at least {:g}x as fast as {}", claim.better, claim.ratio, claim.worse);
}

Cell verdict_words(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::holds:
      return {"holds", Ink::green};
    case ClaimVerdict::does_not_hold:
      return {"does not hold", Ink::red};
    case ClaimVerdict::inconclusive:
      return {"inconclusive", Ink::yellow};
    case ClaimVerdict::needs_gpu:
      return {"needs a GPU", Ink::cyan};
    case ClaimVerdict::needs_simulator:
      return {"needs --device simulator", Ink::cyan};
    case ClaimVerdict::not_measured:
      break;
  }
  return {"not measured", Ink::yellow};
}

}  // namespace gpulab
