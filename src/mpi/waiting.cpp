#include "mpi/waiting.hpp"

#include <algorithm>
#include <vector>

#include "core/text.hpp"
#include "device/launch_limits.hpp"

namespace gpulab::mpi {
namespace {

// "rank 2", "ranks 0-2, 5 and 7"; ascending.
std::string names_of(const std::vector<std::size_t>& ranks) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (last == i + 1) last = i;  // two are two
    parts.push_back(std::to_string(ranks[i]) + (last > i ? "-" + std::to_string(ranks[last]) : ""));
    i = last + 1;
  }
  std::string text = (ranks.size() > 1 ? "ranks " : "rank ") + parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) text += (i + 1 < parts.size() ? ", " : " and ") + parts[i];
  return text;
}

std::vector<std::size_t> ranks_at(std::span<const std::string> places, const std::string& place) {
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < places.size(); ++rank)
    if (places[rank] == place) ranks.push_back(rank);
  return ranks;
}

// "rank 0 waits in the all-reduce of output, rank 2 in a barrier"
std::string those_who_wait(std::span<const std::string> places) {
  std::vector<std::string> told{""};
  std::string text;
  for (const std::string& place : places) {
    if (std::ranges::find(told, place) != told.end()) continue;
    const std::vector<std::size_t> ranks = ranks_at(places, place);
    const char* const verb = !text.empty() ? " " : ranks.size() > 1 ? " wait " : " waits ";
    text += (text.empty() ? "" : ", ") + names_of(ranks) + verb + (place == at_the_end ? "at " : "in ") +
            printable(place);
    told.push_back(place);
  }
  return text;
}

}  // namespace

std::string who_waits_where(std::span<const std::string> places, double seconds) {
  if (std::ranges::all_of(places,
                          [&](const std::string& place) { return !place.empty() && place == places[0]; }))
    return {};
  const std::vector<std::size_t> missing = ranks_at(places, "");
  if (missing.empty()) return those_who_wait(places) + ": all ranks must do the same in the same order";
  const std::string late = names_of(missing) + (missing.size() > 1 ? " have" : " has") + " not come within " +
                           device::number_of_seconds(seconds);
  return missing.size() == places.size() ? late : late + "; " + those_who_wait(places);
}

}  // namespace gpulab::mpi
