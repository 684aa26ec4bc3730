#include "suites/judgement.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "lesson/finding.hpp"

namespace gpulab::suites {
namespace {

struct ClassOfKind {
  std::string_view name, kind;  // the kind as gpulab::name_of(DefectKind) spells it
};

// A kind that is not listed is "other".
constexpr ClassOfKind classes[] = {
    {"race", "race-shared"},
    {"race", "race-global"},
    {"bounds", "illegal-address"},
    {"bounds", "not-enough-shared"},
    {"bounds", "out-of-bounds"},
    {"bounds", "shared-out-of-bounds"},
    {"bounds", "array-index"},
    {"bounds", "host-pointer"},
    {"divergence", "divergent-barrier"},
    {"divergence", "missed-barrier"},
    {"divergence", "deadlock"},
    {"divergence", "wrong-mask"},
    {"uninitialised", "uninitialised-global"},
    {"uninitialised", "uninitialised-shared"},
    {"misaligned", "misaligned"},
    {"constant write", "constant-write"},
    {"arithmetic", "division-by-zero"},
    {"stopped", "time-limit"},
    {"stopped", "too-many-accesses"},
    {"stopped", "too-much-output"},
    {"stopped", "trap"},
    {"stopped", "stack-overflow"},
    {"stopped", "endless-wait"},
    {"stopped", "assertion"},
    {"bounds", "bad-free"},
};

std::string_view class_of(const std::string& kind) {
  for (const ClassOfKind& known : classes)
    if (known.kind == kind) return known.name;
  return "other";
}

bool has_defect(const std::vector<Observation>& observations, const std::vector<std::string>& classes,
                bool is_note) {
  for (const Observation& observation : observations)
    for (const SeenDefect& defect : observation.defects)
      if (defect.is_note == is_note && is_of_classes(defect.kind, classes)) return true;
  return false;
}

Outcome outcome_of(const Judged& judged, const std::string& label, const std::vector<std::string>& classes) {
  const Case& test_case = *judged.test_case;
  const bool is_alarm = has_defect(judged.observations, classes, /*is_note=*/false),
             is_note = has_defect(judged.observations, classes, /*is_note=*/true);
  const bool is_explained = test_case.explained.contains(label);
  if (std::ranges::count(test_case.expected, label) > 0) {
    if (is_alarm) return Outcome::found;
    if (!judged.not_run.empty()) return Outcome::not_run;
    if (is_explained) return Outcome::not_manifest;
    return is_note ? Outcome::noted : Outcome::missed;
  }
  if (is_alarm) return is_explained ? Outcome::label_wrong : Outcome::false_alarm;
  if (!judged.not_run.empty()) return Outcome::not_run;
  return is_note ? Outcome::silent_with_note : Outcome::silent;
}

JudgedCount judged_count(const ExpectedCount& expected, const std::map<std::string, double>& counts) {
  const auto found = counts.find(expected.what);
  JudgedCount judged{.expected = expected, .observed = found == counts.end() ? std::nan("") : found->second};
  constexpr double rounding = 1e-6;
  judged.is_equal = std::abs(judged.observed - expected.value) < rounding;
  judged.is_corrected = expected.corrected && std::abs(judged.observed - *expected.corrected) < rounding;
  return judged;
}

}  // namespace

void require_class(const std::string& name) {
  if (name != "other" && std::ranges::find(classes, name, &ClassOfKind::name) == std::end(classes))
    throw UsageError("there is no class of defects '" + name + "'");
}

bool is_of_classes(const std::string& kind, const std::vector<std::string>& names) {
  return std::ranges::find(names, class_of(kind)) != names.end();
}

std::string_view name_of(Outcome outcome) {
  constexpr std::string_view names[] = {"found",       "noted",       "does not manifest",
                                        "missed",      "silent",      "silent with a note",
                                        "label wrong", "false alarm", "not run"};
  return names[static_cast<std::size_t>(outcome)];
}

Judged judge(const Manifest& manifest, const Case& test_case, std::vector<Observation> observations) {
  Judged judged{.test_case = &test_case, .observations = std::move(observations)};
  for (const Observation& observation : judged.observations) {
    judged.seconds += observation.seconds;
    if (!judged.not_run.empty()) continue;
    judged.not_run = observation.not_run;
    judged.detail = observation.detail;
  }
  if (test_case.counts.empty())
    for (const auto& [label, classes] : manifest.judged)
      judged.outcomes[label] = outcome_of(judged, label, classes);
  for (const ExpectedCount& expected : test_case.counts)
    judged.counts.push_back(judged_count(expected, judged.observations.front().counts));
  return judged;
}

bool is_remarkable(const Judged& judged) {
  const auto is_bad = [](const auto& outcome) {
    return outcome.second == Outcome::missed || outcome.second == Outcome::false_alarm ||
           outcome.second == Outcome::not_run;
  };
  const auto differs = [](const JudgedCount& count) { return !count.is_equal && !count.is_corrected; };
  return std::ranges::any_of(judged.outcomes, is_bad) || std::ranges::any_of(judged.counts, differs);
}

}  // namespace gpulab::suites
