#include "suites/tally.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"

namespace gpulab::suites {
namespace {

template <class Predicate>
std::size_t count_of_counts(const std::vector<Judged>& cases, Predicate is_counted) {
  std::size_t count = 0;
  for (const Judged& judged : cases)
    count += static_cast<std::size_t>(std::ranges::count_if(judged.counts, is_counted));
  return count;
}

// Returns "346 found, 0 missed": the outcomes `always`, and those of `if_any` that have cases.
std::string outcomes_text(const Tally& tally, const std::string& name, std::initializer_list<Outcome> always,
                          std::initializer_list<Outcome> if_any) {
  std::string text;
  const auto add = [&](Outcome outcome, bool is_always) {
    const std::size_t count = tally.count(name, outcome);
    if (count == 0 && !is_always) return;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(name_of(outcome));
  };
  for (const Outcome outcome : always) add(outcome, /*is_always=*/true);
  for (const Outcome outcome : if_any) add(outcome, /*is_always=*/false);
  return text;
}

// Returns the first defect outside of all classes.
const SeenDefect* first_defect(const Judged& judged, const std::vector<std::string>& classes = {}) {
  for (const Observation& observation : judged.observations)
    for (const SeenDefect& defect : observation.defects)
      if (!defect.is_note && !is_of_classes(defect.kind, classes)) return &defect;
  return nullptr;
}

std::string remark(const Judged& judged) {
  std::string text = "  " + judged.test_case->name + ": ";
  for (const auto& [name, outcome] : judged.outcomes)
    text += name + " " + std::string(name_of(outcome)) + "; ";
  for (const JudgedCount& count : judged.counts)
    if (!count.is_equal && !count.is_corrected)
      text += count.expected.what + " " + std::to_string(count.observed) + ", the suite says " +
              std::to_string(count.expected.value) + "; ";
  if (!judged.not_run.empty()) return text + judged.not_run + ": " + judged.detail + "\n";
  if (const SeenDefect* defect = first_defect(judged)) text += defect->text;
  return text + "\n";
}

// Lists defects of classes that the suite's labels are not about.
std::string unjudged_defects(const Tally& tally) {
  std::string text;
  std::vector<std::string> judged_classes;
  for (const auto& [label, classes] : tally.manifest->judged)
    judged_classes.insert(judged_classes.end(), classes.begin(), classes.end());
  std::size_t cases = 0;
  for (const Judged& judged : *tally.cases)
    if (const SeenDefect* defect = first_defect(judged, judged_classes)) {
      ++cases;
      text += "    " + judged.test_case->name + ": " + defect->text + "\n";
    }
  return cases == 0
             ? ""
             : "  besides, of kinds that the labels are not about: " + std::to_string(cases) + "\n" + text;
}

// Lists explanations that are no longer needed.
std::string stale_explanations(const Judged& judged) {
  std::string text;
  for (const auto& [name, reason] : judged.test_case->explained) {
    const auto found = judged.outcomes.find(name);
    if (found == judged.outcomes.end() || found->second == Outcome::found || found->second == Outcome::silent)
      text += "  " + judged.test_case->name + ": the manifest explains " + name +
              ", which is as the label says\n";
  }
  return text;
}

}  // namespace

std::size_t Tally::count(const std::string& name, Outcome outcome) const {
  return static_cast<std::size_t>(std::ranges::count_if(*cases, [&](const Judged& judged) {
    const auto found = judged.outcomes.find(name);
    return found != judged.outcomes.end() && found->second == outcome;
  }));
}

std::size_t Tally::equal_counts() const {
  return count_of_counts(*cases, [](const JudgedCount& count) { return count.is_equal; });
}
std::size_t Tally::corrected_counts() const {
  return count_of_counts(*cases,
                         [](const JudgedCount& count) { return !count.is_equal && count.is_corrected; });
}
std::size_t Tally::all_counts() const {
  return count_of_counts(*cases, [](const JudgedCount&) { return true; });
}

std::string text_of(const Tally& tally) {
  using enum Outcome;
  std::string text = tally.manifest->suite + ": " + std::to_string(tally.cases->size()) + " cases, " +
                     std::to_string(static_cast<int>(tally.seconds + 0.5)) + " s\n";
  if (!tally.manifest->about.empty()) text += tally.manifest->about + "\n";
  for (const auto& [name, classes] : tally.manifest->judged) {
    text += "  " + name +
            ", labelled: " + outcomes_text(tally, name, {found, missed}, {noted, not_manifest}) + "\n";
    text += "  " + name + ", clean: " +
            outcomes_text(tally, name, {silent, false_alarm}, {silent_with_note, label_wrong, not_run}) +
            "\n";
  }
  if (const std::size_t all = tally.all_counts())
    text += "  counts: " + std::to_string(tally.equal_counts()) + " of " + std::to_string(all) + " equal, " +
            std::to_string(tally.corrected_counts()) + " equal to the corrected number\n";
  std::map<std::string, std::size_t> reasons;
  for (const Judged& judged : *tally.cases)
    if (!judged.not_run.empty()) ++reasons[judged.not_run];
  for (const auto& [why, count] : reasons) text += "  not run, " + why + ": " + std::to_string(count) + "\n";
  reasons.clear();
  for (const auto& [name, why] : tally.manifest->skipped) ++reasons[why];
  for (const auto& [why, count] : reasons) text += "  no case, " + why + ": " + std::to_string(count) + "\n";
  for (const Judged& judged : *tally.cases)
    text += (is_remarkable(judged) ? remark(judged) : "") + stale_explanations(judged);
  return tally.manifest->judged.empty() ? text : text + unjudged_defects(tally);
}

}  // namespace gpulab::suites
