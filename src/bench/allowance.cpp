#include "bench/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.hpp"
#include "bench/bench_formats.hpp"
#include "bench/result.hpp"
#include "lesson/lesson.hpp"
#include "run/variant_run.hpp"

namespace gpulab::bench {
namespace {

// Figure that may grow: of one variant, of one lesson or, if none is named, of all. Without a figure, all
// figures of the variant may grow.
struct Allowance {
  std::string text, lesson, variant, figure;

  bool is_of_rows() const { return figure == name_of(ChangeKind::missing); }
  // Returns whether the change fails without the allowance.
  bool lets_pass(const Change& change) const {
    if (!lesson.empty() && change.what.lesson != lesson) return false;
    if (!variant.empty() && change.what.variant != variant) return false;
    if (is_of_rows()) return change.kind == ChangeKind::missing && change.is_one_sided_case();
    return change.kind == ChangeKind::regressed && (figure.empty() || change.figure == figure);
  }
};

// Parses what --allow takes: FIGURE, LESSON:FIGURE, LESSON/VARIANT or LESSON/VARIANT:FIGURE.
Allowance allowance_of(const std::string& text) {
  const std::size_t colon = text.find(':'), slash = text.find('/');
  if (colon == text.npos && slash == text.npos) return {text, "", "", text};
  if (colon != text.npos && slash != text.npos && slash > colon)
    throw UsageError("--allow " + text +
                     " is not written like FIGURE, LESSON:FIGURE, LESSON/VARIANT or LESSON/VARIANT:FIGURE");
  std::string lesson = text.substr(0, std::min(slash, colon));
  for (const Lesson& known : all_lessons())
    if (known.is_called(lesson)) lesson = known.name;
  const std::string variant = slash == text.npos ? "" : text.substr(slash + 1, colon - slash - 1);
  const std::string figure = colon == text.npos ? "" : text.substr(colon + 1);
  if (lesson.empty() || (figure.empty() && colon != text.npos) || (slash != text.npos && variant.empty()))
    throw UsageError("--allow " + text + " has an empty part: is a variable not set?");
  return {text, lesson, variant, figure};
}

// Returns a sentence, with the nearest name, if the name is not among those that are known; else empty.
std::string unknown_name(const Allowance& allowed, const char* what, const std::string& name,
                         const std::set<std::string>& known) {
  if (known.contains(name)) return "";
  const std::vector<std::string> names(known.begin(), known.end());
  const std::string all = fmt::format("there are {}", fmt::join(names, ", "));
  return fmt::format("--allow {}: no {} here has this name; {}", allowed.text, what,
                     suggestion(name, names, all));
}

// Returns such a sentence if the lesson or the variant was not measured; else empty.
std::string unknown_case(const Allowance& allowed, const std::vector<BenchCase>& cases) {
  std::set<std::string> lessons, variants;
  for (const BenchCase& what : cases) {
    lessons.insert(what.lesson);
    if (what.lesson == allowed.lesson) variants.insert(what.variant);
  }
  std::string unknown;
  if (!allowed.lesson.empty()) unknown = unknown_name(allowed, "lesson", allowed.lesson, lessons);
  if (unknown.empty() && !allowed.variant.empty())
    unknown = unknown_name(allowed, "variant", allowed.variant, variants);
  return unknown;
}

// Throws UsageError unless the figure is one of these, or one that bench can measure.
void require_figure(const Allowance& allowed, std::set<std::string> figures) {
  if (!allowed.variant.empty() && allowed.figure.empty()) return;
  figures.insert({"energy", sides, std::string(name_of(ChangeKind::missing))});
  for (const BenchTime time : all_bench_times) figures.emplace(name_of(time));
  for (const std::string& name : run::names_of_counts()) figures.insert(name);
  if (const std::string unknown = unknown_name(allowed, "figure", allowed.figure, figures); !unknown.empty())
    throw UsageError(unknown);
}

}  // namespace

void require_allowable(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) require_figure(allowance_of(text), {});
}

void allow(const std::vector<std::string>& texts, Comparison& comparison) {
  std::set<std::string> figures;
  for (const Change& change : comparison.changes) figures.insert(change.figure);
  figures.erase("");
  for (const std::string& text : texts) {
    const Allowance allowed = allowance_of(text);
    require_figure(allowed, figures);
    if (text == sides) continue;  // see doubt_order()
    if (std::string unknown = unknown_case(allowed, cases_of(comparison)); !unknown.empty()) {
      comparison.remarks.push_back(std::move(unknown));
      continue;
    }
    bool has_grown = false;
    for (Change& change : comparison.changes) {
      if (!allowed.lets_pass(change)) continue;
      if (change.kind == ChangeKind::missing) change.reason = "not measured now";
      change.kind = ChangeKind::allowed;
      has_grown = true;
    }
    if (!has_grown)
      comparison.remarks.push_back(fmt::format(
          "--allow {} allowed nothing: no {}", text,
          allowed.is_of_rows() ? "row is missing"
                               : (allowed.figure.empty() ? "figure" : allowed.figure) + " regressed"));
  }
}

std::string advice_on_allowing(const Comparison& comparison, ChangeKind kind) {
  const bool is_of_rows = kind == ChangeKind::missing;
  const auto variant_of = [](const Change& change) { return change.what.lesson + "/" + change.what.variant; };
  const auto words_for = [&](const Change& change) {  // the shortest first
    const std::string figure = is_of_rows ? "missing" : change.figure;
    return std::array{figure, change.what.lesson + ":" + figure, variant_of(change) + ":" + figure};
  };
  const auto is_meant = [&](const Change& change) {
    return change.kind == kind && (!is_of_rows || (change.is_one_sided_case() && change.reason.empty()));
  };
  std::set<std::string> too_much, words, words_with_variants;
  std::map<std::string, std::set<std::string>> grown;  // the figures of each variant
  for (const Change& change : comparison.changes)
    if (const auto all = words_for(change); is_meant(change))
      grown[variant_of(change)].insert(change.figure);
    else
      too_much.insert(all.begin(), all.end() - (is_of_rows ? 0 : 1));
  for (const Change& change : comparison.changes) {
    const auto all = words_for(change);
    const auto found = std::ranges::find_if(all, [&](const auto& word) { return !too_much.contains(word); });
    if (!is_meant(change) || found == all.end()) continue;
    words.insert(*found);
    words_with_variants.insert(grown[variant_of(change)].size() < 3 ? *found : variant_of(change));
  }
  if (words_with_variants.size() < words.size()) words = std::move(words_with_variants);
  if (words.empty()) return "";
  return fmt::format("if what {} on purpose, add --allow {}",
                     is_of_rows ? "is missing was removed" : "regressed grew", fmt::join(words, " --allow "));
}

}  // namespace gpulab::bench
