#include "device/simulator/check/defect_log.hpp"

#include <algorithm>
#include <utility>

namespace gpulab {
namespace {

bool is_at(const FoundDefect::Party& a, const FoundDefect::Party& b) {
  return a.code == b.code && a.line == b.line && a.access == b.access;
}

bool are_alike(const FoundDefect& a, const FoundDefect& b) {
  return a.kind == b.kind && a.is_note == b.is_note && a.has_other == b.has_other &&
         is_at(a.party, b.party) && is_at(a.other, b.other) && a.other.has_place == b.other.has_place;
}

}  // namespace

void DefectLog::add(const FoundDefect& defect) {
  // A racing loop finds the same defect again and again.
  if (latest_ >= defects_.size() || !are_alike(defects_[latest_], defect)) {
    const auto found =
        std::ranges::find_if(defects_, [&](const FoundDefect& known) { return are_alike(known, defect); });
    latest_ = static_cast<std::size_t>(found - defects_.begin());
  }
  if (latest_ < defects_.size()) {
    const std::size_t count = defects_[latest_].count + 1;
    if (defect.ends_launch) defects_[latest_] = defect;
    defects_[latest_].count = count;
  } else if (defects_.size() < most) {
    defects_.push_back(defect);
  }
}

std::vector<FoundDefect> DefectLog::take() {
  std::vector<FoundDefect> taken = defects_;
  defects_.clear();
  return taken;
}

}  // namespace gpulab
