#include <algorithm>
#include <set>

#include "report/bench_cases.hpp"

namespace gpulab::report {
namespace {

using Options = std::map<std::string, std::string>;

// With the seed and the block size among them, since these tell cases apart like any option.
Options all_options(const ReportedCase& one) {
  Options options;
  for (const auto& [name, value] : one.what.options) options[name] = text_of(value);
  options["seed"] = std::to_string(one.what.seed);
  if (one.what.block_size > 0) options["block"] = std::to_string(one.what.block_size);
  return options;
}

// Options such as --width of an image say how large a problem is. They vary, and each size has one value.
bool says_how_large(const std::string& option, const std::vector<const ReportedCase*>& of_lesson) {
  std::map<std::size_t, std::string> value_at;
  std::set<std::string> values;
  for (const ReportedCase* one : of_lesson) {
    const auto found = one->what.options.find(option);
    if (found == one->what.options.end() || !std::holds_alternative<std::uint64_t>(found->second))
      return false;
    const std::string value = text_of(found->second);
    if (value_at.try_emplace(one->what.size, value).first->second != value) return false;
    values.insert(value);
  }
  return values.size() > 1;
}

std::string words_of(const Options& options) {
  std::string text;
  for (const auto& [name, value] : options) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

// The options of one lesson, in two parts: those that tell its sections apart, and those that all have in
// common.
class OptionsOfLesson {
 public:
  explicit OptionsOfLesson(const std::vector<const ReportedCase*>& cases) {
    std::map<std::string, std::set<std::string>> values;
    for (const ReportedCase* one : cases) {
      // A reference knows no blocks: it belongs to the sections of all block sizes.
      if (one->kind == BenchKind::cpu) continue;
      Options options = all_options(*one);
      options.try_emplace("block", "own");
      for (const auto& [name, value] : options) values[name].insert(value);
    }
    for (const auto& [name, different] : values) {
      if (says_how_large(name, cases)) continue;
      (different.size() > 1 ? varying_ : same_).insert(name);
    }
  }

  Options telling(const ReportedCase& one) const { return only(varying_, one); }
  Options same(const ReportedCase& one) const { return only(same_, one); }

 private:
  static Options only(const std::set<std::string>& names, const ReportedCase& one) {
    Options options = all_options(one);
    std::erase_if(options, [&](const auto& option) { return !names.contains(option.first); });
    return options;
  }

  std::set<std::string> varying_, same_;
};

// A reference stands in every section whose options are not other than its own.
bool belongs_to(const Options& reference, const Options& section) {
  return std::ranges::all_of(reference, [&](const auto& option) {
    const auto found = section.find(option.first);
    return found != section.end() && found->second == option.second;
  });
}

void add_sections(std::vector<BenchSection>& sections, const std::string& lesson,
                  const std::vector<const ReportedCase*>& cases) {
  const OptionsOfLesson options(cases);
  std::vector<Options> told;
  for (const ReportedCase* one : cases) {
    const Options telling = options.telling(*one);
    if (one->kind != BenchKind::cpu && std::ranges::find(told, telling) == told.end())
      told.push_back(telling);
  }
  if (told.empty()) told.push_back({});
  for (const Options& telling : told) {
    BenchSection section{.lesson = lesson, .options = words_of(telling)};
    for (const ReportedCase* one : cases) {
      const Options own = options.telling(*one);
      if (one->kind == BenchKind::cpu ? belongs_to(own, telling) : own == telling)
        section.cases.push_back(*one);
    }
    section.same_options = words_of(options.same(section.cases.front()));
    sections.push_back(std::move(section));
  }
}

}  // namespace

std::vector<std::size_t> BenchSection::sizes() const {
  std::set<std::size_t> sizes;
  for (const ReportedCase& one : cases) sizes.insert(one.what.size);
  return {sizes.begin(), sizes.end()};
}

bool BenchSection::is_by_operations() const {
  return !cases.empty() && cases.front().traffic.limited_by_operations;
}

std::vector<BenchSection> bench_sections(const std::vector<ReportedCase>& cases) {
  std::vector<std::string> lessons;
  std::map<std::string, std::vector<const ReportedCase*>> cases_of;
  for (const ReportedCase& one : cases) {
    if (!cases_of.contains(one.what.lesson)) lessons.push_back(one.what.lesson);
    cases_of[one.what.lesson].push_back(&one);
  }
  std::vector<BenchSection> sections;
  for (const std::string& lesson : lessons) add_sections(sections, lesson, cases_of[lesson]);
  return sections;
}

}  // namespace gpulab::report
